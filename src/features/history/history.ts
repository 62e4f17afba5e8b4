/** Run of `vmctl history`: lists recorded changes or shows one. */
import { type CommandContext, parseCount } from '../../cli/session/command-context.ts';
import { hasServer } from '../../cli/session/server-target.ts';
import { findEntry, listEntries, parseNumber } from './entries.ts';
import { showEntries, showEntry } from './show.ts';

interface HistoryFlags {
  readonly all?: boolean;
  readonly limit: string;
}

export async function runHistory(
  cli: CommandContext,
  word: string | undefined,
  { all: isAll = false, limit: text }: HistoryFlags,
): Promise<void> {
  if (word !== undefined) {
    await showEntry(cli, findEntry(cli, parseNumber(word), true));
    return;
  }
  // Without a known server, for example before sign-in, list the entries of all servers.
  const all = isAll || !hasServer(cli);
  const limit = parseCount(text, '--limit') ?? Infinity;
  const entries = listEntries(cli, all);
  const shown = entries.slice(-limit);
  await showEntries(cli, shown, all);
  if (entries.length === 0) cli.note('no changes recorded');
  if (shown.length < entries.length) {
    cli.note(`newest ${shown.length} of ${entries.length}; use --limit to show more`);
  }
}
