/** `vmctl history`: what vmctl has changed from here. */
import { command, noun } from '../args/command.ts';
import { argument, flag } from '../args/parameters.ts';
import { type CommandContext, wholeNumber } from '../session/command-context.ts';
import { entryOf, knownEntries, knowsServer, numberOf } from './history/entries.ts';
import { showEntries, showEntry } from './history/show.ts';

interface HistoryFlags {
  readonly all?: boolean;
  readonly limit: string;
}

async function history(
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
  if (entries.length === 0) cli.note('nothing was changed yet that the history has');
  if (shown.length < entries.length) {
    cli.note(`the newest ${shown.length} of ${entries.length}; --limit shows more`);
  }
}

export default noun({
  name: 'history',
  doc: 'Show what vmctl has changed from here',
  position: 95,
  commands: [
    command({
      arguments: [argument('[number]', 'one change: its requests, and how it can be undone')],
      flags: [
        flag('--all', 'those of all servers, not only of this one'),
        flag('--limit <n>', 'only so many, the newest (50)', { default: '50' }),
      ],
      notes: `The newest comes last. Each command that sent something which could change an object is written
down on this machine, with what it replaced and without secrets: the newest 1,000, in the XDG state
folder. VMCTL_HISTORY=off, or vmctl config set history off, ends that. vmctl undo takes a change back.`,
      examples: ['vmctl history', 'vmctl history 12', 'vmctl history --all --limit 10 -o json'],
      offline: true,
      unshowable: 'local',
      onlyReads: true,
      prints: ([number]) => (number === undefined ? 'objects' : 'object'),
      run: (cli, [number], flags) => history(cli, number, flags),
    }),
  ],
});
