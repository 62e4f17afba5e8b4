/** The store in PostgreSQL: read in snapshots, written in groups that share a transaction. */
import { FolderError, FolderInUse } from '../../files/access.ts';
import { copyTables } from '../copy-tables.ts';
import { type Database, databaseOpener, type SqlValue, type Statement } from '../driver.ts';
import { type Pending, pendingOf, runGroup } from '../group.ts';
import { readMeta, writeMeta } from '../meta.ts';
import { prepareSchema } from '../schema.ts';
import { type Store, StoreError } from '../store.ts';
import { Transaction } from '../transaction.ts';
import { maskedAddress } from './address.ts';
import { PostgresConnection } from './connection.ts';
import { DatabaseError, describe, isOfDatabase } from './errors.ts';
import { endStart, lockNotAvailable, othersUse, writeAlone } from './locks.ts';
import { NewerSchema, preparePostgresSchema } from './schema.ts';

/** Tries of a group whose connection ends before its commit. */
const maxTries = 3;
/** Milliseconds before another try, and for all questions what became of a commit. */
const pauseTime = 200;
const inquiryTime = 60_000;

export interface PostgresSettings {
  /** Nobody else may use it, for as long as it is open. */
  readonly alone?: boolean;
  /** What is there gets another name, for an empty site. */
  readonly newSite?: boolean;
  readonly log?: (line: string) => void;
}

/** A store that several servers use. Others that are opened wait until this one has `started`. */
export interface SharedStore extends Store {
  /** Nobody else used it when it was opened. */
  readonly isFirst: boolean;
  started(): void;
}

/**
 * Opens the store in a database at `postgres://USER@HOST:PORT/NAME`, and makes its tables where they are
 * missing. Waits while another server starts. Throws a `FolderInUse` where somebody has it alone, and a
 * `FolderError` with what is wrong where it cannot be used.
 */
export function openPostgresStore(url: string, settings: PostgresSettings = {}): SharedStore {
  const use = settings.alone ? 'alone' : 'shared';
  const connection = opened(url, use, (database) => {
    if (!settings.newSite) return;
    if (isUsed(database)) throw new SiteInUse();
    setSchemaAside(database, settings.log);
  });
  return new PostgresStore(connection, !isUsed(connection));
}

/** The same without a store: for those who look at the tables themselves, while no server uses them. */
export function openPostgresDatabase(url: string): PostgresConnection {
  return opened(url, 'alone', () => {});
}

/** Thrown where servers have a site that is to be moved aside. */
class SiteInUse extends Error {}

/** Whether other servers have the site. */
function isUsed(database: Database): boolean {
  return Number(database.prepare(othersUse).get()?.['others']) > 0;
}

function opened(
  url: string,
  use: 'shared' | 'alone',
  before: (connection: PostgresConnection) => void,
): PostgresConnection {
  const connection = new PostgresConnection(url, use);
  try {
    before(connection);
    preparePostgresSchema(connection);
    return connection;
  } catch (cause) {
    connection.close();
    throw refusalOf(maskedAddress(url), cause);
  }
}

/** Gives the tables of a site another name. Nothing is deleted. */
function setSchemaAside(connection: Database, log?: (line: string) => void): void {
  const found = connection
    .prepare("SELECT 1 FROM information_schema.tables WHERE table_schema = 'vmctl'")
    .get();
  if (!found) return;
  const stamp = new Date().toISOString().replace(/\D/g, '');
  connection.exec(`ALTER SCHEMA vmctl RENAME TO vmctl_before_${stamp}`);
  log?.(`the schema vmctl is now vmctl_before_${stamp}`);
}

function refusalOf(address: string, cause: unknown): unknown {
  if (cause instanceof NewerSchema) {
    return new FolderError(
      `The data in ${address} was written by a newer vmctl (${cause.message}).`,
      'use that version, or another database with --store',
      cause,
    );
  }
  if (cause instanceof SiteInUse) return inUse(address, 'another vmctl serve uses it', cause);
  if (!(cause instanceof DatabaseError)) return cause;
  if (cause.code === lockNotAvailable) return inUse(address, cause.message, cause);
  return new FolderError(
    `Cannot use the data in ${address}: ${describe(cause)}.`,
    undefined,
    cause,
  );
}

function inUse(address: string, why: string, cause: unknown): FolderInUse {
  return new FolderInUse(
    `Cannot use the data in ${address}: ${why}.`,
    'stop that one, or choose another database with --store',
    cause,
  );
}

/** What became of a transaction whose commit was not answered. */
type Outcome = 'committed' | 'aborted' | 'unknown';

/**
 * Begins a group. A server that stands still in the middle of one holds up all others: PostgreSQL ends its
 * transaction after a while.
 */
const beginGroup = `BEGIN; SET LOCAL idle_in_transaction_session_timeout = '4s'; ${writeAlone}`;

/** The number of changes of the site by all servers. */
const readVersion = 'SELECT version FROM store_version';
/** Counts a group; the number of its transaction tells later what became of it. */
const countGroup =
  'UPDATE store_version SET version = version + 1 RETURNING version, CAST(pg_current_xact_id() AS text) AS id';

class PostgresStore implements SharedStore {
  readonly isShared = true;
  readonly isFirst: boolean;
  readonly #connection: PostgresConnection;
  readonly #tx: Transaction;
  #queue: Pending[] = [];
  #scheduled = false;
  /** A group that is not settled yet, because its connection ended; nothing else is written meanwhile. */
  #settling: Promise<void> | undefined;
  #work: 'none' | 'read' | 'group' = 'none';
  #isClosed = false;
  /** Rises whenever something may be otherwise than before, for those who remember what they have read. */
  #version = 0;
  /** What the site said of its changes when that was last looked at. */
  #seen: SqlValue | undefined;

  constructor(connection: PostgresConnection, isFirst: boolean) {
    this.isFirst = isFirst;
    this.#connection = connection;
    this.#tx = new Transaction(connection, new Map<string, Statement>());
  }

  started(): void {
    this.#connection.exec(endStart);
  }

  /** Asks PostgreSQL, once in each snapshot: others change the site as well. */
  get version(): number {
    if (this.#work === 'none') return this.read(() => this.version);
    if (this.#work === 'group') return this.#version;
    // The first statement of a snapshot brings it along.
    const rows = this.#connection.begun ?? this.#tx.statement(readVersion).all();
    const current = rows[0]?.['version'];
    if (current !== this.#seen) {
      this.#seen = current;
      this.#version += 1;
    }
    return this.#version;
  }

  get knownVersion(): number {
    return this.#version;
  }

  get database(): Database {
    return this.#connection;
  }

  /** A database that failed heals: the next request connects again. */
  get failed(): boolean {
    return false;
  }

  read<T>(work: (tx: Transaction) => T): T {
    // Inside of a group, or of another read, its transaction is used.
    if (this.#work !== 'none') return work(this.#tx);
    try {
      return this.#snapshot(work);
    } catch (cause) {
      throw isOfDatabase(cause) ? unreadable(cause) : cause;
    }
  }

  #snapshot<T>(work: (tx: Transaction) => T): T {
    this.#work = 'read';
    this.#connection.beginRead(readVersion);
    try {
      return work(this.#tx);
    } finally {
      this.#connection.endRead();
      this.#work = 'none';
    }
  }

  withoutTransaction<T>(work: (tx: Transaction) => T): T {
    try {
      return work(this.#tx);
    } catch (cause) {
      throw isOfDatabase(cause) ? unreadable(cause) : cause;
    }
  }

  write<T>(work: (tx: Transaction) => T): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#queue.push(pendingOf(work, resolve, reject));
      if (this.#scheduled || this.#settling) return;
      this.#scheduled = true;
      setImmediate(() => this.#commitGroup());
    });
  }

  /** Nobody reads what is not committed, and PostgreSQL says that something is when it is durable. */
  async durable(): Promise<void> {}

  #commitGroup(): void {
    const group = this.#queue;
    this.#queue = [];
    this.#scheduled = false;
    this.#tryGroup(group, 1);
  }

  /** Does the work of a group; again with another connection where this one ends before the commit. */
  #tryGroup(group: readonly Pending[], tries: number): void {
    let done: (() => void)[] = [];
    let id: string | undefined;
    // With each try: others may have read since the one before.
    this.#version += 1;
    this.#work = 'group';
    try {
      this.#tx.undo.length = 0;
      this.#connection.exec(beginGroup);
      done = runGroup(this.#connection, this.#tx, group, isOfDatabase);
      const counted = this.#tx.statement(countGroup).get();
      id = String(counted?.['id']);
      this.#connection.exec('COMMIT');
      this.#seen = counted?.['version'];
    } catch (cause) {
      if (id !== undefined && isLost(cause)) {
        this.#waitFor(this.#inquire(id, group, done));
        return;
      }
      this.#takeBack();
      if (tries < maxTries && isLost(cause)) {
        this.#waitFor(pause().then(() => this.#tryGroup(group, tries + 1)));
        return;
      }
      const text = cause instanceof DatabaseError ? describe(cause) : String(cause);
      const error = new StoreError(`Nothing was changed: ${text}. Try again.`, { cause });
      for (const { reject } of group) reject(error);
      return;
    } finally {
      this.#work = 'none';
    }
    for (const answer of done) answer();
  }

  /** Lets the next group follow only when this one is known to be done, or not to be. */
  #waitFor(settled: Promise<void>): void {
    const settling = settled.then(() => {
      // It may have to wait again.
      if (this.#settling !== settling) return;
      this.#settling = undefined;
      if (this.#queue.length > 0) this.#commitGroup();
    });
    this.#settling = settling;
  }

  #takeBack(): void {
    for (const takeBack of this.#tx.undo.splice(0)) takeBack();
    this.#connection.rollback();
  }

  /** Answers a group once it is known whether it was committed. */
  async #inquire(id: string, group: readonly Pending[], done: readonly (() => void)[]) {
    const outcome = await this.#outcomeOf(id);
    this.#version += 1;
    if (outcome === 'committed') {
      for (const answer of done) answer();
    } else {
      for (const takeBack of this.#tx.undo.splice(0)) takeBack();
      const text =
        outcome === 'aborted'
          ? 'Nothing was changed: the connection to the database ended. Try again.'
          : 'The connection to the database ended, and it is not known whether something was changed. Look before you try again.';
      for (const { reject } of group) reject(new StoreError(text));
    }
  }

  async #outcomeOf(id: string): Promise<Outcome> {
    const until = performance.now() + inquiryTime;
    while (performance.now() < until && !this.#isClosed) {
      try {
        const row = this.#tx.statement('SELECT pg_xact_status(CAST(? AS xid8)) AS status').get(id);
        const status = row?.['status'];
        if (status === 'committed' || status === 'aborted') return status;
      } catch (cause) {
        if (!isOfDatabase(cause)) throw cause;
      }
      await pause();
    }
    return 'unknown';
  }

  async prepareCopy(): Promise<(path: string) => void> {
    const open = await databaseOpener();
    return (path) => {
      const copy = open(path);
      try {
        prepareSchema(copy);
        this.#snapshot(() => copyTables(this.#connection, copy));
      } finally {
        copy.close();
      }
    };
  }

  meta(key: string): string | undefined {
    return readMeta((sql) => this.#tx.statement(sql), key);
  }

  setMeta(key: string, value: string): void {
    writeMeta((sql) => this.#tx.statement(sql), key, value);
  }

  async close(): Promise<void> {
    while (this.#queue.length > 0 || this.#settling) {
      await (this.#settling ?? new Promise((resolve) => setImmediate(resolve)));
    }
    this.#isClosed = true;
    this.#connection.close();
  }
}

/** Whether the connection ended, and with it what was not committed. */
function isLost(cause: unknown): boolean {
  return cause instanceof DatabaseError && cause.isDisconnected;
}

function unreadable(cause: DatabaseError): StoreError {
  return new StoreError(`The data could not be read: ${describe(cause)}.`, { cause });
}

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, pauseTime));
}
