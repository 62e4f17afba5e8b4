/** Client connection: its queue of requests, and its idle limit. */
import type { Socket } from 'node:net';

/** Interval in milliseconds between checks of a connection without a limit. */
const REVIEW_INTERVAL = 60_000;
/** Queued requests at which reading pauses, and at which it resumes. */
const HIGH_QUEUE = 32;
const LOW_QUEUE = 8;

/**
 * Runs the requests of a connection in order, as HTTP requires for responses. The idle limit
 * applies during a request only while the server waits for the client.
 */
export class Connection {
  readonly socket: Socket;
  /** Whether the connection is a unix socket. */
  readonly local: boolean;
  #queue: (() => Promise<void>)[] = [];
  #running: Promise<void> | undefined;
  #broken = false;
  /** Called if the remaining body of the current request is invalid. */
  onBroken: (() => void) | undefined;
  /** Called if the body of the current request makes no progress. */
  onSilence: (() => void) | undefined;
  /** `undefined` after the connection was closed. */
  #whenClosed: (() => void)[] | undefined = [];
  /**
   * Time of the last response, or of the start of the connection, in milliseconds of `performance`.
   */
  #idleSince = performance.now();
  #limit: number;
  #trusted: () => boolean = () => false;

  /** @param unauthorisedLimit idle limit in milliseconds before the client has shown a ticket */
  constructor(socket: Socket, local: boolean, unauthorisedLimit: number) {
    this.socket = socket;
    this.local = local;
    this.#limit = unauthorisedLimit;
    socket.once('close', () => {
      for (const run of this.#whenClosed ?? []) run();
      this.#whenClosed = undefined;
    });
    this.#setTimeout(true);
  }

  /** Whether the following bytes of the connection are invalid. */
  get broken(): boolean {
    return this.#broken;
  }

  /** Whether a request is running. */
  get busy(): boolean {
    return this.#running !== undefined;
  }

  /**
   * Time since which no request runs, in milliseconds of `performance`. `undefined` during a
   * request.
   */
  get idleSince(): number | undefined {
    return this.busy ? undefined : this.#idleSince;
  }

  /** Resolves when no request runs. */
  async idle(): Promise<void> {
    await this.#running;
  }

  /** Calls `run` when the connection is closed, or immediately if it is closed already. */
  whenClosed(run: () => void): void {
    if (this.#whenClosed) this.#whenClosed.push(run);
    else run();
  }

  /** Stops reading requests. Calls `answer` after the earlier responses. */
  break(answer: () => Promise<void>): void {
    this.#broken = true;
    this.onBroken?.();
    this.enqueue(answer);
  }

  /**
   * Applies the idle limit of a ticket.
   * @param limit milliseconds, 0 for no limit
   * @param trusted whether the ticket is still valid; checked at intervals if there is no limit
   */
  setIdleLimit(limit: number, trusted: () => boolean): void {
    this.#limit = limit;
    this.#trusted = trusted;
  }

  /** Queues a request. `serve` must not reject. */
  enqueue(serve: () => Promise<void>): void {
    this.#queue.push(serve);
    if (this.#queue.length > HIGH_QUEUE) this.socket.pause();
    this.#running ??= this.#run();
  }

  /** Waits for an action of the client, with the idle limit. */
  async waitForClient<T>(event: Promise<T>): Promise<T> {
    this.expectClient(true);
    try {
      return await event;
    } finally {
      this.expectClient(false);
    }
  }

  /** Sets whether the idle limit applies. */
  expectClient(expected: boolean): void {
    this.#setTimeout(expected);
  }

  /** Called when the socket has reached its idle limit. */
  timedOut(): void {
    if (this.#limit === 0 && this.#trusted()) this.#setTimeout(true);
    else if (this.onSilence) this.onSilence();
    else this.socket.destroy();
  }

  async #run(): Promise<void> {
    this.#setTimeout(false);
    for (let next = this.#queue.shift(); next; next = this.#queue.shift()) {
      // Ignore requests after one that ended the connection.
      if (this.socket.destroyed || this.socket.writableEnded) break;
      await next();
      if (this.#queue.length === LOW_QUEUE) this.socket.resume();
    }
    this.#queue = [];
    this.#running = undefined;
    this.#idleSince = performance.now();
    this.#setTimeout(true);
  }

  #setTimeout(counts: boolean): void {
    if (!this.socket.destroyed) this.socket.setTimeout(counts ? this.#limit || REVIEW_INTERVAL : 0);
  }
}
