/** The body of a list: its parts one after the other, as bytes. */
import type { Dialect } from '../../model/dialect.ts';
import { type CollectionExtras, encodeRuns, listFrame, type MediaType } from '../../wire/index.ts';
import type { ListPart } from '../api/call.ts';
import type { ListCache } from '../api/list-cache.ts';

/** Bytes of a piece, at least: every piece costs a write, and a record of TLS. */
const pieceSize = 64 * 1024;

/** Milliseconds after which a piece is sent as it is: others wait meanwhile. */
const longestSlice = 10;

export interface List {
  readonly type: string;
  readonly parts: readonly ListPart[];
  readonly extras: CollectionExtras;
}

/** What is yielded instead of a piece where others may have a turn. */
const pause = new Uint8Array(0);

/**
 * The body in pieces of about 64 KiB, each made when it is asked for. An empty piece says that others
 * may have a turn before the next one.
 */
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
    if (run === pause) {
      if (performance.now() - began < longestSlice) continue;
      yield pause;
      began = performance.now();
      continue;
    }
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
          if (!object) {
            yield pause;
            continue;
          }
          for (const text of encodeRuns(media, [object], type, dialect)) yield bytesOf(text);
        }
        continue;
      }
      const texts = () => encodeRuns(media, present(objects()), type, dialect);
      const run = cache.part(`${media} ${key}`, () => bytesOf([...texts()].join(between)));
      if (run.length > 0) yield run;
    }
  }
}

function* present<T>(some: Iterable<T | undefined>): Generator<T> {
  for (const one of some) if (one !== undefined) yield one;
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
