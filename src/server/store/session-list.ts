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

/** Removes a session: an id that is not good by itself any more opens nothing after that. */
export function removeSession(tx: Transaction, hash: string): void {
  tx.statement('DELETE FROM cookie_session WHERE hash = ?').run(hash);
}

const isOver = '(ended = 0 AND used + idle + idle / 10 < ?) OR (ended = 1 AND used < ?)';

/** Whether there are sessions that `removeOver` removes. */
export function hasOver(tx: Transaction, now: number, endedBefore: number): boolean {
  const row = tx
    .statement(`SELECT 1 AS found FROM cookie_session WHERE ${isOver} LIMIT 1`)
    .get(now, endedBefore);
  return row !== undefined && row !== null;
}

/**
 * Removes the sessions that are over, a tenth of their time later: as much as a use may be later than what
 * is noted of it; and those that were ended before a time from which on no id of that time is good by itself.
 */
export function removeOver(tx: Transaction, now: number, endedBefore: number): void {
  tx.statement(`DELETE FROM cookie_session WHERE ${isOver}`).run(now, endedBefore);
}

/** Of the sessions that were not ended, keeps those that were used last; only those of a user if one is given. */
export function keepLatest(tx: Transaction, kept: number, user?: string): void {
  const ofUser = user === undefined ? '' : ' AND "user" = ?';
  tx.statement(
    `DELETE FROM cookie_session WHERE hash IN (SELECT hash FROM cookie_session WHERE ended = 0${ofUser} ORDER BY used DESC, hash LIMIT ? OFFSET ?)`,
  ).run(...(user === undefined ? [] : [user]), noLimit, kept);
}

/** Name of the row that ends sessions of a user as of a time: those that have no row and were opened before. */
const allOf = (user: string) => `all of ${user}`;

/** Service time up to which ids of a user without a row have ended. */
export function allEnded(tx: Transaction, user: string): number {
  return sessionByHash(tx, allOf(user))?.used ?? Number.NEGATIVE_INFINITY;
}

/**
 * Keeps so many ended sessions of a user. In place of the others, all of the user end that have no row and were
 * opened up to the time of the latest of them.
 */
export function limitEnded(tx: Transaction, user: string, kept: number): void {
  const latest = tx
    .statement(
      'SELECT used FROM cookie_session WHERE "user" = ? AND ended = 1 ORDER BY used DESC LIMIT 1 OFFSET ?',
    )
    .get(user, kept);
  if (!latest) return;
  const used = Number(latest['used']);
  tx.statement('DELETE FROM cookie_session WHERE "user" = ? AND ended = 1 AND used <= ?').run(
    user,
    used,
  );
  noteSession(tx, allOf(user), { user: '', idle: 0, token: undefined, used, ended: true });
}

/** The key that the servers of a store in PostgreSQL seal ids of sessions with. */
export function sharedSessionKey(tx: Transaction): string {
  const key = tx.statement('SELECT key FROM session_key').get()?.['key'];
  if (typeof key !== 'string') throw new Error('The store has no key for sessions.');
  return key;
}
