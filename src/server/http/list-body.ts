/** The body of a list: its parts one after the other, as bytes. */
import type { Dialect } from '../../model/dialect.ts';
import { type CollectionExtras, encodeRuns, listFrame, type MediaType } from '../../wire/index.ts';
import type { ListPart } from './call.ts';
import type { ListCache } from './list-cache.ts';

/** Bytes of a piece, at least: every piece costs a write, and a record of TLS. */
const pieceSize = 64 * 1024;

/** Milliseconds after which a piece is sent as it is: others wait meanwhile. */
const longestSlice = 10;

export interface List {
  readonly type: string;
  readonly parts: readonly ListPart[];
  readonly extras: CollectionExtras;
}

/** The body in pieces of about 64 KiB, each made when it is asked for. */
export function* listBody(
  media: MediaType,
  { type, parts, extras }: List,
  dialect: Dialect,
  cache: ListCache,
): Generator<Uint8Array, void, undefined> {
  const { start, between, end, empty } = listFrame(media, type, dialect, extras);
  let piece: Uint8Array[] = [];
  let size = 0;
  let before = start;
  let began = performance.now();
  for (const run of runs()) {
    if (before !== '') piece.push(bytesOf(before));
    piece.push(run);
    size += before.length + run.length;
    before = between;
    if (size < pieceSize && performance.now() - began < longestSlice) continue;
    yield Buffer.concat(piece);
    piece = [];
    size = 0;
    began = performance.now();
  }
  yield Buffer.concat([...piece, bytesOf(before === start ? empty : end)]);

  function* runs(): Generator<Uint8Array> {
    for (const { key, objects } of parts) {
      if (key === undefined) {
        // Each may bring much along, and take its time.
        for (const object of objects()) {
          for (const text of encodeRuns(media, [object], type, dialect)) yield bytesOf(text);
        }
        continue;
      }
      const texts = () => encodeRuns(media, objects(), type, dialect);
      const run = cache.part(`${media} ${key}`, () => bytesOf([...texts()].join(between)));
      if (run.length > 0) yield run;
    }
  }
}

const encoder = new TextEncoder();

/**
 * The bytes of a text that was put together of many: encoded in one go, where Buffer would measure
 * it before. Nearly all of it is ASCII; where it is not, there is a second piece.
 */
function bytesOf(text: string): Uint8Array {
  const pieces: Uint8Array[] = [];
  for (let rest = text; rest !== ''; ) {
    const bytes = Buffer.allocUnsafeSlow(rest.length + 3);
    const { read, written } = encoder.encodeInto(rest, bytes);
    pieces.push(bytes.subarray(0, written));
    rest = read === rest.length ? '' : rest.slice(read);
  }
  const [only] = pieces;
  return only && pieces.length === 1 ? only : Buffer.concat(pieces);
}
