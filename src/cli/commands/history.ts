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
  if (entries.length === 0) cli.note('no changes recorded');
  if (shown.length < entries.length) {
    cli.note(`newest ${shown.length} of ${entries.length}; use --limit to show more`);
  }
}

export default noun({
  name: 'history',
  doc: 'Show changes made with vmctl on this computer',
  position: 95,
  section: 'Configure',
  commands: [
    command({
      arguments: [
        argument('[number]', 'one change, with its requests and whether it can be undone'),
      ],
      flags: [
        flag('--all', 'changes on all servers (default: the current one)'),
        flag('--limit <n>', 'number of changes (default 50)', { default: '50' }),
      ],
      notes: `The newest change is last. vmctl records each command that could change an object, with the previous\nvalues and without secrets: the newest 1,000, in the XDG state folder. To disable it, set\nVMCTL_HISTORY=off or run vmctl config set history off. vmctl undo reverts a change.`,
      examples: ['vmctl history', 'vmctl history 12', 'vmctl history --all --limit 10 -o json'],
      offline: true,
      unshowable: 'local',
      onlyReads: true,
      prints: ([number]) => (number === undefined ? 'objects' : 'object'),
      run: (cli, [number], flags) => history(cli, number, flags),
    }),
  ],
});
