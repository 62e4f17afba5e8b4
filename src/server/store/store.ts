/** The store: one SQLite database, read at any time, written in groups of transactions. */
import { FolderError, FolderInUse } from '../folder/access.ts';
import { type Database, openDatabase, type Statement } from './driver.ts';
import { prepareSchema } from './schema.ts';
import { watchStructure } from './structure.ts';
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
  /** A write came to nothing in a way that only a restart heals: nothing is acknowledged any more. */
  readonly failed: boolean;
  /** Writes what is committed into a new file, at once: nothing else has a turn meanwhile. */
  copyTo(path: string): void;
  meta(key: string): string | undefined;
  setMeta(key: string, value: string): void;
  close(): Promise<void>;
}

interface Pending {
  readonly work: (tx: Transaction) => unknown;
  readonly resolve: (value: never) => void;
  readonly reject: (reason: unknown) => void;
}

export interface OpenSettings {
  /** Whether SQLite is to look for damage. */
  readonly check?: boolean;
  /**
   * Called when nobody else can open the database, before anything in it is changed, with the damage
   * that was found. What it throws is passed on.
   */
  readonly opened?: (damage: string | undefined) => void;
}

/**
 * Opens the database at `path` (`:memory:` keeps nothing). Throws when it is damaged, locked by
 * another server, or of a newer version.
 */
export async function openStore(path: string, settings: OpenSettings = {}): Promise<Store> {
  const db = await openDatabase(path);
  try {
    // A second server on the same folder must fail at once, not corrupt what the first one holds.
    db.exec('PRAGMA busy_timeout = 300');
    if (path !== ':memory:') db.exec('PRAGMA locking_mode = EXCLUSIVE');
    db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
    db.exec('PRAGMA cache_size = -65536; PRAGMA temp_store = MEMORY');
    db.exec('BEGIN IMMEDIATE');
    const damage = settings.check ? damageIn(db) : undefined;
    settings.opened?.(damage);
    prepareSchema(db);
    db.exec('COMMIT');
    // What a crash left in the log after its last whole commit goes away with it.
    if (settings.check) db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    watchStructure(db);
  } catch (cause) {
    abandon(db);
    if (cause instanceof FolderError) throw cause;
    throw refusalOf(path, cause);
  }
  return new SqliteStore(db, path !== ':memory:');
}

/** The first faults that SQLite finds in the structure of the database; undefined where there are none. */
function damageIn(db: Database): string | undefined {
  try {
    const rows = db.prepare('PRAGMA quick_check(3)').all();
    const found = rows.map((row) => String(Object.values(row)[0]));
    return found[0] === 'ok' ? undefined : found.join('; ').replace(/\s+/g, ' ');
  } catch (error) {
    return messageOf(error);
  }
}

/** Closes a database without writing to it, as far as possible. */
function abandon(db: Database): void {
  try {
    db.exec('ROLLBACK');
  } catch {
    // There was no transaction.
  }
  try {
    db.close();
  } catch {
    // It is as good as closed.
  }
}

function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}

function refusalOf(path: string, cause: unknown): Error {
  const text = messageOf(cause);
  if (/locked|busy/i.test(text)) {
    return new FolderInUse(
      `Cannot use the data in ${path}: another vmctl serve uses it.`,
      'stop that one, or choose another folder with --data',
      cause,
    );
  }
  if (/malformed|not a database/i.test(text)) {
    return new FolderError(
      `${path} is damaged: ${text}.`,
      'bring a backup into an empty folder with vmctl serve --restore; or begin an empty site with --new-site, which moves what is there aside and deletes nothing',
      cause,
    );
  }
  return new FolderError(`Cannot use the data in ${path}: ${ioCause(text)}`, undefined, cause);
}

/** What SQLite says of the disk, in words that say what to do. */
function ioCause(text: string): string {
  if (/is full/i.test(text)) return 'the disk that holds it is full; free some space';
  if (/readonly/i.test(text)) {
    return 'it can only be read; make its folder and its file system writable for this user';
  }
  if (/unable to open/i.test(text)) {
    return `${text}; is its folder writable, and are there file descriptors left?`;
  }
  if (/I\/O/i.test(text)) return `the disk failed (${text}); look at the log of the system`;
  return text;
}

/** Whether an error of SQLite comes from the disk below it, not from what was asked. */
function isOfDisk(error: unknown): boolean {
  // What befell an image is the matter of one request.
  if (error instanceof StoreError) return false;
  return /I\/O error|is full|readonly database|unable to open|malformed|out of memory/i.test(
    messageOf(error),
  );
}

class SqliteStore implements Store {
  readonly #db: Database;
  readonly #tx: Transaction;
  #queue: Pending[] = [];
  #scheduled = false;
  readonly #isFile: boolean;
  #failed: Error | undefined;
  version = 0;

  constructor(db: Database, isFile: boolean) {
    this.#db = db;
    this.#isFile = isFile;
    this.#tx = new Transaction(db, new Map<string, Statement>());
  }

  get failed(): boolean {
    return this.#failed !== undefined;
  }

  read<T>(work: (tx: Transaction) => T): T {
    try {
      return work(this.#tx);
    } catch (cause) {
      if (!isOfDisk(cause)) throw cause;
      throw new StoreError(`The data could not be read: ${ioCause(messageOf(cause))}.`, { cause });
    }
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
    const { undo } = this.#tx;
    undo.length = 0;
    try {
      this.#db.exec('BEGIN IMMEDIATE');
      for (const { work, resolve, reject } of group) {
        const before = undo.length;
        this.#db.exec('SAVEPOINT request');
        try {
          const value = work(this.#tx) as never;
          this.#db.exec('RELEASE request');
          done.push(() => resolve(value));
        } catch (reason) {
          // A disk that fails in the middle of one request fails all of them.
          if (isOfDisk(reason)) throw reason;
          this.#db.exec('ROLLBACK TO request; RELEASE request');
          for (const takeBack of undo.splice(before)) takeBack();
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
    for (const takeBack of this.#tx.undo.splice(0)) takeBack();
    const heals = /is full|readonly database|unable to open/i.test(messageOf(cause));
    const error = new StoreError(
      heals
        ? `Nothing was changed: ${ioCause(messageOf(cause))}, and try again.`
        : `The data could not be written: ${ioCause(messageOf(cause))}. Nothing is changed any more until the server was started again.`,
      { cause },
    );
    // A full disk, and one that can only be read, heal without a restart: nothing was written. After
    // anything else it is unknown what is on the disk, and a second sync could claim what is not so.
    if (!heals) this.#failed = error;
    for (const { reject } of group) reject(error);
  }

  copyTo(path: string): void {
    if (this.#failed) throw this.#failed;
    try {
      this.#tx.statement('VACUUM INTO ?').run(path);
    } catch (cause) {
      throw new StoreError(`The data could not be copied: ${ioCause(messageOf(cause))}.`, {
        cause,
      });
    }
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
    // After a failure nothing may be written any more: the next start reads what is on the disk.
    if (this.#isFile && !this.#failed) {
      try {
        this.#db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
      } catch (cause) {
        this.#failed = new StoreError(`The data could not be closed: ${messageOf(cause)}`, {
          cause,
        });
      }
    }
    if (!(this.#isFile && this.#failed)) this.#db.close();
  }
}

/** The database could not be written: answered with 503, nothing of the request has happened. */
export class StoreError extends Error {}
