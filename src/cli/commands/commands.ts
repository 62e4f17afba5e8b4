/** `vmctl commands`: all commands with flags, types and requests, without a connection. */
import { UsageError } from '../../client/errors.ts';
import { findNoun, nouns } from '../args/catalog.ts';
import { defineCommand, defineNoun, type NounModules } from '../args/command.ts';
import { defineArgument } from '../args/parameters.ts';
import {
  describeAllNouns,
  describeNoun,
  listGlobalFlags,
  type NounEntry,
} from '../help/command-manifest.ts';
import { exitCodes } from '../output/error-report.ts';
import { getFormat, printView } from '../output/print.ts';
import type { CommandContext } from '../session/command-context.ts';
import { findCloseMatches } from '../text/did-you-mean.ts';

async function listCommands(
  cli: CommandContext,
  words: readonly string[],
  modules: NounModules,
): Promise<void> {
  const tree: readonly NounEntry[] =
    words.length === 0
      ? await describeAllNouns(modules)
      : await Promise.all(words.map((word) => describeNoun(requireNoun(word), modules)));
  const format = getFormat(cli);
  if (format === 'json' || format === 'yaml') {
    const item = {
      nouns: tree,
      global_flags: listGlobalFlags(),
      exit_codes: exitCodes.map(([code, meaning]) => ({ code, meaning })),
    };
    await printView(cli, { noun: 'commands', items: [item], single: true });
    return;
  }
  const items = tree.flatMap((noun) => noun.commands.map((entry) => ({ ...entry })));
  await printView(cli, { noun: 'commands', items, columns: ['name', 'aliases', 'purpose'] });
}

function requireNoun(word: string) {
  const noun = findNoun(word);
  if (noun) return noun;
  const near = findCloseMatches(
    word,
    nouns.map(({ name }) => name),
  );
  throw new UsageError(`unknown noun "${word}"`, {
    code: 'unknown_noun',
    hint: near.length > 0 ? `did you mean ${near.join(' or ')}?` : 'vmctl help nouns',
  });
}

export default defineNoun({
  name: 'commands',
  doc: 'List all commands with flags, types and requests',
  position: 120,
  section: 'Integrate',
  more: true,
  commands: [
    defineCommand({
      arguments: [defineArgument('[noun...]', 'nouns to list (default: all)')],
      examples: ['vmctl commands', 'vmctl commands vms -o json', 'vmctl commands -o jsonl'],
      offline: true,
      onlyReads: true,
      run: (cli, [words], _, modules) => listCommands(cli, words, modules),
    }),
  ],
});
