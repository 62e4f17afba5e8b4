/** The thread with the connection to PostgreSQL: does one request after the other, and answers each. */
import { workerData } from 'node:worker_threads';
import type { ThreadAnswer, ThreadRequest, ThreadSettings } from './messages.ts';
import { failureOf, queryOf, rowsOf, Session } from './session.ts';

// The thread is started with nothing else.
const settings = workerData as ThreadSettings;
const answered = new Int32Array(settings.answered);
const session = new Session(settings.url, settings.use);

/** Statements whose failure the next answer tells. */
const unanswered: Promise<ThreadAnswer>[] = [];

let last = Promise.resolve();
settings.port.on('message', (request: ThreadRequest) => {
  last = last.then(async () => {
    const connection = await connectionFor(request);
    const done = run(connection, request);
    // What is not answered now is on its way before what follows, and nobody waits for it.
    if (request.answer === 'never') {
      done.then((answer) => dropIfLost(connection, answer));
      return;
    }
    if (request.answer === 'with the next') {
      unanswered.push(done);
      return;
    }
    const answers = await Promise.all([...unanswered.splice(0), done]);
    // The first failure is the cause of those that follow.
    const answer = answers.find((one) => 'failure' in one) ?? (await done);
    dropIfLost(connection, answer);
    reply(request, answer);
  });
});

function reply({ number }: ThreadRequest, answer: ThreadAnswer): void {
  settings.port.postMessage({ ...answer, number });
  Atomics.store(answered, 0, 1);
  Atomics.notify(answered, 0);
}

type Connection = { readonly client: NonNullable<Session['client']> } | { readonly error: unknown };

/** The connection for a request; what is wrong where there is none. */
async function connectionFor({ mayConnect }: ThreadRequest): Promise<Connection> {
  const { client } = session;
  if (client) return { client };
  if (!mayConnect) return { error: new Error('the connection to PostgreSQL ended') };
  try {
    return { client: await session.connected() };
  } catch (error) {
    return { error };
  }
}

/** Sends a statement at once, and resolves with what comes of it. */
async function run(connection: Connection, request: ThreadRequest): Promise<ThreadAnswer> {
  const { before, sql } = request;
  if ('error' in connection) return { failure: failureOf(connection.error, sql, false) };
  const { client } = connection;
  try {
    // Both go to PostgreSQL at once.
    const first = before === undefined ? undefined : client.query(before);
    const [result, beside] = await Promise.all([client.query(queryOf(request)), first]);
    return { rows: rowsOf(result), beside: beside && rowsOf(beside) };
  } catch (error) {
    return { failure: failureOf(error, sql, true) };
  }
}

/**
 * Gives the client up if the session ended. Only for the first failure: in a failed transaction, PostgreSQL also
 * refuses prepared statements that follow.
 */
function dropIfLost(connection: Connection, answer: ThreadAnswer): void {
  if (!('client' in connection) || !('failure' in answer)) return;
  if (answer.failure.isDisconnected) session.drop(connection.client);
}
