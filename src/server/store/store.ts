/** The store: one SQLite database, read at any time, written in groups of transactions. */
import { FolderError } from '../files/access.ts';
import type { ChangeWatch } from './change-watch.ts';
import { type LostCommits, lostCommits } from './commit-position.ts';
import { watchStructure } from './counters.ts';
import {
  type Database,
  heals,
  ioCause,
  isOfDisk,
  messageOf,
  openDatabase,
  type Statement,
  StoreError,
} from './driver.ts';
import { EventIds } from './event-ids.ts';
import { type DoneGroup, type Pending, pendingOf, runGroup } from './group.ts';
import { readMeta, writeMeta } from './meta.ts';
import { abandon, damageIn, refusalOf } from './open-failure.ts';
import { prepareSchema } from './prepare-schema.ts';
import { Transaction } from './transaction.ts';
import { WriteAheadLog } from './write-ahead-log.ts';

export { StoreError };

export interface Store {
  /** Other servers may use it at the same time. */
  readonly isShared: boolean;
  /** Rises with every group of changes: what was read before may differ after. */
  readonly version: number;
  /** The same as of when something was last read, which costs nothing: others may have changed more. */
  readonly knownVersion: number;
  /** Who waits for changes of which objects. */
  readonly changes: ChangeWatch;
  /** Reads what is committed. It may not be durable yet: see `durable`. */
  read<T>(work: (tx: Transaction) => T): T;
  /**
   * Runs work that changes nothing, at once up to its first wait. So far what is remembered is used without
   * asking whether others have changed the site, and what has to be read may be read meanwhile: then the work
   * is begun again, as often as it takes. What it does before its first wait must be what may be done again.
   */
  assumingNoChange<T>(work: () => Promise<T>): Promise<T>;
  /**
   * Runs the work in a transaction of its own and resolves once it is durable. What it throws
   * undoes it alone and rejects the promise.
   */
  write<T>(work: (tx: Transaction) => T): Promise<T>;
  /**
   * The same for what a new site begins with, which may be very much: takes memory for it that is to spare,
   * and gives it back.
   */
  fill<T>(work: (tx: Transaction) => T): Promise<T>;
  /**
   * Runs statements each of which is a transaction of its own: they wait for nobody who writes, and do not
   * count as a change. For what the servers note about themselves.
   */
  withoutTransaction<T>(work: (tx: Transaction) => T): T;
  /**
   * Resolves once all that can be read now is durable: for who does or answers something because of
   * what was read that a power cut must not take back. Rejects where it never will be.
   */
  durable(): Promise<void>;
  /** A write came to nothing in a way that only a restart heals: nothing is acknowledged any more. */
  readonly failed: boolean;
  /**
   * Loads what a copy needs. The function writes what is committed into a new file, an SQLite database,
   * at once: nothing else has a turn meanwhile.
   */
  prepareCopy(): Promise<(path: string) => void>;
  /** For those who copy and compare whole tables. */
  readonly database: Database;
  meta(key: string): string | undefined;
  setMeta(key: string, value: string): void;
  close(): Promise<void>;
}

/** Size of the page cache of SQLite in KiB. */
const cacheSize = 64 * 2 ** 10;

export interface OpenSettings {
  /** Whether SQLite is to look for damage. */
  readonly check?: boolean;
  /**
   * Called when nobody else can open the database, before anything in it is changed, with the damage
   * that was found and the acknowledged changes that are missing. What it throws is passed on.
   */
  readonly opened?: (damage: string | undefined, lost: LostCommits | undefined) => void;
}

/**
 * Opens the database at `path` (`:memory:` keeps nothing). Throws when it is damaged, locked by
 * another server, or of a newer version.
 */
export async function openStore(path: string, settings: OpenSettings = {}): Promise<Store> {
  const db = await openDatabase(path);
  const isFile = path !== ':memory:';
  const tx = new Transaction(db, new Map<string, Statement>());
  const ids = new EventIds((sql) => tx.statement(sql));
  let log: WriteAheadLog | undefined;
  try {
    // A second server on the same folder must fail at once, not corrupt what the first one holds.
    db.exec('PRAGMA busy_timeout = 300');
    if (isFile) db.exec('PRAGMA locking_mode = EXCLUSIVE');
    db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
    db.exec(`PRAGMA cache_size = -${cacheSize}; PRAGMA temp_store = MEMORY`);
    db.exec('BEGIN IMMEDIATE');
    const damage = settings.check ? damageIn(db) : undefined;
    settings.opened?.(damage, isFile ? lostCommits(path, db) : undefined);
    prepareSchema(db);
    ids.begin();
    db.exec('COMMIT');
    // What a crash left in the log after its last whole commit goes away with it.
    if (settings.check) db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    watchStructure(db);
    ids.durable();
    if (isFile) log = new WriteAheadLog(db, path, (sql) => tx.statement(sql));
  } catch (cause) {
    abandon(db);
    if (cause instanceof FolderError) throw cause;
    throw refusalOf(path, cause);
  }
  return new SqliteStore(db, tx, ids, log);
}

class SqliteStore implements Store {
  readonly isShared = false;
  readonly #db: Database;
  readonly #tx: Transaction;
  readonly #ids: EventIds;
  /** Undefined where nothing is kept. */
  readonly #log: WriteAheadLog | undefined;
  #queue: Pending[] = [];
  #scheduled = false;
  /** The last group, until it is durable. */
  #flushing: Promise<void> | undefined;
  /** The same, and what has to happen to the log before the next group. */
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

  assumingNoChange<T>(work: () => Promise<T>): Promise<T> {
    return work();
  }

  get failed(): boolean {
    return this.#failed !== undefined;
  }

  read<T>(work: (tx: Transaction) => T): T {
    try {
      return work(this.#tx);
    } catch (cause) {
      if (!isOfDisk(cause)) throw cause;
      throw new StoreError(`Cannot read the data: ${ioCause(messageOf(cause))}.`, { cause });
    }
  }

  write<T>(work: (tx: Transaction) => T): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      if (this.#failed) {
        reject(this.#failed);
        return;
      }
      this.#queue.push(pendingOf(work, resolve, reject));
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

  withoutTransaction<T>(work: (tx: Transaction) => T): T {
    return this.read(work);
  }

  async durable(): Promise<void> {
    await this.#flushing;
    if (this.#failed) throw this.#failed;
  }

  /**
   * Requests that came in the same turn of the event loop, or while the group before was flushed,
   * share one commit and one flush; each has a savepoint of its own. Who reads sees the group at once;
   * it is acknowledged when it is on the disk.
   */
  #commitGroup(): void {
    let group: readonly Pending[] = this.#queue;
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
      // A disk that fails in the middle of one request fails all of them.
      done = runGroup(this.#db, this.#tx, group, isOfDisk);
      group = done.group;
      this.#queue.unshift(...done.left);
      const beyond = this.#ids.extend();
      this.#log?.position.advance();
      this.#db.exec('COMMIT');
      if (beyond) this.#log?.flushNow();
    } catch (cause) {
      this.#giveUp(group, cause);
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

  /** Has a group flushed and answered, and the log emptied where it is long; then the next group follows. */
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

  /** Takes back a group that could not be committed. */
  #giveUp(group: readonly Pending[], cause: unknown): void {
    this.#tx.rollbacks += 1;
    try {
      this.#db.exec('ROLLBACK');
    } catch {
      // SQLite has rolled back already.
    }
    if (!heals(cause)) {
      this.#fail(group, cause);
      return;
    }
    for (const takeBack of this.#tx.undo.splice(0)) takeBack();
    // A full disk, and one that can only be read, heal without a restart: nothing was written.
    const text = `The request changed nothing: ${ioCause(messageOf(cause))}, and try again.`;
    const error = new StoreError(text, { cause });
    for (const { reject } of group) reject(error);
  }

  /**
   * Acknowledges nothing any more. What is on the disk is unknown until a restart, and a second flush
   * could claim what is not so.
   */
  #fail(group: readonly Pending[], cause: unknown): void {
    for (const takeBack of this.#tx.undo.splice(0)) takeBack();
    this.#failed = new StoreError(
      `Cannot write the data: ${ioCause(messageOf(cause))}. The server refuses changes until it is restarted.`,
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
      throw new StoreError(`Cannot copy the data: ${ioCause(messageOf(cause))}.`, {
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

  /** Resolves when nothing that was asked for is left to be written. */
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
    // After a failure nothing may be written any more: the next start reads what is on the disk.
    if (this.#failed) return;
    try {
      this.#ids.release();
      this.#log.close();
    } catch (cause) {
      this.#failed = new StoreError(`Cannot close the data: ${messageOf(cause)}`, { cause });
    }
  }
}
