/** The thread with the connection to PostgreSQL: does one request after the other, and answers each. */
import { workerData } from 'node:worker_threads';
import pg from 'pg';
import type { Row, SqlValue } from '../driver.ts';
import { beginStart, useAlone, useShared } from './locks.ts';
import type { DatabaseFailure, ThreadAnswer, ThreadRequest, ThreadSettings } from './messages.ts';

const { types } = pg;

// Values as the store has them: numbers where they are exact, booleans as 1 and 0.
types.setTypeParser(types.builtins.INT8, numberOf);
types.setTypeParser(types.builtins.NUMERIC, Number);
types.setTypeParser(types.builtins.BOOL, (text) => (text === 't' ? 1 : 0));

/** Milliseconds for a connection, and for the answer to a statement: whoever waits is not left waiting. */
const connectTimeout = 10_000;
const statementTimeout = 60_000;

// The thread is started with nothing else.
const settings = workerData as ThreadSettings;
const answered = new Int32Array(settings.answered);
let client: pg.Client | undefined;

/** Statements whose failure the next answer tells. */
const unanswered: Promise<ThreadAnswer>[] = [];

let last = Promise.resolve();
settings.port.on('message', (request: ThreadRequest) => {
  last = last.then(async () => {
    const done = run(await connectedFor(request), request);
    // What is not answered now is on its way before what follows, and nobody waits for it.
    if (request.answer === 'never') return;
    if (request.answer === 'with the next') {
      unanswered.push(done);
      return;
    }
    const answers = await Promise.all([...unanswered.splice(0), done]);
    // The first failure is the cause of those that follow.
    reply(request, answers.find((answer) => 'failure' in answer) ?? (await done));
  });
});

function reply({ number }: ThreadRequest, answer: ThreadAnswer): void {
  settings.port.postMessage({ ...answer, number });
  Atomics.store(answered, 0, 1);
  Atomics.notify(answered, 0);
}

/** The connection for a request; what is wrong where there is none. */
async function connectedFor({ mayConnect }: ThreadRequest): Promise<pg.Client | Error> {
  if (client) return client;
  if (!mayConnect) return new Error('the connection to PostgreSQL ended');
  try {
    client = await connect();
    return client;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

/** Sends a statement at once, and resolves with what comes of it. */
async function run(connection: pg.Client | Error, request: ThreadRequest): Promise<ThreadAnswer> {
  const { before, after, sql, values, name } = request;
  try {
    if (connection instanceof Error) throw connection;
    // All go to the server at once.
    const first = before === undefined ? undefined : connection.query(before);
    const done = connection.query({
      text: sql,
      ...(values === undefined ? {} : { values: [...values] }),
      ...(name === undefined ? {} : { name }),
    });
    const last = after && connection.query({ text: after.sql, name: after.name ?? '' });
    const [result, beside] = await Promise.all([done, first ?? last]);
    return { rows: rowsOf(result), beside: beside && rowsOf(beside) };
  } catch (error) {
    return { failure: failureOf(error, sql, connection) };
  }
}

/** The rows of the last of several statements. */
function rowsOf(results: pg.QueryResult | undefined): readonly Row[] {
  // Of several at once there is a list, which the types do not say.
  const [last] = [results].flat().slice(-1);
  return last?.rows ?? [];
}

/**
 * What a session needs. A server that stands still in the middle of a group, or whose machine is gone, must
 * not keep the others waiting for longer than work is delayed by a server that ends.
 */
const session = [
  "SET search_path = vmctl, vmctl_types, public; SET TIME ZONE 'UTC'; SET client_min_messages = warning; SET jit = off",
  "SET lock_timeout = '10s'",
  'SET tcp_keepalives_idle = 2; SET tcp_keepalives_interval = 1; SET tcp_keepalives_count = 2; SET tcp_user_timeout = 4000',
];

/** Whether it was connected before: then the site is there, and whoever starts now waits for others. */
let wasConnected = false;

/** Takes the locks: one server starts at a time, and counts those that run already. */
function locks(): readonly string[] {
  switch (settings.use) {
    case 'covered':
      return [];
    case 'alone':
      return [useAlone];
    case 'starting':
      return wasConnected ? [useShared] : [beginStart, useShared];
    case 'shared':
      return [useShared];
  }
}

/** Connects, and makes the session what the statements of the store expect. */
async function connect(): Promise<pg.Client> {
  const fresh = new pg.Client({
    connectionString: settings.url,
    application_name: 'vmctl serve',
    connectionTimeoutMillis: connectTimeout,
    query_timeout: statementTimeout,
    keepAlive: true,
    pipeline: true,
  });
  const forget = () => {
    if (client === fresh) client = undefined;
  };
  fresh.on('error', forget);
  fresh.on('end', forget);
  await fresh.connect();
  for (const sql of [...session, ...locks()]) await fresh.query(sql);
  wasConnected = true;
  return fresh;
}

function failureOf(
  error: unknown,
  statement: string,
  connection: pg.Client | Error,
): DatabaseFailure {
  const { message, code, errors } = messageParts(error);
  // Statements are refused with a SQLSTATE; with some of them the session ends, or never began.
  const isRefused =
    error instanceof pg.DatabaseError &&
    !(connection instanceof Error) &&
    !/^(?:57P0|08|25P03)/.test(code ?? '');
  // What fails late must not end the connection that has taken its place.
  if (!isRefused && client === connection) drop();
  return { message: errors ?? message, code, statement, isDisconnected: !isRefused };
}

/** Gives the connection up: what it has begun is rolled back by the server. */
function drop(): void {
  const gone = client;
  client = undefined;
  gone?.end().catch(() => undefined);
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
