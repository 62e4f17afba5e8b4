/** Errors of PostgreSQL: what happened, and what to do about it. */
import { lockNotAvailable } from './locks.ts';
import type { DatabaseFailure } from './messages.ts';

/** A statement failed, or the connection. */
export class DatabaseError extends Error {
  /** SQLSTATE, or the code of the system; undefined where the thread says none. */
  readonly code: string | undefined;
  /** The connection is gone; what it had begun is rolled back. */
  readonly isDisconnected: boolean;

  constructor({ message, code, statement, isDisconnected }: DatabaseFailure) {
    // What the database itself lacks has nothing to do with the statement.
    const isWrong = /^(?:22|23|42)/.test(code ?? '') && statement !== undefined;
    super(isWrong ? `${message} (${statement.slice(0, 300)})` : message);
    this.code = code;
    this.isDisconnected = isDisconnected;
  }
}

/** Whether a failure says nothing about the statement, but about the database and its connection. */
export function isOfDatabase(error: unknown): error is DatabaseError {
  if (!(error instanceof DatabaseError)) return false;
  // Resources, locks, intervention by an administrator, errors of the system, and of PostgreSQL itself.
  return (
    error.isDisconnected ||
    isRolledBack(error) ||
    error.code === lockNotAvailable ||
    /^(?:53|57|58|XX)/.test(error.code ?? '')
  );
}

/**
 * Whether PostgreSQL gave up a transaction for the sake of another one (a deadlock, or what cannot be put in
 * an order): the same work, done once more, may well succeed.
 */
export function isRolledBack(error: unknown): boolean {
  return error instanceof DatabaseError && /^40/.test(error.code ?? '');
}

/** What is wrong, with what helps where that is known. */
export function describe({ message, code }: DatabaseError): string {
  switch (code) {
    case '28P01':
    case '28000':
      return `${message}; set the password in the address, in PGPASSWORD, or in the file of PGPASSFILE (~/.pgpass)`;
    case lockNotAvailable:
      return `another server has held the write lock for too long (${message})`;
    case '3D000':
      return `${message}; create it with createdb`;
    case '42501':
      return `${message}; the user must own the database: ALTER DATABASE ... OWNER TO ...`;
    case '53100':
      return `${message}; free some space on the disk of PostgreSQL`;
    case 'ECONNREFUSED':
    case 'ENOENT':
      return `${message}; start PostgreSQL, or correct the address`;
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `${message}; correct the host name`;
    default:
      return message;
  }
}
