/** Groups of writing requests: those of one turn of the event loop share a transaction and its commit. */
import type { Database } from './driver.ts';
import type { Transaction } from './transaction.ts';

/** A request that waits for its turn to write. */
export interface Pending {
  /** Does the work, and returns what tells of it once it is durable. */
  readonly work: (tx: Transaction) => () => void;
  readonly reject: (reason: unknown) => void;
}

/** A request that waits, and the promise of what its work returns. */
export function pendingOf<T>(
  work: (tx: Transaction) => T,
  resolve: (value: T) => void,
  reject: (reason: unknown) => void,
): Pending {
  return {
    work: (tx) => {
      const value = work(tx);
      return () => resolve(value);
    },
    reject,
  };
}

/**
 * Does the work of a group inside a transaction that is begun, each in a savepoint: what it throws undoes
 * it alone. Returns what tells all of them, to be called after the commit. Throws what is fatal for the
 * whole group.
 */
export function runGroup(
  db: Database,
  tx: Transaction,
  group: readonly Pending[],
  isFatal: (reason: unknown) => boolean,
): (() => void)[] {
  const done: (() => void)[] = [];
  for (const { work, reject } of group) {
    const before = tx.undo.length;
    db.exec('SAVEPOINT request');
    try {
      const answer = work(tx);
      db.exec('RELEASE request');
      done.push(answer);
    } catch (reason) {
      if (isFatal(reason)) throw reason;
      db.exec('ROLLBACK TO request; RELEASE request');
      tx.rollbacks += 1;
      for (const takeBack of tx.undo.splice(before)) takeBack();
      done.push(() => reject(reason));
    }
  }
  return done;
}
