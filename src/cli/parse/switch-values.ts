/** Switches with a value, a notation of scripts: `--wait=false`. */
import type { Option } from 'commander';
import { UsageError } from '../../client/errors.ts';
import { booleans, refuseSwitchValue } from '../args/argv-scan.ts';

/**
 * Replaces `--switch=true` by `--switch`, and `--switch=false` by `--no-switch`. Removes
 * `--switch=false` if the command has no `--no-switch`. Throws `UsageError` for other values, and
 * for `--switch true`: the second word would be an argument, often the name of an object.
 */
export function replaceSwitchValues(
  words: readonly string[],
  options: readonly Option[],
): readonly string[] {
  const byName = new Map<string, Option>();
  for (const option of options) {
    for (const name of [option.long, option.short]) if (name) byName.set(name, option);
  }
  const end = words.indexOf('--');
  return words.flatMap((word, index) => {
    const [, name = word, value] = /^(--[\w-]+)=(.*)$/s.exec(word) ?? [];
    const option = byName.get(name);
    const before = byName.get(words[index - 1] ?? '');
    const isValue = before !== undefined && !isSwitch(before);
    if (!option || !isSwitch(option) || isValue || (end >= 0 && index > end)) return [word];
    const opposite = getOpposite(option.long ?? name);
    const opposing = byName.get(opposite);
    const hasOpposite = opposing !== undefined && isSwitch(opposing);
    if (value === undefined) {
      refuseSwitchValue(name, words[index + 1], hasOpposite ? opposite : undefined);
      return [word];
    }
    const isOn = booleans[value.toLowerCase()];
    if (isOn === undefined) {
      throw new UsageError(`${name}=${value}: the flag is a switch; use true or false`, {
        hint: `${name} or ${name}=false`,
      });
    }
    if (isOn) return [name];
    return hasOpposite ? [opposite] : [];
  });
}

/** Returns `--wait` for `--no-wait` and vice versa. */
function getOpposite(name: string): string {
  return name.startsWith('--no-')
    ? `--${name.slice('--no-'.length)}`
    : `--no-${name.slice('--'.length)}`;
}

function isSwitch({ required, optional }: Option): boolean {
  return !required && !optional;
}
