/** The store: one SQLite database with reads at any time and group commits. */
import { FolderError } from '../files/access.ts';
import type { ChangeWatch } from './change-watch.ts';
import { compareCommits, type LostCommits } from './commit-position.ts';
import { watchStructure } from './counters.ts';
import {
  canRecover,
  type Database,
  ioCause,
  isDiskError,
  openDatabase,
  readMessage,
  type Statement,
  StoreError,
} from './driver.ts';
import { EventIds } from './event-ids.ts';
import { createPending, type DoneGroup, type PendingWrite, runGroup } from './group.ts';
import { readMeta, writeMeta } from './meta.ts';
import { closeQuietly, createOpenFailure, findDatabaseDamage } from './open-failure.ts';
import { prepareSchema } from './prepare-schema.ts';
import { Transaction } from './transaction.ts';
import { WriteAheadLog } from './write-ahead-log.ts';

export { StoreError };

export interface Store {
  /** Increases with every group of changes: earlier reads may be outdated. */
  readonly version: number;
  /**
   * The version at the last read, available without a query. Other servers may have changed more.
   */
  readonly knownVersion: number;
  /** Watches on single objects. */
  readonly changes: ChangeWatch;
  /** Reads committed data, which may not be durable yet: see `durable`. */
  read<T>(work: (tx: Transaction) => T): T;
  /**
   * Runs the work in a separate transaction and resolves after it is durable. An error rolls back
   * this work only and rejects the promise.
   */
  write<T>(work: (tx: Transaction) => T): Promise<T>;
  /**
   * Like `write`, for the possibly large initial contents of a site: uses spare memory and releases
   * it afterwards.
   */
  fill<T>(work: (tx: Transaction) => T): Promise<T>;
  /**
   * Resolves after all currently readable data is durable, for effects and answers that a power cut
   * must not invalidate. Rejects after a failure.
   */
  durable(): Promise<void>;
  /**
   * Whether a write has failed. The store then refuses all writes until a restart.
   */
  readonly failed: boolean;
  /**
   * Loads the requirements of a copy. The returned function synchronously writes all committed data
   * into a new SQLite file.
   */
  prepareCopy(): Promise<(path: string) => void>;
  /** The database, for copies and comparisons of tables. */
  readonly database: Database;
  meta(key: string): string | undefined;
  setMeta(key: string, value: string): void;
  close(): Promise<void>;
}

/** Size of the page cache of SQLite in KiB. */
const cacheSize = 64 * 2 ** 10;

export interface OpenSettings {
  /** Whether SQLite checks for damage. */
  readonly check?: boolean;
  /**
   * Called after the database is locked and before any change, with the detected damage and the
   * missing acknowledged commits. Its error is passed on.
   */
  readonly opened?: (damage: string | undefined, lost: LostCommits | undefined) => void;
}

/**
 * Opens the database at `path` (`:memory:` for no persistence). Throws if it is damaged, locked by
 * another server, or from a newer version.
 */
export async function openStore(path: string, settings: OpenSettings = {}): Promise<Store> {
  const db = await openDatabase(path);
  const isFile = path !== ':memory:';
  const tx = new Transaction(db, new Map<string, Statement>());
  const ids = new EventIds((sql) => tx.statement(sql));
  let log: WriteAheadLog | undefined;
  try {
    // A second server on the same folder must fail immediately instead of corrupting the data.
    db.exec('PRAGMA busy_timeout = 300');
    if (isFile) db.exec('PRAGMA locking_mode = EXCLUSIVE');
    db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
    db.exec(`PRAGMA cache_size = -${cacheSize}; PRAGMA temp_store = MEMORY`);
    db.exec('BEGIN IMMEDIATE');
    const damage = settings.check ? findDatabaseDamage(db) : undefined;
    settings.opened?.(damage, isFile ? compareCommits(path, db) : undefined);
    prepareSchema(db);
    ids.begin();
    db.exec('COMMIT');
    // Removes the remains of a crash after the last complete commit in the log.
    if (settings.check) db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    watchStructure(db);
    ids.durable();
    if (isFile) log = new WriteAheadLog(db, path, (sql) => tx.statement(sql));
  } catch (cause) {
    closeQuietly(db);
    if (cause instanceof FolderError) throw cause;
    throw createOpenFailure(path, cause);
  }
  return new SqliteStore(db, tx, ids, log);
}

class SqliteStore implements Store {
  readonly #db: Database;
  readonly #tx: Transaction;
  readonly #ids: EventIds;
  /** Undefined without persistence. */
  readonly #log: WriteAheadLog | undefined;
  #queue: PendingWrite[] = [];
  #scheduled = false;
  /** The last group, until it is durable. */
  #flushing: Promise<void> | undefined;
  /** The last group and the following maintenance of the log. */
  #settling: Promise<void> | undefined;
  #failed: Error | undefined;
  version = 0;

  constructor(db: Database, tx: Transaction, ids: EventIds, log: WriteAheadLog | undefined) {
    this.#db = db;
    this.#tx = tx;
    this.#ids = ids;
    this.#log = log;
  }

  get changes(): ChangeWatch {
    return this.#tx.changes;
  }

  get database(): Database {
    return this.#db;
  }

  get knownVersion(): number {
    return this.version;
  }

  get failed(): boolean {
    return this.#failed !== undefined;
  }

  read<T>(work: (tx: Transaction) => T): T {
    try {
      return work(this.#tx);
    } catch (cause) {
      if (!isDiskError(cause)) throw cause;
      throw new StoreError(`Cannot read the data: ${ioCause(readMessage(cause))}.`, { cause });
    }
  }

  write<T>(work: (tx: Transaction) => T): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      if (this.#failed) {
        reject(this.#failed);
        return;
      }
      this.#queue.push(createPending(work, resolve, reject));
      if (!this.#settling) this.#schedule();
    });
  }

  async fill<T>(work: (tx: Transaction) => T): Promise<T> {
    await this.#settleAll();
    this.#log?.suspend();
    try {
      return await this.write(work);
    } finally {
      this.#log?.resume();
    }
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => this.#commitGroup());
  }

  async durable(): Promise<void> {
    await this.#flushing;
    if (this.#failed) throw this.#failed;
  }

  /**
   * Requests of one event loop turn, or during the previous flush, share one commit and one flush.
   * Each has a savepoint. Readers see the group immediately; it is acknowledged after it is
   * durable.
   */
  #commitGroup(): void {
    let group: readonly PendingWrite[] = this.#queue;
    this.#queue = [];
    this.#scheduled = false;
    if (this.#failed) {
      for (const { reject } of group) reject(this.#failed);
      return;
    }
    this.version += 1;
    let done: DoneGroup;
    this.#tx.undo.length = 0;
    try {
      this.#db.exec('BEGIN IMMEDIATE');
      // A disk failure during one request fails all of them.
      done = runGroup(this.#db, this.#tx, group, isDiskError);
      group = done.group;
      this.#queue.unshift(...done.left);
      const beyond = this.#ids.extend();
      this.#log?.position.advance();
      this.#db.exec('COMMIT');
      if (beyond) this.#log?.flushNow();
    } catch (cause) {
      this.#rollBack(group, cause);
      if (this.#queue.length > 0) this.#schedule();
      return;
    }
    if (this.#log) {
      this.#settling = this.#settle(this.#log, done);
      return;
    }
    for (const answer of done.answers) answer();
    this.changes.wake();
    if (this.#queue.length > 0) this.#schedule();
  }

  /** Flushes and answers a group, and empties a long log. The next group follows. */
  async #settle(log: WriteAheadLog, { group, answers }: DoneGroup): Promise<void> {
    const flushed = log.flush();
    this.#flushing = flushed.catch(() => undefined);
    try {
      await flushed;
      this.#ids.durable();
      this.#tx.undo.length = 0;
      for (const answer of answers) answer();
      this.changes.wake();
      if (log.isLong) await log.empty();
    } catch (cause) {
      this.#fail(group, cause);
    }
    this.#flushing = undefined;
    this.#settling = undefined;
    if (this.#queue.length > 0) this.#commitGroup();
  }

  /** Rolls back a group that could not be committed. */
  #rollBack(group: readonly PendingWrite[], cause: unknown): void {
    this.#tx.rollbacks += 1;
    try {
      this.#db.exec('ROLLBACK');
    } catch {
      // SQLite has already rolled back.
    }
    if (!canRecover(cause)) {
      this.#fail(group, cause);
      return;
    }
    for (const takeBack of this.#tx.undo.splice(0)) takeBack();
    // A full or read-only disk can recover without a restart: nothing was written.
    const text = `The request changed nothing: ${ioCause(readMessage(cause))}, and try again.`;
    const error = new StoreError(text, { cause });
    for (const { reject } of group) reject(error);
  }

  /**
   * Stops acknowledging writes. The content of the disk is unknown until a restart, and a second
   * flush could report a false success.
   */
  #fail(group: readonly PendingWrite[], cause: unknown): void {
    for (const takeBack of this.#tx.undo.splice(0)) takeBack();
    this.#failed = new StoreError(
      `Cannot write the data: ${ioCause(readMessage(cause))}. The server refuses changes until it is restarted.`,
      { cause },
    );
    for (const { reject } of group) reject(this.#failed);
    this.changes.wakeAll();
  }

  async prepareCopy(): Promise<(path: string) => void> {
    return (path) => this.#copyTo(path);
  }

  #copyTo(path: string): void {
    if (this.#failed) throw this.#failed;
    try {
      this.#tx.statement('VACUUM INTO ?').run(path);
    } catch (cause) {
      throw new StoreError(`Cannot copy the data: ${ioCause(readMessage(cause))}.`, {
        cause,
      });
    }
  }

  meta(key: string): string | undefined {
    return readMeta((sql) => this.#tx.statement(sql), key);
  }

  setMeta(key: string, value: string): void {
    writeMeta((sql) => this.#tx.statement(sql), key, value);
  }

  /** Resolves after all pending writes. */
  async #settleAll(): Promise<void> {
    while (this.#queue.length > 0 || this.#settling) {
      await (this.#settling ?? new Promise((resolve) => setImmediate(resolve)));
    }
  }

  async close(): Promise<void> {
    await this.#settleAll();
    if (!this.#log) {
      this.#db.close();
      return;
    }
    // After a failure, nothing may be written: the next start reads the content of the disk.
    if (this.#failed) return;
    try {
      this.#ids.release();
      this.#log.close();
    } catch (cause) {
      this.#failed = new StoreError(`Cannot close the data: ${readMessage(cause)}`, { cause });
    }
  }
}
