/** One image behind a ticket, as an image daemon serves it (specification 4.6). */
import type { Dispatcher } from 'undici';
import {
  ConflictError,
  ConnectionError,
  FaultError,
  ServerError,
  VmctlError,
} from '../client/errors.ts';
import type { Http } from '../client/http.ts';
import { connectionError } from '../client/reachability.ts';
import { lengthOf, type Range } from './blocks.ts';
import { type Layout, readLayout } from './layout.ts';
import { pause } from './pause.ts';

export interface DaemonOptions {
  readonly http: Http;
  readonly signal: AbortSignal;
  /** Repetitions of a request whose connection failed, or that the daemon failed to serve. */
  readonly retries: number;
  /** Told when a connection was lost: what was not flushed may be lost with it. */
  readonly onLost?: () => void;
  /**
   * Asked when the ticket is refused: whether it is usable again, so that the request can be
   * repeated. Rejects with why the transfer cannot go on.
   */
  readonly onRefused?: () => Promise<void>;
}

export interface Capabilities {
  /** Names such as `zero`, `flush`, `extents`, `checksum`; none on old daemons. */
  readonly features: ReadonlySet<string>;
  readonly maxReaders: number;
  readonly maxWriters: number;
}

type Request = Partial<Dispatcher.RequestOptions> & {
  /** What follows the path of the image: a sub-resource, a query. */
  readonly suffix?: string;
};

interface Outcome {
  readonly status: number;
  readonly text: string;
}

/** Milliseconds. Silence this long means that the connection is dead, whatever TCP believes. */
const SILENCE = 60_000;
/** Flushing and zeroing may take a slow disk a while, hashing all of an image much longer. */
const LONG_WORK = 600_000;
const LONGEST_DELAY = 15_000;
/** Bytes of the body that are handed to the socket at a time. */
const PIECE = 2 ** 20;
const FIRST_PIECE = 2 ** 14;

export class RemoteImage {
  readonly #options: DaemonOptions;
  #origin: string;
  #path: string;
  #epoch = 0;

  constructor(url: string, options: DaemonOptions) {
    this.#options = options;
    const { origin, pathname } = new URL(url);
    this.#origin = origin;
    this.#path = pathname;
  }

  /** Follows the ticket to another address. */
  moveTo(url: string): void {
    const { origin, pathname } = new URL(url);
    this.#origin = origin;
    this.#path = pathname;
  }

  /** What can be done with the image, and with how many connections. */
  async capabilities(): Promise<Capabilities> {
    const { status, text } = await this.#retried(
      'look at the image',
      () => this.#send({ method: 'OPTIONS' }),
      Math.min(this.#options.retries, 2),
    );
    // Daemons and proxies from before 1.3 (specification 7).
    if (status === 405 || status === 204) {
      return { features: new Set(), maxReaders: 1, maxWriters: 1 };
    }
    if (status !== 200) throw this.#refusal('look at the image', status, text);
    const told = parsed(text) as {
      features?: unknown;
      max_readers?: unknown;
      max_writers?: unknown;
    };
    const features = Array.isArray(told.features) ? told.features.map(String) : [];
    return {
      features: new Set(features),
      maxReaders: countOf(told.max_readers),
      maxWriters: countOf(told.max_writers),
    };
  }

  /** How often a connection was lost: what was acknowledged before that may be lost too. */
  get epoch(): number {
    return this.#epoch;
  }

  /**
   * Writes bytes at an offset; unless `flush` is set they are not on stable storage yet. Returns
   * the epoch in which they were taken.
   */
  async put(offset: number, bytes: Buffer, flush: boolean): Promise<number> {
    return await this.#must('send the image', () => ({
      method: 'PUT',
      suffix: `?flush=${flush ? 'y' : 'n'}`,
      headers: {
        'content-type': 'application/octet-stream',
        'content-length': String(bytes.length),
        'content-range': `bytes ${offset}-${offset + bytes.length - 1}/*`,
      },
      // Documented, but missing in the types.
      body: inPieces(bytes) as unknown as string,
    }));
  }

  /** Makes a range read as zeros; durable after the next flush. Returns the epoch like `put`. */
  async zero({ start, end }: Range): Promise<number> {
    return await this.#patch('zero a part of the disk', {
      op: 'zero',
      offset: start,
      size: end - start,
      flush: false,
    });
  }

  /** Returns when everything acknowledged before is on stable storage. */
  async flush(): Promise<void> {
    await this.#patch('flush the disk', { op: 'flush' });
  }

  async #patch(what: string, body: object): Promise<number> {
    return await this.#must(what, () => ({
      method: 'PATCH',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      headersTimeout: LONG_WORK,
    }));
  }

  /** Fills the buffer with the bytes of a range. */
  async read(range: Range, buffer: Buffer): Promise<void> {
    await this.#retried('fetch the image', async () => {
      const outcome = await this.#receive(range, buffer);
      if (outcome) this.#check('fetch the image', outcome);
    });
  }

  /**
   * The checksum of the whole image, with these parameters; `undefined` when the daemon does not
   * make such a checksum.
   */
  async checksum(query: string): Promise<string | undefined> {
    const what = 'ask for the checksum of the image';
    return await this.#retried(what, async () => {
      const { status, text } = await this.#send({
        suffix: `/checksum?${query}`,
        headersTimeout: LONG_WORK,
      });
      if (status === 400 || status === 404 || status === 405) return undefined;
      if (status !== 200) throw this.#refusal(what, status, text);
      const { checksum } = parsed(text);
      return typeof checksum === 'string' ? checksum.toLowerCase() : undefined;
    });
  }

  /** Where the image has data, and how long it is. Short gaps between data count as data. */
  async layout(): Promise<Layout> {
    const what = 'ask for the extents of the image';
    return await this.#retried(what, async () => {
      const { statusCode, body } = await this.#options.http.dispatcher.request({
        ...this.#addressed({ suffix: '/extents', headersTimeout: LONG_WORK }),
      });
      if (statusCode !== 200) throw this.#refusal(what, statusCode, await body.text());
      return await readLayout(body);
    });
  }

  /** Bytes of the image, by asking for all of it and reading nothing; for old daemons. */
  async size(): Promise<number | undefined> {
    const { http } = this.#options;
    return await this.#retried('look at the image', async () => {
      const { statusCode, headers, body } = await http.dispatcher.request(this.#addressed({}));
      body.on('error', () => {});
      body.destroy();
      const length = Number(headers['content-length']);
      return statusCode === 200 && Number.isSafeInteger(length) ? length : undefined;
    });
  }

  /** Repeats a request until it is answered; returns the epoch of the answer. */
  async #must(what: string, request: () => Request): Promise<number> {
    return await this.#retried(what, async () => {
      const epoch = this.#epoch;
      this.#check(what, await this.#send(request()));
      return epoch;
    });
  }

  #check(what: string, { status, text }: Outcome): void {
    if (status < 200 || status > 299) throw this.#refusal(what, status, text);
  }

  async #send(request: Request): Promise<Outcome> {
    const { http } = this.#options;
    const { statusCode, body } = await http.dispatcher.request(this.#addressed(request));
    return { status: statusCode, text: await body.text() };
  }

  /** The request at the image's present address, which may be another one than a moment ago. */
  #addressed({ suffix = '', ...request }: Request): Dispatcher.RequestOptions {
    return {
      origin: this.#origin,
      path: `${this.#path}${suffix}`,
      method: 'GET',
      headersTimeout: SILENCE,
      bodyTimeout: SILENCE,
      signal: this.#options.signal,
      ...request,
    };
  }

  /** Receives into the buffer; resolves with the answer instead when it holds no image bytes. */
  #receive(range: Range, buffer: Buffer): Promise<Outcome | undefined> {
    const { http, signal } = this.#options;
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
      http.dispatcher.dispatch(
        {
          origin: this.#origin,
          path: this.#path,
          method: 'GET',
          headers: { range: `bytes=${range.start}-${range.end - 1}` },
          headersTimeout: SILENCE,
          bodyTimeout: SILENCE,
        },
        {
          onRequestStart: (controller) => {
            abort = () => controller.abort(signal.reason as Error);
            if (signal.aborted) abort();
            else signal.addEventListener('abort', abort, { once: true });
          },
          onResponseStart: (controller, code, headers) => {
            status = code;
            const told = String(headers['content-range'] ?? '');
            if (code === 206 && !told.startsWith(`bytes ${range.start}-${range.end - 1}/`)) {
              controller.abort(badAnswer('sends another range than it was asked for'));
            }
          },
          onResponseData: (controller, chunk) => {
            if (status !== 206) refusal += chunk.toString('utf8', 0, 500).slice(0, 500);
            else if (filled + chunk.length > length) {
              controller.abort(badAnswer('sends more than it was asked for'));
            } else filled += chunk.copy(buffer, filled);
          },
          onResponseEnd: () =>
            settle(() => {
              if (status !== 206) resolve({ status: status === 200 ? 500 : status, text: refusal });
              else if (filled === length) resolve(undefined);
              else reject(Object.assign(new Error('short'), { code: 'UND_ERR_SOCKET' }));
            }),
          onResponseError: (_, error) => settle(() => reject(error)),
        },
      );
    });
  }

  /** Repeats what fails for a reason that may pass; every request here may be sent twice. */
  async #retried<T>(
    what: string,
    once: () => Promise<T>,
    retries = this.#options.retries,
  ): Promise<T> {
    const { signal, onLost, onRefused } = this.#options;
    let revived = false;
    for (let failures = 0; ; ) {
      signal.throwIfAborted();
      try {
        return await once();
      } catch (error) {
        if (signal.aborted) throw signal.reason;
        const failure = this.#explained(what, error);
        const lost = failure instanceof ConnectionError;
        const refused = failure instanceof VmctlError && failure.code === 'ticket_refused';
        if (lost || refused) {
          this.#epoch += 1;
          onLost?.();
        }
        if (refused && onRefused && !revived) {
          revived = true;
          await onRefused();
          continue;
        }
        const passing = lost || (failure instanceof ServerError && failure.retryable);
        if (!passing || failures >= retries) throw failure;
        failures += 1;
      }
      await pause(Math.min(125 * 2 ** failures, LONGEST_DELAY), signal);
    }
  }

  #explained(what: string, error: unknown): unknown {
    if (error instanceof VmctlError) return error;
    // The path is a secret: whoever knows the ticket may use it.
    const reached = connectionError(error, { method: '', origin: this.#origin, path: '/images' });
    if (!(reached instanceof ConnectionError)) return reached;
    return new ConnectionError(`${what}: ${reached.message}`, {
      code: reached.code,
      ...(reached.hint === undefined ? {} : { hint: reached.hint }),
      retryable: true,
      cause: error,
    });
  }

  #refusal(what: string, status: number, text: string): VmctlError {
    const why = text.trim().split('\n', 1)[0] || `HTTP status ${status}`;
    const message = `${what}: the image daemon says: ${why}`;
    if (status === 403) {
      return new ConflictError(`${what}: the image daemon no longer accepts the ticket`, {
        code: 'ticket_refused',
        status,
        hint: 'the transfer was paused, cancelled, or has run out of time',
      });
    }
    if (status === 507) return new ServerError(message, { code: 'no_space_on_server', status });
    if (status >= 500 || status === 429) {
      return new ServerError(message, { status, retryable: true });
    }
    return new FaultError(message, { code: 'daemon_refused', status });
  }
}

/**
 * A body as pieces that the socket takes one by one: while they flow the connection is alive,
 * however slow it is. The first one is small, because it is copied behind the head of the request.
 */
function* inPieces(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; ) {
    const end = at + (at === 0 ? FIRST_PIECE : PIECE);
    yield bytes.subarray(at, end);
    at = end;
  }
}

function badAnswer(what: string): ServerError {
  return new ServerError(`fetch the image: the image daemon ${what}`, { code: 'bad_answer' });
}

function parsed(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

function countOf(value: unknown): number {
  return typeof value === 'number' && Number.isInteger(value) && value > 0 ? value : 1;
}
