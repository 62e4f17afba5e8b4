/** The store in PostgreSQL: read in snapshots over one connection, written in groups over another. */

import type { ChangeWatch } from '../../server/store/change-watch.ts';
import { copyTables } from '../../server/store/copy-tables.ts';
import {
  type Database,
  databaseOpener,
  type Row,
  type SqlValue,
  type Statement,
} from '../../server/store/driver.ts';
import { readMeta, writeMeta } from '../../server/store/meta.ts';
import { prepareSchema } from '../../server/store/prepare-schema.ts';
import type { SharedStore } from '../../server/store/shared-store.ts';
import { StoreError } from '../../server/store/store.ts';
import { Transaction } from '../../server/store/transaction.ts';
import { Assumption, type ReadStatement } from './assumption.ts';
import type { PostgresConnection } from './connection.ts';
import { type DatabaseError, describe, isOfDatabase } from './errors.ts';
import { GroupWriter } from './group-writer.ts';
import { endStart } from './locks.ts';
import type { SentStatement } from './messages.ts';
import type { ReadConnections, ReadRows } from './read-connections.ts';

/** A store that several servers use. Others that are opened wait until this one has `started`. */
/** The number of changes of the site by all servers. */
const readVersion = 'SELECT version FROM store_version';

/** How often work is begun, before it is done in a snapshot. */
const maxTries = 5;

export class PostgresStore implements SharedStore {
  readonly isShared = true;
  readonly isFirst: boolean;
  /** For all but groups of writing requests. */
  readonly #connection: PostgresConnection;
  readonly #tx: Transaction;
  readonly #writer: GroupWriter;
  readonly #ahead: ReadConnections;
  #isReading = false;
  /** The version was asked for in this turn, outside of a snapshot. */
  #isFresh = false;
  /** What is going on assumes that the version is that of before; undefined where nothing does. */
  #assumption: Assumption | undefined;
  /** Rises whenever something may be otherwise than before, for those who remember what they have read. */
  #version = 0;
  /** What the site said of its changes when that was last looked at. */
  #seen: SqlValue | undefined;

  constructor(
    connection: PostgresConnection,
    writing: PostgresConnection,
    ahead: ReadConnections,
    isFirst: boolean,
  ) {
    this.isFirst = isFirst;
    this.#ahead = ahead;
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
    if (this.#assumption) {
      this.#assumption.isUsed = true;
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
      this.#assumption?.broken();
    }
    if (this.#assumption) this.#assumption.isProved = true;
  }

  /** What is missing is read meanwhile, and the work begun again: nothing else waits for PostgreSQL. */
  async assumingNoChange<T>(work: () => Promise<T>): Promise<T> {
    let read: readonly ReadStatement[] = [];
    /** Of what was read, and of the site a moment ago. */
    let version: number | undefined;
    for (let tries = 1; tries <= maxTries; tries += 1) {
      const isProved = version === this.#version;
      if (!isProved) read = [];
      const assumption = new Assumption(read, isProved);
      const result = this.#assuming(assumption, work);
      if (assumption.holds) return result;
      // Nobody is answered with what the work comes to before it is proved, a refusal either.
      result.catch(() => undefined);
      version = this.#version;
      if (assumption.isBroken) {
        read = [];
        continue;
      }
      const { missing } = assumption;
      const rows = await this.#readAhead(missing);
      if (!rows) version = undefined;
      else if (missing) read = [...read, { ...missing, rows }];
      else return result;
    }
    return work();
  }

  /** Begins the work; the assumption ends with its first wait. */
  #assuming<T>(assumption: Assumption, work: () => Promise<T>): Promise<T> {
    this.#assumption = assumption;
    try {
      return work();
    } finally {
      this.#assumption = undefined;
    }
  }

  /** The rows of a statement, where the version is still the one of before; none without a statement. */
  async #readAhead(statement: SentStatement | undefined): Promise<readonly Row[] | undefined> {
    const before = this.#version;
    let found: ReadRows;
    try {
      found = await this.#ahead.read(statement, this.#connection.statementOf(readVersion));
    } catch (cause) {
      throw isOfDatabase(cause) ? unreadable(cause) : cause;
    }
    this.#look(found.behind);
    return this.#version === before ? (found.rows ?? []) : undefined;
  }

  /** Asks for the version where it was assumed. Throws where it is another one. */
  #prove(): void {
    if (!this.#assumption?.isUsed || this.#assumption.isProved) return;
    try {
      this.#askVersion();
    } catch (cause) {
      throw isOfDatabase(cause) ? unreadable(cause) : cause;
    }
  }

  get knownVersion(): number {
    return this.#version;
  }

  get changes(): ChangeWatch {
    return this.#writer.tx.changes;
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
    const assumption = this.#assumption;
    const find = assumption && ((statement: SentStatement) => assumption.rowsOf(statement));
    this.#connection.beginRead(readVersion, (rows) => this.#look(rows), find);
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

  fill<T>(work: (tx: Transaction) => T): Promise<T> {
    return this.write(work);
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
    this.#ahead.close();
    this.#connection.close();
  }
}

function unreadable(cause: DatabaseError): StoreError {
  return new StoreError(`Cannot read the data: ${describe(cause)}.`, { cause });
}
