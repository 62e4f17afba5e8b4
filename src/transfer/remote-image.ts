/** Client of one image of an image daemon, by ticket (specification 4.6). */

import type { Readable } from 'node:stream';
import pLimit from 'p-limit';
import { FaultError, VmctlError } from '../client/errors.ts';
import type { Range } from '../extents/range-set.ts';
import { ALGORITHM_HEADER } from '../hash/algorithms.ts';
import { toRecord } from '../records.ts';
import { getLength } from './blocks.ts';
import { daemonError } from './daemon-errors.ts';
import {
  type DaemonOptions,
  type DaemonRequest,
  DaemonRequests,
  type DaemonResponse,
} from './daemon-requests.ts';
import type { LocalSocket } from './local-socket.ts';
import { parseExtents, type RemoteExtents } from './parse-extents.ts';
import { PartSize } from './part-size.ts';
import type { RateLimit } from './rate-limit.ts';

export interface Capabilities {
  /** Names such as `zero`, `flush`, `extents`, `checksum`. Empty for old daemons. */
  readonly features: ReadonlySet<string>;
  readonly maxReaders: number;
  readonly maxWriters: number;
  /** Path of a socket that is faster for clients on the same computer. */
  readonly unixSocket?: string;
}

/** Milliseconds for flushing, zeroing, or hashing an image. */
const LONG_WORK = 600_000;
/** Bytes of a body to write to the socket at a time. */
const PIECE = 2 ** 20;
const FIRST_PIECE = 2 ** 14;
/** Retries before the first transfer, fewer to detect a wrong address soon. */
const FIRST_RETRIES = 2;
/** Milliseconds for an optional query of features. */
const PROBE_TIMEOUT = 5_000;

/** Epoch of data that no lost connection can affect. */
export const DURABLE = Number.POSITIVE_INFINITY;

export class RemoteImage {
  readonly #requests: DaemonRequests;
  readonly #options: DaemonOptions;
  readonly #oneByOne = pLimit(1);
  readonly #partSize = new PartSize();

  constructor(url: string, options: DaemonOptions) {
    this.#requests = new DaemonRequests(url, options);
    this.#options = options;
  }

  /** Moves to another address. Pending requests are repeated there. */
  moveTo(url: string): void {
    this.#requests.moveTo(url);
  }

  /** Uses a local socket until it fails. `undefined` stops its use. */
  moveToSocket(local: LocalSocket | undefined): void {
    this.#requests.moveToSocket(local);
  }

  /** Count of lost connections. Unflushed data from before a loss can be missing. */
  get epoch(): number {
    return this.#requests.epoch;
  }

  /** Features of the image, and useful connections. */
  async capabilities(retries = FIRST_RETRIES): Promise<Capabilities> {
    const what = 'open the image';
    return await this.#requests.retry(
      what,
      async () => capabilitiesIn(what, await this.#requests.send({ method: 'OPTIONS' })),
      Math.min(this.#options.retries, retries),
    );
  }

  /** Same as `capabilities`, with one attempt. `undefined` without a successful response. */
  async probe(): Promise<Capabilities | undefined> {
    const signal = AbortSignal.timeout(PROBE_TIMEOUT);
    try {
      const answer = await this.#requests.send({ method: 'OPTIONS', signal });
      return capabilitiesIn('open the image', answer);
    } catch {
      return undefined;
    }
  }

  /**
   * Writes bytes at an offset, in one request or in parts. Returns the epoch of the write: a lost
   * connection may lose the bytes until the next flush. The epoch is `DURABLE` if they are on
   * stable storage already, because of `flush` or because a connection was lost recently. In the
   * latter case, one part is sent at a time. `algorithm` is that of the later checksum: daemons
   * that support it hash the bytes when they arrive.
   */
  async put(
    offset: number,
    bytes: Buffer,
    { flush, algorithm }: { flush: boolean; algorithm?: string | undefined },
  ): Promise<number> {
    const epochs: number[] = [];
    for (let at = 0; at < bytes.length; ) {
      // Choose the part when its turn comes, because losses of earlier requests reduce its size.
      const send = () => {
        const part = bytes.subarray(at, at + this.#partSize.bytes);
        const isWhole = part.length === bytes.length;
        return this.#putPart(offset + at, part, {
          // If a part is durable, a loss of the connection repeats only the parts after it.
          flush: flush || this.#requests.isFragile || !isWhole,
          algorithm: isWhole ? algorithm : undefined,
        });
      };
      const { epoch, length } = await this.#requests.retry('send the image', () => {
        const isWhole = at === 0 && bytes.length <= this.#partSize.bytes;
        return this.#requests.isFragile || !isWhole ? this.#oneByOne(send) : send();
      });
      epochs.push(epoch);
      at += length;
    }
    return Math.min(...epochs);
  }

  /** Sends a part of a block once. Returns its epoch like `put`, and its length in bytes. */
  async #putPart(
    offset: number,
    bytes: Buffer,
    { flush, algorithm }: { flush: boolean; algorithm: string | undefined },
  ): Promise<{ epoch: number; length: number }> {
    const { limit, signal } = this.#options;
    const { epoch } = this.#requests;
    const { length } = bytes;
    const body: Iterable<Buffer> | AsyncIterable<Buffer> = limit
      ? atLimitedRate(bytes, limit, signal)
      : inPieces(bytes);
    const request: DaemonRequest = {
      method: 'PUT',
      suffix: `?flush=${flush ? 'y' : 'n'}`,
      headers: {
        'content-type': 'application/octet-stream',
        'content-length': String(length),
        'content-range': `bytes ${offset}-${offset + length - 1}/*`,
        ...(algorithm === undefined ? {} : { [ALGORITHM_HEADER]: algorithm }),
      },
      // The documentation of undici permits iterables; its types name only this one.
      body: body as Readable,
    };
    const { status, text } = await this.#requests.send(request).catch((error: unknown) => {
      // A request that ends because of a move does not show how many bytes a connection carries.
      if (!(error instanceof VmctlError)) this.#partSize.lost(length);
      throw error;
    });
    if (status < 200 || status > 299) throw daemonError('send the image', status, text);
    this.#requests.recordArrival();
    this.#partSize.arrived(length);
    return { epoch: flush ? DURABLE : epoch, length };
  }

  /** Makes a range read as zeros; durable after the next flush. Returns the epoch like `put`. */
  async zero(range: Range): Promise<number> {
    return await this.#patch('zero a part of the disk', {
      op: 'zero',
      offset: range.start,
      size: getLength(range),
      flush: false,
    });
  }

  /** Resolves when all acknowledged writes are on stable storage. */
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

  /** Reads a range into the buffer. */
  async read(range: Range, buffer: Buffer): Promise<void> {
    const what = 'download the image';
    await this.#requests.retry(what, async () => {
      const refused = await this.#requests.receive(range, buffer);
      if (refused) throw daemonError(what, refused.status, refused.text);
    });
  }

  /**
   * Checksum of the complete image with these parameters. `undefined` if the daemon does not
   * support it.
   */
  async checksum(query: string): Promise<string | undefined> {
    const what = 'read the checksum of the image';
    return await unlessRefused([400, 404, 405], () =>
      this.#requests.retry(what, async () => {
        const { status, text } = await this.#requests.send({
          suffix: `/checksum?${query}`,
          headersTimeout: LONG_WORK,
        });
        if (status !== 200) throw daemonError(what, status, text);
        const { checksum } = parseJsonObject(text);
        return typeof checksum === 'string' ? checksum.toLowerCase() : undefined;
      }),
    );
  }

  /**
   * Names of supported checksum algorithms, with one attempt. Empty without a successful response.
   */
  async algorithms(): Promise<ReadonlySet<string>> {
    const signal = AbortSignal.timeout(PROBE_TIMEOUT);
    try {
      const { status, text } = await this.#requests.send({
        suffix: '/checksum/algorithms',
        signal,
      });
      return new Set(status === 200 ? namesIn(text) : []);
    } catch {
      return new Set();
    }
  }

  /** Data ranges and size of the image. Short gaps between data count as data. */
  async extents(): Promise<RemoteExtents> {
    const what = 'read the extents of the image';
    return await this.#requests.retry(what, async () => {
      const request = { suffix: '/extents', headersTimeout: LONG_WORK };
      const { statusCode, body } = await this.#requests.open(request);
      if (statusCode !== 200) throw daemonError(what, statusCode, await body.text());
      return await parseExtents(body);
    });
  }

  /**
   * Changes since the checkpoint of an incremental backup, and the size of the image; zeros only if
   * requested. `undefined` if the backup of this disk is complete.
   */
  async changedExtents(zeros: boolean): Promise<RemoteExtents | undefined> {
    const what = 'read the changed extents of the image';
    const isData = ({ dirty, zero }: { dirty: boolean; zero: boolean }) =>
      dirty && (zeros || !zero);
    return await unlessRefused([404], () =>
      this.#requests.retry(what, async () => {
        const suffix = '/extents?context=dirty';
        const request = { suffix, headersTimeout: LONG_WORK };
        const { statusCode, body } = await this.#requests.open(request);
        if (statusCode !== 200) throw daemonError(what, statusCode, await body.text());
        return await parseExtents(body, { isData, shortGap: 0 });
      }),
    );
  }

  /** Size of the image for old daemons, from the head of a GET. */
  async size(): Promise<number | undefined> {
    return await this.#requests.retry('open the image', async () => {
      const { statusCode, headers, body } = await this.#requests.open({});
      body.on('error', () => {});
      body.destroy();
      const length = Number(headers['content-length']);
      return statusCode === 200 && Number.isSafeInteger(length) ? length : undefined;
    });
  }

  /** Retries a request until it succeeds. Returns the epoch of the response. */
  async #must(what: string, request: () => DaemonRequest): Promise<number> {
    return await this.#requests.retry(what, async () => {
      const epoch = this.#requests.epoch;
      const { status, text } = await this.#requests.send(request());
      if (status < 200 || status > 299) throw daemonError(what, status, text);
      return epoch;
    });
  }
}

/** Parses the features of an image. Throws for an unsuccessful response. */
function capabilitiesIn(what: string, { status, text }: DaemonResponse): Capabilities {
  // Daemons and proxies before 1.3 (specification 7).
  if (status === 405 || status === 204) {
    return { features: new Set(), maxReaders: 1, maxWriters: 1 };
  }
  if (status !== 200) throw daemonError(what, status, text);
  const { features, max_readers, max_writers, unix_socket } = parseJsonObject(text);
  return {
    features: new Set(Array.isArray(features) ? features.map(String) : []),
    maxReaders: connectionCount(max_readers),
    maxWriters: connectionCount(max_writers),
    ...(typeof unix_socket === 'string' ? { unixSocket: unix_socket } : {}),
  };
}

/** Result of a request. `undefined` if the daemon does not support it. */
async function unlessRefused<T>(
  statuses: readonly number[],
  ask: () => Promise<T>,
): Promise<T | undefined> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof FaultError && statuses.includes(error.status ?? 0)) return undefined;
    throw error;
  }
}

/**
 * Splits a body into pieces for the socket, so that each write shows progress on a slow connection.
 * The first piece is small, because it is copied to the head of the request.
 */
function* inPieces(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; ) {
    const end = at + (at === 0 ? FIRST_PIECE : PIECE);
    yield bytes.subarray(at, end);
    at = end;
  }
}

/** Splits a body into pieces at the rate limit. */
async function* atLimitedRate(
  bytes: Buffer,
  limit: RateLimit,
  signal: AbortSignal,
): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += limit.chunkSize) {
    const piece = bytes.subarray(at, at + limit.chunkSize);
    await limit.acquire(piece.length, signal);
    yield piece;
  }
}

/** Names in an array, or in the member `algorithms` of an object. Otherwise empty. */
function namesIn(text: string): readonly string[] {
  let names: unknown;
  try {
    names = JSON.parse(text);
  } catch {
    return [];
  }
  const list = Array.isArray(names) ? names : toRecord(names)['algorithms'];
  return Array.isArray(list) ? list.map(String) : [];
}

function parseJsonObject(text: string): Record<string, unknown> {
  try {
    return toRecord(JSON.parse(text));
  } catch {
    return {};
  }
}

function connectionCount(value: unknown): number {
  return typeof value === 'number' && Number.isInteger(value) && value > 0 ? value : 1;
}
