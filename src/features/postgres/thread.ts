/** Worker thread with the PostgreSQL connection: runs requests in order and responds to them. */
import { workerData } from 'node:worker_threads';
import type { ThreadAnswer, ThreadRequest, ThreadSettings } from './messages.ts';
import { describeFailure, getRows, Session, toQuery } from './session.ts';

const settings: ThreadSettings = workerData;
const answered = new Int32Array(settings.answered);
const session = new Session(settings.url, settings.use);

/** Statements whose failure the next response reports. */
const unanswered: Promise<ThreadAnswer>[] = [];

let last = Promise.resolve();
settings.port.on('message', (request: ThreadRequest) => {
  last = last.then(async () => {
    const connection = await getConnection(request);
    const done = run(connection, request);
    // PostgreSQL runs statements in order, so unanswered ones need no wait.
    if (request.answer === 'never') {
      done.then((answer) => dropIfLost(connection, answer));
      return;
    }
    if (request.answer === 'with the next') {
      unanswered.push(done);
      return;
    }
    const answers = await Promise.all([...unanswered.splice(0), done]);
    // The first failure causes the following ones.
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

/** Connection for a request, or the connection error. */
async function getConnection({ mayConnect }: ThreadRequest): Promise<Connection> {
  const { client } = session;
  if (client) return { client };
  if (!mayConnect) return { error: new Error('the connection to PostgreSQL ended') };
  try {
    return { client: await session.connected() };
  } catch (error) {
    return { error };
  }
}

/** Sends a statement without delay; resolves with its result. */
async function run(connection: Connection, request: ThreadRequest): Promise<ThreadAnswer> {
  const { before, sql } = request;
  if ('error' in connection) return { failure: describeFailure(connection.error, sql, false) };
  const { client } = connection;
  try {
    // Pipelined: both statements are sent without waiting.
    const first = before === undefined ? undefined : client.query(before);
    const [result, beside] = await Promise.all([client.query(toQuery(request)), first]);
    return { rows: getRows(result), beforeRows: beside && getRows(beside) };
  } catch (error) {
    return { failure: describeFailure(error, sql, true) };
  }
}

/**
 * Drops the client if the session has ended. Considers only the first failure: in a failed
 * transaction PostgreSQL also refuses the following prepared statements.
 */
function dropIfLost(connection: Connection, answer: ThreadAnswer): void {
  if (!('client' in connection) || !('failure' in answer)) return;
  if (answer.failure.isDisconnected) session.drop(connection.client);
}
