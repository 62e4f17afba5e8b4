/** Completed requests by idempotency key, with their answers. */
import type { Transaction } from './transaction.ts';

/** A completed request. */
export interface DoneRequest {
  /** Fingerprint that distinguishes it from other requests with the same key. */
  readonly request: string;
  /** Document of its answer. */
  readonly answer: string;
}

/** The completed request with a key; undefined without one. */
export function findDoneRequest(tx: Transaction, key: string): DoneRequest | undefined {
  const row = tx.statement('SELECT request, answer FROM idempotency_key WHERE key = ?').get(key);
  return row && { request: String(row['request']), answer: String(row['answer']) };
}

/** Stores a completed request with its key; `expires` is service time in milliseconds. */
export function storeDoneRequest(
  tx: Transaction,
  key: string,
  { request, answer }: DoneRequest,
  expires: number,
): void {
  tx.statement(
    'INSERT INTO idempotency_key (key, request, answer, expires) VALUES (?, ?, ?, ?)',
  ).run(key, request, answer, expires);
}

/** Whether keys have expired at a service time. */
export function hasExpiredKeys(tx: Transaction, now: number): boolean {
  const row = tx
    .statement('SELECT 1 AS found FROM idempotency_key WHERE expires <= ? LIMIT 1')
    .get(now);
  return row !== undefined && row !== null;
}

/** Removes the keys that have expired at a service time. */
export function removeExpiredKeys(tx: Transaction, now: number): void {
  tx.statement('DELETE FROM idempotency_key WHERE expires <= ?').run(now);
}

/**
 * Removes the oldest keys with the prefix `owner` beyond a number and beyond the bytes of their
 * answers.
 */
export function removeOldestKeys(
  tx: Transaction,
  owner: string,
  { keys, bytes }: { readonly keys: number; readonly bytes: number },
): void {
  const rows = tx
    .statement(
      'SELECT key, octet_length(answer) AS bytes FROM idempotency_key WHERE key >= ? AND key < ? ORDER BY expires DESC, key',
    )
    .all(owner, `${owner}~`);
  let total = 0;
  for (const [index, row] of rows.entries()) {
    total += Number(row['bytes']);
    if (index < keys && total <= bytes) continue;
    tx.statement('DELETE FROM idempotency_key WHERE key = ?').run(String(row['key']));
  }
}
