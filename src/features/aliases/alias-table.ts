/** Expansion of aliases: placeholders become arguments. */

import { findNextArgument } from '../../cli/args/argv-scan.ts';
import type { Alias, AliasTable } from '../../cli/args/user-commands.ts';
import { EffectiveSettings } from '../../cli/session/effective-settings.ts';
import type { Environment } from '../../cli/session/io.ts';
import { UsageError } from '../../client/errors.ts';
import { splitWords } from './split-words.ts';

/** Placeholders and the escaped dollar sign. */
const placeholder = /\$([1-9@$])/g;

/** Reads the aliases of the configuration. Throws `UsageError` if it is unreadable. */
export function readAliasTable(env: Environment): AliasTable {
  const { aliases = {} } = new EffectiveSettings(env).configuration;
  return {
    all: Object.entries(aliases)
      .map(([name, command]): Alias => ({ name, command }))
      .sort((a, b) => (a.name < b.name ? -1 : 1)),
    expand: (alias, args) => expand(alias, args, true),
    expandPartly: (alias, args) => expand(alias, args, false),
    listCommandWords: ({ command }) => listCommandWords(splitWords(command)),
  };
}

function expand(
  { name, command }: Alias,
  args: readonly string[],
  isComplete: boolean,
): readonly string[] {
  const words = splitWords(command);
  const numbers = words.flatMap((one) =>
    [...one.matchAll(placeholder)].flatMap(([, sign]) =>
      /\d/.test(sign ?? '') ? Number(sign) : [],
    ),
  );
  const highest = Math.max(0, ...numbers);
  if (isComplete && args.length < highest) {
    const places = Array.from({ length: highest }, (_, index) => `ARG${index + 1}`);
    throw new UsageError(`alias ${name}: argument $${args.length + 1} missing`, {
      hint: `vmctl ${[name, ...places].join(' ')} runs: vmctl ${command}`,
    });
  }
  const others = args.filter((_, index) => !numbers.includes(index + 1));
  const filled = words.flatMap((one) =>
    one === '$@'
      ? others
      : one.replaceAll(placeholder, (_, sign: string) =>
          sign === '$' ? '$' : (args[Number(sign) - 1] ?? ''),
        ),
  );
  return words.includes('$@') ? filled : [...filled, ...others];
}

/** Returns the noun and the words after it, until the first flag or placeholder. */
export function listCommandWords(words: readonly string[]): readonly string[] {
  const rest = words.slice(Math.max(0, findNextArgument(words)));
  const end = rest.findIndex((one) => one.startsWith('-') || one.includes('$'));
  return end < 0 ? rest : rest.slice(0, end);
}
