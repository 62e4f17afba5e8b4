/** Suggested command lines for the server of the current command. */
import { shellQuote } from '../../client/shell-quote.ts';
import type { EffectiveSettings } from './effective-settings.ts';
import { longFlag, type SettingName, settings } from './settings.ts';

const serverFlags: readonly SettingName[] = [
  'context',
  'url',
  'username',
  'passwordFile',
  'caFile',
  'insecure',
];

/** Quoted command line with the flags that select the server of this command. */
export function formatCommandLine(cli: EffectiveSettings, words: readonly string[]): string {
  const flags = serverFlags.flatMap((name) => {
    const found = cli.setting(name);
    const flag = longFlag(settings[name]);
    if (found?.origin !== 'flag' || flag === undefined) return [];
    return settings[name].isSwitch ? [flag] : [flag, found.value];
  });
  return ['vmctl', ...words, ...flags].map(shellQuote).join(' ');
}
