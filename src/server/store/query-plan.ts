/** Query plans of SQLite, where they decide how a list is read. */
import type { Transaction } from './transaction.ts';

export interface Plan {
  /** The rows come in the order that is asked for, from an index. */
  readonly inOrder: boolean;
  /** Nothing but one index is looked at. */
  readonly indexOnly: boolean;
  /** The table that is gone through first, where an index finds its rows by their values. */
  readonly searched: string | undefined;
  /** The same, where an index finds those before or behind a value. */
  readonly ranged: string | undefined;
  /** Of the table that is gone through first only an index is looked at. */
  readonly isCovered: boolean;
}

const known = new WeakMap<Transaction, Map<string, Plan>>();
/** Statements whose plan is remembered. */
const maxPlans = 500;

/** The plan of a statement; its values do not matter, so that it is found out once. */
export function planOf(tx: Transaction, sql: string): Plan {
  const plans = plansOf(tx);
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

function plansOf(tx: Transaction): Map<string, Plan> {
  let plans = known.get(tx);
  if (!plans) {
    plans = new Map();
    known.set(tx, plans);
  }
  return plans;
}
