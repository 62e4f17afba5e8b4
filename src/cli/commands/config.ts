/** `vmctl config`: defaults of the command line, and where each setting comes from. */
import { UsageError } from '../../client/errors.ts';
import { command, noun } from '../args/command.ts';
import { argument } from '../args/parameters.ts';
import { print } from '../output/print.ts';
import type { CommandContext } from '../session/command-context.ts';
import { changeConfiguration } from '../session/config-file.ts';
import {
  defaultKeys,
  longFlag,
  type SettingName,
  settingNames,
  settings,
} from '../session/settings.ts';
import { closeMatches } from '../text/did-you-mean.ts';

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
  if (name === undefined || !defaultKeys.includes(key)) {
    const near = closeMatches(key, defaultKeys);
    throw new UsageError(`config: there is no default ${key}`, {
      hint:
        near.length > 0
          ? `did you mean ${near.join(' or ')}?`
          : `there are: ${defaultKeys.join(', ')}`,
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

export default noun({
  name: 'config',
  doc: 'Defaults of this command line, and where settings come from',
  position: 50,
  commands: [
    command({
      verb: 'list',
      aliases: ['ls'],
      purpose: 'List all settings with their values, and where these come from',
      examples: ['vmctl config list', 'vmctl config list -o json'],
      offline: true,
      unshowable: 'local',
      run: (cli) => list(cli),
    }),
    command({
      verb: 'set',
      purpose: 'Set a default for all servers',
      arguments: [
        argument('<name>', `what to set: ${defaultKeys.join(', ')}`),
        argument('<value>', 'its value, where nothing else gives another'),
      ],
      examples: ['vmctl config set output wide', 'vmctl config set retries 5'],
      offline: true,
      unshowable: 'local',
      run: (cli, [name, value]) => set(cli, name, value),
    }),
    command({
      verb: 'unset',
      purpose: 'Take a default back',
      arguments: [argument('<name>', 'what to set no longer')],
      examples: ['vmctl config unset output'],
      offline: true,
      unshowable: 'local',
      run: (cli, [name]) => set(cli, name, undefined),
    }),
  ],
});
