/** Hint for `vmctl snapshots list web01`: the flag of the parent, or the command for one object. */
import { shellQuote } from '../../client/shell-quote.ts';
import type { Options } from '../args/command.ts';
import { toCamelCase } from '../args/parameters.ts';
import { findVerb, type Verb } from './derive-verbs.ts';
import type { VerbFlags } from './flags.ts';

/**
 * Returns the hint for arguments of a list. Without a flag for the parent, the arguments are names
 * of parents; otherwise names of objects.
 */
export function formatArgumentHint(
  { noun, name, candidates }: Verb,
  { flags, meanings }: VerbFlags,
  words: readonly string[],
  options: Options,
): string {
  const parentFlags = flags.filter(({ section }) => section === 'parents');
  const given = [...parentFlags.flatMap(({ names }) => names.slice(0, 1)), 'on'].flatMap((flag) => {
    const value = options[toCamelCase(flag)];
    return value === undefined
      ? []
      : [`--${flag} ${[value].flat().map(String).map(shellQuote).join(' ')}`];
  });
  const quoted = words.map(shellQuote);
  const single = ['vmctl', noun, 'get', ...quoted, ...given].join(' ');
  const canGet = findVerb(noun, 'get') !== undefined;
  if (given.length > 0 && canGet) return single;
  const isRoot = candidates.some(({ parents }) => parents.length === 0);
  const [first] = candidates
    .filter(({ parents }) => parents.length > 0)
    .toSorted((a, b) => a.parents.length - b.parents.length);
  const keys = first ? [...(meanings.get(first)?.parents.keys() ?? [])] : [];
  const values = keys.map((key, index) => {
    const flag = flags.find((one) => one.key === key)?.names[0] ?? key;
    return `--${flag} ${quoted[index] ?? 'REF'}`;
  });
  const ofParent = ['vmctl', noun, name, ...values].join(' ');
  if (!isRoot) return ofParent;
  if (!canGet) return `see vmctl ${noun} ${name} --help`;
  return first ? `${single}; for a parent: vmctl ${noun} ${name} --on KIND/${quoted[0]}` : single;
}
