/** SQLite query plans, which determine how a list is read. */
import type { Transaction } from './transaction.ts';

export interface Plan {
  /** Whether an index yields the rows in the requested order. */
  readonly inOrder: boolean;
  /** Whether a single index is read and no table. */
  readonly indexOnly: boolean;
  /** The outer table, if an index finds its rows by equality. */
  readonly searched: string | undefined;
  /** The outer table, if an index finds its rows by a range. */
  readonly ranged: string | undefined;
  /** Whether the outer table is read through a covering index only. */
  readonly isCovered: boolean;
}

const known = new WeakMap<Transaction, Map<string, Plan>>();
/** Maximum number of cached plans. */
const maxPlans = 500;

/** The cached plan of a statement, which does not depend on its values. */
export function explainStatement(tx: Transaction, sql: string): Plan {
  const plans = getPlans(tx);
  const stored = plans.get(sql);
  if (stored) return stored;
  const steps = tx
    .statement(`EXPLAIN QUERY PLAN ${sql}`)
    .all()
    .map(({ detail }) => String(detail));
  const first = steps.find((step) => /^(?:SCAN|SEARCH) /.test(step)) ?? '';
  const plan = {
    inOrder: !steps.includes('USE TEMP B-TREE FOR ORDER BY'),
    indexOnly: steps.length === 1 && /COVERING INDEX/.test(steps[0] ?? ''),
    searched: /^SEARCH (\w+) .*=\?/.exec(first)?.[1],
    isCovered: / COVERING INDEX /.test(first),
    ranged: /^SEARCH (\w+) .*[<>]\?/.exec(first)?.[1],
  };
  if (plans.size >= maxPlans) plans.clear();
  plans.set(sql, plan);
  return plan;
}

/** Deletes the cached plans, after a change of indexes. */
export function forgetPlans(tx: Transaction): void {
  known.delete(tx);
}

function getPlans(tx: Transaction): Map<string, Plan> {
  let plans = known.get(tx);
  if (!plans) {
    plans = new Map();
    known.set(tx, plans);
  }
  return plans;
}
