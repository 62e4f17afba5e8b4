/** Group commit: writing requests of one event loop turn share a transaction and its commit. */
import type { Database } from './driver.ts';
import type { Transaction } from './transaction.ts';

/** A waiting write request. */
export interface PendingWrite {
  /** Does the work. Returns the function that reports its result after the commit is durable. */
  readonly work: (tx: Transaction) => () => void;
  readonly reject: (reason: unknown) => void;
}

/** A waiting request that settles the promise of its caller. */
export function createPending<T>(
  work: (tx: Transaction) => T,
  resolve: (value: T) => void,
  reject: (reason: unknown) => void,
): PendingWrite {
  return {
    work: (tx) => {
      const value = work(tx);
      return () => resolve(value);
    },
    reject,
  };
}

/** Maximum milliseconds of a group. The remainder waits for the next group, after other events. */
export const longestTurn = 20;

/** Result of running a group. */
export interface DoneGroup {
  /** Requests whose work succeeded or was refused. */
  readonly group: readonly PendingWrite[];
  /** Functions that report each result after the commit. */
  readonly answers: readonly (() => void)[];
  /** Requests that exceed the time. */
  readonly left: readonly PendingWrite[];
}

/**
 * Runs a group inside an open transaction, each request in a savepoint: an error rolls back its
 * request only. Throws errors that are fatal for the group.
 */
export function runGroup(
  db: Database,
  tx: Transaction,
  group: readonly PendingWrite[],
  isFatal: (reason: unknown) => boolean,
): DoneGroup {
  const answers: (() => void)[] = [];
  const until = performance.now() + longestTurn;
  for (const { work, reject } of group) {
    const before = tx.undo.length;
    db.exec('SAVEPOINT request');
    try {
      const answer = work(tx);
      db.exec('RELEASE request');
      answers.push(answer);
    } catch (reason) {
      if (isFatal(reason)) throw reason;
      db.exec('ROLLBACK TO request; RELEASE request');
      tx.rollbacks += 1;
      for (const takeBack of tx.undo.splice(before)) takeBack();
      answers.push(() => reject(reason));
    }
    if (performance.now() > until) break;
  }
  const done = answers.length;
  return { group: group.slice(0, done), answers, left: group.slice(done) };
}
