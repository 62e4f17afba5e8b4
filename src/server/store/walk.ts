/** Parameters of a list read: conditions, visibility, and tables computed in advance. */
import type { ListOptions, SqlCondition } from './conditions.ts';
import type { KindName } from './kinds.ts';
import type { Transaction } from './transaction.ts';

export interface ListRead {
  readonly tx: Transaction;
  readonly kind: KindName;
  readonly options: ListOptions;
  /** The conditions of the list, without visibility. */
  readonly condition: SqlCondition | undefined;
  /** The test whether an object is visible. Undefined if all objects are. */
  readonly test: SqlCondition | undefined;
  /** Tables computed in advance. */
  readonly made: ReadonlySet<string>;
}
