/** `vmctl watch`: periodic output of a list or of named objects. */
import { UsageError } from '../../client/errors.ts';
import { findNoun } from '../args/catalog.ts';
import { defineCommand, defineNoun, type Options } from '../args/command.ts';
import { defineArgument, defineFlag } from '../args/parameters.ts';
import type { CommandContext } from '../session/command-context.ts';
import { findKind } from '../verbs/collections.ts';
import { findVerb } from '../verbs/derive-verbs.ts';
import { deriveFlags } from '../verbs/flags.ts';
import { runVerb } from '../verbs/run-verb.ts';

interface WatchFlags {
  readonly search?: string;
  readonly interval: string;
  readonly count?: string;
  readonly on?: string;
}

async function runWatchCommand(
  cli: CommandContext,
  words: readonly string[],
  { search, interval, count, on }: WatchFlags,
): Promise<void> {
  const [first = ''] = words;
  const kinds = new Set(words.map(parseNoun));
  const [noun = ''] = kinds;
  if (kinds.size > 1) {
    throw new UsageError('objects of several kinds have no common list', {
      hint: 'watch each kind in its own terminal',
    });
  }
  const verb = findVerb(noun, 'list');
  if (!verb) throw new UsageError(`${noun} cannot be listed`);
  const only = first.includes('/') ? words : undefined;
  if (only && search !== undefined) {
    throw new UsageError('--search and names of objects exclude each other');
  }
  const options: Options = {
    watch: interval,
    ...(count === undefined ? {} : { count }),
    ...(on === undefined ? {} : { on: [on] }),
    ...(only ? { only } : {}),
  };
  const verbFlags = deriveFlags(verb);
  const given = new Map(search === undefined ? [] : [['search', [search]]]);
  if (search !== undefined && !verbFlags.flags.some(({ key }) => key === 'search')) {
    throw new UsageError(`${noun} are not searchable`);
  }
  await runVerb(cli, verb, verbFlags, given, [], noun === 'events' ? { tail: true } : options);
}

/** Returns the noun of `vms` or `vms/web01`. */
function parseNoun(word: string): string {
  const at = word.indexOf('/');
  const found = at < 0 ? findNoun(word)?.name : findKind(word.slice(0, at));
  if (found !== undefined) return found;
  throw new UsageError(`${word}: kind missing`, { hint: 'use vms, or vms/web01' });
}

export default defineNoun({
  name: 'watch',
  doc: 'Repeat a list, or show objects, until Ctrl-C',
  position: 71,
  section: 'Monitor',
  commands: [
    defineCommand({
      arguments: [
        defineArgument('<what...>', 'noun (vms), or objects with their kind (vms/web01)'),
      ],
      flags: [
        defineFlag('--search <query>', 'query'),
        defineFlag('--interval <duration>', 'poll interval', { default: '2s' }),
        defineFlag('--count <n>', 'number of refreshes'),
        defineFlag('--on <kind/ref>', 'parent object, for example vms/web01'),
      ],
      examples: [
        "vmctl watch vms --search 'status=up' --count 3",
        'vmctl watch vms/web01 --interval 1s --count 2 -o jsonl',
      ],
      unshowable: 'many',
      run: (cli, [words], flags) => runWatchCommand(cli, words, flags),
    }),
  ],
});
