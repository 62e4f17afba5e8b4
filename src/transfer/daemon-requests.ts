/**
 * Requests about one image: address, local socket, retries, lost connections, renewed tickets.
 * The retry loop is its own rather than p-retry: a renewed ticket does not count as an attempt.
 */

import { lookup } from 'node:dns/promises';
import { setMaxListeners } from 'node:events';
import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import type { Dispatcher } from 'undici';
import { ConnectionError, ServerError, VmctlError } from '../client/errors.ts';
import type { Http } from '../client/http.ts';
import { backOff } from '../client/retry.ts';
import type { Range } from '../extents/range-set.ts';
import { daemonConnectionError } from './daemon-errors.ts';
import { RangePool } from './range-pool.ts';
import type { RateLimit } from './rate-limit.ts';

export interface DaemonOptions {
  readonly http: Http;
  readonly signal: AbortSignal;
  /** Repetitions of a request whose connection failed, or that the daemon failed to serve. */
  readonly retries: number;
  /** Told when a connection was lost: what was not flushed may be lost with it. */
  readonly onConnectionLost?: () => void;
  /**
   * Asked to make a refused ticket usable again, so that requests can be repeated; called once for
   * all requests that it refused. Rejects with why the transfer cannot go on.
   */
  readonly onTicketRefused?: () => Promise<void>;
  /** How fast bytes of images may travel. */
  readonly limit?: RateLimit;
}

export type DaemonRequest = Partial<Dispatcher.RequestOptions> & {
  /** What follows the path of the image: a sub-resource, a query. */
  readonly suffix?: string;
};

export interface DaemonResponse {
  readonly status: number;
  readonly text: string;
}

/** Milliseconds. Silence this long means that the connection is dead, whatever TCP believes. */
const IDLE_TIMEOUT = 60_000;
/** Characters of a refusal that anybody reads. */
const MAX_ERROR_LENGTH = 500;
/** Requests through a socket of this machine need a host all the same. */
const LOCAL_ORIGIN = 'http://localhost';

export class DaemonRequests {
  readonly #options: DaemonOptions;
  #origin = '';
  #path = '';
  readonly #pool = new RangePool();
  #local: LocalSocket | undefined;
  #epoch = 0;
  /** How often the ticket was made usable again. */
  #renewals = 0;
  #renewal: Promise<void> | undefined;

  constructor(url: string, options: DaemonOptions) {
    this.#options = options;
    this.moveTo(url);
    // Each request under way listens to it, and each that waits for its turn: that is no leak.
    setMaxListeners(0, options.signal);
    options.signal.addEventListener('abort', () => this.#pool.close(), { once: true });
  }

  /** Follows the ticket to another address. */
  moveTo(url: string): void {
    const { origin, pathname } = new URL(url);
    this.#origin = origin;
    this.#path = pathname;
  }

  /** Sends requests through a socket of this machine, until one of them fails there. */
  moveToSocket(local: LocalSocket | undefined): void {
    this.#local = local;
  }

  /** How often a connection was lost: what was acknowledged before that may be lost too. */
  get epoch(): number {
    return this.#epoch;
  }

  /** Sends a request and reads the whole answer, which is short. */
  async send(request: DaemonRequest): Promise<DaemonResponse> {
    const { statusCode, body } = await this.open(request);
    return { status: statusCode, text: await body.text() };
  }

  /** Sends a request; the answer is there as far as its head. */
  async open(request: DaemonRequest): Promise<Dispatcher.ResponseData> {
    const { http, signal } = this.#options;
    const addressed = { ...this.#addressed(request), signal };
    return await (this.#local?.dispatcher ?? (await http.dispatcher())).request(addressed);
  }

  /** The request at the image's present address, which may be another one than a moment ago. */
  #addressed({ suffix = '', ...request }: DaemonRequest): Dispatcher.RequestOptions {
    return {
      origin: this.#local ? LOCAL_ORIGIN : this.#origin,
      path: `${this.#path}${suffix}`,
      method: 'GET',
      headersTimeout: IDLE_TIMEOUT,
      bodyTimeout: IDLE_TIMEOUT,
      ...request,
    };
  }

  /** Receives into the buffer; resolves with the answer instead when it holds no image bytes. */
  async receive({ start, end }: Range, buffer: Buffer): Promise<DaemonResponse | undefined> {
    const { signal, limit, http } = this.#options;
    const endpoint = {
      origin: this.#origin,
      trust: http.trust,
      connectThroughProxy: () => http.connectThroughProxy(this.#origin),
      ...(this.#local ? { socketPath: this.#local.path } : {}),
    };
    const { status, text } = await this.#pool.get(endpoint, {
      ...{ path: this.#path, first: start, last: end - 1, buffer, signal },
      ...(limit
        ? { pace: { piece: limit.chunkSize, pass: (count) => limit.acquire(count, signal) } }
        : {}),
    });
    return status === 206 ? undefined : { status, text: text.slice(0, MAX_ERROR_LENGTH) };
  }

  /** One request after the other finds the ticket refused; the first of them has it revived. */
  #renewTicket(onTicketRefused: () => Promise<void>): Promise<void> {
    this.#renewal ??= onTicketRefused()
      .then(() => {
        this.#renewals += 1;
      })
      .finally(() => {
        this.#renewal = undefined;
      });
    return this.#renewal;
  }

  /** Repeats what fails for a reason that may pass; every request here may be sent twice. */
  async retry<T>(
    what: string,
    once: () => Promise<T>,
    retries = this.#options.retries,
  ): Promise<T> {
    const { signal, onConnectionLost, onTicketRefused } = this.#options;
    for (let failures = 0; ; ) {
      signal.throwIfAborted();
      const renewals = this.#renewals;
      try {
        return await once();
      } catch (error) {
        if (signal.aborted) throw signal.reason;
        const failure = daemonConnectionError(what, error, this.#origin);
        const lost = failure instanceof ConnectionError;
        const refused = failure instanceof VmctlError && failure.code === 'ticket_refused';
        if (lost || refused) {
          this.#epoch += 1;
          onConnectionLost?.();
        }
        if (lost) this.#local = undefined;
        if (refused && onTicketRefused) {
          // A refusal from before the ticket was revived may arrive after that.
          if (renewals === this.#renewals) await this.#renewTicket(onTicketRefused);
          continue;
        }
        const passing = lost || (failure instanceof ServerError && failure.retryable);
        if (!passing || failures >= retries) throw failure;
        failures += 1;
      }
      await backOff(failures, signal);
    }
  }
}

export interface LocalSocket {
  readonly path: string;
  /** Connections through it; to be destroyed by whoever opened it. */
  readonly dispatcher: Dispatcher;
}

/** Prepares connections through the socket of a daemon. */
export async function openLocalSocket(path: string): Promise<LocalSocket> {
  const { Agent } = await import('../client/undici.ts');
  return { path, dispatcher: new Agent({ connections: 8, connect: { socketPath: path } }) };
}

/**
 * Whether the host of a URL is this machine. A path that another machine tells means nothing here,
 * or something else.
 */
export async function isThisMachine(url: string): Promise<boolean> {
  const host = new URL(url).hostname.replace(/^\[|\]$/g, '');
  const addresses = isIP(host) ? [host] : await lookUp(host);
  const own = Object.values(networkInterfaces())
    .flatMap((some) => some ?? [])
    .map(({ address }) => address);
  return addresses.some((address) => /^127\./.test(address) || own.includes(address));
}

/** Whether there is such a socket, and this user may use it. */
export async function isWritable(path: string): Promise<boolean> {
  return await access(path, constants.W_OK).then(
    () => true,
    () => false,
  );
}

async function lookUp(host: string): Promise<string[]> {
  try {
    return (await lookup(host, { all: true })).map(({ address }) => address);
  } catch {
    return [];
  }
}
