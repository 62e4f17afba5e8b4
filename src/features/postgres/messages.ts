/** Messages between the store and the thread with the connection to PostgreSQL. */
import type { MessagePort } from 'node:worker_threads';
import type { Row, SqlValue } from '../../server/store/driver.ts';

/** What the thread is started with. */
export interface ThreadSettings {
  /** `postgres://USER@HOST:PORT/DATABASE?sslmode=...`; what it leaves out comes from the environment. */
  readonly url: string;
  readonly use: SiteUse;
  /** For requests and their answers. */
  readonly port: MessagePort;
  /** One number that is 1 once the answer to the last request is there. */
  readonly answered: SharedArrayBuffer;
}

/**
 * How a connection uses a site: together with others; the same, once nobody else is starting; alone; or as a
 * further connection of who has it alone.
 */
export type SiteUse = 'shared' | 'starting' | 'alone' | 'covered';

/** When a request is answered: at once, with the next one that is where it failed, or never. */
export type AnswerTime = 'now' | 'with the next' | 'never';

/** A statement on its way to PostgreSQL. */
export interface SentStatement {
  readonly sql: string;
  /** None for several statements at once, which have no values. */
  readonly values?: readonly SqlValue[] | undefined;
  /** Under which the statement is kept prepared: the same for every connection. */
  readonly name?: string | undefined;
}

/** What the thread is to do. */
export interface ThreadRequest extends SentStatement {
  /** Of this request among all of the connection. */
  readonly number: number;
  /** A statement that goes before, on which nothing depends: the beginning of a transaction. */
  readonly before?: string | undefined;
  /** Nothing came before it in its transaction: it may go over a new connection. */
  readonly mayConnect: boolean;
  readonly answer: AnswerTime;
}

export type ThreadAnswer =
  | {
      readonly rows: readonly Row[];
      /** What the statement before it has answered. */
      readonly beside?: readonly Row[] | undefined;
    }
  | { readonly failure: DatabaseFailure };

/** An answer on its way, with the number of its request. */
export type NumberedAnswer = ThreadAnswer & { readonly number: number };

/** An error of PostgreSQL, or of the connection. */
export interface DatabaseFailure {
  readonly message: string;
  /** SQLSTATE, or the code of the system. */
  readonly code: string | undefined;
  readonly statement: string | undefined;
  /** The connection is gone: nothing after it was done. */
  readonly isDisconnected: boolean;
}
