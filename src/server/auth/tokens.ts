/** Access tokens. */

import { createHash, randomBytes } from 'node:crypto';
import { removeOldestTokens, removeToken, tokenByHash, writeToken } from '../store/credentials.ts';
import { removeSessionsOf } from '../store/session-list.ts';
import type { Transaction } from '../store/transaction.ts';

/** Tokens of one user that are valid at a time: with a further one, that which expires first ends. */
export const tokensPerUser = 1_000;

/** Makes a token for a user and returns it. `expires` is service time in milliseconds. */
export function issueToken(tx: Transaction, user: string, scope: string, expires: number): string {
  const token = randomBytes(64).toString('base64url');
  writeToken(tx, hashOfToken(token), { user, scope, expires });
  for (const hash of removeOldestTokens(tx, user, tokensPerUser)) removeSessionsOf(tx, hash);
  return token;
}

/** The user and scope of a token that is still valid at this service time. */
export function readToken(
  tx: Transaction,
  token: string,
  now: number,
): { user: string; scope: string } | undefined {
  const found = tokenByHash(tx, hashOfToken(token));
  if (!found || found.expires <= now) return undefined;
  return { user: found.user, scope: found.scope };
}

/**
 * Ends a token, and the cookie sessions that were opened with it. Unknown tokens are no error: they are
 * as dead as they will be.
 */
export function revokeToken(tx: Transaction, token: string): void {
  const hash = hashOfToken(token);
  removeToken(tx, hash);
  removeSessionsOf(tx, hash);
}

/** What is kept of a token. */
export function hashOfToken(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}
