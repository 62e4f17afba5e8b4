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

/** Milliseconds after which what is left of a group waits for the next one: others have a turn before that. */
export const longestTurn = 20;

/** What was done of a group. */
export interface DoneGroup {
  /** Those whose work was done, or refused. */
  readonly group: readonly Pending[];
  /** What tells each of them, to be called after the commit. */
  readonly answers: readonly (() => void)[];
  /** Those for whom there was no time. */
  readonly left: readonly Pending[];
}

/**
 * Does the work of a group inside a transaction that is begun, each in a savepoint: what it throws undoes
 * it alone. Throws what is fatal for the whole group.
 */
export function runGroup(
  db: Database,
  tx: Transaction,
  group: readonly Pending[],
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
