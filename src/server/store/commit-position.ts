/**
 * Position of a database: a number that increases with each commit. The database contains it, and the position
 * file in the same folder contains that of the last durable commit. If the write-ahead log is removed or cut,
 * commits are missing without a trace in the database; the position file shows that.
 *
 * The file is written after the log is flushed and before the commit is acknowledged, and is not flushed. So it
 * is exact when the process is killed, never ahead of the log, and at most a few seconds old after a power cut.
 */
import {
  closeSync,
  existsSync,
  fdatasyncSync,
  openSync,
  readFileSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { systemError } from '../files/system-error.ts';
import { type Database, messageOf, openReadOnly, type Statement } from './driver.ts';

/** The counter in the table `counter`. */
export const commits = 'commits';

/** Digits of the number in the file: it is written over in place. */
const digits = 20;

/** Path of the position file of a database. */
export function positionFile(database: string): string {
  return `${database}.position`;
}

/** Changes that a database lacks. */
export interface LostCommits {
  /** Last commit in the database. */
  readonly found: number;
  /** Last commit that the server has acknowledged. */
  readonly acknowledged: number;
}

/**
 * Compares a database that no server uses with its position file, without changes to either. Undefined if
 * nothing is missing, or if that cannot be determined: then `openStore` compares again.
 */
export async function findLostCommits(path: string): Promise<LostCommits | undefined> {
  const acknowledged = readPosition(path);
  if (acknowledged === undefined) return undefined;
  const before = ['-wal', '-shm'].map((ending) => existsSync(path + ending));
  try {
    const db = await openReadOnly(path);
    try {
      const found = numberIn(db, `SELECT value FROM counter WHERE name = '${commits}'`);
      return found === undefined ? undefined : compare(found, acknowledged);
    } finally {
      db.close();
      // A reader creates the log and its index if they are missing.
      for (const [index, ending] of ['-wal', '-shm'].entries()) {
        if (!before[index]) rmSync(path + ending, { force: true });
      }
    }
  } catch {
    return undefined;
  }
}

/** The same for a database that is open. */
export function lostCommits(path: string, db: Database): LostCommits | undefined {
  const acknowledged = readPosition(path);
  return acknowledged === undefined ? undefined : compare(lastCommit(db), acknowledged);
}

function compare(found: number, acknowledged: number): LostCommits | undefined {
  return found < acknowledged ? { found, acknowledged } : undefined;
}

/**
 * A number that SQLite reads; undefined if that fails. The number is part of an error message, because libsql
 * does not close a file before the garbage collector has ended its prepared statements.
 */
function numberIn(db: Database, select: string): number | undefined {
  try {
    db.exec(`SELECT json_extract('{}', 'number ' || coalesce((${select}), 0))`);
  } catch (error) {
    const [, digitsFound] = /number (\d+)/.exec(messageOf(error)) ?? [];
    return digitsFound === undefined ? undefined : Number(digitsFound);
  }
  return undefined;
}

/** The number in the file; undefined if there is none, or none that was written completely. */
function readPosition(path: string): number | undefined {
  try {
    const text = readFileSync(positionFile(path), 'latin1');
    return /^\d{20}\n$/.test(text) ? Number(text) : undefined;
  } catch (error) {
    if (systemError(error).code === 'ENOENT') return undefined;
    throw error;
  }
}

function lastCommit(db: Database): number {
  const has = db.prepare("SELECT 1 FROM sqlite_master WHERE name = 'counter'").get();
  if (!has) return 0;
  const row = db.prepare('SELECT value FROM counter WHERE name = ?').get(commits);
  return Number(row?.['value'] ?? 0);
}

/** Counts the commits of an open database. */
export class CommitPosition {
  readonly #statement: (sql: string) => Statement;
  readonly #file: number;
  #last: number;
  #next: number;
  #changes = 0;

  /** Begins with the position in the database, which is durable. */
  constructor(path: string, db: Database, statement: (sql: string) => Statement) {
    this.#statement = statement;
    this.#last = lastCommit(db);
    this.#next = this.#last;
    this.#file = openSync(positionFile(path), 'w', 0o600);
    this.#write();
    fdatasyncSync(this.#file);
  }

  /** Counts a commit, inside its transaction; one that changes nothing is not counted. */
  advance(): void {
    const before = this.#changes;
    this.#changes = this.#totalChanges();
    if (this.#changes === before) return;
    this.#next = this.#last + 1;
    this.#statement(
      'INSERT INTO counter (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value',
    ).run(commits, this.#next);
    this.#changes += 1;
  }

  /** Records that the last commit is on the disk. */
  durable(): void {
    if (this.#next === this.#last) return;
    this.#last = this.#next;
    this.#write();
  }

  #totalChanges(): number {
    return Number(this.#statement('SELECT total_changes() AS n').get()?.['n'] ?? 0);
  }

  #write(): void {
    try {
      writeSync(this.#file, `${String(this.#last).padStart(digits, '0')}\n`, 0, 'latin1');
    } catch {
      // An older number in the file detects less; the commit itself is durable.
    }
  }

  close(): void {
    closeSync(this.#file);
  }
}
