/** A list that is to be walked through: which objects, who looks, what was made ahead. */
import type { ListOptions, SqlCondition } from './conditions.ts';
import type { KindName } from './kinds.ts';
import type { RowSet } from './row-set.ts';
import type { Transaction } from './transaction.ts';

export interface Walk {
  readonly tx: Transaction;
  readonly kind: KindName;
  readonly options: ListOptions;
  /** The conditions of the list, without those on who sees what. */
  readonly condition: SqlCondition | undefined;
  /** The test whether an object is visible; none where `rows` says it, or everything is. */
  readonly test: SqlCondition | undefined;
  readonly rows: RowSet | undefined;
  /** Tables that were made ahead. */
  readonly made: ReadonlySet<string>;
}
