/** HTTP request and its response, with the headers that all responses share. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Connection } from '../../http-listener/connection.ts';
import {
  announcesBody,
  awaitsContinue,
  discardBody,
  lingerMs,
  onBodyFailure,
  sendContinue,
} from '../../http-listener/request-body.ts';
import { HttpError, textType } from './errors.ts';

export interface ExchangeParts {
  request: IncomingMessage;
  response: ServerResponse;
  connection: Connection;
}

/** Ticket as far as connections need it. */
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
  /** Path of the request, percent-encoded. */
  readonly path: string;
  #closes = false;
  /** Whether the client has reached the idle limit. */
  #stalled = false;

  constructor(parts: ExchangeParts) {
    this.request = parts.request;
    this.response = parts.response;
    this.connection = parts.connection;
    const url = parts.request.url ?? '';
    const mark = url.indexOf('?');
    this.path = mark < 0 ? url : url.slice(0, mark);
    this.query = new URLSearchParams(mark < 0 ? '' : url.slice(mark));
  }

  /** Whether the request declares a body. */
  get announcesBody(): boolean {
    return announcesBody(this.request);
  }

  /** Ends the connection after this response. */
  closeAfterwards(): void {
    this.#closes = true;
  }

  /**
   * Value of an enumerated query parameter (default: the first choice). Throws 400 for other
   * values.
   */
  enumParameter<T extends string>(name: string, choices: readonly [T, ...T[]]): T {
    const given = this.query.getAll(name);
    if (given.length === 0) return choices[0];
    const chosen = choices.find((choice) => choice === given[0]);
    if (chosen === undefined || given.length > 1) {
      throw new HttpError(400, `Parameter ${name} must be one of ${choices.join(', ')}.`);
    }
    return chosen;
  }

  /** Applies the inactivity timeout of the ticket to the connection. */
  authorised(live: Authorisation): void {
    live.usedBy(this.connection);
    this.connection.setIdleLimit(live.ticket.inactivityTimeout * 1000, () => !live.ended);
  }

  /**
   * Receives the body with the event handlers of `listen`. Rejects with 400 for a truncated or
   * invalid body, and with 408 at the idle limit.
   */
  async receive<T>(
    listen: (resolve: (value: T) => void, reject: (error: unknown) => void) => void,
  ): Promise<T> {
    const { request, connection } = this;
    sendContinue(request, this.response);
    let stopListening = () => {};
    connection.expectClient(true);
    try {
      return await new Promise<T>((resolve, reject) => {
        const brokenOff = () => reject(new HttpError(400, 'The body ended early.'));
        // `close` follows each error.
        request.on('error', () => {});
        request.once('close', brokenOff);
        if (request.destroyed) brokenOff();
        stopListening = onBodyFailure(request, (failure) => {
          if (failure === 'ended') brokenOff();
          else reject(new HttpError(400, 'The body is not valid HTTP.', { close: true }));
        });
        connection.onSilence = () => {
          this.#stalled = true;
          reject(new HttpError(408, 'Timeout while reading the body.', { close: true }));
        };
        listen(resolve, reject);
      });
    } finally {
      stopListening();
      connection.onSilence = undefined;
      connection.expectClient(false);
      request.removeAllListeners('data');
      request.pause();
    }
  }

  /** Writes status and headers. */
  head(status: number, headers: Record<string, string | number>): void {
    const { request } = this;
    // The unread body would be parsed as the next request.
    if (awaitsContinue(request) || (this.announcesBody && !request.complete)) this.#closes = true;
    if (this.connection.isLast) this.#closes = true;
    this.response.writeHead(status, {
      ...headers,
      ...this.#corsHeaders(),
      ...(this.#closes ? { Connection: 'close' } : {}),
    });
  }

  /** Answers with a short body, or without one. */
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

  /** Answers with an error, or closes the connection if a response has begun. */
  async fail(error: HttpError): Promise<void> {
    if (this.response.headersSent) {
      this.connection.socket.destroy();
      return;
    }
    if (error.close) this.closeAfterwards();
    const headers = { ...error.headers, 'Content-Type': textType };
    await this.answer(error.status, headers, `${error.message}\n`);
  }

  /** Sends a part of a body of unknown length. Rejects if the client has disconnected. */
  async send(part: string): Promise<void> {
    const sent = new Promise<void>((resolve, reject) => {
      this.response.write(part, (error) => (error ? reject(error) : resolve()));
    });
    await this.connection.waitForClient(sent);
  }

  /** Ends the response, with optional last bytes. Resolves when the system has them. */
  async end(body: string | Buffer = ''): Promise<void> {
    const { response } = this;
    const gone = new Promise<void>((resolve) => {
      response.once('finish', resolve);
      response.once('close', resolve);
    });
    if (this.#closes && this.announcesBody && !this.request.complete && !this.#stalled) {
      if (body.length > 0) response.write(body);
      else response.flushHeaders();
      if (!awaitsContinue(this.request)) await discardBody(this.request, lingerMs);
      response.end();
    } else {
      response.end(body);
    }
    if (!this.connection.socket.destroyed) await this.connection.waitForClient(gone);
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
