/** Access tokens: random, given once, stored as hashes, valid for a fixed time. */
import { createHash, randomBytes } from 'node:crypto';
import type { Transaction } from '../store/transaction.ts';

/** Makes a token for a user and returns it. `expires` is service time in milliseconds. */
export function issueToken(tx: Transaction, user: string, scope: string, expires: number): string {
  const token = randomBytes(64).toString('base64url');
  tx.statement('INSERT INTO token (hash, user, scope, expires) VALUES (?, ?, ?, ?)').run(
    hashOfToken(token),
    user,
    scope,
    expires,
  );
  return token;
}

/** The user and scope of a token that is still valid at this service time. */
export function readToken(
  tx: Transaction,
  token: string,
  now: number,
): { user: string; scope: string } | undefined {
  const row = tx
    .statement('SELECT user, scope, expires FROM token WHERE hash = ?')
    .get(hashOfToken(token));
  if (!row || Number(row['expires']) <= now) return undefined;
  return { user: String(row['user']), scope: String(row['scope']) };
}

/** Ends a token. Unknown tokens are no error: they are as dead as they will be. */
export function revokeToken(tx: Transaction, token: string): void {
  tx.statement('DELETE FROM token WHERE hash = ?').run(hashOfToken(token));
}

/** Forgets tokens that have expired by this service time. */
export function purgeTokens(tx: Transaction, now: number): void {
  tx.statement('DELETE FROM token WHERE expires <= ?').run(now);
}

/** What is kept of a token. */
export function hashOfToken(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}
