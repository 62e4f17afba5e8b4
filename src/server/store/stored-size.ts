/** Size of a collection: number of objects, and bytes of their documents. */
import type { KindName } from './kinds.ts';
import { table } from './schema.ts';
import type { Transaction } from './transaction.ts';

export interface StoredSize {
  readonly objects: number;
  readonly bytes: number;
}

/** Measures a collection: `/users/123/options`. */
export function measureCollection(tx: Transaction, kind: KindName, collection: string): StoredSize {
  const row = tx
    .statement(
      `SELECT count(*) AS n, total(octet_length(doc)) AS bytes FROM ${table(kind)} WHERE collection = ?`,
    )
    .get(collection);
  return { objects: Number(row?.['n'] ?? 0), bytes: Number(row?.['bytes'] ?? 0) };
}
