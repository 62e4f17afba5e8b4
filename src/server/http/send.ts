/** Sending of answers: whole or in pieces, compressed where the client accepts it. */

import type { ServerResponse } from 'node:http';
import { constants, createGzip, gzipSync } from 'node:zlib';
import type { ApiResponse } from '../api/request.ts';

/** The client broke its connection off in the middle of a request. */
export class ClientGone extends Error {
  readonly address: string;

  constructor(address: string) {
    super('A client disconnected before its request was complete.');
    this.address = address;
  }
}

const interval = 60_000;

/** Tells of clients that went away in one line, at most once a minute. */
export class ClientGoneLog {
  readonly #write: (line: string) => void;
  readonly #now: () => number;
  #lastLine = Number.NEGATIVE_INFINITY;
  #untold = 0;

  /** @param now milliseconds of a clock that never goes back */
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
    // A socket that is closed already has no address.
    const at = address === '' ? '' : ` at ${address}`;
    this.#write(`a client${at} disconnected before its request was complete${others}`);
    this.#lastLine = this.#now();
    this.#untold = 0;
  }
}

/** The fastest level: answers are made for one client, and sent while they are made. */
const level = constants.Z_BEST_SPEED;

/** Bytes from which on it makes sense: less fits into one packet anyhow. */
const smallestCompressed = 1_024;

/** Bytes that are compressed at once; more would keep the other clients waiting. */
const maxAtOnce = 64 * 1_024;

/** Whether a client takes gzip, and likes it at least as well as no compression. */
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

/** A body that is short enough to be compressed at once; undefined for others. */
function compressedAtOnce(body: string | Uint8Array): Uint8Array | undefined {
  return body.length > maxAtOnce ? undefined : gzipSync(body, { level });
}

/** The pieces of a body, compressed one after the other, no faster than they are taken. */
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

/** Bytes of a piece behind which there may be more. */
const longPiece = 64 * 2 ** 10;

export interface SendOptions {
  readonly isHead: boolean;
  /** The client takes gzip. */
  readonly packs: boolean;
  /** What is awaited behind the answer, before the connection ends. */
  readonly linger?: (() => Promise<void>) | undefined;
}
/** Milliseconds that pieces are made and sent for, one after the other. */
const longestTurn = 5;

/** Writes a response; lists in pieces, no faster than the client reads. */
export async function send(
  response: ServerResponse,
  { status, headers, body }: ApiResponse,
  { isHead, packs, linger }: SendOptions,
): Promise<void> {
  if (response.destroyed) return;
  if (body === undefined || isHead) {
    // An answer without content has no length either (RFC 9110, section 8.6).
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
  // Whatever is made first is made before the head is sent, so that what goes wrong there is a fault.
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
      // A text leaves in one piece with its headers; bytes would be a second one.
      // ASCII is the same in Latin-1, which costs less to write.
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
    // Whoever else asks for something has a turn before the next piece is made.
    await new Promise((resolve) => setImmediate(resolve));
    turn = performance.now();
  }
  await linger?.();
  response.end();
}

type Piece = string | Uint8Array;

/** A body in pieces of which the first is made; `whole` where it is the only one. */
async function begun(
  body: Iterable<Piece>,
): Promise<{ whole?: Piece; pieces: Iterable<Piece> | AsyncIterable<Piece> }> {
  const pieces = inTurns(body);
  const first = await pieces.next();
  if (first.done) return { whole: '', pieces: [] };
  // What is long has more to come, which is made when the first is sent.
  const second = first.value.length < longPiece ? await pieces.next() : undefined;
  if (second?.done) return { whole: first.value, pieces: [first.value] };
  const made = second ? [first.value, second.value] : [first.value];
  async function* all(): AsyncGenerator<Piece, void, undefined> {
    try {
      yield* made;
      yield* pieces;
    } finally {
      // Whoever made them may keep something for as long as they are read.
      await pieces.return();
    }
  }
  return { pieces: all() };
}

/** The pieces of a body, with a turn for everybody else wherever there is an empty one. */
async function* inTurns(body: Iterable<Piece>): AsyncGenerator<Piece, void, undefined> {
  for (const piece of body) {
    if (piece.length > 0) yield piece;
    else await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Bytes that may wait to be sent while the next piece is made. */
const maxPending = 4 * longPiece;

/** Writes a piece, and waits where the client is slow; false when it went away. */
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
