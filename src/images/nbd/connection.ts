/** Connection to an NBD server with many pending requests, matched by cookies. */

import { toError } from '../../caught-errors.ts';
import { type Clock, monotonicClock } from '../system/clock.ts';
import { ByteReader, type NbdAddress } from './byte-reader.ts';
import { type ExportInfo, type ExportRequest, negotiate } from './handshake.ts';
import { Command, protocolError, systemError } from './protocol.ts';
import { NbdRequest, type NbdRequestOptions, type RunsByContext, readReplies } from './request.ts';

/** Milliseconds for connecting and the handshake. */
const CONNECT_TIMEOUT = 10_000;
/** Milliseconds for the server to close a connection after the disconnect request. */
const CLOSE_TIMEOUT = 2000;

export interface NbdConnectionOptions extends ExportRequest {
  readonly address: NbdAddress;
  readonly clock?: Clock;
}

export class NbdConnection {
  readonly info: ExportInfo;
  /** Resolves with the reason when the connection is lost. */
  readonly lost: Promise<Error>;
  readonly #wire: ByteReader;
  readonly #clock: Clock;
  readonly #requests = new Map<number, NbdRequest>();
  #lastCookie = 0;
  #failure: Error | undefined;

  private constructor(wire: ByteReader, info: ExportInfo, clock: Clock, lost: Promise<Error>) {
    this.#wire = wire;
    this.#clock = clock;
    this.info = info;
    this.lost = lost.then((error) => {
      this.#failure ??= error;
      for (const request of this.#requests.values()) request.fail(this.#failure);
      this.#requests.clear();
      return this.#failure;
    });
    const find = (cookie: number) => {
      const request = this.#requests.get(cookie);
      if (!request) throw protocolError('a reply without a request');
      return request;
    };
    readReplies(wire, find, (error) => this.#fail(error));
  }

  /**
   * Connects and selects the export. Rejects with a system error code, after ten seconds at the
   * latest.
   */
  static async open(options: NbdConnectionOptions): Promise<NbdConnection> {
    const { address, clock = monotonicClock } = options;
    let resolveLost: (error: Error) => void = () => {};
    const lost = new Promise<Error>((resolve) => {
      resolveLost = resolve;
    });
    const wire = new ByteReader(address, resolveLost);
    const stop = clock.schedule(CONNECT_TIMEOUT, () => {
      wire.fail(systemError('ETIMEDOUT', 'the NBD server does not respond'));
    });
    try {
      const broken = lost.then((error) => Promise.reject(error));
      const info = await Promise.race([negotiate(wire, options), broken]);
      return new NbdConnection(wire, info, clock, lost);
    } catch (error) {
      wire.fail(toError(error));
      throw error;
    } finally {
      stop();
    }
  }

  /** Count of requests without a reply. */
  get load(): number {
    return this.#requests.size;
  }

  /** Whether the connection is usable. */
  get alive(): boolean {
    return this.#failure === undefined;
  }

  /**
   * Sends a request. Its buffer must not be modified until the promise settles. Rejects with a
   * system error code.
   */
  send(parts: NbdRequestOptions): Promise<RunsByContext> {
    if (this.#failure) return Promise.reject(this.#failure);
    const cookie = this.#freeCookie();
    const request = new NbdRequest(parts, () => this.#requests.delete(cookie));
    this.#requests.set(cookie, request);
    const { socket } = this.#wire;
    // A socket error ends all requests, so the callback ignores it.
    const sent = (error?: Error | null) => {
      if (!error) request.sent();
    };
    if (parts.command === Command.write && parts.buffer) {
      socket.cork();
      socket.write(request.head(cookie));
      socket.write(parts.buffer, sent);
      socket.uncork();
    } else {
      socket.write(request.head(cookie));
      request.sent();
    }
    return request.settled;
  }

  /** Disconnects. Resolves when the connection is closed. Only without pending requests. */
  async close(): Promise<void> {
    if (!this.#failure) {
      this.#failure = systemError('ESHUTDOWN', 'the connection was closed');
      const parts = { command: Command.disconnect, offset: 0, length: 0 };
      this.#wire.socket.end(new NbdRequest(parts, () => {}).head(0));
    }
    const stop = this.#clock.schedule(CLOSE_TIMEOUT, () => this.#wire.socket.destroy());
    await this.lost;
    stop();
  }

  /** Closes the connection. Pending requests fail. */
  abandon(): void {
    this.#fail(systemError('ESHUTDOWN', 'the connection was closed after an error'));
  }

  #freeCookie(): number {
    do this.#lastCookie = (this.#lastCookie + 1) >>> 0;
    while (this.#requests.has(this.#lastCookie));
    return this.#lastCookie;
  }

  #fail(error: Error): void {
    this.#failure ??= error;
    this.#wire.fail(error);
  }
}
