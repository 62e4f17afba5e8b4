/** Cookie sessions as they are stored: by the hash of their id, for all servers of the store. */
import type { Transaction } from './transaction.ts';

/** One session; times are service time in milliseconds. */
export interface SessionRow {
  readonly user: string;
  /** Milliseconds without a request after which it ends. */
  readonly idle: number;
  /** Hash of the token that it was opened with. */
  readonly token: string | undefined;
  /** When it was used last, as far as that was noted. */
  readonly used: number;
  /** It was ended: its id opens nothing any more. */
  readonly ended: boolean;
}

/** The limit of a selection that has none. */
const noLimit = Number.MAX_SAFE_INTEGER;

/** The session with this hash, whether it is over or not. */
export function sessionByHash(tx: Transaction, hash: string): SessionRow | undefined {
  const row = tx
    .statement('SELECT "user", idle, token, used, ended FROM cookie_session WHERE hash = ?')
    .get(hash);
  return (
    row && {
      user: String(row['user']),
      idle: Number(row['idle']),
      token: row['token'] === null ? undefined : String(row['token']),
      used: Number(row['used']),
      ended: Number(row['ended']) !== 0,
    }
  );
}

/**
 * Notes that a session was used, or has ended. What another server has noted of it that is later stays, and
 * what has ended stays ended.
 */
export function noteSession(tx: Transaction, hash: string, session: SessionRow): void {
  const { user, idle, token, used, ended } = session;
  tx.statement(
    `INSERT INTO cookie_session AS noted (hash, "user", idle, token, used, ended) VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT (hash) DO UPDATE SET
       used = CASE WHEN excluded.used > noted.used THEN excluded.used ELSE noted.used END,
       ended = CASE WHEN excluded.ended > noted.ended THEN excluded.ended ELSE noted.ended END`,
  ).run(hash, user, idle, token ?? null, used, ended ? 1 : 0);
}

/** Removes the sessions that were opened with a token, given by its hash. */
export function removeSessionsOf(tx: Transaction, token: string): void {
  tx.statement('DELETE FROM cookie_session WHERE token = ?').run(token);
}

/**
 * Removes the sessions that are over, a tenth of their time later: as much as a use may be later than what
 * is noted of it. Of those that were not ended all but the ones that were used last go as well.
 */
export function purgeSessions(tx: Transaction, now: number, kept: number): void {
  tx.statement('DELETE FROM cookie_session WHERE used + idle + idle / 10 < ?').run(now);
  tx.statement(
    'DELETE FROM cookie_session WHERE hash IN (SELECT hash FROM cookie_session WHERE ended = 0 ORDER BY used DESC, hash LIMIT ? OFFSET ?)',
  ).run(noLimit, kept);
}

/** The key that the servers of a store in PostgreSQL seal ids of sessions with. */
export function sharedSessionKey(tx: Transaction): string {
  const key = tx.statement('SELECT key FROM session_key').get()?.['key'];
  if (typeof key !== 'string') throw new Error('The store has no key for sessions.');
  return key;
}
