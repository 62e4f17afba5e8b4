/** History entries for commands: those of a server, with their outcome and undo state. */

import type { CommandContext } from '../../cli/session/command-context.ts';
import { resolveServer } from '../../cli/session/server-target.ts';
import { NotFoundError, UsageError } from '../../client/errors.ts';
import { shellQuote } from '../../client/shell-quote.ts';
import {
  type HistoryEntry,
  type HistoryStep,
  historyDirectory,
  readHistory,
} from './history-file.ts';

/** Outcome of a command, derived from its requests. */
export type EntryState = 'done' | 'failed' | 'partially done' | 'unknown';

export interface KnownEntry extends HistoryEntry {
  readonly state: EntryState;
  /** Number of the entry that has undone this one, unless that entry was undone itself. */
  readonly undoneBy?: number;
}

/** Entries of the current server, or of all servers, oldest first. */
export function listEntries(cli: CommandContext, all: boolean): readonly KnownEntry[] {
  const isHere = all ? () => true : createServerFilter(cli);
  const entries = readHistory(historyDirectory(cli.paths.stateDirectory));
  const undoneBy = findUndoings(entries);
  return entries.filter(isHere).map((entry) => {
    const by = undoneBy.get(entry.number);
    return { ...entry, state: getState(entry), ...(by === undefined ? {} : { undoneBy: by }) };
  });
}

/** Number in `12` or `history/12`. */
export function parseNumber(word: string): number {
  const [, digits] = /^(?:history\/)?(\d{1,15})$/.exec(word) ?? [];
  if (digits !== undefined) return Number(digits);
  throw new UsageError(`"${word}" is not the number of a change`, {
    hint: 'vmctl history',
  });
}

/** Entry with a number. Throws if it does not exist or, unless `all`, belongs to another server. */
export function findEntry(cli: CommandContext, number: number, all = false): KnownEntry {
  const entry = listEntries(cli, true).find((one) => one.number === number);
  if (!entry) {
    throw new NotFoundError(`history/${number} not found`, {
      hint: 'vmctl history lists the newest 1,000 changes',
    });
  }
  if (!all && !createServerFilter(cli)(entry)) {
    throw new UsageError(`history/${number} belongs to ${entry.server}`, {
      hint: 'select that server with -c or --url',
    });
  }
  return entry;
}

/** Newest change after an entry that has sent an operation to an object, and is not undone. */
export function findLaterChange(
  cli: CommandContext,
  number: number,
  id: string,
  operation: string,
): KnownEntry | undefined {
  return listEntries(cli, false).findLast(
    (entry) =>
      entry.number > number &&
      entry.undoneBy === undefined &&
      entry.steps.some(
        (step) =>
          step.operation === operation &&
          isDone(step) &&
          Object.values(step.ids ?? {}).at(-1) === id,
      ),
  );
}

/** Whether a request succeeded. */
export function isDone({ outcome }: HistoryStep): boolean {
  const { status = 0, error } = outcome ?? {};
  return error === undefined && status >= 200 && status < 300;
}

/** The command, quoted for a shell. */
export function formatCommand({ words }: HistoryEntry): string {
  return ['vmctl', ...words.map(shellQuote)].join(' ');
}

function getState({ steps, isComplete }: HistoryEntry): EntryState {
  // A complete command may have needed no request.
  if (isComplete) return 'done';
  const done = steps.filter(isDone).length;
  if (done === steps.length && done > 0) return 'done';
  if (done > 0) return 'partially done';
  return steps.some(({ outcome }) => outcome?.status !== undefined) ? 'failed' : 'unknown';
}

/**
 * Undone entries, each with the number of the complete entry that has undone it and is not undone
 * itself.
 */
function findUndoings(entries: readonly HistoryEntry[]): ReadonlyMap<number, number> {
  const undone = new Map<number, number>();
  const isUndone = new Set<number>();
  // An undo follows its entry, so a walk from the newest entry sees all undos first.
  for (const entry of [...entries].reverse()) {
    const { undoes, number } = entry;
    if (undoes === undefined || undoes >= number) continue;
    if (isUndone.has(number) || !entry.isComplete) continue;
    isUndone.add(undoes);
    if (!undone.has(undoes)) undone.set(undoes, number);
  }
  return undone;
}

function createServerFilter(cli: CommandContext): (entry: HistoryEntry) => boolean {
  const { origin, appRoot } = resolveServer(cli).address;
  return ({ server }) =>
    appRoot === undefined ? getOrigin(server) === origin : server === `${origin}${appRoot}`;
}

function getOrigin(server: string): string {
  try {
    return new URL(server).origin;
  } catch {
    return server;
  }
}
