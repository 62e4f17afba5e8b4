/** Stored cookie sessions by the hash of their id, for all servers of the store. */
import type { Transaction } from './transaction.ts';

/** A session; times are service time in milliseconds. */
export interface SessionRow {
  readonly user: string;
  /** Milliseconds without a request until the session expires. */
  readonly idle: number;
  /** Hash of the token that opened the session. */
  readonly token: string | undefined;
  /** Last recorded use. */
  readonly used: number;
  /** Whether the session was ended: its id is no longer valid. */
  readonly ended: boolean;
}

/** Placeholder for an unlimited selection. */
const noLimit = Number.MAX_SAFE_INTEGER;

/** The session with this hash, active or not. */
export function findSession(tx: Transaction, hash: string): SessionRow | undefined {
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
 * Records the use or end of a session. A later use recorded by another server has precedence, and
 * an ended session stays ended.
 */
export function recordSession(tx: Transaction, hash: string, session: SessionRow): void {
  const { user, idle, token, used, ended } = session;
  tx.statement(
    `INSERT INTO cookie_session AS noted (hash, "user", idle, token, used, ended) VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT (hash) DO UPDATE SET
       used = CASE WHEN excluded.used > noted.used THEN excluded.used ELSE noted.used END,
       ended = CASE WHEN excluded.ended > noted.ended THEN excluded.ended ELSE noted.ended END`,
  ).run(hash, user, idle, token ?? null, used, ended ? 1 : 0);
}

/** Removes the sessions that a token opened, by its hash. */
export function removeTokenSessions(tx: Transaction, token: string): void {
  tx.statement('DELETE FROM cookie_session WHERE token = ?').run(token);
}

/** Removes a session. An expired id is invalid without its row. */
export function removeSession(tx: Transaction, hash: string): void {
  tx.statement('DELETE FROM cookie_session WHERE hash = ?').run(hash);
}

const isOver = '(ended = 0 AND used + idle + idle / 10 < ?) OR (ended = 1 AND used < ?)';

/** Whether expired sessions exist that `removeExpiredSessions` removes. */
export function hasExpiredSessions(tx: Transaction, now: number, endedBefore: number): boolean {
  const row = tx
    .statement(`SELECT 1 AS found FROM cookie_session WHERE ${isOver} LIMIT 1`)
    .get(now, endedBefore);
  return row !== undefined && row !== null;
}

/**
 * Removes expired sessions after an additional tenth of their timeout, because recorded uses may
 * lag by that much. Also removes sessions that ended before `endedBefore`, after which their ids
 * are expired.
 */
export function removeExpiredSessions(tx: Transaction, now: number, endedBefore: number): void {
  tx.statement(`DELETE FROM cookie_session WHERE ${isOver}`).run(now, endedBefore);
}

/** Removes all but the most recently used active sessions, of all users or of one. */
export function keepLatest(tx: Transaction, kept: number, user?: string): void {
  const ofUser = user === undefined ? '' : ' AND "user" = ?';
  tx.statement(
    `DELETE FROM cookie_session WHERE hash IN (SELECT hash FROM cookie_session WHERE ended = 0${ofUser} ORDER BY used DESC, hash LIMIT ? OFFSET ?)`,
  ).run(...(user === undefined ? [] : [user]), noLimit, kept);
}

/** Name of the row that ends all unrecorded sessions of a user that were opened before a time. */
const formatUserRow = (user: string) => `all of ${user}`;

/** Service time up to which unrecorded sessions of a user have ended. */
export function getUserEnd(tx: Transaction, user: string): number {
  return findSession(tx, formatUserRow(user))?.used ?? Number.NEGATIVE_INFINITY;
}

/**
 * Limits the ended sessions of a user. Replaces the others with one row, which ends all unrecorded
 * sessions of the user up to the time of the latest of them.
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
  recordSession(tx, formatUserRow(user), {
    user: '',
    idle: 0,
    token: undefined,
    used,
    ended: true,
  });
}
