/**
 * Synchronous connection to PostgreSQL. A worker thread communicates with the database while the
 * calling thread blocks, because request handlers run without interruption.
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
import { getSignature, translateStatement } from './statement-text.ts';

/** Maximum time for a response of the thread, in milliseconds; longer than its own timeouts. */
const longestWaitMs = 120_000;

type UnsentRequest = Omit<ThreadRequest, 'number' | 'before'>;

/** Returns the rows of a statement that need not be sent; undefined if it must be sent. */
export type FindRows = (statement: SentStatement) => readonly Row[] | undefined;

/**
 * Maximum number of unanswered statements, which limits memory and the delay of the next request.
 */
const maxUnanswered = 100;

/** Maximum number of prepared statements of the connection. */
const maxPrepared = 1_000;

export class PostgresConnection implements Database {
  readonly traits = { joinsInOrder: false, isRemote: true };
  readonly #worker: Worker;
  readonly #port: MessagePort;
  readonly #answered: Int32Array;
  /** Names of prepared statements, by text. */
  readonly #names = new Map<string, string>();
  /** Statement that begins the transaction, sent together with the next statement. */
  #preceding: string | undefined;
  /** Source of rows until the transaction begins. */
  #find: FindRows | undefined;
  /** Receives the rows of the statement that begins the transaction. */
  #received: (rows: readonly Row[]) => void = () => {};
  #isReading = false;
  #isInTransaction = false;
  /** Number of the last request. */
  #number = 0;
  /** Number of requests since the last response. */
  #unanswered = 0;

  /** Starts a thread for a database; the thread connects on the first statement. */
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

  /** Runs one or several statements without parameters. Throws a `DatabaseError`. */
  exec(sql: string): void {
    const request = this.#createControlRequest(sql);
    if (sql.startsWith('BEGIN') || sql.startsWith('SAVEPOINT')) {
      this.#send({ ...request, answer: 'with the next' });
      this.#isInTransaction = true;
    } else this.#request(request);
  }

  /**
   * Like `exec`, for statements that wait for locks: the calling thread continues, but must not use
   * this connection. Rejects with a `DatabaseError`.
   */
  async execAsync(sql: string): Promise<void> {
    this.#send(this.#createControlRequest(sql));
    if (sql.startsWith('BEGIN')) this.#isInTransaction = true;
    const answer = await this.#receiveLater();
    if ('failure' in answer) throw new DatabaseError(answer.failure);
  }

  #createControlRequest(sql: string): UnsentRequest {
    // If the connection is lost, its transaction has ended and needs no rollback.
    const mayConnect = sql.startsWith('BEGIN') || !this.#isInTransaction;
    if (sql === 'COMMIT' || sql === 'ROLLBACK') this.#isInTransaction = false;
    return { sql, mayConnect, answer: 'now' };
  }

  /** Rolls the current transaction back. */
  rollback(): void {
    try {
      this.exec('ROLLBACK');
    } catch {
      // The connection is lost, and its transaction with it.
    }
  }

  prepare(sql: string): Statement {
    const texts = new Map<string, string>();
    const createRequest = (values: readonly SqlValue[], answer: AnswerTime): UnsentRequest => {
      const signature = getSignature(values);
      let text = texts.get(signature);
      if (text === undefined) {
        text = translateStatement(sql, values);
        texts.set(signature, text);
      }
      const name = this.#getStatementName(text);
      const isFirst = this.#isReading ? this.#preceding !== undefined : !this.#isInTransaction;
      return { sql: text, values, name, mayConnect: isFirst, answer };
    };
    const rowsFor = (values: readonly SqlValue[]): readonly Row[] => {
      const request = createRequest(values, 'now');
      const found = this.#preceding === undefined ? undefined : this.#find?.(request);
      return found ?? this.#request(request);
    };
    return {
      get: (...values) => rowsFor(values)[0],
      all: (...values) => [...rowsFor(values)],
      run: (...values) => {
        if (this.#isInTransaction && this.#unanswered < maxUnanswered) {
          this.#send(createRequest(values, 'with the next'));
        } else this.#request(createRequest(values, 'now'));
      },
    };
  }

  continueNumbers(table: string, column: string): void {
    const sequence = `pg_get_serial_sequence('${table}', '${column}')`;
    this.exec(`SELECT setval(${sequence}, max(${column})) FROM ${table} HAVING max(${column}) > 0`);
  }

  /**
   * Starts a snapshot: the following statements see one state of the database, until `endRead`. The
   * transaction begins with the first of them, together with `query`, so unused snapshots cost
   * nothing. `received` gets the rows of the query; its exceptions reach the caller of the
   * statement.
   *
   * Until the transaction begins, `find` may supply the rows of a statement. The caller checks with
   * the rows of the query that they belong to the same state.
   */
  beginRead(query: string, received: (rows: readonly Row[]) => void, find?: FindRows): void {
    this.#preceding = `BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; ${query}`;
    this.#find = find;
    this.#received = received;
    this.#isReading = true;
  }

  /** Begins the transaction of the snapshot, if no statement has. */
  ensureBegun(): void {
    const sql = this.#preceding;
    if (sql === undefined) return;
    this.#preceding = undefined;
    this.#received(this.#request({ sql, mayConnect: true, answer: 'now' }, true));
  }

  /** Rows of a query outside of a transaction. */
  query(sql: string): readonly Row[] {
    return this.#request({ ...this.createStatement(sql), mayConnect: true, answer: 'now' }, true);
  }

  /** A query without parameters, with the name of its prepared statement. */
  createStatement(sql: string): SentStatement {
    return { sql, values: [], name: this.#getStatementName(sql) };
  }

  endRead(): void {
    const isBegun = this.#isReading && this.#preceding === undefined;
    this.#preceding = undefined;
    this.#find = undefined;
    this.#isReading = false;
    if (isBegun) this.#send({ sql: 'COMMIT', mayConnect: false, answer: 'never' });
  }

  /** Stops the thread and closes its connection. */
  close(): void {
    this.#port.close();
    void this.#worker.terminate();
  }

  /**
   * Name of a prepared statement; undefined after `maxPrepared` statements, which are parsed each
   * time.
   */
  #getStatementName(text: string): string | undefined {
    const known = this.#names.get(text);
    if (known !== undefined || this.#names.size >= maxPrepared) return known;
    const name = `s${this.#names.size + 1}`;
    this.#names.set(text, name);
    return name;
  }

  #send(request: UnsentRequest, before = this.#takePreceding()): void {
    this.#number += 1;
    this.#unanswered = request.answer === 'now' ? 0 : this.#unanswered + 1;
    this.#port.postMessage({ ...request, before, number: this.#number } satisfies ThreadRequest);
  }

  /** Returns and clears the statement that begins the transaction. */
  #takePreceding(): string | undefined {
    const before = this.#preceding;
    this.#preceding = undefined;
    return before;
  }

  #request(request: UnsentRequest, isRepeatable = this.#preceding !== undefined): readonly Row[] {
    const before = this.#takePreceding();
    let answer = this.#awaitAnswer(request, before);
    // The connection may have been lost unnoticed. A retry is safe, because the snapshot has read
    // nothing.
    if (isRepeatable && 'failure' in answer && answer.failure.isDisconnected) {
      answer = this.#awaitAnswer(request, before);
    }
    if ('failure' in answer) throw new DatabaseError(answer.failure);
    if (answer.beforeRows) this.#received(answer.beforeRows);
    return answer.rows;
  }

  #awaitAnswer(request: UnsentRequest, before: string | undefined): ThreadAnswer {
    const until = performance.now() + longestWaitMs;
    let answer: NumberedAnswer | undefined;
    this.#send(request, before);
    for (let left = longestWaitMs; !answer && left > 0; left = until - performance.now()) {
      Atomics.wait(this.#answered, 0, 0, left);
      Atomics.store(this.#answered, 0, 0);
      answer = this.#receiveAnswer();
    }
    return answer ?? { failure: createUnansweredFailure(request.sql) };
  }

  /** Resolves with the response to the last request. */
  #receiveLater(): Promise<ThreadAnswer> {
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

  /** Response to the last request, if it has arrived; discards earlier ones. */
  #receiveAnswer(): NumberedAnswer | undefined {
    for (;;) {
      const received = receiveMessageOnPort(this.#port);
      const answer: NumberedAnswer | undefined = received?.message;
      if (!answer || answer.number === this.#number) return answer;
    }
  }
}

function createUnansweredFailure(statement: string): DatabaseFailure {
  const message = 'the connection thread does not respond';
  return { message, code: undefined, statement, isDisconnected: true };
}
