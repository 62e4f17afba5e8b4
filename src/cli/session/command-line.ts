/** Command lines that somebody may run next, for the same server as this one. */
import { shellQuote } from '../../client/shell-quote.ts';
import type { EffectiveSettings } from './effective-settings.ts';
import { longFlag, type SettingName, settings } from './settings.ts';

const whichServer: readonly SettingName[] = [
  'context',
  'url',
  'username',
  'passwordFile',
  'caFile',
  'insecure',
];

/** A command line for the same server as this one. */
export function commandLine(cli: EffectiveSettings, words: readonly string[]): string {
  const flags = whichServer.flatMap((name) => {
    const found = cli.setting(name);
    const flag = longFlag(settings[name]);
    if (found?.origin !== 'flag' || flag === undefined) return [];
    return settings[name].isSwitch ? [flag] : [flag, found.value];
  });
  return ['vmctl', ...words, ...flags].map(shellQuote).join(' ');
}
