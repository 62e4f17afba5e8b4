/** Client connection: its requests one after the other, and its idle limit. */
import type { Socket } from 'node:net';

/** How often, in milliseconds, a connection without a limit is looked at. */
const REVIEW_INTERVAL = 60_000;
/** Pipelined requests held before the client has to wait, and when it may go on. */
const HIGH_QUEUE = 32;
const LOW_QUEUE = 8;

/**
 * Runs the requests of a connection in turn, as their answers must leave in order. While one is
 * served the connection may be silent, except where the server waits for the client.
 */
export class Connection {
  readonly socket: Socket;
  /** The client is on the same machine, on the other end of a unix socket. */
  readonly local: boolean;
  #queue: (() => Promise<void>)[] = [];
  #running: Promise<void> | undefined;
  #broken = false;
  /** Wakes the request being served when the rest of its body will never be understood. */
  onBroken: (() => void) | undefined;
  /** Tells the request being served that its body stands still, so that it can say so. */
  onSilence: (() => void) | undefined;
  /** Undefined when the connection is closed. */
  #whenClosed: (() => void)[] | undefined = [];
  /** When the last request was served, or when the connection began: milliseconds of `performance`. */
  #idleSince = performance.now();
  #limit: number;
  #trusted: () => boolean = () => false;

  /** @param strangerLimit milliseconds it may be silent before it has shown a ticket */
  constructor(socket: Socket, local: boolean, strangerLimit: number) {
    this.socket = socket;
    this.local = local;
    this.#limit = strangerLimit;
    socket.once('close', () => {
      for (const run of this.#whenClosed ?? []) run();
      this.#whenClosed = undefined;
    });
    this.#setTimeout(true);
  }

  /** Nothing that follows on this connection can be understood. */
  get broken(): boolean {
    return this.#broken;
  }

  /** A request is being served. */
  get busy(): boolean {
    return this.#running !== undefined;
  }

  /** Since when no request is being served, in milliseconds of `performance`; undefined while one is. */
  get idleSince(): number | undefined {
    return this.busy ? undefined : this.#idleSince;
  }

  /** Resolves when no request is being served. */
  async idle(): Promise<void> {
    await this.#running;
  }

  /** Calls `run` when the connection is closed; at once when it is. */
  whenClosed(run: () => void): void {
    if (this.#whenClosed) this.#whenClosed.push(run);
    else run();
  }

  /** Stops reading requests; `answer` says so, after the answers to those before. */
  break(answer: () => Promise<void>): void {
    this.#broken = true;
    this.onBroken?.();
    this.enqueue(answer);
  }

  /**
   * Applies a ticket's limit from here on.
   * @param limit milliseconds of silence, 0 for none
   * @param trusted whether the ticket still deserves that, asked now and then when there is none
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

  /** Waits for something the client has to do; its silence counts meanwhile. */
  async waitForClient<T>(event: Promise<T>): Promise<T> {
    this.expectClient(true);
    try {
      return await event;
    } finally {
      this.expectClient(false);
    }
  }

  /** Says whether the client's silence counts from now on. */
  expectClient(expected: boolean): void {
    this.#setTimeout(expected);
  }

  /** The socket has been silent for its limit. */
  timedOut(): void {
    if (this.#limit === 0 && this.#trusted()) this.#setTimeout(true);
    else if (this.onSilence) this.onSilence();
    else this.socket.destroy();
  }

  async #run(): Promise<void> {
    this.#setTimeout(false);
    for (let next = this.#queue.shift(); next; next = this.#queue.shift()) {
      // Whatever was sent behind a request that ended the connection must not take effect.
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
