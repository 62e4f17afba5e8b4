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
}

/** The limit of a selection that has none. */
const noLimit = Number.MAX_SAFE_INTEGER;

/** Stores a new session by the hash of its id. */
export function writeSession(
  tx: Transaction,
  hash: string,
  { user, idle, token, used }: SessionRow,
): void {
  tx.statement(
    'INSERT INTO cookie_session (hash, "user", idle, token, used) VALUES (?, ?, ?, ?, ?)',
  ).run(hash, user, idle, token ?? null, used);
}

/** The session with this hash, whether it is over or not. */
export function sessionByHash(tx: Transaction, hash: string): SessionRow | undefined {
  const row = tx
    .statement('SELECT "user", idle, token, used FROM cookie_session WHERE hash = ?')
    .get(hash);
  return (
    row && {
      user: String(row['user']),
      idle: Number(row['idle']),
      token: row['token'] === null ? undefined : String(row['token']),
      used: Number(row['used']),
    }
  );
}

/** Notes that a session was used; what another server has noted later stays. */
export function noteSessionUse(tx: Transaction, hash: string, now: number): void {
  tx.statement('UPDATE cookie_session SET used = ? WHERE hash = ? AND used < ?').run(
    now,
    hash,
    now,
  );
}

/** Removes the session with this hash, if there is one. */
export function removeSession(tx: Transaction, hash: string): void {
  tx.statement('DELETE FROM cookie_session WHERE hash = ?').run(hash);
}

/** Removes the sessions that were opened with a token, given by its hash. */
export function removeSessionsOf(tx: Transaction, token: string): void {
  tx.statement('DELETE FROM cookie_session WHERE token = ?').run(token);
}

/** Removes the sessions that are over, and of the others all but those that were used last. */
export function purgeSessions(tx: Transaction, now: number, kept: number): void {
  tx.statement('DELETE FROM cookie_session WHERE used + idle < ?').run(now);
  tx.statement(
    'DELETE FROM cookie_session WHERE hash IN (SELECT hash FROM cookie_session ORDER BY used DESC, hash LIMIT ? OFFSET ?)',
  ).run(noLimit, kept);
}
