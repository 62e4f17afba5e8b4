/**
 * Requests for one image: address, local socket, retries, lost connections, renewed tickets, moves
 * to another daemon. The retry loop does not use p-retry, because a renewed ticket and a move do
 * not count as attempts.
 */

import { setMaxListeners } from 'node:events';
import type { Dispatcher } from 'undici';
import { ConnectionError, ServerError, VmctlError } from '../client/errors.ts';
import type { Http } from '../client/http.ts';
import { backOff } from '../client/retry.ts';
import type { Range } from '../extents/range-set.ts';
import { daemonConnectionError, isTicketRefusal, isTimeout } from './daemon-errors.ts';
import type { LocalSocket } from './local-socket.ts';
import { RangePool } from './range-pool.ts';
import type { RateLimit } from './rate-limit.ts';

export interface DaemonOptions {
  readonly http: Http;
  readonly signal: AbortSignal;
  /** Retries after a failed connection or a server error. */
  readonly retries: number;
  /** Called when a connection was lost, and unflushed data with it. */
  readonly onConnectionLost?: () => void;
  /**
   * Renews a refused ticket, so that requests can be retried. Called once for concurrent refusals.
   * `attempt` counts the refusals of the same request. Rejects with the reason if the transfer
   * cannot continue.
   */
  readonly onTicketRefused?: (refusal: VmctlError, attempt: number) => Promise<void>;
  /**
   * Checks whether the image has moved, after repeated failures of its daemon, and moves there.
   * Called once for concurrent failures. Rejects with the reason if the transfer cannot continue.
   */
  readonly onDaemonFailing?: () => Promise<void>;
  /** Rate limit for image bytes. */
  readonly limit?: RateLimit;
}

export type DaemonRequest = Omit<Partial<Dispatcher.RequestOptions>, 'signal'> & {
  readonly signal?: AbortSignal;
  /** Suffix of the image's path: a sub-resource or a query. */
  readonly suffix?: string;
};

export interface DaemonResponse {
  readonly status: number;
  readonly text: string;
}

/** Milliseconds without data after which a connection counts as lost, even if TCP keeps it. */
const IDLE_TIMEOUT = 60_000;
/** Maximum length of a refusal in characters. */
const MAX_ERROR_LENGTH = 500;
/** Origin for requests through a local socket, which need a host. */
const LOCAL_ORIGIN = 'http://localhost';

/** Blocks that must arrive after a lost connection before blocks are sent in parallel again. */
const CALM = 16;

/** Consecutive refused tickets or moves that a request tolerates. */
export const MAX_RENEWALS = 7;

/** Route to an image. A move aborts the pending requests of the old route. */
interface Route {
  readonly origin: string;
  readonly path: string;
  readonly abort: AbortController;
  /** Aborts requests after a move or at the end of the transfer. */
  readonly signal: AbortSignal;
  /** Socket on this computer, used until a request fails. */
  local?: LocalSocket | undefined;
}

export class DaemonRequests {
  readonly #options: DaemonOptions;
  #route: Route;
  readonly #pool = new RangePool();
  #epoch = 0;
  /** Count of checks of the ticket or the daemon. */
  #checks = 0;
  #isChecking = false;
  /** Result of the last check that has started. */
  #lastCheck = Promise.resolve();
  #isAccepted = false;
  /** Arrived blocks, and blocks that must still arrive until the connection counts as stable. */
  #arrived = 0;
  #untilCalm = 0;

  constructor(url: string, options: DaemonOptions) {
    this.#options = options;
    this.#route = routeTo(url, options.signal);
    // Each running and queued request adds a listener, which is not a leak.
    setMaxListeners(0, options.signal);
    options.signal.addEventListener('abort', () => this.#pool.close(), { once: true });
  }

  /** Moves to another daemon or route. Pending requests are repeated there. */
  moveTo(url: string): void {
    const { abort } = this.#route;
    this.#route = routeTo(url, this.#options.signal);
    this.#loseUnflushed();
    abort.abort(new ConnectionError('the image is at another address', { retryable: true }));
  }

  /** Sends requests through a local socket until one of them fails. */
  moveToSocket(local: LocalSocket | undefined): void {
    this.#route.local = local;
  }

  /** Count of lost connections. Unflushed data from before a loss can be missing. */
  get epoch(): number {
    return this.#epoch;
  }

  /** Whether a connection was lost recently, so that each request must flush. */
  get isFragile(): boolean {
    return this.#untilCalm > 0;
  }

  /** Records an arrived block. Later failures have the full count of retries again. */
  recordArrival(): void {
    this.#arrived += 1;
    this.#untilCalm = Math.max(0, this.#untilCalm - 1);
  }

  /** Sends a request and reads its short response. */
  async send(request: DaemonRequest): Promise<DaemonResponse> {
    const { statusCode, body } = await this.open(request);
    return { status: statusCode, text: await body.text() };
  }

  /** Sends a request to the current address. Resolves when the head of the response has arrived. */
  async open({ suffix = '', ...request }: DaemonRequest): Promise<Dispatcher.ResponseData> {
    const { local, origin, path, signal } = this.#route;
    const dispatcher = local?.dispatcher ?? (await this.#options.http.transferAgent());
    return await dispatcher.request({
      origin: local ? LOCAL_ORIGIN : origin,
      path: `${path}${suffix}`,
      method: 'GET',
      headersTimeout: IDLE_TIMEOUT,
      bodyTimeout: IDLE_TIMEOUT,
      ...request,
      signal: request.signal ? AbortSignal.any([signal, request.signal]) : signal,
    });
  }

  /** Receives image bytes into the buffer. Resolves with the response instead if it has none. */
  async receive({ start, end }: Range, buffer: Buffer): Promise<DaemonResponse | undefined> {
    const { limit, http } = this.#options;
    const { local, origin, path, signal } = this.#route;
    const endpoint = {
      origin,
      trust: http.trust,
      connectThroughProxy: () => http.connectThroughProxy(origin),
      ...(local ? { socketPath: local.path } : {}),
    };
    const { status, text } = await this.#pool.get(endpoint, {
      ...{ path, first: start, last: end - 1, buffer, signal },
      ...(limit
        ? { pace: { piece: limit.chunkSize, pass: (count) => limit.acquire(count, signal) } }
        : {}),
    });
    return status === 206 ? undefined : { status, text: text.slice(0, MAX_ERROR_LENGTH) };
  }

  /** Retries temporary failures. All requests must be idempotent. */
  async retry<T>(
    what: string,
    once: () => Promise<T>,
    retries = this.#options.retries,
  ): Promise<T> {
    const { signal, onTicketRefused, onDaemonFailing } = this.#options;
    let failures = 0;
    let arrived = this.#arrived;
    for (let renewals = 0; ; ) {
      signal.throwIfAborted();
      const route = this.#route;
      const looks = this.#checks;
      const watch = this.#watch();
      try {
        const result = await once();
        this.#isAccepted = true;
        return result;
      } catch (error) {
        if (signal.aborted) throw signal.reason;
        const failure = daemonConnectionError(what, error, route.origin);
        const refused = route === this.#route && (await this.#isRefused(failure));
        const lost = failure instanceof ConnectionError;
        const passing = lost || (failure instanceof ServerError && failure.retryable);
        if (route === this.#route) {
          if (lost || refused) this.#loseUnflushed();
          if (lost) route.local = undefined;
          if (refused && failure instanceof VmctlError && onTicketRefused) {
            renewals += 1;
            if (renewals > 1) await backOff(renewals - 1, route.signal).catch(() => undefined);
            await this.#check(looks, () => onTicketRefused(failure, renewals));
            continue;
          }
          if (!passing) throw failure;
          const isSudden = failures === 0 && retries > 0 && !isTimeout(failure);
          if (onDaemonFailing && !isSudden) await this.#check(looks, onDaemonFailing);
        }
        // A failure at the old address does not concern the new one.
        if (route !== this.#route) {
          renewals += 1;
          if (renewals > MAX_RENEWALS) throw failure;
          failures = 0;
          continue;
        }
        // Each block arrives once, so the loop ends.
        if (arrived !== this.#arrived) failures = 0;
        arrived = this.#arrived;
        if (failures >= retries) throw failure;
        failures += 1;
      } finally {
        clearInterval(watch);
      }
      await backOff(failures, this.#route.signal).catch(() => undefined);
    }
  }

  /** Unflushed data can be lost. */
  #loseUnflushed(): void {
    this.#epoch += 1;
    this.#untilCalm = CALM;
    this.#options.onConnectionLost?.();
  }

  /**
   * Runs one check of the ticket or the daemon for all concurrent requests. A request that failed
   * before the last check uses its result instead of a new check.
   */
  async #check(before: number, work: () => Promise<void>): Promise<void> {
    if (!this.#isChecking && before === this.#checks) {
      this.#isChecking = true;
      this.#lastCheck = work().finally(() => {
        this.#checks += 1;
        this.#isChecking = false;
      });
    }
    await this.#lastCheck;
  }

  /**
   * Checks at intervals while a response is pending, because the daemon can disappear without
   * closing the connection.
   */
  #watch(): NodeJS.Timeout | undefined {
    const { onDaemonFailing } = this.#options;
    if (!onDaemonFailing) return undefined;
    // The pending request reports the error when it fails.
    const look = () => this.#check(this.#checks, onDaemonFailing).catch(() => undefined);
    return setInterval(look, IDLE_TIMEOUT).unref();
  }

  /**
   * Whether the ticket is refused. A daemon whose server has lost the transfer can respond with
   * 404, as to unknown requests. Then the image itself is requested.
   */
  async #isRefused(failure: unknown): Promise<boolean> {
    if (!(failure instanceof VmctlError)) return false;
    if (isTicketRefusal(failure.status)) return true;
    if (failure.status !== 404 || !this.#isAccepted || !this.#options.onTicketRefused) return false;
    return await this.send({ method: 'OPTIONS' }).then(
      ({ status }) => status === 404 || isTicketRefusal(status),
      () => true,
    );
  }
}

function routeTo(url: string, signal: AbortSignal): Route {
  const { origin, pathname } = new URL(url);
  const abort = new AbortController();
  const either = AbortSignal.any([signal, abort.signal]);
  setMaxListeners(0, either);
  return { origin, path: pathname, abort, signal: either };
}
