/** PostgreSQL session of the store: settings, locks, type conversion and errors. */
import pg from 'pg';
import type { Row, SqlValue } from '../../server/store/driver.ts';
import { beginStart, useAlone, useShared } from './locks.ts';
import type { DatabaseFailure, SentStatement, SiteUse } from './messages.ts';

const { types } = pg;

// Conversion to the value types of the store: exact numbers, and booleans as 1 and 0.
types.setTypeParser(types.builtins.INT8, parseInteger);
types.setTypeParser(types.builtins.NUMERIC, Number);
types.setTypeParser(types.builtins.BOOL, (text) => (text === 't' ? 1 : 0));

/** Timeouts in milliseconds, so that callers never wait forever. */
const connectTimeoutMs = 10_000;
const statementTimeoutMs = 60_000;

/**
 * Session settings. The timeouts limit how long a stalled or disconnected server blocks the others.
 */
const settings = [
  "SET search_path = vmctl, vmctl_types, public; SET TIME ZONE 'UTC'; SET client_min_messages = warning; SET jit = off",
  "SET lock_timeout = '10s'",
  'SET tcp_keepalives_idle = 2; SET tcp_keepalives_interval = 1; SET tcp_keepalives_count = 2; SET tcp_user_timeout = 4000',
];

/** Reconnecting session with a database. */
export class Session {
  readonly #url: string;
  readonly #use: SiteUse;
  #client: pg.Client | undefined;
  #connecting: Promise<pg.Client> | undefined;
  /**
   * Whether an earlier connection succeeded; then the site exists, and a reconnect skips the start
   * lock.
   */
  #wasConnected = false;

  /** Connects on the first request. */
  constructor(url: string, use: SiteUse) {
    this.#url = url;
    this.#use = use;
  }

  /** The current client; undefined if not connected. */
  get client(): pg.Client | undefined {
    return this.#client;
  }

  /** The current client; connects if necessary. Rejects with the connection error. */
  connected(): Promise<pg.Client> {
    if (this.#client) return Promise.resolve(this.#client);
    this.#connecting ??= this.#connect().finally(() => {
      this.#connecting = undefined;
    });
    return this.#connecting;
  }

  /** Discards a client if it is the current one; PostgreSQL rolls its transaction back. */
  drop(client: pg.Client | undefined): void {
    if (!client || this.#client !== client) return;
    this.#client = undefined;
    client.end().catch(() => undefined);
  }

  async #connect(): Promise<pg.Client> {
    const fresh = new pg.Client({
      connectionString: this.#url,
      application_name: 'vmctl serve',
      connectionTimeoutMillis: connectTimeoutMs,
      query_timeout: statementTimeoutMs,
      keepAlive: true,
      pipeline: true,
    });
    const forget = () => {
      if (this.#client === fresh) this.#client = undefined;
    };
    fresh.on('error', forget);
    fresh.on('end', forget);
    await fresh.connect();
    for (const sql of [...settings, ...this.#locks()]) await fresh.query(sql);
    this.#wasConnected = true;
    this.#client = fresh;
    return fresh;
  }

  /**
   * Statements for the locks: starts are serialized, so that each server can count those already
   * running.
   */
  #locks(): readonly string[] {
    switch (this.#use) {
      case 'covered':
        return [];
      case 'alone':
        return [useAlone];
      case 'starting':
        return this.#wasConnected ? [useShared] : [beginStart, useShared];
      case 'shared':
        return [useShared];
    }
  }
}

/** Converts a statement for the client library. */
export function toQuery({ sql, values, name }: SentStatement): pg.QueryConfig {
  return {
    text: sql,
    ...(values === undefined ? {} : { values: [...values] }),
    ...(name === undefined ? {} : { name }),
  };
}

/** Rows of the last of several statements. */
export function getRows(results: pg.QueryResult | undefined): readonly Row[] {
  // For several statements the library returns an array, which its types omit.
  const [last] = [results].flat().slice(-1);
  return last?.rows ?? [];
}

/**
 * Converts the error of a statement. `wasConnected` is false if the statement could not be sent.
 */
export function describeFailure(
  error: unknown,
  sql: string,
  wasConnected: boolean,
): DatabaseFailure {
  const { message, code, errors } = messageParts(error);
  const isRefused = error instanceof pg.DatabaseError && wasConnected && !endsSession(error);
  return { message: errors ?? message, code, statement: sql, isDisconnected: !isRefused };
}

/**
 * SQLSTATEs after which no statement of the session succeeds: PostgreSQL ended it (57P01 to 57P05, 08, 25P03),
 * only reads (25006: a standby, after a failover), or does not have the prepared statements that the client
 * expects (26000, 42P05). 25P02 is not one of them: it follows another failure, after which the transaction
 * continues at its savepoint.
 */
const sessionEnds = /^(?:57P0|08|25P03|25006|26000|42P05)/;

/**
 * Whether an error ends the session. PostgreSQL reports 0A000 if the columns of a prepared
 * statement change.
 */
function endsSession({ code = '', routine }: pg.DatabaseError): boolean {
  return sessionEnds.test(code) || (code === '0A000' && routine === 'RevalidateCachedQuery');
}

interface MessageParts {
  readonly message: string;
  readonly code: string | undefined;
  /** Messages of several connection attempts, if a host name has several addresses. */
  readonly errors: string | undefined;
}

function messageParts(error: unknown): MessageParts {
  if (!(error instanceof Error))
    return { message: String(error), code: undefined, errors: undefined };
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  const several = error instanceof AggregateError ? error.errors.map(String).join('; ') : undefined;
  return { message: error.message, code, errors: several };
}

/** Integers beyond 2^53 become bigints. */
function parseInteger(text: string): SqlValue {
  const value = Number(text);
  return Number.isSafeInteger(value) ? value : BigInt(text);
}
