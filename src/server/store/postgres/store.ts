/** The store in PostgreSQL: opened, read in snapshots over one connection, written in groups over another. */
import { FolderError, FolderInUse } from '../../files/access.ts';
import { copyTables } from '../copy-tables.ts';
import {
  type Database,
  databaseOpener,
  type Row,
  type SqlValue,
  type Statement,
} from '../driver.ts';
import { readMeta, writeMeta } from '../meta.ts';
import { prepareSchema } from '../schema.ts';
import { type Store, StoreError } from '../store.ts';
import { Transaction } from '../transaction.ts';
import { maskedAddress } from './address.ts';
import { PostgresConnection } from './connection.ts';
import { DatabaseError, describe, isOfDatabase } from './errors.ts';
import { GroupWriter } from './group-writer.ts';
import { endStart, lockNotAvailable, othersUse } from './locks.ts';
import { NewerSchema, preparePostgresSchema } from './schema.ts';

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
  const use = settings.alone ? 'alone' : 'starting';
  const connection = opened(url, use, (database) => {
    if (!settings.newSite) return;
    if (isUsed(database)) throw new SiteInUse();
    setSchemaAside(database, settings.log);
  });
  const isFirst = !isUsed(connection);
  const writing = new PostgresConnection(url, settings.alone ? 'covered' : 'shared');
  return new PostgresStore(connection, writing, isFirst);
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
  use: 'starting' | 'alone',
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

/** The number of changes of the site by all servers. */
const readVersion = 'SELECT version FROM store_version';

class PostgresStore implements SharedStore {
  readonly isShared = true;
  readonly isFirst: boolean;
  /** For all but groups of writing requests. */
  readonly #connection: PostgresConnection;
  readonly #tx: Transaction;
  readonly #writer: GroupWriter;
  #isReading = false;
  /** The version was asked for in this turn, outside of a snapshot. */
  #isFresh = false;
  /** What is going on assumes that the version is that of before; undefined where nothing does. */
  #assumption: 'made' | 'used' | 'proved' | undefined;
  /** Rises whenever something may be otherwise than before, for those who remember what they have read. */
  #version = 0;
  /** What the site said of its changes when that was last looked at. */
  #seen: SqlValue | undefined;

  constructor(connection: PostgresConnection, writing: PostgresConnection, isFirst: boolean) {
    this.isFirst = isFirst;
    this.#connection = connection;
    this.#tx = new Transaction(connection, new Map<string, Statement>());
    this.#writer = new GroupWriter(writing, () => {
      this.#version += 1;
    });
  }

  started(): void {
    this.#connection.exec(endStart);
  }

  /** Asks PostgreSQL, once in each snapshot or turn: others change the site as well. */
  get version(): number {
    if (this.#writer.isWorking || (this.#isFresh && !this.#isReading)) return this.#version;
    if (this.#assumption !== undefined) {
      if (this.#assumption === 'made') this.#assumption = 'used';
      return this.#version;
    }
    try {
      if (this.#isReading) this.#connection.ensureBegun();
      else this.#askVersion();
    } catch (cause) {
      throw isOfDatabase(cause) ? unreadable(cause) : cause;
    }
    return this.#version;
  }

  #askVersion(): void {
    this.#look(this.#connection.query(readVersion));
    this.#isFresh = true;
    // Whoever goes on later asks again.
    queueMicrotask(() => {
      this.#isFresh = false;
    });
  }

  /** Takes note of the version that was read. */
  #look([row]: readonly Row[]): void {
    const current = row?.['version'];
    if (current !== this.#seen) {
      this.#seen = current;
      this.#version += 1;
      // What was remembered may be otherwise, and what was read may be older than this.
      if (this.#assumption !== undefined) throw new Outdated();
    }
    if (this.#assumption !== undefined) this.#assumption = 'proved';
  }

  assumingNoChange<T>(work: () => Promise<T>): Promise<T> {
    this.#assumption = 'made';
    const result = work();
    const proof = this.#proof();
    this.#assumption = undefined;
    const again = (error: unknown) => {
      if (error instanceof Outdated) return work();
      throw error;
    };
    // Where the proof fails, nobody is answered with what the work comes to, a refusal either.
    result.catch(() => undefined);
    return proof.then(() => result).catch(again);
  }

  /** Asks for the version where it was assumed, at once; rejects with an `Outdated` where it is another one. */
  async #proof(): Promise<void> {
    this.#prove();
  }

  /** Asks for the version where it was assumed. Throws an `Outdated` where it is another one. */
  #prove(): void {
    if (this.#assumption !== 'used') return;
    try {
      this.#askVersion();
    } catch (cause) {
      throw isOfDatabase(cause) ? unreadable(cause) : cause;
    }
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
    if (this.#writer.isWorking || this.#isReading) return work(this.#current);
    try {
      return this.#snapshot(work);
    } catch (cause) {
      throw isOfDatabase(cause) ? unreadable(cause) : cause;
    }
  }

  #snapshot<T>(work: (tx: Transaction) => T): T {
    this.#isReading = true;
    const isAssuming = this.#assumption !== undefined;
    this.#connection.beginRead(readVersion, (rows) => this.#look(rows), isAssuming);
    try {
      return work(this.#tx);
    } finally {
      this.#connection.endRead();
      this.#isReading = false;
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
    // Why it is to be written may be what is so no more.
    this.#prove();
    return this.#writer.write(work);
  }

  /** Nobody reads what is not committed, and PostgreSQL says that something is when it is durable. */
  async durable(): Promise<void> {}

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
    return readMeta((sql) => this.#current.statement(sql), key);
  }

  setMeta(key: string, value: string): void {
    writeMeta((sql) => this.#current.statement(sql), key, value);
  }

  /** The transaction of the group whose work is being done, otherwise that of those who read. */
  get #current(): Transaction {
    return this.#writer.isWorking ? this.#writer.tx : this.#tx;
  }

  async close(): Promise<void> {
    await this.#writer.close();
    this.#connection.close();
  }
}

/** Thrown where something else was assumed of the site than it is. */
class Outdated extends Error {}

function unreadable(cause: DatabaseError): StoreError {
  return new StoreError(`The data could not be read: ${describe(cause)}.`, { cause });
}
