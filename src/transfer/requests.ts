/** Requests about one image: where they go, how often they are tried, what is lost on the way. */
import type { Dispatcher } from 'undici';
import { ConnectionError, ServerError, VmctlError } from '../client/errors.ts';
import type { Http } from '../client/http.ts';
import { lengthOf, type Range } from './blocks.ts';
import { pause } from './pause.ts';
import type { RateLimit } from './rate-limit.ts';
import { badAnswer, failureOf } from './refusals.ts';

export interface DaemonOptions {
  readonly http: Http;
  readonly signal: AbortSignal;
  /** Repetitions of a request whose connection failed, or that the daemon failed to serve. */
  readonly retries: number;
  /** Told when a connection was lost: what was not flushed may be lost with it. */
  readonly onLost?: () => void;
  /**
   * Asked to make a refused ticket usable again, so that requests can be repeated; called once for
   * all requests that it refused. Rejects with why the transfer cannot go on.
   */
  readonly onRefused?: () => Promise<void>;
  /** How fast bytes of images may travel. */
  readonly limit?: RateLimit;
}

export type Request = Partial<Dispatcher.RequestOptions> & {
  /** What follows the path of the image: a sub-resource, a query. */
  readonly suffix?: string;
};

export interface Outcome {
  readonly status: number;
  readonly text: string;
}

/** Milliseconds. Silence this long means that the connection is dead, whatever TCP believes. */
const SILENCE = 60_000;
const FIRST_DELAY = 250;
const LONGEST_DELAY = 15_000;
/** Characters of a refusal that anybody reads. */
const REFUSAL = 500;
/** Requests through a socket of this machine need a host all the same. */
const LOCAL = 'http://localhost';

export class Requests {
  readonly #options: DaemonOptions;
  #origin = '';
  #path = '';
  #local: Dispatcher | undefined;
  #epoch = 0;
  /** How often the ticket was made usable again. */
  #revivals = 0;
  #revival: Promise<void> | undefined;

  constructor(url: string, options: DaemonOptions) {
    this.#options = options;
    this.moveTo(url);
  }

  /** Follows the ticket to another address. */
  moveTo(url: string): void {
    const { origin, pathname } = new URL(url);
    this.#origin = origin;
    this.#path = pathname;
  }

  /** Sends requests through a socket of this machine, until one of them fails there. */
  moveToSocket(dispatcher: Dispatcher | undefined): void {
    this.#local = dispatcher;
  }

  /** How often a connection was lost: what was acknowledged before that may be lost too. */
  get epoch(): number {
    return this.#epoch;
  }

  /** Sends a request and reads the whole answer, which is short. */
  async send(request: Request): Promise<Outcome> {
    const { statusCode, body } = await this.open(request);
    return { status: statusCode, text: await body.text() };
  }

  /** Sends a request; the answer is there as far as its head. */
  open(request: Request): Promise<Dispatcher.ResponseData> {
    return this.#dispatcher.request({ ...this.#addressed(request), signal: this.#options.signal });
  }

  get #dispatcher(): Dispatcher {
    return this.#local ?? this.#options.http.dispatcher;
  }

  /** The request at the image's present address, which may be another one than a moment ago. */
  #addressed({ suffix = '', ...request }: Request): Dispatcher.RequestOptions {
    return {
      origin: this.#local ? LOCAL : this.#origin,
      path: `${this.#path}${suffix}`,
      method: 'GET',
      headersTimeout: SILENCE,
      bodyTimeout: SILENCE,
      ...request,
    };
  }

  /** Receives into the buffer; resolves with the answer instead when it holds no image bytes. */
  receive(range: Range, buffer: Buffer): Promise<Outcome | undefined> {
    const { signal, limit } = this.#options;
    const last = range.end - 1;
    const length = lengthOf(range);
    return new Promise((resolve, reject) => {
      let status = 0;
      let filled = 0;
      let refusal = '';
      let abort: () => void = () => {};
      const settle = (end: () => void) => {
        signal.removeEventListener('abort', abort);
        end();
      };
      this.#dispatcher.dispatch(
        this.#addressed({ headers: { range: `bytes=${range.start}-${last}` } }),
        {
          onRequestStart: (controller) => {
            abort = () => controller.abort(signal.reason as Error);
            if (signal.aborted) abort();
            else signal.addEventListener('abort', abort, { once: true });
          },
          onResponseStart: (controller, code, headers) => {
            status = code;
            const told = String(headers['content-range'] ?? '');
            if (code === 206 && !told.startsWith(`bytes ${range.start}-${last}/`)) {
              controller.abort(badAnswer('sends another range than it was asked for'));
            }
          },
          onResponseData: (controller, chunk) => {
            if (status !== 206) refusal = (refusal + chunk.toString()).slice(0, REFUSAL);
            else if (filled + chunk.length > length) {
              controller.abort(badAnswer('sends more than it was asked for'));
            } else {
              filled += chunk.copy(buffer, filled);
              if (limit) slowDown(limit, chunk.length, controller, signal);
            }
          },
          onResponseEnd: () =>
            settle(() => {
              if (status === 200) reject(badAnswer('does not know ranges'));
              else if (status !== 206) resolve({ status, text: refusal });
              else if (filled === length) resolve(undefined);
              else reject(Object.assign(new Error('short'), { code: 'UND_ERR_SOCKET' }));
            }),
          onResponseError: (_, error) => settle(() => reject(error)),
        },
      );
    });
  }

  /** One request after the other finds the ticket refused; the first of them has it revived. */
  #revive(onRefused: () => Promise<void>): Promise<void> {
    this.#revival ??= onRefused()
      .then(() => {
        this.#revivals += 1;
      })
      .finally(() => {
        this.#revival = undefined;
      });
    return this.#revival;
  }

  /** Repeats what fails for a reason that may pass; every request here may be sent twice. */
  async retried<T>(
    what: string,
    once: () => Promise<T>,
    retries = this.#options.retries,
  ): Promise<T> {
    const { signal, onLost, onRefused } = this.#options;
    for (let failures = 0; ; ) {
      signal.throwIfAborted();
      const revivals = this.#revivals;
      try {
        return await once();
      } catch (error) {
        if (signal.aborted) throw signal.reason;
        const failure = failureOf(what, error, this.#origin);
        const lost = failure instanceof ConnectionError;
        const refused = failure instanceof VmctlError && failure.code === 'ticket_refused';
        if (lost || refused) {
          this.#epoch += 1;
          onLost?.();
        }
        if (lost) this.#local = undefined;
        if (refused && onRefused) {
          // A refusal from before the ticket was revived may arrive after that.
          if (revivals === this.#revivals) await this.#revive(onRefused);
          continue;
        }
        const passing = lost || (failure instanceof ServerError && failure.retryable);
        if (!passing || failures >= retries) throw failure;
        failures += 1;
      }
      await pause(Math.min(FIRST_DELAY * 2 ** (failures - 1), LONGEST_DELAY), signal);
    }
  }
}

/** Lets the connection wait until the bytes that came may have come. */
function slowDown(
  limit: RateLimit,
  bytes: number,
  controller: Dispatcher.DispatchController,
  signal: AbortSignal,
): void {
  controller.pause();
  // Whoever ended the wait has ended the request as well.
  limit.pass(bytes, signal).then(
    () => controller.resume(),
    () => undefined,
  );
}
