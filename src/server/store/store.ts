/** The store: one SQLite database, read at any time, written in groups of transactions. */
import { type Database, openDatabase, type Statement } from './driver.ts';
import { prepareSchema } from './schema.ts';
import { Transaction } from './transaction.ts';

export interface Store {
  /** Rises with every group of changes: what was read before may differ after. */
  readonly version: number;
  /** Reads what is committed. */
  read<T>(work: (tx: Transaction) => T): T;
  /**
   * Runs the work in a transaction of its own and resolves once it is durable. What it throws
   * undoes it alone and rejects the promise.
   */
  write<T>(work: (tx: Transaction) => T): Promise<T>;
  meta(key: string): string | undefined;
  setMeta(key: string, value: string): void;
  close(): Promise<void>;
}

interface Pending {
  readonly work: (tx: Transaction) => unknown;
  readonly resolve: (value: never) => void;
  readonly reject: (reason: unknown) => void;
}

/**
 * Opens the database at `path` (`:memory:` keeps nothing). Throws when it is damaged, locked by
 * another server, or of a newer version.
 */
export async function openStore(path: string): Promise<Store> {
  const db = await openDatabase(path);
  try {
    db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA busy_timeout = 5000');
    db.exec('PRAGMA cache_size = -65536; PRAGMA temp_store = MEMORY');
    // A second server on the same folder must fail at once, not corrupt what the first one holds.
    if (path !== ':memory:') db.exec('PRAGMA locking_mode = EXCLUSIVE');
    db.exec('BEGIN IMMEDIATE');
    prepareSchema(db);
    db.exec('COMMIT');
  } catch (cause) {
    db.close();
    throw new Error(`Cannot use the data in ${path}: ${reason(cause)}`, { cause });
  }
  return new SqliteStore(db);
}

function reason(cause: unknown): string {
  const text = cause instanceof Error ? cause.message : String(cause);
  if (/locked|busy/i.test(text))
    return 'another vmctl serve uses it. Stop that one, or choose another folder with --data.';
  if (/malformed|not a database/i.test(text)) {
    return `${text}. The file is damaged; restore it from a backup, or move it away to start empty.`;
  }
  return text;
}

class SqliteStore implements Store {
  readonly #db: Database;
  readonly #tx: Transaction;
  #queue: Pending[] = [];
  #scheduled = false;
  #failed: Error | undefined;
  version = 0;

  constructor(db: Database) {
    this.#db = db;
    this.#tx = new Transaction(db, new Map<string, Statement>());
  }

  read<T>(work: (tx: Transaction) => T): T {
    return work(this.#tx);
  }

  write<T>(work: (tx: Transaction) => T): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      if (this.#failed) {
        reject(this.#failed);
        return;
      }
      this.#queue.push({ work, resolve: resolve as (value: never) => void, reject });
      if (!this.#scheduled) {
        this.#scheduled = true;
        setImmediate(() => this.#commitGroup());
      }
    });
  }

  /**
   * Requests that came in the same turn of the event loop share one commit, and so one sync of the
   * disk; each has a savepoint of its own.
   */
  #commitGroup(): void {
    const group = this.#queue;
    this.#queue = [];
    this.#scheduled = false;
    this.version += 1;
    const done: (() => void)[] = [];
    try {
      this.#db.exec('BEGIN IMMEDIATE');
      for (const { work, resolve, reject } of group) {
        this.#db.exec('SAVEPOINT request');
        try {
          const value = work(this.#tx) as never;
          this.#db.exec('RELEASE request');
          done.push(() => resolve(value));
        } catch (reason) {
          this.#db.exec('ROLLBACK TO request; RELEASE request');
          done.push(() => reject(reason));
        }
      }
      this.#db.exec('COMMIT');
    } catch (cause) {
      this.#giveUp(group, cause);
      return;
    }
    for (const answer of done) answer();
  }

  /** A failed commit is not tried again: what is on the disk is unknown until a restart. */
  #giveUp(group: readonly Pending[], cause: unknown): void {
    try {
      this.#db.exec('ROLLBACK');
    } catch {
      // SQLite has rolled back already.
    }
    const full = cause instanceof Error && /full/i.test(cause.message);
    const error = new StoreError(
      full
        ? 'The disk that holds the data is full. Nothing was changed; free some space and try again.'
        : `The data could not be written: ${cause instanceof Error ? cause.message : String(cause)}`,
      { cause },
    );
    // A full disk heals without a restart; anything else may have lost data that was promised.
    if (!full) this.#failed = error;
    for (const { reject } of group) reject(error);
  }

  meta(key: string): string | undefined {
    const row = this.#tx.statement('SELECT value FROM meta WHERE key = ?').get(key);
    return row && String(row['value']);
  }

  setMeta(key: string, value: string): void {
    this.#tx.statement('INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)').run(key, value);
  }

  async close(): Promise<void> {
    while (this.#queue.length > 0) await new Promise((resolve) => setImmediate(resolve));
    this.#db.close();
  }
}

/** The database could not be written: answered with 503, nothing of the request has happened. */
export class StoreError extends Error {}
