/** Sending of responses, complete or in chunks, compressed if the client accepts it. */

import type { ServerResponse } from 'node:http';
import { constants, createGzip, gzipSync } from 'node:zlib';
import type { ApiResponse } from '../api/request.ts';

/** The client closed its connection during a request. */
export class ClientGone extends Error {
  readonly address: string;

  constructor(address: string) {
    super('A client disconnected before its request was complete.');
    this.address = address;
  }
}

const interval = 60_000;

/** Log of closed connections, one line per minute at most. */
export class ClientGoneLog {
  readonly #write: (line: string) => void;
  readonly #now: () => number;
  #lastLine = Number.NEGATIVE_INFINITY;
  #untold = 0;

  /** @param now milliseconds of a monotonic clock */
  constructor(write: (line: string) => void, now: () => number) {
    this.#write = write;
    this.#now = now;
  }

  note({ address }: ClientGone): void {
    if (this.#now() - this.#lastLine < interval) {
      this.#untold += 1;
      return;
    }
    const others = this.#untold === 0 ? '' : ` (and ${this.#untold} more since the last line)`;
    // A closed socket has no address.
    const at = address === '' ? '' : ` at ${address}`;
    this.#write(`a client${at} disconnected before its request was complete${others}`);
    this.#lastLine = this.#now();
    this.#untold = 0;
  }
}

/** Fastest level: a response has one client, and is sent while it is encoded. */
const level = constants.Z_BEST_SPEED;

/** Minimum bytes to compress. Fewer fit into one packet. */
const smallestCompressed = 1_024;

/** Maximum bytes to compress synchronously. More would block other clients. */
const maxAtOnce = 64 * 1_024;

/** Whether a client accepts gzip with at least the preference of no compression. */
export function acceptsGzip(acceptEncoding: string | undefined): boolean {
  if (acceptEncoding === undefined) return false;
  const qualities = new Map<string, number>();
  for (const part of acceptEncoding.toLowerCase().split(',')) {
    const [coding = '', ...parameters] = part.split(';').map((word) => word.trim());
    const q = parameters.find((parameter) => /^q\s*=/.test(parameter));
    const quality = q === undefined ? 1 : Number(q.slice(q.indexOf('=') + 1));
    qualities.set(coding, Number.isNaN(quality) ? 0 : quality);
  }
  const gzip = qualities.get('gzip') ?? qualities.get('x-gzip') ?? qualities.get('*') ?? 0;
  return gzip > 0 && gzip >= (qualities.get('identity') ?? 0);
}

/** Compresses a short body synchronously; undefined for a long one. */
function compressedAtOnce(body: string | Uint8Array): Uint8Array | undefined {
  return body.length > maxAtOnce ? undefined : gzipSync(body, { level });
}

/** Compresses the chunks of a body in order, at the speed of the reader. */
async function* compressedPieces(
  pieces: Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>,
): AsyncGenerator<Uint8Array, void, undefined> {
  const gzip = createGzip({ level, chunkSize: maxAtOnce });
  let ready: Uint8Array[] = [];
  gzip.on('data', (chunk: Uint8Array) => {
    ready.push(chunk);
  });
  const taken = () => {
    const chunks = ready;
    ready = [];
    return chunks;
  };
  try {
    for await (const piece of pieces) {
      await new Promise<void>((resolve, reject) => {
        gzip.write(piece, (error) => (error ? reject(error) : resolve()));
      });
      yield* taken();
    }
    const ended = new Promise<void>((resolve, reject) => {
      gzip.once('end', resolve).once('error', reject);
    });
    gzip.end();
    await ended;
    yield* taken();
  } finally {
    gzip.destroy();
  }
}

/** Bytes of a chunk that can have a successor. */
const longPiece = 64 * 2 ** 10;

export interface SendOptions {
  readonly isHead: boolean;
  /** Whether the client accepts gzip. */
  readonly packs: boolean;
  /** Awaited after the response, before the connection closes. */
  readonly linger?: (() => Promise<void>) | undefined;
}
/** Milliseconds of encoding before other requests run. */
const longestTurn = 5;

/** Sends a response. Lists are sent in chunks, as fast as the client reads. */
export async function send(
  response: ServerResponse,
  { status, headers, body }: ApiResponse,
  { isHead, packs, linger }: SendOptions,
): Promise<void> {
  if (response.destroyed) return;
  if (body === undefined || isHead) {
    // A response without content has no length (RFC 9110, section 8.6).
    const length = isHead || status === 204 || status === 304 ? {} : { 'Content-Length': 0 };
    response.writeHead(status, { ...headers, ...length });
    if (linger) response.flushHeaders();
    await linger?.();
    response.end();
    return;
  }
  const vary = headers['Access-Control-Allow-Origin']
    ? 'Accept-Encoding, Origin'
    : 'Accept-Encoding';
  const varying = { ...headers, Vary: vary };
  const packed = { ...varying, 'Content-Encoding': 'gzip' };
  // The first chunk is encoded before the head is sent, so that an error in it becomes a fault.
  const { whole, pieces } =
    typeof body === 'string' ? { whole: body, pieces: [body] } : await begun(body);
  if (whole !== undefined) {
    const length = Buffer.byteLength(whole, 'utf8');
    const short = packs && length >= smallestCompressed ? compressedAtOnce(whole) : undefined;
    if (short || !packs || length < smallestCompressed) {
      const [head, sent] = short ? [packed, short] : [varying, whole];
      response.writeHead(status, { ...head, 'Content-Length': short?.length ?? length });
      if (linger) {
        response.write(sent);
        await linger();
        response.end();
        return;
      }
      // Node sends a string together with its headers, and bytes separately. ASCII is equal in
      // Latin-1, which is faster to write.
      if (typeof sent === 'string') response.end(sent, length === sent.length ? 'latin1' : 'utf8');
      else response.end(sent);
      return;
    }
  }
  response.writeHead(status, packs ? packed : varying);
  let turn = performance.now();
  for await (const piece of packs ? compressedPieces(pieces) : pieces) {
    if (!(await taken(response, piece))) return;
    if (performance.now() - turn < longestTurn) continue;
    // Other requests run before the next chunk.
    await new Promise((resolve) => setImmediate(resolve));
    turn = performance.now();
  }
  await linger?.();
  response.end();
}

type Piece = string | Uint8Array;

/** A body with its first chunk; `whole` if it is the only chunk. */
async function begun(
  body: Iterable<Piece>,
): Promise<{ whole?: Piece; pieces: Iterable<Piece> | AsyncIterable<Piece> }> {
  const pieces = inTurns(body);
  const first = await pieces.next();
  if (first.done) return { whole: '', pieces: [] };
  // A long first chunk has successors, which are encoded after it is sent.
  const second = first.value.length < longPiece ? await pieces.next() : undefined;
  if (second?.done) return { whole: first.value, pieces: [first.value] };
  const made = second ? [first.value, second.value] : [first.value];
  async function* all(): AsyncGenerator<Piece, void, undefined> {
    try {
      yield* made;
      yield* pieces;
    } finally {
      // The generator can hold resources until it is closed.
      await pieces.return();
    }
  }
  return { pieces: all() };
}

/** Chunks of a body. Other requests run at each empty one. */
async function* inTurns(body: Iterable<Piece>): AsyncGenerator<Piece, void, undefined> {
  for (const piece of body) {
    if (piece.length > 0) yield piece;
    else await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Maximum unsent bytes before the next chunk is encoded. */
const maxPending = 4 * longPiece;

/**
 * Writes a chunk, and waits for a slow client. Returns false if the client closed the connection.
 */
function taken(response: ServerResponse, piece: Piece): Promise<boolean> {
  return new Promise((resolve) => {
    const onClose = () => resolve(false);
    response.once('close', onClose);
    const go = (goesOn: boolean) => {
      response.off('close', onClose);
      resolve(goesOn);
    };
    response.write(piece, (error) => go(!error));
    if (response.writableLength < maxPending) go(!response.destroyed);
  });
}
