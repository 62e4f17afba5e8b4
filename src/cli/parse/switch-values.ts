/** Switches with a value, as scripts write them: `--wait=false`. */
import type { Option } from 'commander';
import { UsageError } from '../../client/errors.ts';

const meanings: Readonly<Record<string, boolean>> = {
  ...{ true: true, yes: true, on: true, '1': true },
  ...{ false: false, no: false, off: false, '0': false },
};

/**
 * Replaces `--switch=true` by `--switch` in the words of a command line, and `--switch=false` by
 * `--no-switch`. Removes `--switch=false` if the command has no `--no-switch`. Throws `UsageError` for other
 * values.
 */
export function withoutSwitchValues(
  words: readonly string[],
  options: readonly Option[],
): readonly string[] {
  const byName = new Map<string, Option>();
  for (const option of options) {
    for (const name of [option.long, option.short]) if (name) byName.set(name, option);
  }
  const end = words.indexOf('--');
  return words.flatMap((word, index) => {
    const [, name = '', value] = /^(--[\w-]+)=(.*)$/s.exec(word) ?? [];
    const option = byName.get(name);
    const before = byName.get(words[index - 1] ?? '');
    const isValue = before !== undefined && !isSwitch(before);
    if (!option || !isSwitch(option) || isValue || (end >= 0 && index > end)) return [word];
    const isOn = meanings[value?.toLowerCase() ?? ''];
    if (isOn === undefined) {
      throw new UsageError(`${name}=${value}: the flag is a switch; use true or false`, {
        hint: `${name} or ${name}=false`,
      });
    }
    if (isOn) return [name];
    const opposite = name.startsWith('--no-')
      ? `--${name.slice('--no-'.length)}`
      : `--no-${name.slice('--'.length)}`;
    return byName.has(opposite) ? [opposite] : [];
  });
}

function isSwitch({ required, optional }: Option): boolean {
  return !required && !optional;
}
