/**
 * The mark that a server leaves when it has closed its database: while it is there and fits, nothing
 * has to be checked at the start. It says what the file looked like (size and times), which costs
 * nothing to compare, and the sum of its content, which is read only when that does not fit.
 */
import { createHash } from 'node:crypto';
import { createReadStream, readFileSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { syncFolder, writeDurably } from '../files/durable-file.ts';

interface Mark {
  readonly size: number;
  /** Nanoseconds since the epoch. */
  readonly modified: string;
  readonly sha256: string;
}

/** How a database was left. */
export type Left =
  /** It was closed, and is as it was. */
  | 'closed'
  /** Its server has not ended by itself, or it was never opened by one that leaves marks. */
  | 'open'
  /** It was closed, and has another content now. */
  | 'changed';

/** Path of the mark of a database. */
export function markOf(database: string): string {
  return `${database}.closed`;
}

/** Leaves the mark. The database must be closed, with nothing left in its log. */
export async function markClosed(database: string): Promise<void> {
  const { size, modified } = looksOf(database);
  const mark: Mark = { size, modified, sha256: await sumOf(database) };
  writeDurably(markOf(database), `${JSON.stringify(mark)}\n`, 0o600);
}

/** How the database was left, by its mark. */
export async function howLeft(database: string): Promise<Left> {
  let mark: Mark;
  try {
    mark = JSON.parse(readFileSync(markOf(database), 'utf8'));
  } catch {
    return 'open';
  }
  // It was empty when the database was closed: whatever is in it does not belong there.
  if ((statSync(`${database}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0) return 'changed';
  const { size, modified } = looksOf(database);
  if (mark.size === size && mark.modified === modified) return 'closed';
  return mark.size === size && mark.sha256 === (await sumOf(database)) ? 'closed' : 'changed';
}

/** Takes the mark away, before anything is changed: from here on the database is open. */
export function markOpen(database: string): void {
  rmSync(markOf(database), { force: true });
  syncFolder(dirname(database));
}

function looksOf(path: string): { size: number; modified: string } {
  const { size, mtimeNs } = statSync(path, { bigint: true });
  return { size: Number(size), modified: String(mtimeNs) };
}

async function sumOf(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const piece of createReadStream(path, { highWaterMark: 2 ** 20 })) {
    hash.update(piece);
  }
  return hash.digest('hex');
}
