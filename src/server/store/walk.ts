/** A list that is to be walked through: which objects, who looks, what was made ahead. */
import type { ListOptions, SqlCondition } from './conditions.ts';
import type { KindName } from './kinds.ts';
import type { Transaction } from './transaction.ts';

export interface Walk {
  readonly tx: Transaction;
  readonly kind: KindName;
  readonly options: ListOptions;
  /** The conditions of the list, without those on who sees what. */
  readonly condition: SqlCondition | undefined;
  /** The test whether an object is visible. Undefined if all objects are. */
  readonly test: SqlCondition | undefined;
  /** Tables that were made ahead. */
  readonly made: ReadonlySet<string>;
}
