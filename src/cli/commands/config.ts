/** `vmctl config`: defaults of the command line, and where each setting comes from. */
import type { Command } from 'commander';
import { UsageError } from '../../client/errors.ts';
import { print } from '../output/print.ts';
import type { CommandContext } from '../session/command-context.ts';
import { changeConfiguration } from '../session/config-file.ts';
import { longFlag, type SettingName, settingNames, settings } from '../session/settings.ts';
import { closeMatches } from '../text/did-you-mean.ts';

/** Adds the verbs of `vmctl config`. */
export function register(command: Command, cli: CommandContext): void {
  command
    .command('list')
    .alias('ls')
    .description('List all settings with their values, and where these come from')
    .addHelpText('after', '\nExamples:\n  vmctl config list\n  vmctl config list -o json')
    .action(() => list(cli));
  command
    .command('set')
    .argument('<name>', `what to set: ${keys().join(', ')}`)
    .argument('<value>', 'its value, where nothing else gives another')
    .description('Set a default for all servers')
    .addHelpText(
      'after',
      '\nExamples:\n  vmctl config set output wide\n  vmctl config set retries 5',
    )
    .action((name: string, value: string) => set(cli, name, value));
  command
    .command('unset')
    .argument('<name>', 'what to set no longer')
    .description('Take a default back')
    .addHelpText('after', '\nExamples:\n  vmctl config unset output')
    .action((name: string) => set(cli, name, undefined));
}

/** Settings that belong to a server, not to the person who uses it. */
const ofTheServer: ReadonlySet<string> = new Set(['url', 'username']);

function keys(): readonly string[] {
  return settingNames
    .flatMap((name) => settings[name].key ?? [])
    .filter((key) => !ofTheServer.has(key));
}

async function list(cli: CommandContext): Promise<void> {
  const items = settingNames.map((name) => {
    const setting = settings[name];
    const found = cli.setting(name);
    return {
      name: setting.key ?? longFlag(setting)?.slice(2) ?? setting.env,
      value: found === undefined || !setting.secret ? found?.value : '(not shown)',
      origin: found === undefined ? undefined : originOf(name, found.origin),
      flag: longFlag(setting),
      variable: setting.env,
    };
  });
  const columns = ['name', 'value', 'origin', 'flag', 'variable'];
  await print(cli, { noun: 'settings', items, columns });
}

function originOf(name: SettingName, origin: string): string {
  return origin === 'environment' ? (settings[name].env ?? origin) : origin;
}

async function set(cli: CommandContext, key: string, value: string | undefined): Promise<void> {
  const name = settingNames.find((one) => settings[one].key === key);
  if (name === undefined || ofTheServer.has(key)) {
    const near = closeMatches(key, keys());
    throw new UsageError(`config: there is no default ${key}`, {
      hint:
        near.length > 0 ? `did you mean ${near.join(' or ')}?` : `there are: ${keys().join(', ')}`,
    });
  }
  const { values } = settings[name];
  if (value !== undefined && values && !values.includes(value)) {
    throw new UsageError(`config: ${key} cannot be ${value}`, {
      hint: `it is one of: ${values.join(', ')}`,
    });
  }
  await changeConfiguration(cli.paths.configFile, (now) => {
    const { [key]: _before, ...others } = now.defaults;
    return { ...now, defaults: value === undefined ? others : { ...others, [key]: value } };
  });
  cli.note(
    value === undefined ? `${key} has no default any more` : `${key} is ${value} by default`,
  );
}
