/**
 * Commit position of a database: a number that increases with each commit. The database contains
 * the number, and the position file in the same folder contains that of the last durable commit. A
 * removed or truncated write-ahead log loses commits without a trace in the database; the position
 * file detects that.
 *
 * The file is written after the log is flushed and before the commit is acknowledged, and is not
 * flushed. It is exact after the process is killed, never ahead of the log, and at most a few
 * seconds old after a power cut.
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
import { type Database, openReadOnly, readMessage, type Statement } from './driver.ts';

/** Name of the counter in the table `counter`. */
export const commits = 'commits';

/** Fixed number of digits, so that the file is overwritten in place. */
const digits = 20;

/** Path of the position file of a database. */
export function positionFile(database: string): string {
  return `${database}.position`;
}

/** Acknowledged commits that a database lacks. */
export interface LostCommits {
  /** Last commit in the database. */
  readonly found: number;
  /** Last commit that the server acknowledged. */
  readonly acknowledged: number;
}

/**
 * Compares an unused database with its position file, without changes to either. Undefined if no
 * commit is missing or the comparison fails: then `openStore` compares again.
 */
export async function findLostCommits(path: string): Promise<LostCommits | undefined> {
  const acknowledged = readPosition(path);
  if (acknowledged === undefined) return undefined;
  const before = ['-wal', '-shm'].map((ending) => existsSync(path + ending));
  try {
    const db = await openReadOnly(path);
    try {
      const found = readNumber(db, `SELECT value FROM counter WHERE name = '${commits}'`);
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

/** The same for an open database. */
export function compareCommits(path: string, db: Database): LostCommits | undefined {
  const acknowledged = readPosition(path);
  return acknowledged === undefined ? undefined : compare(lastCommit(db), acknowledged);
}

function compare(found: number, acknowledged: number): LostCommits | undefined {
  return found < acknowledged ? { found, acknowledged } : undefined;
}

/**
 * A number that SQLite reads; undefined if that fails. The number is part of an error message,
 * because libsql closes a file only after garbage collection of its prepared statements.
 */
function readNumber(db: Database, select: string): number | undefined {
  try {
    db.exec(`SELECT json_extract('{}', 'number ' || coalesce((${select}), 0))`);
  } catch (error) {
    const [, digitsFound] = /number (\d+)/.exec(readMessage(error)) ?? [];
    return digitsFound === undefined ? undefined : Number(digitsFound);
  }
  return undefined;
}

/** The number in the file; undefined without a complete one. */
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

  /** Starts at the position in the database, which is durable. */
  constructor(path: string, db: Database, statement: (sql: string) => Statement) {
    this.#statement = statement;
    this.#last = lastCommit(db);
    this.#next = this.#last;
    this.#file = openSync(positionFile(path), 'w', 0o600);
    this.#write();
    fdatasyncSync(this.#file);
  }

  /** Counts a commit, inside its transaction, unless it changes nothing. */
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

  /** Records that the last commit is durable. */
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
