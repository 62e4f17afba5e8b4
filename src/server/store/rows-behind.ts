/** Rows behind another one, in an order of one key: an index leads there, whatever comes before. */
import type { OrderKey, SqlCondition } from './conditions.ts';
import type { SqlValue } from './driver.ts';
import type { KindName } from './kinds.ts';
import { table } from './schema.ts';
import type { Transaction } from './transaction.ts';

/** Where a row is: its value of the key, and its number. The row itself may be gone. */
export interface PlaceInOrder {
  readonly value: SqlValue;
  readonly row: number;
}

/** The key that decides an order alone, beside that of creation; undefined where several do, or none. */
export function onlyKey(order: readonly OrderKey[] | undefined): OrderKey | undefined {
  const [key, ...others] = order ?? [];
  return others.every(({ sql }) => sql === key?.sql) ? key : undefined;
}

/** Where a row is in the order of a key. */
export function placeOf(tx: Transaction, kind: KindName, key: OrderKey, row: number): PlaceInOrder {
  const found = tx.statement(`SELECT ${key.sql} AS value FROM ${table(kind)} WHERE rowid = ?`);
  return { value: found.get(row)?.['value'] ?? null, row };
}

/**
 * Conditions of the rows behind a place, part by part in the order of the key: those of the same value,
 * then the others. As in `orderText`, what has no value comes first where values rise, and last where they
 * fall.
 */
export function partsBehind(
  { sql, descending }: OrderKey,
  { value, row }: PlaceInOrder,
): readonly SqlCondition[] {
  const none = { sql: `${sql} IS NULL`, values: [] };
  if (value === null) {
    const same = { sql: `${sql} IS NULL AND rowid > ?`, values: [row] };
    return descending ? [same] : [same, { sql: `${sql} IS NOT NULL`, values: [] }];
  }
  const same = { sql: `${sql} = ? AND rowid > ?`, values: [value, row] };
  return descending
    ? [same, { sql: `${sql} < ?`, values: [value] }, none]
    : [same, { sql: `${sql} > ?`, values: [value] }];
}
