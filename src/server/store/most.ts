/** How many objects the largest collection of a kind holds: what is below one object at most. */
import type { KindName } from './kinds.ts';
import { table } from './schema.ts';
import { Pace, type Slices } from './slices.ts';
import type { Transaction } from './transaction.ts';

interface Counted {
  readonly last: number;
  readonly count: number;
}

const known = new WeakMap<Transaction, Map<KindName, Counted>>();

/**
 * How many objects the largest collection of a kind holds, or held when a tenth fewer were stored: to
 * look through all of them costs as much as there are, and is not done for every request.
 */
export function* mostInOne(tx: Transaction, kind: KindName): Slices<number> {
  let counts = known.get(tx);
  if (!counts) {
    counts = new Map();
    known.set(tx, counts);
  }
  const last = tx.rows(kind);
  const before = counts.get(kind);
  if (before && last >= before.last && last <= before.last * 1.1) return before.count;
  const some = `SELECT collection FROM ${table(kind)} WHERE collection > ? ORDER BY collection LIMIT ?`;
  const counted = `SELECT collection, count(*) AS n FROM (${some}) GROUP BY collection ORDER BY collection`;
  const whole = `SELECT count(*) AS n FROM ${table(kind)} WHERE collection = ?`;
  const pace = new Pace(500);
  let count = 0;
  for (let after: string | undefined = ''; after !== undefined; ) {
    const from: string = after;
    after = pace.slice((size) => {
      const rows = tx.statement(counted).all(from, size);
      for (const { n } of rows) count = Math.max(count, Number(n));
      const end = rows.at(-1)?.['collection'];
      if (end === undefined) return undefined;
      // The last one goes on behind what was looked at.
      count = Math.max(count, Number(tx.statement(whole).get(String(end))?.['n']));
      return String(end);
    });
    yield;
  }
  counts.set(kind, { last, count });
  return count;
}
