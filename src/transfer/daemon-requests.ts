/**
 * Requests about one image: address, local socket, retries, lost connections, renewed tickets, moves to
 * another daemon. The retry loop is its own rather than p-retry: a renewed ticket and a move do not count
 * as attempts.
 */

import { setMaxListeners } from 'node:events';
import type { Dispatcher } from 'undici';
import { ConnectionError, ServerError, VmctlError } from '../client/errors.ts';
import type { Http } from '../client/http.ts';
import { backOff } from '../client/retry.ts';
import type { Range } from '../extents/range-set.ts';
import { daemonConnectionError, isTicketRefusal, tookItsTime } from './daemon-errors.ts';
import type { LocalSocket } from './local-socket.ts';
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
   * all requests that it refused. `attempt` counts how often the same request was refused. Rejects with
   * why the transfer cannot go on.
   */
  readonly onTicketRefused?: (refusal: VmctlError, attempt: number) => Promise<void>;
  /**
   * Asked whether the image is elsewhere when its daemon failed again; called once for all requests that
   * failed there. Moves the image if so. Rejects with why the transfer cannot go on.
   */
  readonly onDaemonFailing?: () => Promise<void>;
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

/** Blocks that have to arrive after a lost connection before several are sent at a time again. */
const CALM = 16;

/** How often in a row a request may find its ticket refused, or the image gone elsewhere. */
export const MAX_RENEWALS = 7;

/** The way to an image; requests that are under way there end when the image goes elsewhere. */
interface Route {
  readonly origin: string;
  readonly path: string;
  readonly left: AbortController;
  /** Ends requests: the image was left, or there is nothing more to do with it. */
  readonly signal: AbortSignal;
  /** A socket of this machine that leads there, until a request fails. */
  local?: LocalSocket | undefined;
}

export class DaemonRequests {
  readonly #options: DaemonOptions;
  #route: Route;
  readonly #pool = new RangePool();
  #epoch = 0;
  /** How often somebody has looked after the ticket or the daemon. */
  #looks = 0;
  #isLooking = false;
  /** How the look ended that was the last to begin. */
  #found = Promise.resolve();
  #isAccepted = false;
  /** Blocks that have arrived, and those still to arrive until the connection counts as stable. */
  #arrived = 0;
  #untilCalm = 0;

  constructor(url: string, options: DaemonOptions) {
    this.#options = options;
    this.#route = routeTo(url, options.signal);
    // Each request under way listens to it, and each that waits for its turn: that is no leak.
    setMaxListeners(0, options.signal);
    options.signal.addEventListener('abort', () => this.#pool.close(), { once: true });
  }

  /** Follows the image to another daemon, or another way: what is under way is asked for there. */
  moveTo(url: string): void {
    const { left } = this.#route;
    this.#route = routeTo(url, this.#options.signal);
    this.#loseUnflushed();
    left.abort(new ConnectionError('the image is at another address', { retryable: true }));
  }

  /** Sends requests through a socket of this machine, until one of them fails there. */
  moveToSocket(local: LocalSocket | undefined): void {
    this.#route.local = local;
  }

  /** How often a connection was lost: what was acknowledged before that may be lost too. */
  get epoch(): number {
    return this.#epoch;
  }

  /** Whether a connection was lost shortly before: what is sent now has to be durable at once. */
  get isFragile(): boolean {
    return this.#untilCalm > 0;
  }

  /** A block has arrived. Requests that failed before it are repeated as often as at first. */
  noteArrival(): void {
    this.#arrived += 1;
    this.#untilCalm = Math.max(0, this.#untilCalm - 1);
  }

  /** Sends a request and reads the whole answer, which is short. */
  async send(request: DaemonRequest): Promise<DaemonResponse> {
    const { statusCode, body } = await this.open(request);
    return { status: statusCode, text: await body.text() };
  }

  /** Sends a request to where the image is now; the answer is there as far as its head. */
  async open({ suffix = '', ...request }: DaemonRequest): Promise<Dispatcher.ResponseData> {
    const { local, origin, path, signal } = this.#route;
    const dispatcher = local?.dispatcher ?? (await this.#options.http.dispatcher());
    return await dispatcher.request({
      origin: local ? LOCAL_ORIGIN : origin,
      path: `${path}${suffix}`,
      method: 'GET',
      headersTimeout: IDLE_TIMEOUT,
      bodyTimeout: IDLE_TIMEOUT,
      ...request,
      signal: request.signal ? AbortSignal.any([signal, request.signal as AbortSignal]) : signal,
    });
  }

  /** Receives into the buffer; resolves with the answer instead when it holds no image bytes. */
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

  /** Repeats what fails for a reason that may pass; every request here may be sent twice. */
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
      const looks = this.#looks;
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
          if (refused && onTicketRefused) {
            renewals += 1;
            if (renewals > 1) await backOff(renewals - 1, route.signal).catch(() => undefined);
            await this.#look(looks, () => onTicketRefused(failure as VmctlError, renewals));
            continue;
          }
          if (!passing) throw failure;
          const isSudden = failures === 0 && retries > 0 && !tookItsTime(failure);
          if (onDaemonFailing && !isSudden) await this.#look(looks, onDaemonFailing);
        }
        // Whatever failed where the image was says nothing about where it is.
        if (route !== this.#route) {
          renewals += 1;
          if (renewals > MAX_RENEWALS) throw failure;
          failures = 0;
          continue;
        }
        // Each block arrives once, so that this ends.
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

  /** What was not flushed may be lost. */
  #loseUnflushed(): void {
    this.#epoch += 1;
    this.#untilCalm = CALM;
    this.#options.onConnectionLost?.();
  }

  /**
   * Lets one request look after the ticket or the daemon; the others wait for that. What failed before a
   * look that is over may say so after it: then nobody looks again, and what that look found holds.
   */
  async #look(before: number, work: () => Promise<void>): Promise<void> {
    if (!this.#isLooking && before === this.#looks) {
      this.#isLooking = true;
      this.#found = work().finally(() => {
        this.#looks += 1;
        this.#isLooking = false;
      });
    }
    await this.#found;
  }

  /** Looks now and then while an answer does not come: the daemon may be gone without a word. */
  #watch(): NodeJS.Timeout | undefined {
    const { onDaemonFailing } = this.#options;
    if (!onDaemonFailing) return undefined;
    // Whoever waits for the answer hears of what is wrong when it fails.
    const look = () => this.#look(this.#looks, onDaemonFailing).catch(() => undefined);
    return setInterval(look, IDLE_TIMEOUT).unref();
  }

  /**
   * Whether it is the ticket that is refused. A daemon whose server has lost the transfer may answer
   * that there is nothing, as it does to questions that it does not know: then it is asked for the image.
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
  const left = new AbortController();
  const either = AbortSignal.any([signal, left.signal]);
  setMaxListeners(0, either);
  return { origin, path: pathname, left, signal: either };
}
