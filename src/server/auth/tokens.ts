/** Access tokens. */

import { createHash, randomBytes } from 'node:crypto';
import { findToken, removeOldestTokens, removeToken, writeToken } from '../store/credentials.ts';
import { removeTokenSessions } from '../store/session-list.ts';
import type { Transaction } from '../store/transaction.ts';

/** Maximum valid tokens of one user. An additional one replaces the token that expires first. */
export const tokensPerUser = 1_000;

/** Begin of the stored scope of an authorization code. A requested scope has no line breaks. */
export const codeScope = 'authorization code\n';

/** Creates a token for a user and returns it. `expires` is service time in milliseconds. */
export function issueToken(tx: Transaction, user: string, scope: string, expires: number): string {
  const token = randomBytes(64).toString('base64url');
  writeToken(tx, hashOfToken(token), { user, scope, expires });
  for (const hash of removeOldestTokens(tx, user, tokensPerUser)) removeTokenSessions(tx, hash);
  return token;
}

/** The user and scope of a token that is valid at this service time. */
export function readToken(
  tx: Transaction,
  token: string,
  now: number,
): { user: string; scope: string } | undefined {
  const found = findToken(tx, hashOfToken(token));
  if (!found || found.expires <= now || found.scope.startsWith(codeScope)) return undefined;
  return { user: found.user, scope: found.scope };
}

/**
 * Revokes a token, and ends the cookie sessions that it opened. Unknown tokens are no error,
 * because they are invalid anyway.
 */
export function revokeToken(tx: Transaction, token: string): void {
  const hash = hashOfToken(token);
  removeToken(tx, hash);
  removeTokenSessions(tx, hash);
}

/** The stored hash of a token. */
export function hashOfToken(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}
