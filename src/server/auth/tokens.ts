/** Access tokens and cookie sessions. */

import { createHash, randomBytes } from 'node:crypto';
import { removeToken, tokenByHash, writeToken } from '../store/credentials.ts';
import type { Transaction } from '../store/transaction.ts';

/** Makes a token for a user and returns it. `expires` is service time in milliseconds. */
export function issueToken(tx: Transaction, user: string, scope: string, expires: number): string {
  const token = randomBytes(64).toString('base64url');
  writeToken(tx, hashOfToken(token), { user, scope, expires });
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

/** Ends a token. Unknown tokens are no error: they are as dead as they will be. */
export function revokeToken(tx: Transaction, token: string): void {
  removeToken(tx, hashOfToken(token));
}

/** What is kept of a token. */
export function hashOfToken(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

interface Session {
  readonly user: string;
  /** Milliseconds without a request after which the session ends. */
  readonly idle: number;
  /** Hash of the token that it was opened with. */
  readonly token: string | undefined;
  lastUsed: number;
}

/** Sessions live in memory: a restart ends them, and clients sign in again. Times do not jump. */
export class Sessions {
  readonly #sessions = new Map<string, Session>();
  readonly #limit = 10_000;

  /** Opens a session and returns its id. */
  open(user: string, idle: number, now: number, token?: string): string {
    if (this.#sessions.size >= this.#limit) this.#purge(now);
    const id = randomBytes(24).toString('base64url');
    this.#sessions.set(id, { user, idle, token, lastUsed: now });
    return id;
  }

  /** The user of a session that has not ended; counts as use. */
  use(id: string, now: number): string | undefined {
    const session = this.#sessions.get(id);
    if (!session) return undefined;
    if (now - session.lastUsed > session.idle) {
      this.#sessions.delete(id);
      return undefined;
    }
    session.lastUsed = now;
    return session.user;
  }

  /** Ends a session. */
  end(id: string): void {
    this.#sessions.delete(id);
  }

  /** Ends all sessions that were opened with a token, given by its hash. */
  endAllOf(token: string): void {
    for (const [id, session] of this.#sessions) {
      if (session.token === token) this.#sessions.delete(id);
    }
  }

  #purge(now: number): void {
    for (const [id, session] of this.#sessions) {
      if (now - session.lastUsed > session.idle) this.#sessions.delete(id);
    }
    const oldest = this.#sessions.keys().next();
    if (this.#sessions.size >= this.#limit && !oldest.done) this.#sessions.delete(oldest.value);
  }
}
