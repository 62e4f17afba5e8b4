/** HTTP request and its response, with the headers common to all responses. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '../system/clock.ts';
import type { Connection } from './connection.ts';
import { HttpError } from './errors.ts';

/** Milliseconds to go on reading a body that nobody wants, so that its sender sees the answer. */
const LINGER = 2000;

export interface ExchangeParts {
  request: IncomingMessage;
  response: ServerResponse;
  connection: Connection;
  clock: Clock;
  /** The client waits for `100 Continue` before it sends the body. */
  expectsContinue: boolean;
  /** The daemon is shutting down: no further request on this connection. */
  closing: boolean;
}

/** What a client may use a connection for: a ticket, as far as a connection needs to know it. */
export interface Authorisation {
  readonly ticket: { readonly inactivityTimeout: number };
  readonly ended: boolean;
  usedBy(connection: Connection): void;
}

export class Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly connection: Connection;
  readonly query: URLSearchParams;
  /** Path of the request, still percent-encoded. */
  readonly path: string;
  readonly #clock: Clock;
  #awaitsContinue: boolean;
  #closes: boolean;
  /** The client has sent nothing for as long as it may. */
  #stalled = false;

  constructor(parts: ExchangeParts) {
    this.request = parts.request;
    this.response = parts.response;
    this.connection = parts.connection;
    this.#clock = parts.clock;
    this.#awaitsContinue = parts.expectsContinue;
    this.#closes = parts.closing;
    const url = parts.request.url ?? '';
    const mark = url.indexOf('?');
    this.path = mark < 0 ? url : url.slice(0, mark);
    this.query = new URLSearchParams(mark < 0 ? '' : url.slice(mark));
  }

  /** The request carries a body, or says so. */
  get announcesBody(): boolean {
    const { headers } = this.request;
    return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
  }

  /** Ends the connection with this answer. */
  closeAfterwards(): void {
    this.#closes = true;
  }

  /** Value of a query parameter out of a few, the first of them by default. Else throws 400. */
  enumParameter<T extends string>(name: string, choices: readonly [T, ...T[]]): T {
    const given = this.query.getAll(name);
    if (given.length === 0) return choices[0];
    const chosen = choices.find((choice) => choice === given[0]);
    if (chosen === undefined || given.length > 1) {
      throw new HttpError(400, `Parameter ${name} must be one of ${choices.join(', ')}.`);
    }
    return chosen;
  }

  /** The client has shown a ticket: its inactivity timeout applies to the connection from here on. */
  authorised(live: Authorisation): void {
    live.usedBy(this.connection);
    this.connection.setIdleLimit(live.ticket.inactivityTimeout * 1000, () => !live.ended);
  }

  /**
   * Waits for the body, whose events `listen` hears. Rejects with 400 when it breaks off or cannot
   * be understood, with 408 when it stands still for too long.
   */
  async receive<T>(
    listen: (resolve: (value: T) => void, reject: (error: unknown) => void) => void,
  ): Promise<T> {
    const { request, connection } = this;
    this.#acceptBody();
    connection.expectClient(true);
    try {
      return await new Promise<T>((resolve, reject) => {
        const brokenOff = () => reject(new HttpError(400, 'The body ended early.'));
        // An error is followed by `close`.
        request.on('error', () => {});
        request.once('close', brokenOff);
        if (request.destroyed) brokenOff();
        connection.onBroken = () => {
          reject(new HttpError(400, 'The body is not valid HTTP.', { close: true }));
        };
        connection.onSilence = () => {
          this.#stalled = true;
          reject(new HttpError(408, 'Timeout while reading the body.', { close: true }));
        };
        if (connection.broken && !request.complete) connection.onBroken();
        listen(resolve, reject);
      });
    } finally {
      connection.onBroken = undefined;
      connection.onSilence = undefined;
      connection.expectClient(false);
      request.removeAllListeners('data');
      request.pause();
    }
  }

  /** Writes status and headers. */
  head(status: number, headers: Record<string, string | number>): void {
    // A body that was not asked for cannot be told from the next request.
    if (this.#awaitsContinue || (this.announcesBody && !this.request.complete)) this.#closes = true;
    this.response.writeHead(status, {
      ...headers,
      ...this.#corsHeaders(),
      ...(this.#closes ? { Connection: 'close' } : {}),
    });
  }

  /** Answers with a short body, or none. */
  async answer(
    status: number,
    headers: Record<string, string | number>,
    body: string | Buffer = '',
  ): Promise<void> {
    this.head(status, { ...headers, 'Content-Length': Buffer.byteLength(body) });
    await this.end(body);
  }

  async json(value: unknown, headers: Record<string, string> = {}): Promise<void> {
    const body = `${JSON.stringify(value)}\n`;
    await this.answer(200, { ...headers, 'Content-Type': 'application/json' }, body);
  }

  /** Answers with an error, or breaks the connection when an answer has begun. */
  async fail(error: HttpError): Promise<void> {
    if (this.response.headersSent) {
      this.connection.socket.destroy();
      return;
    }
    if (error.close) this.closeAfterwards();
    const headers = { ...error.headers, 'Content-Type': 'text/plain; charset=UTF-8' };
    await this.answer(error.status, headers, `${error.message}\n`);
  }

  /** Sends a part of a body of unknown length. Rejects when the client has left. */
  async send(part: string): Promise<void> {
    const sent = new Promise<void>((resolve, reject) => {
      this.response.write(part, (error) => (error ? reject(error) : resolve()));
    });
    await this.connection.waitForClient(sent);
  }

  /** Ends the answer, with its last bytes if any, once the system has them. */
  async end(body: string | Buffer = ''): Promise<void> {
    const { response } = this;
    const gone = new Promise<void>((resolve) => {
      response.once('finish', resolve);
      response.once('close', resolve);
    });
    if (this.#closes && this.announcesBody && !this.request.complete && !this.#stalled) {
      if (body.length > 0) response.write(body);
      else response.flushHeaders();
      await this.#linger();
      response.end();
    } else {
      response.end(body);
    }
    if (!this.connection.socket.destroyed) await this.connection.waitForClient(gone);
  }

  /** Reads and drops what the client still sends: closing at once would destroy the answer too. */
  #linger(): Promise<void> {
    const { request } = this;
    return new Promise((resolve) => {
      const stop = this.#clock.schedule(LINGER, resolve);
      const done = () => {
        stop();
        resolve();
      };
      request.once('end', done);
      request.once('close', done);
      this.connection.onBroken = done;
      if (this.#awaitsContinue || this.connection.broken || request.destroyed) done();
      else request.resume();
    });
  }

  /** Asks for the body of a client that waits to be asked. */
  #acceptBody(): void {
    if (this.#awaitsContinue) this.response.writeContinue();
    this.#awaitsContinue = false;
  }

  #corsHeaders(): Record<string, string> {
    if (this.request.headers.origin === undefined) return {};
    return {
      'Access-Control-Allow-Origin': '*',
      'Access-Control-Allow-Methods': 'OPTIONS,GET,PUT,PATCH',
      'Access-Control-Allow-Headers': '*',
      'Access-Control-Expose-Headers': 'Content-Range,Content-Disposition',
      'Access-Control-Max-Age': '86400',
    };
  }
}
