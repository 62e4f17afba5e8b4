/** `vmctl config`: defaults of the command line, and where each setting comes from. */
import { UsageError } from '../../client/errors.ts';
import { command, noun } from '../args/command.ts';
import { argument, flag } from '../args/parameters.ts';
import { parsedColumns } from '../output/column-selection.ts';
import { print } from '../output/print.ts';
import type { CommandContext } from '../session/command-context.ts';
import { changeConfiguration, contextNamed } from '../session/config-file.ts';
import {
  defaultKeys,
  longFlag,
  type NounKey,
  nounKeys,
  type SettingName,
  settingNames,
  settings,
} from '../session/settings.ts';
import { closeMatches } from '../text/did-you-mean.ts';
import { collectionsOf, kindOf, modelNouns } from '../verbs/collections.ts';

type Row = Readonly<Record<string, string | undefined>>;

async function list(cli: CommandContext, { origin = false }: { origin?: boolean }): Promise<void> {
  const usual = settingNames.map((name): Row => {
    const setting = settings[name];
    const found = cli.setting(name);
    return {
      name: setting.key ?? longFlag(setting)?.slice(2) ?? setting.env,
      value: found === undefined || !setting.secret ? found?.value : '(not shown)',
      origin: found === undefined ? undefined : originOf(cli, name, found.origin, origin),
      flag: longFlag(setting),
      variable: setting.env,
    };
  });
  const items = [...usual, ...preferences(cli, origin)];
  await print(cli, {
    noun: 'settings',
    items: origin ? items.filter(({ value }) => value !== undefined) : items,
    columns: ['name', 'value', 'origin', ...(origin ? [] : ['flag', 'variable'])],
  });
}

/** What is preferred for single nouns, by this server and by all. */
function preferences(cli: CommandContext, inFull: boolean): readonly Row[] {
  const { defaults } = cli.configuration;
  const names = new Set([
    ...Object.keys(cli.context()?.preferences ?? {}),
    ...Object.keys(defaults),
  ]);
  return [...names].sort().flatMap((name) => {
    const [noun = '', word] = name.split('.');
    const key = nounKeys.find((one) => one === word);
    const found = key && cli.preference(noun, key);
    if (!found) return [];
    return [{ name, value: found.value, origin: originOf(cli, undefined, found.origin, inFull) }];
  });
}

/** Where a value comes from; `inFull` with the name of the context and the file. */
function originOf(
  cli: CommandContext,
  name: SettingName | undefined,
  origin: string,
  inFull: boolean,
): string {
  if (origin === 'environment') return (name && settings[name].env) ?? origin;
  if (!inFull || origin === 'flag') return origin;
  const where = origin === 'context' ? `context ${cli.contextName()}` : origin;
  return `${where} in ${cli.paths.configFile}`;
}

/** The noun and the key of `vms.columns`; nothing for what is no setting of a noun. */
function nounSetting(key: string): { readonly noun: string; readonly key: NounKey } | undefined {
  const [word = '', name, ...more] = key.split('.');
  const noun = kindOf(word);
  const known = nounKeys.find((one) => one === name);
  if (known && noun !== undefined && more.length === 0) return { noun, key: known };
  if (known && more.length === 0) {
    const near = closeMatches(word, modelNouns());
    throw new UsageError(`config: ${key}: unknown noun "${word}"`, {
      hint: near.length > 0 ? `did you mean ${near.join(' or ')}?` : 'vmctl help nouns',
    });
  }
  return undefined;
}

/** The key under which a default is kept; refuses what is none, and values that it cannot have. */
function checked(key: string, value: string | undefined): string {
  const ofNoun = nounSetting(key);
  const name = ofNoun ? ofNoun.key : settingNames.find((one) => settings[one].key === key);
  if (name === undefined || !(ofNoun || defaultKeys.includes(key))) {
    const noun = kindOf(key.slice(0, Math.max(0, key.indexOf('.'))));
    const ofNouns = noun === undefined ? [] : nounKeys.map((one) => `${noun}.${one}`);
    const near = closeMatches(key, [...defaultKeys, ...ofNouns]);
    const all = [...defaultKeys, ...nounKeys.map((one) => `NOUN.${one}`)].join(', ');
    throw new UsageError(`config: unknown setting "${key}"`, {
      hint: near.length > 0 ? `did you mean ${near.join(' or ')}?` : `use one of ${all}`,
    });
  }
  const { values } = settings[name];
  if (value !== undefined && values && !values.includes(value)) {
    throw new UsageError(`config: "${value}" is not a valid ${key}`, {
      hint: `use one of ${values.join(', ')}`,
    });
  }
  if (!ofNoun) return key;
  const full = `${ofNoun.noun}.${ofNoun.key}`;
  if (value !== undefined && ofNoun.key === 'columns') checkColumns(ofNoun.noun, value, full);
  return full;
}

/** Refuses columns that no objects of the noun have. */
function checkColumns(noun: string, text: string, name: string): void {
  const refusals: unknown[] = [];
  const types = new Set(collectionsOf(noun).map(({ type }) => type));
  for (const type of types) {
    try {
      parsedColumns(text, { type }, name);
      return;
    } catch (error) {
      refusals.push(error);
    }
  }
  throw refusals[0];
}

/** Sets a default, or takes it back: for all servers, or for the one that `-c` names. */
async function set(cli: CommandContext, given: string, value: string | undefined): Promise<void> {
  const key = checked(given, value);
  const named = cli.setting('context');
  const name = named?.origin === 'flag' ? named.value : undefined;
  const changed = (before: Readonly<Record<string, unknown>> = {}) => {
    const { [key]: _before, ...others } = before;
    return value === undefined ? others : { ...others, [key]: value };
  };
  await changeConfiguration(cli.paths.configFile, (now) => {
    if (name === undefined) return { ...now, defaults: changed(now.defaults) };
    const context = contextNamed(now, name);
    const preferences = changed(context.preferences) as Record<string, string>;
    return { ...now, contexts: { ...now.contexts, [name]: { ...context, preferences } } };
  });
  const where = name === undefined ? 'by default' : `in the context ${name}`;
  cli.note(
    value === undefined ? `${key} is no longer set ${where}` : `${key} is ${value} ${where}`,
  );
}

export default noun({
  name: 'config',
  doc: 'Manage the defaults of vmctl',
  position: 50,
  section: 'Sign in',
  commands: [
    command({
      verb: 'list',
      aliases: ['ls'],
      purpose: 'List all settings with their values and origins',
      flags: [flag('--origin', 'only settings with a value, with their origin')],
      examples: ['vmctl config list', 'vmctl config list --origin', 'vmctl config list -o json'],
      offline: true,
      unshowable: 'local',
      run: (cli, _, flags) => list(cli, flags),
    }),
    command({
      verb: 'set',
      purpose: 'Set a default, with -c for one context',
      arguments: [
        argument(
          '<name>',
          `name of the setting: ${defaultKeys.join(', ')}; for lists of a noun: vms.columns, vms.output`,
        ),
        argument('<value>', 'value of the setting'),
      ],
      examples: [
        'vmctl config set output wide',
        'vmctl config set vms.columns name,status,host.name',
        'vmctl config set vms.output json -c lab',
      ],
      offline: true,
      unshowable: 'local',
      prints: 'nothing',
      run: (cli, [name, value]) => set(cli, name, value),
    }),
    command({
      verb: 'unset',
      purpose: 'Remove a default',
      arguments: [argument('<name>', 'name of the setting')],
      examples: ['vmctl config unset output', 'vmctl config unset vms.columns'],
      offline: true,
      unshowable: 'local',
      prints: 'nothing',
      run: (cli, [name]) => set(cli, name, undefined),
    }),
  ],
});
