/** Query plans of SQLite, where they decide how a list is read. */
import type { Transaction } from './transaction.ts';

export interface Plan {
  /** The rows come in the order that is asked for, from an index. */
  readonly inOrder: boolean;
  /** Nothing but one index is looked at. */
  readonly indexOnly: boolean;
  /** The table that is gone through first, where an index finds its rows by their values. */
  readonly searched: string | undefined;
}

const plans = new WeakMap<Transaction, Map<string, Plan>>();
/** Statements whose plan is remembered. */
const maxPlans = 500;

/** The plan of a statement; its values do not matter, so that it is found out once. */
export function planOf(tx: Transaction, sql: string): Plan {
  let known = plans.get(tx);
  if (!known) {
    known = new Map();
    plans.set(tx, known);
  }
  const stored = known.get(sql);
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
  };
  if (known.size >= maxPlans) known.clear();
  known.set(sql, plan);
  return plan;
}
