/**
 * Groups of write requests in PostgreSQL, serialized over all servers of a site. Only writers wait
 * for the write lock and for commits.
 */
import type { Statement } from '../../server/store/driver.ts';
import {
  createPending,
  type DoneGroup,
  type PendingWrite,
  runGroup,
} from '../../server/store/group.ts';
import { StoreError } from '../../server/store/store.ts';
import { Transaction } from '../../server/store/transaction.ts';
import type { PostgresConnection } from './connection.ts';
import { DatabaseError, describeDatabaseError, isDatabaseFailure, isRolledBack } from './errors.ts';
import { writeAlone } from './locks.ts';

/** Maximum attempts for a group after a lost connection or an aborted transaction. */
const maxTries = 3;
/**
 * Pause between attempts, and maximum time to determine the outcome of a commit, in milliseconds.
 */
const pauseMs = 200;
const inquiryMs = 60_000;

/**
 * Begins a group. The timeout ends the transaction of a stalled server, which would block all
 * others.
 */
const beginGroup = `BEGIN; SET LOCAL idle_in_transaction_session_timeout = '4s'; ${writeAlone}`;

/** Counts a group; the transaction id allows a later query of its outcome. */
const countGroup =
  'UPDATE store_version SET version = version + 1 RETURNING CAST(pg_current_xact_id() AS text) AS id';

/** Outcome of a transaction whose commit was not confirmed. */
type Outcome = 'committed' | 'aborted' | 'unknown';

/** A group whose work is done but not committed. */
interface WorkedGroup extends DoneGroup {
  /** Transaction id. */
  readonly id: string;
}

export class GroupWriter {
  /** Transaction of the current group. */
  readonly tx: Transaction;
  /** Whether the work of a group is running. */
  isWorking = false;
  readonly #connection: PostgresConnection;
  readonly #changed: () => void;
  #queue: PendingWrite[] = [];
  #writing: Promise<void> | undefined;

  /**
   * @param connection for groups only: its transaction may wait while reads use another connection
   * @param changed called whenever data may have changed
   */
  constructor(connection: PostgresConnection, changed: () => void) {
    this.#connection = connection;
    this.#changed = changed;
    this.tx = new Transaction(connection, new Map<string, Statement>());
  }

  /** Implements `Store.write`. */
  write<T>(work: (tx: Transaction) => T): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#queue.push(createPending(work, resolve, reject));
      this.#writing ??= this.#writeAll();
    });
  }

  /** Waits for pending writes, then closes the connection. */
  async close(): Promise<void> {
    await this.#writing;
    this.#connection.close();
  }

  async #writeAll(): Promise<void> {
    // The first group contains all requests of one turn of the event loop.
    await new Promise((resolve) => setImmediate(resolve));
    while (this.#queue.length > 0) await this.#writeGroup();
    this.#writing = undefined;
  }

  /** Runs and commits the pending requests as one group; retries if PostgreSQL aborts it. */
  async #writeGroup(): Promise<void> {
    let group: readonly PendingWrite[] = [];
    for (let tries = 1; ; tries += 1) {
      let worked: WorkedGroup | undefined;
      try {
        await this.#connection.execAsync(beginGroup);
        // Include the requests that arrived while the group waited for the lock.
        group = [...group, ...this.#queue.splice(0)];
        worked = this.#runGroup(group);
        group = worked.group;
        this.#queue.unshift(...worked.left);
        await this.#connection.execAsync('COMMIT');
        this.#settle(worked, 'committed');
        return;
      } catch (cause) {
        if (worked && isConnectionLost(cause)) {
          this.#settle(worked, await this.#findOutcome(worked.id));
          return;
        }
        this.#rollBack();
        group = [...group, ...this.#queue.splice(0)];
        if (tries === maxTries || !(isConnectionLost(cause) || isRolledBack(cause))) {
          const text =
            cause instanceof DatabaseError ? describeDatabaseError(cause) : String(cause);
          rejectGroup(
            group,
            new StoreError(`The request changed nothing: ${text}. Try again.`, { cause }),
          );
          return;
        }
      }
      await pause();
    }
  }

  /** Runs the requests of a group in its transaction. */
  #runGroup(group: readonly PendingWrite[]): WorkedGroup {
    // Before each attempt, because other connections may have read in between.
    this.#changed();
    this.isWorking = true;
    try {
      this.tx.undo.length = 0;
      const done = runGroup(this.#connection, this.tx, group, isDatabaseFailure);
      return { id: String(this.tx.statement(countGroup).get()?.['id']), ...done };
    } finally {
      this.isWorking = false;
      // Uncommitted changes are invisible to other connections, so caches must be invalidated
      // again.
      this.#changed();
    }
  }

  /** Answers the requests of a group according to its outcome. */
  #settle({ group, answers }: WorkedGroup, outcome: Outcome): void {
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
    rejectGroup(group, new StoreError(text));
  }

  #rollBack(): void {
    this.tx.rollbacks += 1;
    for (const takeBack of this.tx.undo.splice(0)) takeBack();
    this.#connection.rollback();
  }

  async #findOutcome(id: string): Promise<Outcome> {
    const until = performance.now() + inquiryMs;
    while (performance.now() < until) {
      try {
        const row = this.tx.statement('SELECT pg_xact_status(CAST(? AS xid8)) AS status').get(id);
        const status = row?.['status'];
        if (status === 'committed' || status === 'aborted') return status;
      } catch (cause) {
        if (!isDatabaseFailure(cause)) throw cause;
      }
      await pause();
    }
    return 'unknown';
  }
}

function rejectGroup(group: readonly PendingWrite[], error: StoreError): void {
  for (const { reject } of group) reject(error);
}

/** Whether the connection was lost, and with it the uncommitted transaction. */
function isConnectionLost(cause: unknown): boolean {
  return cause instanceof DatabaseError && cause.isDisconnected;
}

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, pauseMs));
}
