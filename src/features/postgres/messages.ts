/** Messages between the store and its PostgreSQL connection thread. */
import type { MessagePort } from 'node:worker_threads';
import type { Row, SqlValue } from '../../server/store/driver.ts';

/** Settings of the thread. */
export interface ThreadSettings {
  /** `postgres://USER@HOST:PORT/DATABASE?sslmode=...`; the environment supplies omitted parts. */
  readonly url: string;
  readonly use: SiteUse;
  /** Port for requests and responses. */
  readonly port: MessagePort;
  /** Flag (one 32-bit integer): 1 after a response was sent. */
  readonly answered: SharedArrayBuffer;
}

/**
 * Use of a site by a connection: shared; shared, after other servers have started; exclusive; or
 * covered by another connection of this server, which holds the lock.
 */
export type SiteUse = 'shared' | 'starting' | 'alone' | 'covered';

/**
 * Time of the response: immediately, with the next response (only if the statement fails), or
 * never.
 */
export type AnswerTime = 'now' | 'with the next' | 'never';

/** A statement for PostgreSQL. */
export interface SentStatement {
  readonly sql: string;
  /** Parameters; undefined for several statements at once, which cannot have parameters. */
  readonly values?: readonly SqlValue[] | undefined;
  /** Name of the prepared statement, the same for every connection. */
  readonly name?: string | undefined;
}

/** A request to the thread. */
export interface ThreadRequest extends SentStatement {
  /** Sequence number in the connection. */
  readonly number: number;
  /** Independent statement to send first: the beginning of a transaction. */
  readonly before?: string | undefined;
  /** Whether a new connection may run it, because it is the first statement of its transaction. */
  readonly mayConnect: boolean;
  readonly answer: AnswerTime;
}

export type ThreadAnswer =
  | {
      readonly rows: readonly Row[];
      /** Rows of the preceding statement `before`. */
      readonly beforeRows?: readonly Row[] | undefined;
    }
  | { readonly failure: DatabaseFailure };

/** A response with the number of its request. */
export type NumberedAnswer = ThreadAnswer & { readonly number: number };

/** An error of PostgreSQL or of the connection. */
export interface DatabaseFailure {
  readonly message: string;
  /** SQLSTATE, or a system error code. */
  readonly code: string | undefined;
  readonly statement: string | undefined;
  /** Whether the connection is lost. */
  readonly isDisconnected: boolean;
}
