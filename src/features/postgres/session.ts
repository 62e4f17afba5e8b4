/** A session with PostgreSQL as the store needs it: settings, locks, values as the store has them, failures. */
import pg from 'pg';
import type { Row, SqlValue } from '../../server/store/driver.ts';
import { beginStart, useAlone, useShared } from './locks.ts';
import type { DatabaseFailure, SentStatement, SiteUse } from './messages.ts';

const { types } = pg;

// Values as the store has them: numbers where they are exact, booleans as 1 and 0.
types.setTypeParser(types.builtins.INT8, numberOf);
types.setTypeParser(types.builtins.NUMERIC, Number);
types.setTypeParser(types.builtins.BOOL, (text) => (text === 't' ? 1 : 0));

/** Milliseconds for a connection, and for the answer to a statement: whoever waits is not left waiting. */
const connectTimeout = 10_000;
const statementTimeout = 60_000;

/**
 * What a session needs. A server that stands still in the middle of a group, or whose machine is gone, must
 * not keep the others waiting for longer than work is delayed by a server that ends.
 */
const settings = [
  "SET search_path = vmctl, vmctl_types, public; SET TIME ZONE 'UTC'; SET client_min_messages = warning; SET jit = off",
  "SET lock_timeout = '10s'",
  'SET tcp_keepalives_idle = 2; SET tcp_keepalives_interval = 1; SET tcp_keepalives_count = 2; SET tcp_user_timeout = 4000',
];

/** Sessions with one database, one at a time. */
export class Session {
  readonly #url: string;
  readonly #use: SiteUse;
  #client: pg.Client | undefined;
  #connecting: Promise<pg.Client> | undefined;
  /** Whether it was connected before: then the site is there, and whoever starts now waits for others. */
  #wasConnected = false;

  /** Connects when that is first asked for. */
  constructor(url: string, use: SiteUse) {
    this.#url = url;
    this.#use = use;
  }

  /** The client of this moment; undefined where the connection ended, or never was. */
  get client(): pg.Client | undefined {
    return this.#client;
  }

  /** The client, connected where it is not. Rejects with what is wrong. */
  connected(): Promise<pg.Client> {
    if (this.#client) return Promise.resolve(this.#client);
    this.#connecting ??= this.#connect().finally(() => {
      this.#connecting = undefined;
    });
    return this.#connecting;
  }

  /** Gives a client up, unless another one has taken its place: what it has begun is rolled back. */
  drop(client: pg.Client | undefined): void {
    if (!client || this.#client !== client) return;
    this.#client = undefined;
    client.end().catch(() => undefined);
  }

  async #connect(): Promise<pg.Client> {
    const fresh = new pg.Client({
      connectionString: this.#url,
      application_name: 'vmctl serve',
      connectionTimeoutMillis: connectTimeout,
      query_timeout: statementTimeout,
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

  /** Takes the locks: one server starts at a time, and counts those that run already. */
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

/** A statement as the client takes it. */
export function queryOf({ sql, values, name }: SentStatement): pg.QueryConfig {
  return {
    text: sql,
    ...(values === undefined ? {} : { values: [...values] }),
    ...(name === undefined ? {} : { name }),
  };
}

/** The rows of the last of several statements. */
export function rowsOf(results: pg.QueryResult | undefined): readonly Row[] {
  // Of several at once there is a list, which the types do not say.
  const [last] = [results].flat().slice(-1);
  return last?.rows ?? [];
}

/** What an error says of a statement that was sent, or could not be sent because there was no connection. */
export function failureOf(error: unknown, sql: string, wasConnected: boolean): DatabaseFailure {
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

/** Whether an error ends the session. Rows of a prepared statement have other columns after a change of its table. */
function endsSession({ code = '', routine }: pg.DatabaseError): boolean {
  return sessionEnds.test(code) || (code === '0A000' && routine === 'RevalidateCachedQuery');
}

interface MessageParts {
  readonly message: string;
  readonly code: string | undefined;
  /** Where there were several attempts, as with a name of several addresses. */
  readonly errors: string | undefined;
}

function messageParts(error: unknown): MessageParts {
  if (!(error instanceof Error))
    return { message: String(error), code: undefined, errors: undefined };
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  const several = error instanceof AggregateError ? error.errors.map(String).join('; ') : undefined;
  return { message: error.message, code, errors: several };
}

/** Integers beyond 2^53 keep every digit. */
function numberOf(text: string): SqlValue {
  const value = Number(text);
  return Number.isSafeInteger(value) ? value : BigInt(text);
}
