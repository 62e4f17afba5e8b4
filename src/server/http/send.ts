/** Sending of answers: whole or in pieces, compressed or not. */
import type { ServerResponse } from 'node:http';
import type { ApiResponse } from '../api/request.ts';
import { compressedAtOnce, compressedPieces, smallestCompressed } from './compression.ts';

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
const longestTurn = 10;

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
      if (typeof sent === 'string') response.end(sent, 'utf8');
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
  async function* all(): AsyncGenerator<Piece, void, undefined> {
    try {
      yield first.value as Piece;
      if (second) yield second.value as Piece;
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
const mostPending = 4 * longPiece;

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
    if (response.writableLength < mostPending) go(!response.destroyed);
  });
}
