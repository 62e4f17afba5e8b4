/** Entries of the history as commands see them: those of a server, and what became of each. */

import type { CommandContext } from '../../cli/session/command-context.ts';
import { targetOf } from '../../cli/session/target.ts';
import { AuthError, NotFoundError, UsageError } from '../../client/errors.ts';
import { shellQuote } from '../../client/shell-quote.ts';
import {
  type HistoryEntry,
  type HistoryStep,
  historyDirectory,
  readHistory,
} from './history-file.ts';

/** How a command ended, as far as its requests say. */
export type EntryState = 'done' | 'failed' | 'partially done' | 'unknown';

export interface KnownEntry extends HistoryEntry {
  readonly state: EntryState;
  /** The number of the entry that has taken it back, where that was not taken back itself. */
  readonly undoneBy?: number;
}

/** The entries, from the oldest to the newest: those of the server of the settings, or of all. */
export function knownEntries(cli: CommandContext, all: boolean): readonly KnownEntry[] {
  const isHere = all ? () => true : serverFilter(cli);
  const entries = readHistory(historyDirectory(cli.paths.stateDirectory));
  const undoneBy = undoings(entries);
  return entries.filter(isHere).map((entry) => {
    const by = undoneBy.get(entry.number);
    return { ...entry, state: stateOf(entry), ...(by === undefined ? {} : { undoneBy: by }) };
  });
}

/** The number in `12` or `history/12`. */
export function numberOf(word: string): number {
  const [, digits] = /^(?:history\/)?(\d{1,15})$/.exec(word) ?? [];
  if (digits !== undefined) return Number(digits);
  throw new UsageError(`"${word}" is not the number of a change`, {
    hint: 'vmctl history',
  });
}

/** The entry of a number. Throws where there is none, and where it is of another server. */
export function entryOf(cli: CommandContext, number: number, all = false): KnownEntry {
  const entry = knownEntries(cli, true).find((one) => one.number === number);
  if (!entry) {
    throw new NotFoundError(`history/${number} not found`, {
      hint: 'vmctl history lists the newest 1,000 changes',
    });
  }
  if (!all && !serverFilter(cli)(entry)) {
    throw new UsageError(`history/${number} belongs to ${entry.server}`, {
      hint: 'select that server with -c or --url',
    });
  }
  return entry;
}

/** Whether a request was understood and done. */
export function isDone({ outcome }: HistoryStep): boolean {
  const { status = 0, error } = outcome ?? {};
  return error === undefined && status >= 200 && status < 300;
}

/** The command as somebody would type it. */
export function commandOf({ words }: HistoryEntry): string {
  return ['vmctl', ...words.map(shellQuote)].join(' ');
}

function stateOf({ steps, isComplete }: HistoryEntry): EntryState {
  // What was so already needed no request.
  if (isComplete) return 'done';
  const done = steps.filter(isDone).length;
  if (done === steps.length && done > 0) return 'done';
  if (done > 0) return 'partially done';
  return steps.some(({ outcome }) => outcome?.status !== undefined) ? 'failed' : 'unknown';
}

/** By number, which entry has taken it back: one that was complete, and that nothing has taken back. */
function undoings(entries: readonly HistoryEntry[]): ReadonlyMap<number, number> {
  const undone = new Map<number, number>();
  const isUndone = new Set<number>();
  // What takes an entry back comes after it: from the newest on, all that matters is known.
  for (const entry of [...entries].reverse()) {
    const { undoes, number } = entry;
    if (undoes === undefined || undoes >= number) continue;
    if (isUndone.has(number) || !entry.isComplete) continue;
    isUndone.add(undoes);
    if (!undone.has(undoes)) undone.set(undoes, number);
  }
  return undone;
}

/** Whether a server is named, by flags, variables or a context. */
export function knowsServer(cli: CommandContext): boolean {
  try {
    targetOf(cli);
    return true;
  } catch (error) {
    if (error instanceof AuthError) return false;
    throw error;
  }
}

function serverFilter(cli: CommandContext): (entry: HistoryEntry) => boolean {
  const { origin, appRoot } = targetOf(cli).address;
  return ({ server }) =>
    appRoot === undefined ? originOf(server) === origin : server === `${origin}${appRoot}`;
}

function originOf(server: string): string {
  try {
    return new URL(server).origin;
  } catch {
    return server;
  }
}
