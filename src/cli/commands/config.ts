/** `vmctl config`: defaults of the command line, and origins of settings. */
import { UsageError } from '../../client/errors.ts';
import { defineCommand, defineNoun } from '../args/command.ts';
import { defineArgument, defineFlag } from '../args/parameters.ts';
import { parseColumns } from '../output/column-selection.ts';
import { printView } from '../output/print.ts';
import type { CommandContext } from '../session/command-context.ts';
import { changeConfiguration, getContext } from '../session/config-file.ts';
import { checkSettingValue } from '../session/setting-values.ts';
import {
  defaultKeys,
  longFlag,
  type NounKey,
  nounKeys,
  type SettingName,
  settingNames,
  settings,
} from '../session/settings.ts';
import { findCloseMatches } from '../text/did-you-mean.ts';
import { findKind, listCollections, listModelNouns } from '../verbs/collections.ts';

type Row = Readonly<Record<string, string | undefined>>;

async function listSettings(
  cli: CommandContext,
  { origin = false }: { origin?: boolean },
): Promise<void> {
  const usual = settingNames.map((name): Row => {
    const setting = settings[name];
    const found = cli.setting(name);
    return {
      name: setting.key ?? longFlag(setting)?.slice(2) ?? setting.env,
      value: found === undefined || !setting.secret ? found?.value : '(not shown)',
      origin: found === undefined ? undefined : formatOrigin(cli, name, found.origin, origin),
      flag: longFlag(setting),
      variable: setting.env,
    };
  });
  const items = [...usual, ...listPreferences(cli, origin)];
  await printView(cli, {
    noun: 'settings',
    items: origin ? items.filter(({ value }) => value !== undefined) : items,
    columns: ['name', 'value', 'origin', ...(origin ? [] : ['flag', 'variable'])],
  });
}

/** Lists preferences of nouns, for the context and for all servers. */
function listPreferences(cli: CommandContext, inFull: boolean): readonly Row[] {
  const { defaults } = cli.configuration;
  const names = new Set([
    ...Object.keys(cli.context()?.preferences ?? {}),
    ...Object.keys(defaults),
  ]);
  return [...names].sort().flatMap((name) => {
    const [noun = '', word] = name.split('.');
    const key = nounKeys.find((one) => one === word);
    const found = key && cli.findPreference(noun, key);
    if (!found) return [];
    return [
      { name, value: found.value, origin: formatOrigin(cli, undefined, found.origin, inFull) },
    ];
  });
}

/** Formats the origin of a value; `inFull` adds the context and the file. */
function formatOrigin(
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

/** Parses the setting of a noun (`vms.columns`); undefined for other settings. */
function parseNounSetting(
  key: string,
): { readonly noun: string; readonly key: NounKey } | undefined {
  const [word = '', name, ...more] = key.split('.');
  const noun = findKind(word);
  const known = nounKeys.find((one) => one === name);
  if (known && noun !== undefined && more.length === 0) return { noun, key: known };
  if (known && more.length === 0) {
    const near = findCloseMatches(word, listModelNouns());
    throw new UsageError(`config: ${key}: unknown noun "${word}"`, {
      hint: near.length > 0 ? `did you mean ${near.join(' or ')}?` : 'vmctl help nouns',
    });
  }
  return undefined;
}

/** Returns the key of a default. Throws `UsageError` for unknown settings and invalid values. */
function validateSetting(key: string, value: string | undefined): string {
  const ofNoun = parseNounSetting(key);
  const name = ofNoun ? ofNoun.key : settingNames.find((one) => settings[one].key === key);
  if (name === undefined || !(ofNoun || defaultKeys.includes(key))) {
    const noun = findKind(key.slice(0, Math.max(0, key.indexOf('.'))));
    const ofNouns = noun === undefined ? [] : nounKeys.map((one) => `${noun}.${one}`);
    const near = findCloseMatches(key, [...defaultKeys, ...ofNouns]);
    const all = [...defaultKeys, ...nounKeys.map((one) => `NOUN.${one}`)].join(', ');
    throw new UsageError(`config: unknown setting "${key}"`, {
      hint: near.length > 0 ? `did you mean ${near.join(' or ')}?` : `use one of ${all}`,
    });
  }
  if (value !== undefined) checkSettingValue(name, key, value);
  if (!ofNoun) return key;
  const full = `${ofNoun.noun}.${ofNoun.key}`;
  if (value !== undefined && ofNoun.key === 'columns') checkColumns(ofNoun.noun, value, full);
  return full;
}

/** Throws `UsageError` for columns that no type of the noun has. */
function checkColumns(noun: string, text: string, name: string): void {
  const refusals: unknown[] = [];
  const types = new Set(listCollections(noun).map(({ type }) => type));
  for (const type of types) {
    try {
      parseColumns(text, { type }, name);
      return;
    } catch (error) {
      refusals.push(error);
    }
  }
  throw refusals[0];
}

/** Sets or removes a default: for all servers, or for the context of `-c`. */
async function setDefault(
  cli: CommandContext,
  given: string,
  value: string | undefined,
): Promise<void> {
  const key = validateSetting(given, value);
  const named = cli.setting('context');
  const name = named?.origin === 'flag' ? named.value : undefined;
  const changed = <V>(before: Readonly<Record<string, V>> = {}): Record<string, V | string> => {
    const { [key]: _before, ...others } = before;
    return value === undefined ? others : { ...others, [key]: value };
  };
  await changeConfiguration(cli.paths.configFile, (now) => {
    if (name === undefined) return { ...now, defaults: changed(now.defaults) };
    const context = getContext(now, name);
    const preferences = changed(context.preferences);
    return { ...now, contexts: { ...now.contexts, [name]: { ...context, preferences } } };
  });
  const where = name === undefined ? 'by default' : `in the context ${name}`;
  cli.note(
    value === undefined ? `${key} is no longer set ${where}` : `${key} is ${value} ${where}`,
  );
}

export default defineNoun({
  name: 'config',
  doc: 'Manage the defaults of vmctl',
  position: 50,
  section: 'Sign in',
  commands: [
    defineCommand({
      verb: 'list',
      aliases: ['ls'],
      purpose: 'List all settings with their values and origins',
      flags: [defineFlag('--origin', 'only settings with a value, with their origin')],
      examples: ['vmctl config list', 'vmctl config list --origin', 'vmctl config list -o json'],
      offline: true,
      unshowable: 'local',
      run: (cli, _, flags) => listSettings(cli, flags),
    }),
    defineCommand({
      verb: 'set',
      purpose: 'Set a default, with -c for one context',
      arguments: [
        defineArgument(
          '<name>',
          `name of the setting: ${defaultKeys.join(', ')}; for lists of a noun: vms.columns, vms.output`,
        ),
        defineArgument('<value>', 'value of the setting'),
      ],
      examples: [
        'vmctl config set output wide',
        'vmctl config set vms.columns name,status,host.name',
        'vmctl config set vms.output json -c lab',
      ],
      offline: true,
      unshowable: 'local',
      prints: 'nothing',
      run: (cli, [name, value]) => setDefault(cli, name, value),
    }),
    defineCommand({
      verb: 'unset',
      purpose: 'Remove a default',
      arguments: [defineArgument('<name>', 'name of the setting')],
      examples: ['vmctl config unset output', 'vmctl config unset vms.columns'],
      offline: true,
      unshowable: 'local',
      prints: 'nothing',
      run: (cli, [name]) => setDefault(cli, name, undefined),
    }),
  ],
});
