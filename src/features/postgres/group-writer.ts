/**
 * Groups of writing requests in PostgreSQL: one after the other over all servers of a site. Nobody waits for
 * the lock of the writers, or for a commit, but those who write.
 */
import type { Statement } from '../../server/store/driver.ts';
import { type DoneGroup, type Pending, pendingOf, runGroup } from '../../server/store/group.ts';
import { StoreError } from '../../server/store/store.ts';
import { Transaction } from '../../server/store/transaction.ts';
import type { PostgresConnection } from './connection.ts';
import { DatabaseError, describe, isOfDatabase, isRolledBack } from './errors.ts';
import { writeAlone } from './locks.ts';

/** Tries of a group whose connection ends before its commit, or which PostgreSQL gives up for another one. */
const maxTries = 3;
/** Milliseconds before another try, and for all questions what became of a commit. */
const pauseTime = 200;
const inquiryTime = 60_000;

/**
 * Begins a group. A server that stands still in the middle of one holds up all others: PostgreSQL ends its
 * transaction after a while.
 */
const beginGroup = `BEGIN; SET LOCAL idle_in_transaction_session_timeout = '4s'; ${writeAlone}`;

/** Counts a group; the number of its transaction tells later what became of it. */
const countGroup =
  'UPDATE store_version SET version = version + 1 RETURNING CAST(pg_current_xact_id() AS text) AS id';

/** What became of a transaction whose commit was not answered. */
type Outcome = 'committed' | 'aborted' | 'unknown';

/** A group whose work is done, and not yet committed. */
interface Worked extends DoneGroup {
  /** Number of its transaction. */
  readonly id: string;
}

export class GroupWriter {
  /** The transaction of the group whose work is being done. */
  readonly tx: Transaction;
  /** Whether that is so at this moment. */
  isWorking = false;
  readonly #connection: PostgresConnection;
  readonly #changed: () => void;
  #queue: Pending[] = [];
  #writing: Promise<void> | undefined;

  /**
   * @param connection for groups alone: a transaction waits in it while others read over another one
   * @param changed called whenever something may be otherwise than before
   */
  constructor(connection: PostgresConnection, changed: () => void) {
    this.#connection = connection;
    this.#changed = changed;
    this.tx = new Transaction(connection, new Map<string, Statement>());
  }

  /** As `Store.write`. */
  write<T>(work: (tx: Transaction) => T): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#queue.push(pendingOf(work, resolve, reject));
      this.#writing ??= this.#writeAll();
    });
  }

  /** Ends when all is written, and with it the connection. */
  async close(): Promise<void> {
    await this.#writing;
    this.#connection.close();
  }

  async #writeAll(): Promise<void> {
    // All requests of one turn of the event loop are in the first group.
    await new Promise((resolve) => setImmediate(resolve));
    while (this.#queue.length > 0) await this.#writeGroup();
    this.#writing = undefined;
  }

  /** Does the work of those who wait, and answers them; again where PostgreSQL gives it up. */
  async #writeGroup(): Promise<void> {
    let group: readonly Pending[] = [];
    for (let tries = 1; ; tries += 1) {
      let worked: Worked | undefined;
      try {
        await this.#connection.execAsync(beginGroup);
        // Whoever came while others wrote is part of it.
        group = [...group, ...this.#queue.splice(0)];
        worked = this.#work(group);
        group = worked.group;
        this.#queue.unshift(...worked.left);
        await this.#connection.execAsync('COMMIT');
        this.#settle(worked, 'committed');
        return;
      } catch (cause) {
        if (worked && isLost(cause)) {
          this.#settle(worked, await this.#outcomeOf(worked.id));
          return;
        }
        this.#takeBack();
        group = [...group, ...this.#queue.splice(0)];
        if (tries === maxTries || !(isLost(cause) || isRolledBack(cause))) {
          const text = cause instanceof DatabaseError ? describe(cause) : String(cause);
          refuse(
            group,
            new StoreError(`The request changed nothing: ${text}. Try again.`, { cause }),
          );
          return;
        }
      }
      await pause();
    }
  }

  /** Does the work of a group in its transaction. */
  #work(group: readonly Pending[]): Worked {
    // With each try: others may have read since the one before.
    this.#changed();
    this.isWorking = true;
    try {
      this.tx.undo.length = 0;
      const done = runGroup(this.#connection, this.tx, group, isOfDatabase);
      return { id: String(this.tx.statement(countGroup).get()?.['id']), ...done };
    } finally {
      this.isWorking = false;
      // Nobody else sees what it has changed before it is committed.
      this.#changed();
    }
  }

  /** Answers a group once it is known what became of it. */
  #settle({ group, answers }: Worked, outcome: Outcome): void {
    this.#changed();
    if (outcome === 'committed') {
      for (const answer of answers) answer();
      this.tx.changes.wake();
      return;
    }
    for (const takeBack of this.tx.undo.splice(0)) takeBack();
    const text =
      outcome === 'aborted'
        ? 'The request changed nothing: the connection to the database ended. Try again.'
        : 'The connection to the database ended; the change may or may not be stored. Check before you try again.';
    refuse(group, new StoreError(text));
  }

  #takeBack(): void {
    this.tx.rollbacks += 1;
    for (const takeBack of this.tx.undo.splice(0)) takeBack();
    this.#connection.rollback();
  }

  async #outcomeOf(id: string): Promise<Outcome> {
    const until = performance.now() + inquiryTime;
    while (performance.now() < until) {
      try {
        const row = this.tx.statement('SELECT pg_xact_status(CAST(? AS xid8)) AS status').get(id);
        const status = row?.['status'];
        if (status === 'committed' || status === 'aborted') return status;
      } catch (cause) {
        if (!isOfDatabase(cause)) throw cause;
      }
      await pause();
    }
    return 'unknown';
  }
}

function refuse(group: readonly Pending[], error: StoreError): void {
  for (const { reject } of group) reject(error);
}

/** Whether the connection ended, and with it what was not committed. */
function isLost(cause: unknown): boolean {
  return cause instanceof DatabaseError && cause.isDisconnected;
}

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, pauseTime));
}
