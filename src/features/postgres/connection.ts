/**
 * A connection to PostgreSQL whose statements are done when their call returns: the rules are one piece of
 * work each, without a wait in between. A thread of its own speaks with PostgreSQL, and this one waits.
 */
import {
  MessageChannel,
  type MessagePort,
  receiveMessageOnPort,
  Worker,
} from 'node:worker_threads';
import { builtFile } from '../../built-file.ts';
import type { Database, Row, SqlValue, Statement } from '../../server/store/driver.ts';
import { DatabaseError } from './errors.ts';
import type {
  AnswerTime,
  DatabaseFailure,
  NumberedAnswer,
  SentStatement,
  ThreadAnswer,
  ThreadRequest,
  ThreadSettings,
} from './messages.ts';
import { signatureOf, statementText } from './statement-text.ts';

/** Milliseconds after which the thread itself must have failed: it answers earlier than that. */
const longestWait = 120_000;

type UnsentRequest = Omit<ThreadRequest, 'number' | 'before'>;

/** Rows of a statement that is not sent, for they are there already; undefined where it has to be sent. */
export type FindRows = (statement: SentStatement) => readonly Row[] | undefined;

/** Statements that may be under way without an answer: what waits there takes memory, and time of who asks next. */
const maxUnanswered = 100;

/** Statements that PostgreSQL keeps prepared for the connection. */
const maxPrepared = 1_000;

export class PostgresConnection implements Database {
  readonly traits = { joinsInOrder: false, isRemote: true };
  readonly #worker: Worker;
  readonly #port: MessagePort;
  readonly #answered: Int32Array;
  /** The name of a prepared statement, by its text. */
  readonly #names = new Map<string, string>();
  /** What the next statement begins a transaction with. */
  #before: string | undefined;
  /** Looks for the rows of statements, as long as the transaction has not begun. */
  #find: FindRows | undefined;
  /** Receives what the beginning of the transaction has answered. */
  #received: (rows: readonly Row[]) => void = () => {};
  #isReading = false;
  #isInTransaction = false;
  /** Of the last request. */
  #number = 0;
  /** How many went before it since the last answer. */
  #unanswered = 0;

  /** Begins a thread for a database; it connects with the first statement. */
  constructor(url: string, use: ThreadSettings['use']) {
    const answered = new SharedArrayBuffer(4);
    const { port1, port2 } = new MessageChannel();
    const workerData: ThreadSettings = { url, use, port: port2, answered };
    this.#port = port1;
    this.#answered = new Int32Array(answered);
    this.#worker = new Worker(builtFile('postgres-thread.cjs'), {
      name: 'postgres',
      workerData,
      transferList: [port2],
    });
    this.#worker.unref();
  }

  /** Runs statements without values, also several at once. Throws a `DatabaseError`. */
  exec(sql: string): void {
    const request = this.#control(sql);
    if (sql.startsWith('BEGIN') || sql.startsWith('SAVEPOINT')) {
      this.#send({ ...request, answer: 'with the next' });
      this.#isInTransaction = true;
    } else this.#request(request);
  }

  /**
   * As `exec`, for what waits for others: whoever calls has other things to do meanwhile, but not over this
   * connection. Rejects with a `DatabaseError`.
   */
  async execAsync(sql: string): Promise<void> {
    this.#send(this.#control(sql));
    if (sql.startsWith('BEGIN')) this.#isInTransaction = true;
    const answer = await this.#answerLater();
    if ('failure' in answer) throw new DatabaseError(answer.failure);
  }

  #control(sql: string): UnsentRequest {
    // A transaction ends with its connection: then there is nothing to be rolled back.
    const mayConnect = sql.startsWith('BEGIN') || !this.#isInTransaction;
    if (sql === 'COMMIT' || sql === 'ROLLBACK') this.#isInTransaction = false;
    return { sql, mayConnect, answer: 'now' };
  }

  /** Gives up the transaction that is under way. */
  rollback(): void {
    try {
      this.exec('ROLLBACK');
    } catch {
      // With the connection, its transaction has ended.
    }
  }

  prepare(sql: string): Statement {
    const texts = new Map<string, string>();
    const requestOf = (values: readonly SqlValue[], answer: AnswerTime): UnsentRequest => {
      const signature = signatureOf(values);
      let text = texts.get(signature);
      if (text === undefined) {
        text = statementText(sql, values);
        texts.set(signature, text);
      }
      const name = this.#nameOf(text);
      const isFirst = this.#isReading ? this.#before !== undefined : !this.#isInTransaction;
      return { sql: text, values, name, mayConnect: isFirst, answer };
    };
    const rowsFor = (values: readonly SqlValue[]): readonly Row[] => {
      const request = requestOf(values, 'now');
      const found = this.#before === undefined ? undefined : this.#find?.(request);
      return found ?? this.#request(request);
    };
    return {
      get: (...values) => rowsFor(values)[0],
      all: (...values) => [...rowsFor(values)],
      run: (...values) => {
        if (this.#isInTransaction && this.#unanswered < maxUnanswered) {
          this.#send(requestOf(values, 'with the next'));
        } else this.#request(requestOf(values, 'now'));
      },
    };
  }

  continueNumbers(table: string, column: string): void {
    const sequence = `pg_get_serial_sequence('${table}', '${column}')`;
    this.exec(`SELECT setval(${sequence}, max(${column})) FROM ${table} HAVING max(${column}) > 0`);
  }

  /**
   * The statements that follow see one state of the database, up to `endRead`. The transaction begins with
   * the first of them, and with `query`: who reads nothing costs nothing. `received` gets the rows of the
   * query; what it throws is thrown by whoever asked for something.
   *
   * Before it has begun, `find` is asked for the rows of each: for who has read them by other means, and knows
   * by the answer to the query that they are of the same state.
   */
  beginRead(query: string, received: (rows: readonly Row[]) => void, find?: FindRows): void {
    this.#before = `BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; ${query}`;
    this.#find = find;
    this.#received = received;
    this.#isReading = true;
  }

  /** Begins the snapshot where nothing else has. */
  ensureBegun(): void {
    const sql = this.#before;
    if (sql === undefined) return;
    this.#before = undefined;
    this.#received(this.#request({ sql, mayConnect: true, answer: 'now' }, true));
  }

  /** Rows of one query that is no part of a transaction. */
  query(sql: string): readonly Row[] {
    return this.#request({ ...this.statementOf(sql), mayConnect: true, answer: 'now' }, true);
  }

  /** A query without values, with the name that it has in every connection. */
  statementOf(sql: string): SentStatement {
    return { sql, values: [], name: this.#nameOf(sql) };
  }

  endRead(): void {
    const isBegun = this.#isReading && this.#before === undefined;
    this.#before = undefined;
    this.#find = undefined;
    this.#isReading = false;
    if (isBegun) this.#send({ sql: 'COMMIT', mayConnect: false, answer: 'never' });
  }

  /** Ends the thread and its connection. */
  close(): void {
    this.#port.close();
    void this.#worker.terminate();
  }

  /** The first statements have names; of more than are kept each is parsed again. */
  #nameOf(text: string): string | undefined {
    const known = this.#names.get(text);
    if (known !== undefined || this.#names.size >= maxPrepared) return known;
    const name = `s${this.#names.size + 1}`;
    this.#names.set(text, name);
    return name;
  }

  #send(request: UnsentRequest, before = this.#takeBefore()): void {
    this.#number += 1;
    this.#unanswered = request.answer === 'now' ? 0 : this.#unanswered + 1;
    this.#port.postMessage({ ...request, before, number: this.#number } satisfies ThreadRequest);
  }

  /** What goes before the next statement. */
  #takeBefore(): string | undefined {
    const before = this.#before;
    this.#before = undefined;
    return before;
  }

  #request(request: UnsentRequest, isRepeatable = this.#before !== undefined): readonly Row[] {
    const before = this.#takeBefore();
    let answer = this.#answerTo(request, before);
    // The connection may have ended long ago, with nobody to notice it: nothing of this snapshot was read.
    if (isRepeatable && 'failure' in answer && answer.failure.isDisconnected) {
      answer = this.#answerTo(request, before);
    }
    if ('failure' in answer) throw new DatabaseError(answer.failure);
    if (answer.beside) this.#received(answer.beside);
    return answer.rows;
  }

  #answerTo(request: UnsentRequest, before: string | undefined): ThreadAnswer {
    const until = performance.now() + longestWait;
    let answer: NumberedAnswer | undefined;
    this.#send(request, before);
    for (let left = longestWait; !answer && left > 0; left = until - performance.now()) {
      Atomics.wait(this.#answered, 0, 0, left);
      Atomics.store(this.#answered, 0, 0);
      answer = this.#answer();
    }
    return answer ?? { failure: unanswered(request.sql) };
  }

  /** The answer to the last request, when it comes. */
  #answerLater(): Promise<ThreadAnswer> {
    const number = this.#number;
    return new Promise((resolve) => {
      const receive = (answer: NumberedAnswer) => {
        if (answer.number !== number) return;
        this.#port.off('message', receive);
        resolve(answer);
      };
      this.#port.on('message', receive);
    });
  }

  /** The answer to the last request, where it is there; those that nobody waits for any more are passed over. */
  #answer(): NumberedAnswer | undefined {
    for (;;) {
      const received = receiveMessageOnPort(this.#port);
      // The thread sends nothing else.
      const answer = received?.message as NumberedAnswer | undefined;
      if (!answer || answer.number === this.#number) return answer;
    }
  }
}

function unanswered(statement: string): DatabaseFailure {
  const message = 'the connection thread does not respond';
  return { message, code: undefined, statement, isDisconnected: true };
}
