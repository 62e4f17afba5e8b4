/** Errors of PostgreSQL, their classification and hints. */
import { lockNotAvailable } from './locks.ts';
import type { DatabaseFailure } from './messages.ts';

/** Failure of a statement or of the connection. */
export class DatabaseError extends Error {
  /** SQLSTATE, or a system error code; undefined if unknown. */
  readonly code: string | undefined;
  /** Whether the connection is lost; its transaction is rolled back. */
  readonly isDisconnected: boolean;

  constructor({ message, code, statement, isDisconnected }: DatabaseFailure) {
    // The statement matters only for errors of the statement itself, not of the database.
    const isWrong = /^(?:22|23|42)/.test(code ?? '') && statement !== undefined;
    super(isWrong ? `${message} (${statement.slice(0, 300)})` : message);
    this.code = code;
    this.isDisconnected = isDisconnected;
  }
}

/** Whether a failure concerns the database or its connection, not the statement. */
export function isDatabaseFailure(error: unknown): error is DatabaseError {
  if (!(error instanceof DatabaseError)) return false;
  // Classes: 53 insufficient resources, 57 operator intervention, 58 system error, XX internal
  // error.
  return (
    error.isDisconnected ||
    isRolledBack(error) ||
    error.code === lockNotAvailable ||
    /^(?:53|57|58|XX)/.test(error.code ?? '')
  );
}

/**
 * Whether PostgreSQL aborted the transaction in favour of another one (deadlock or serialization
 * failure). A retry may succeed.
 */
export function isRolledBack(error: unknown): boolean {
  return error instanceof DatabaseError && /^40/.test(error.code ?? '');
}

/** Message with a remedy, if one is known. */
export function describeDatabaseError({ message, code }: DatabaseError): string {
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
