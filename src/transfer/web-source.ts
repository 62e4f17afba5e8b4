/** Image on a web server, read in ranges if the server supports them, otherwise as one stream. */

import { ConflictError, ConnectionError, UsageError, type VmctlError } from '../client/errors.ts';
import { Http } from '../client/http.ts';
import type { HttpResponse } from '../client/http-message.ts';
import type { EnvironmentVariables } from '../client/proxy-env.ts';
import { backOff } from '../client/retry.ts';
import type { Extent } from '../extents/file-extents.ts';
import type { Range } from '../extents/range-set.ts';
import { detectImageFormat, HEAD_LENGTH, type ImageFormat } from '../formats/image-head.ts';
import { allData } from './blocks.ts';
import type { ByteStream } from './compression.ts';
import type { FileIdentity } from './journal.ts';
import type { Source } from './source.ts';
import { readHead } from './stream-head.ts';
import { systemCaCertificates } from './system-ca.ts';

export class WebSource implements Source {
  readonly #file: WebFile;
  readonly size: number;

  constructor(file: WebFile) {
    this.#file = file;
    this.size = file.size ?? 0;
  }

  get path(): string {
    return this.#file.path;
  }

  get identity(): FileIdentity {
    return { size: this.size, modified: this.#file.validator, inode: this.path };
  }

  get content(): ImageFormat {
    return detectImageFormat(this.#file.head, this.size);
  }

  get storedSize(): number {
    return this.size;
  }

  /** Without a version, changes between two runs cannot be detected. */
  get repeatable(): boolean {
    return this.#file.validator !== '';
  }

  async extents(): Promise<AsyncIterable<Extent>> {
    return allData(this.size);
  }

  async read({ start, end }: Range, buffer: Buffer): Promise<void> {
    const stop = Math.max(start, Math.min(end, this.size));
    if (stop > start) await this.#file.read({ start, end: stop }, buffer);
    buffer.fill(0, stop - start, end - start);
  }

  /** No check is required, because all responses have the same version. */
  async requireUnchanged(): Promise<void> {}

  async close(): Promise<void> {
    await this.#file.close();
  }
}

export interface WebOptions {
  /** Additional certificate authorities, in PEM. */
  readonly ca?: string;
  /** Environment variables, which can name a proxy. */
  readonly env: EnvironmentVariables;
  readonly retries: number;
  readonly signal: AbortSignal;
}

interface FileInfo {
  readonly head: Buffer;
  readonly size: number | undefined;
  readonly validator: string;
  /** The complete stream, if the server does not support ranges. */
  readonly bytes?: ByteStream;
}

/** File on a web server. */
export class WebFile {
  /** Address without secrets. */
  readonly path: string;
  /** First bytes. */
  readonly head: Buffer;
  /** Size in bytes. `undefined` if the server does not report it. */
  readonly size: number | undefined;
  /** Whether the server supports ranges with a version. */
  readonly supportsRanges: boolean;
  readonly validator: string;
  readonly #url: URL;
  readonly #http: Http;
  readonly #options: WebOptions;
  readonly #all: ByteStream | undefined;

  private constructor(url: URL, http: Http, options: WebOptions, found: FileInfo) {
    this.path = `${url.origin}${url.pathname}`;
    this.#url = url;
    this.#http = http;
    this.#options = options;
    this.head = found.head;
    this.size = found.size;
    this.supportsRanges = found.size !== undefined && found.bytes === undefined;
    this.validator = found.validator;
    this.#all = found.bytes;
  }

  /** Opens an address. Throws if it cannot be read. */
  static async open(address: string, options: WebOptions): Promise<WebFile> {
    const url = parseUrl(address);
    const http = new Http({
      trust: { ca: [...systemCaCertificates(), ...(options.ca ? [options.ca] : [])].join('\n') },
      env: options.env,
      signal: options.signal,
    });
    try {
      const range = { start: 0, end: HEAD_LENGTH };
      const answer = await http.send(requestFor(url, range));
      requireSuccess(url, answer);
      const { status, headers } = answer;
      const validator = headers['etag'] ?? headers['last-modified'] ?? '';
      const { head, bytes } = await readHead(answer.stream ?? empty());
      if (status === 206) {
        const total = Number(/^bytes 0-\d+\/(\d+)$/.exec(headers['content-range'] ?? '')?.[1]);
        const size = Number.isSafeInteger(total) ? total : undefined;
        return new WebFile(url, http, options, { head, size, validator });
      }
      const length = headers['content-encoding'] ? Number.NaN : Number(headers['content-length']);
      const size = Number.isSafeInteger(length) && length > 0 ? length : undefined;
      return new WebFile(url, http, options, { head, size, validator, bytes });
    } catch (error) {
      await http.close();
      throw error;
    }
  }

  /** Reads all bytes in order, once. Resumes after a lost connection if possible. */
  async *bytes(): AsyncGenerator<Uint8Array> {
    if (this.#all) {
      yield* this.#all;
      return;
    }
    const end = this.size ?? 0;
    let at = 0;
    for (let failures = 0; at < end; ) {
      try {
        for await (const chunk of await this.#body({ start: at, end })) {
          at += chunk.length;
          failures = 0;
          yield chunk;
        }
        if (at < end) throw cutShort(this.path, at, end);
      } catch (error) {
        failures += 1;
        await this.#retryAfter(error, failures);
      }
    }
  }

  /** Reads a range into the buffer. */
  async read(range: Range, buffer: Buffer): Promise<void> {
    const length = range.end - range.start;
    for (let failures = 0; ; ) {
      try {
        let filled = 0;
        for await (const chunk of await this.#body(range)) {
          if (filled + chunk.length > length) throw changed(this.path, 'it sends too much data');
          buffer.set(chunk, filled);
          filled += chunk.length;
        }
        if (filled < length) throw cutShort(this.path, range.start + filled, range.end);
        return;
      } catch (error) {
        failures += 1;
        await this.#retryAfter(error, failures);
      }
    }
  }

  async #body(range: Range): Promise<AsyncIterable<Uint8Array>> {
    const answer = await this.#http.send(requestFor(this.#url, range));
    requireSuccess(this.#url, answer);
    const { status, headers, stream } = answer;
    const validator = headers['etag'] ?? headers['last-modified'] ?? '';
    const contentRange = headers['content-range'];
    if (status !== 206 || contentRange !== `bytes ${range.start}-${range.end - 1}/${this.size}`) {
      throw changed(this.path, 'the server sends another range than before');
    }
    if (validator !== this.validator) throw changed(this.path, 'it has another version');
    return stream ?? empty();
  }

  /** Waits before the next attempt, or throws after the last one. */
  async #retryAfter(error: unknown, failures: number): Promise<void> {
    const { retries, signal } = this.#options;
    if (signal.aborted) throw signal.reason;
    if (!(error instanceof ConnectionError) || failures > retries) throw error;
    await backOff(failures, signal);
  }

  async close(): Promise<void> {
    await this.#http.close();
  }
}

/** Whether an argument is a web address. */
export function isUrl(word: string): boolean {
  return /^https?:\/\//i.test(word);
}

function parseUrl(address: string): URL {
  try {
    const url = new URL(address);
    // Credentials with malformed percent-encoding would fail at the first request.
    decodeURIComponent(url.username + url.password);
    return url;
  } catch {
    throw new UsageError(`${address} is not a valid address`, {
      hint: 'https://host/path/image.qcow2',
    });
  }
}

function requestFor(url: URL, { start, end }: Range) {
  const { username, password } = url;
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return {
    method: 'GET',
    origin: url.origin,
    path: `${url.pathname}${url.search}`,
    headers: {
      range: `bytes=${start}-${end - 1}`,
      'accept-encoding': 'identity',
      ...(username === ''
        ? {}
        : { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` }),
    },
    isStreamed: true,
  };
}

function requireSuccess(url: URL, { status }: HttpResponse): void {
  if (status === 200 || status === 206) return;
  const path = `${url.origin}${url.pathname}`;
  if (status === 416) throw new UsageError(`${path} is empty`, { code: 'empty_file' });
  const context = { code: 'unreadable_file', status };
  if (status >= 500 || status === 429) {
    throw new ConnectionError(`cannot read ${path}: HTTP status ${status}`, {
      ...context,
      retryable: true,
    });
  }
  throw new UsageError(`cannot read ${path}: HTTP status ${status}`, {
    ...context,
    hint: status === 404 ? 'check the address' : 'check its permissions',
  });
}

function cutShort(path: string, at: number, end: number): ConnectionError {
  return new ConnectionError(`cannot read ${path}: the response ended at byte ${at} of ${end}`, {
    code: 'connection_lost',
    retryable: true,
  });
}

function changed(path: string, why: string): VmctlError {
  return new ConflictError(`${path} changed during the upload: ${why}`, {
    code: 'source_changed',
    hint: 'upload it again from the beginning',
  });
}

async function* empty(): AsyncGenerator<Uint8Array> {}
