/** Store in PostgreSQL: reads in snapshots over one connection, writes in groups over another. */

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
import { type Store, StoreError } from '../../server/store/store.ts';
import { Transaction } from '../../server/store/transaction.ts';
import type { PostgresConnection } from './connection.ts';
import { type DatabaseError, describeDatabaseError, isDatabaseFailure } from './errors.ts';
import { GroupWriter } from './group-writer.ts';
import { endStart } from './locks.ts';
import type { SentStatement } from './messages.ts';
import { Assumption, type ReadStatement } from './optimistic-read.ts';
import type { ReadConnections, ReadRows } from './read-connections.ts';

/** Number of changes of the site by all servers. */
const readVersion = 'SELECT version FROM store_version';

/** Maximum number of optimistic attempts before the work runs in a snapshot. */
const maxTries = 5;

export class PostgresStore implements Store {
  /** Whether no other server used the store when it was opened. */
  readonly isFirst: boolean;
  /** Connection for everything except groups of write requests. */
  readonly #connection: PostgresConnection;
  readonly #tx: Transaction;
  readonly #writer: GroupWriter;
  readonly #ahead: ReadConnections;
  #isReading = false;
  /** Whether the version was read in this turn of the event loop, outside of a snapshot. */
  #isFresh = false;
  /** Assumption of the running work that the version is unchanged; undefined if there is none. */
  #assumption: Assumption | undefined;
  /** Version for caches; increases whenever data may have changed. */
  #version = 0;
  /** Last version read from the database. */
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

  /** Permits other servers to start. */
  started(): void {
    this.#connection.exec(endStart);
  }

  /**
   * Reads the version from PostgreSQL once per snapshot or turn, because other servers change the
   * site.
   */
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
      throw isDatabaseFailure(cause) ? readFailure(cause) : cause;
    }
    return this.#version;
  }

  #askVersion(): void {
    this.#recordVersion(this.#connection.query(readVersion));
    this.#isFresh = true;
    // Later turns read the version again.
    queueMicrotask(() => {
      this.#isFresh = false;
    });
  }

  /** Records the version that was read. */
  #recordVersion([row]: readonly Row[]): void {
    const current = row?.['version'];
    if (current !== this.#seen) {
      this.#seen = current;
      this.#version += 1;
      // Cached objects and rows read ahead may be outdated.
      this.#assumption?.fail();
    }
    if (this.#assumption) this.#assumption.isProved = true;
  }

  /**
   * Runs work that only reads, synchronously up to its first wait. Until then, caches are used
   * without a check for changes by other servers. Missing rows are read asynchronously, then the
   * work restarts; the event loop is not blocked.
   */
  async assumingNoChange<T>(work: () => Promise<T>): Promise<T> {
    let read: readonly ReadStatement[] = [];
    /** Version of the rows read ahead. */
    let version: number | undefined;
    for (let tries = 1; tries <= maxTries; tries += 1) {
      const isProved = version === this.#version;
      if (!isProved) read = [];
      const assumption = new Assumption(read, isProved);
      const result = this.#startWork(assumption, work);
      if (assumption.holds) return result;
      // Discard the result, also a refusal: it is not confirmed yet.
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

  /** Starts the work. The assumption ends when the work first awaits. */
  #startWork<T>(assumption: Assumption, work: () => Promise<T>): Promise<T> {
    this.#assumption = assumption;
    try {
      return work();
    } finally {
      this.#assumption = undefined;
    }
  }

  /** Rows of a statement, if the version is unchanged; empty without a statement. */
  async #readAhead(statement: SentStatement | undefined): Promise<readonly Row[] | undefined> {
    const before = this.#version;
    let found: ReadRows;
    try {
      found = await this.#ahead.read(statement, this.#connection.createStatement(readVersion));
    } catch (cause) {
      throw isDatabaseFailure(cause) ? readFailure(cause) : cause;
    }
    this.#recordVersion(found.second);
    return this.#version === before ? (found.rows ?? []) : undefined;
  }

  /** Verifies an assumed version. Throws if it has changed. */
  #verifyVersion(): void {
    if (!this.#assumption?.isUsed || this.#assumption.isProved) return;
    try {
      this.#askVersion();
    } catch (cause) {
      throw isDatabaseFailure(cause) ? readFailure(cause) : cause;
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

  /** The next request reconnects, so a failure is never permanent. */
  get failed(): boolean {
    return false;
  }

  read<T>(work: (tx: Transaction) => T): T {
    // Inside of a group or of another read, use its transaction.
    if (this.#writer.isWorking || this.#isReading) return work(this.#current);
    try {
      return this.#snapshot(work);
    } catch (cause) {
      throw isDatabaseFailure(cause) ? readFailure(cause) : cause;
    }
  }

  #snapshot<T>(work: (tx: Transaction) => T): T {
    this.#isReading = true;
    const assumption = this.#assumption;
    const find = assumption && ((statement: SentStatement) => assumption.findRows(statement));
    this.#connection.beginRead(readVersion, (rows) => this.#recordVersion(rows), find);
    try {
      return work(this.#tx);
    } finally {
      this.#connection.endRead();
      this.#isReading = false;
    }
  }

  /**
   * Runs statements that are separate transactions: they do not wait for writers and do not count
   * as a change. For records of the servers about themselves.
   */
  withoutTransaction<T>(work: (tx: Transaction) => T): T {
    try {
      return work(this.#tx);
    } catch (cause) {
      throw isDatabaseFailure(cause) ? readFailure(cause) : cause;
    }
  }

  write<T>(work: (tx: Transaction) => T): Promise<T> {
    // The decision to write may depend on outdated data.
    this.#verifyVersion();
    return this.#writer.write(work);
  }

  fill<T>(work: (tx: Transaction) => T): Promise<T> {
    return this.write(work);
  }

  /** Reads see only committed data, and PostgreSQL confirms commits only when they are durable. */
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

  /** Transaction of the running group, otherwise that of reads. */
  get #current(): Transaction {
    return this.#writer.isWorking ? this.#writer.tx : this.#tx;
  }

  async close(): Promise<void> {
    await this.#writer.close();
    this.#ahead.close();
    this.#connection.close();
  }
}

function readFailure(cause: DatabaseError): StoreError {
  return new StoreError(`Cannot read the data: ${describeDatabaseError(cause)}.`, { cause });
}
