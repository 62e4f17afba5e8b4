/** Client connection: requests in order, idle limits, errors, and its end. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { isRecord } from '../records.ts';
import { type FormatErrorBody, findErrorResponse, formatErrorResponse } from './error-response.ts';
import { failBody } from './request-body.ts';

/** Maximum pipelined requests that wait on a connection before the server stops reading it. */
const maxWaiting = 32;
/** Milliseconds for a client to close its side. */
const farewellMs = 1_000;
/** Milliseconds between checks of a connection without a limit. */
const reviewMs = 60_000;

export interface IdleLimits {
  /** Milliseconds between requests. */
  readonly idleMs: number;
  /** Milliseconds without progress of a client that must send or read. */
  readonly stallMs: number;
}

/**
 * Runs pipelined requests one at a time, as HTTP requires for responses. During a request, the
 * client has limited time only while the server waits for it.
 */
export class Connection {
  readonly socket: Socket;
  /** Called instead of closing the connection if the client reaches the limit during a request. */
  onSilence: (() => void) | undefined;
  readonly #formatBody: FormatErrorBody | undefined;
  readonly #queue: (() => Promise<void>)[] = [];
  readonly #closeListeners = new Set<() => void>();
  #limits: IdleLimits;
  #mayStay: () => boolean = () => false;
  #idleSince: number | undefined = performance.now();
  /** Latest request, whose body can be incomplete. */
  #latest: IncomingMessage | undefined;
  #isPaused = false;
  #hasFailed = false;
  #isEnding = false;

  constructor(socket: Socket, limits: IdleLimits, formatBody: FormatErrorBody | undefined) {
    this.socket = socket;
    this.#limits = limits;
    this.#formatBody = formatBody;
    disableWriteLimit(socket);
    socket.once('close', () => {
      for (const listener of this.#closeListeners) listener();
    });
    this.#setTimeout(limits.idleMs);
  }

  /**
   * Time since which no request runs, in milliseconds of `performance`. `undefined` during a
   * request.
   */
  get idleSince(): number | undefined {
    return this.#idleSince;
  }

  /** Whether the current response is the last one of the connection. */
  get isLast(): boolean {
    return this.#isEnding && this.#queue.length === 0;
  }

  get isClosed(): boolean {
    return this.socket.destroyed;
  }

  /**
   * Calls `listener` when the connection closes, or soon if it is closed. The returned function
   * removes it.
   */
  onClose(listener: () => void): () => void {
    if (this.isClosed) queueMicrotask(listener);
    else this.#closeListeners.add(listener);
    return () => this.#closeListeners.delete(listener);
  }

  /** Runs a request after the responses to earlier ones. `serve` must not reject. */
  enqueue(request: IncomingMessage, response: ServerResponse, serve: () => Promise<void>): void {
    // The request arrived after the shutdown started. Its client can send it to another server.
    if (this.#isEnding) return;
    this.#latest = request;
    const sent = new Promise<void>((resolve) => {
      response.once('close', resolve);
    });
    this.#add(async () => {
      await serve();
      await sent;
    });
  }

  /**
   * Handles an error of the HTTP parser or the socket. Invalid bytes in a body fail the request.
   * Other ones get a response after the earlier responses.
   */
  fail(error: NodeJS.ErrnoException): void {
    const { socket } = this;
    const response = findErrorResponse(error);
    // A connection without a request gets no response.
    if (!response || socket.bytesRead === 0) {
      socket.destroy();
      return;
    }
    // The parser reports the error again for each further packet.
    if (this.#hasFailed || socket.writableEnded) return;
    this.#hasFailed = true;
    if (this.#latest && !this.#latest.complete) {
      failBody(this.#latest, error.code === 'HPE_INVALID_EOF_STATE' ? 'ended' : 'invalid');
      return;
    }
    this.#add(async () => this.#end(formatErrorResponse(response, this.#formatBody)));
  }

  /** Accepts no further requests. Closes after the responses to received requests. */
  finish(): void {
    this.#isEnding = true;
    if (this.#idleSince !== undefined) this.#end();
  }

  /**
   * Replaces both limits.
   * @param limitMs milliseconds, 0 for no limit
   * @param mayStay whether the connection may stay open without a limit; called at intervals
   */
  setIdleLimit(limitMs: number, mayStay: () => boolean): void {
    this.#limits = { idleMs: limitMs, stallMs: limitMs };
    this.#mayStay = mayStay;
  }

  /** Sets whether the server waits for the client during a request. */
  expectClient(expected: boolean): void {
    if (expected) this.#setTimeout(this.#limits.stallMs);
    else this.socket.setTimeout(0);
  }

  /** Waits for an action of the client, with the limit. */
  async waitForClient<T>(event: Promise<T>): Promise<T> {
    this.expectClient(true);
    try {
      return await event;
    } finally {
      this.expectClient(false);
    }
  }

  /** Called when the socket has reached its limit. */
  timedOut(): void {
    const { socket } = this;
    if (this.#limits.stallMs === 0 && this.#mayStay()) this.expectClient(true);
    else if (this.onSilence) this.onSilence();
    // The server still creates the response.
    else if (this.#idleSince === undefined && socket.writableLength === 0) this.expectClient(true);
    else socket.destroy();
  }

  #add(work: () => Promise<void>): void {
    this.#queue.push(work);
    if (this.#queue.length >= maxWaiting) this.#setPaused(true);
    if (this.#idleSince !== undefined) void this.#run();
  }

  async #run(): Promise<void> {
    this.#idleSince = undefined;
    const queue = this.#queue;
    // Requests after one that ends the connection must have no effect.
    for (let work = queue.shift(); work && this.socket.writable; work = queue.shift()) {
      this.expectClient(false);
      await work();
      if (queue.length < maxWaiting) this.#setPaused(false);
      // Other connections run before the next request.
      if (queue.length > 0) await new Promise((resolve) => setImmediate(resolve));
    }
    queue.length = 0;
    this.#idleSince = performance.now();
    this.#setTimeout(this.#limits.idleMs);
    if (this.#isEnding) this.#end();
  }

  #setPaused(paused: boolean): void {
    if (paused === this.#isPaused) return;
    this.#isPaused = paused;
    if (paused) this.socket.pause();
    else this.socket.resume();
  }

  #setTimeout(limitMs: number): void {
    if (!this.socket.destroyed) this.socket.setTimeout(limitMs || reviewMs);
  }

  /** Ends the connection. An immediate close would destroy the last response. */
  #end(lastBytes?: string): void {
    if (lastBytes === undefined) this.socket.end();
    else this.socket.end(lastBytes);
    // Received bytes are read and dropped.
    setTimeout(() => this.socket.destroy(), farewellMs).unref();
  }
}

/**
 * Node pauses its HTTP parser if many bytes wait to be sent, but TLS still delivers received
 * requests, which are lost. The limit is not needed, because responses are sent one at a time and
 * their senders wait for the client.
 */
function disableWriteLimit(socket: Socket): void {
  const state: unknown = Reflect.get(socket, '_writableState');
  if (!isRecord(state)) throw new Error('This version of Node.js has no socket state.');
  state['highWaterMark'] = Number.MAX_SAFE_INTEGER;
}
