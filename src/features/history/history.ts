/** `vmctl history`: what vmctl has changed from here. */
import { type CommandContext, wholeNumber } from '../../cli/session/command-context.ts';
import { entryOf, knownEntries, knowsServer, numberOf } from './entries.ts';
import { showEntries, showEntry } from './show.ts';

interface HistoryFlags {
  readonly all?: boolean;
  readonly limit: string;
}

export async function history(
  cli: CommandContext,
  word: string | undefined,
  { all: isAll = false, limit: text }: HistoryFlags,
): Promise<void> {
  if (word !== undefined) {
    await showEntry(cli, entryOf(cli, numberOf(word), true));
    return;
  }
  // Where no server is known, as before a login, those of all are all that can be meant.
  const all = isAll || !knowsServer(cli);
  const limit = wholeNumber(text, '--limit') ?? Infinity;
  const entries = knownEntries(cli, all);
  const shown = entries.slice(-limit);
  await showEntries(cli, shown, all);
  if (entries.length === 0) cli.note('no changes recorded');
  if (shown.length < entries.length) {
    cli.note(`newest ${shown.length} of ${entries.length}; use --limit to show more`);
  }
}
