/** `vmctl commands`: every command, with flags, types and calls. Never connects. */
import { UsageError } from '../../client/errors.ts';
import { nounOf, nouns } from '../args/catalog.ts';
import { command, type NounModules, noun } from '../args/command.ts';
import { argument } from '../args/parameters.ts';
import {
  globalFlags,
  manifestOfAll,
  manifestOfNoun,
  type NounEntry,
} from '../help/command-manifest.ts';
import { exitCodes } from '../output/error-report.ts';
import { formatOf, print } from '../output/print.ts';
import type { CommandContext } from '../session/command-context.ts';
import { closeMatches } from '../text/did-you-mean.ts';

async function commands(
  cli: CommandContext,
  words: readonly string[],
  modules: NounModules,
): Promise<void> {
  const tree: readonly NounEntry[] =
    words.length === 0
      ? await manifestOfAll(modules)
      : await Promise.all(words.map((word) => manifestOfNoun(named(word), modules)));
  const format = formatOf(cli);
  if (format === 'json' || format === 'yaml') {
    const item = {
      nouns: tree,
      global_flags: globalFlags(),
      exit_codes: exitCodes.map(([code, meaning]) => ({ code, meaning })),
    };
    await print(cli, { noun: 'commands', items: [item], single: true });
    return;
  }
  const items = tree.flatMap((noun) => noun.commands.map((entry) => ({ ...entry })));
  await print(cli, { noun: 'commands', items, columns: ['name', 'aliases', 'purpose'] });
}

function named(word: string) {
  const noun = nounOf(word);
  if (noun) return noun;
  const near = closeMatches(
    word,
    nouns.map(({ name }) => name),
  );
  throw new UsageError(`unknown noun "${word}"`, {
    code: 'unknown_noun',
    hint: near.length > 0 ? `did you mean ${near.join(' or ')}?` : 'vmctl help nouns',
  });
}

export default noun({
  name: 'commands',
  doc: 'List all commands with flags, types and requests',
  position: 120,
  section: 'Integrate',
  more: true,
  commands: [
    command({
      arguments: [argument('[noun...]', 'nouns to list (default: all)')],
      examples: ['vmctl commands', 'vmctl commands vms -o json', 'vmctl commands -o jsonl'],
      offline: true,
      onlyReads: true,
      run: (cli, [words], _, modules) => commands(cli, words, modules),
    }),
  ],
});
