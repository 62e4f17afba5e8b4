/** Encoding of responses: status, headers and body. Long lists are encoded in chunks. */
import type { Dialect } from '../../model/dialect.ts';
import {
  type CollectionExtras,
  encodeAction,
  encodeFault,
  encodeItem,
  encodeLargeObject,
  encodeObject,
  listFrame,
  type MediaType,
} from '../../wire/index.ts';
import type { Answer, ListPart } from '../api/call.ts';
import type { ApiResponse } from '../api/request.ts';
import type { Refusal } from '../core/fault.ts';

/** Minimum bytes of a chunk. Each chunk costs a write and a TLS record. */
const pieceSize = 64 * 1024;

/** Milliseconds after which an incomplete chunk is sent, so that other requests run. */
const longestSlice = 10;

export interface List {
  readonly type: string;
  /** Path template of the list. */
  readonly service?: string;
  readonly parts: readonly ListPart[];
  readonly extras: CollectionExtras;
}

/** Empty chunk: other requests can run. */
const pause = new Uint8Array(0);

/** Encodes a list in chunks of about 64 KiB, each on demand. */
export function listBody(
  media: MediaType,
  list: List,
  dialect: Dialect,
): Generator<Uint8Array, void, undefined> {
  return inPieces(runsOf(media, list, dialect));
}

/** Body of an object that consists of many texts. */
export function objectBody(texts: Iterable<string>): Generator<Uint8Array, void, undefined> {
  return inPieces(gathered(texts));
}

/** Joins smaller runs to chunks of about 64 KiB. Other requests can run after an empty chunk. */
function* inPieces(runs: Iterable<Uint8Array>): Generator<Uint8Array, void, undefined> {
  let piece: Uint8Array[] = [];
  let size = 0;
  let began = performance.now();
  for (const run of runs) {
    if (run === pause) {
      if (performance.now() - began < longestSlice) continue;
      yield pause;
      began = performance.now();
      continue;
    }
    piece.push(run);
    size += run.length;
    if (size < pieceSize && performance.now() - began < longestSlice) continue;
    yield joined(piece);
    piece = [];
    size = 0;
    began = performance.now();
  }
  if (size > 0) yield joined(piece);
}

/** Joins runs. A single run is not copied. */
function joined(runs: readonly Uint8Array[]): Uint8Array {
  const [only] = runs;
  return only && runs.length === 1 ? only : Buffer.concat(runs);
}

function* runsOf(
  media: MediaType,
  { type, service, parts, extras }: List,
  dialect: Dialect,
): Generator<Uint8Array, void, undefined> {
  const { start, between, end, empty } = listFrame(media, type, dialect, extras, service);
  let before = start;
  let run = '';
  for (const { objects } of parts) {
    for (const object of objects(media)) {
      if (object === undefined) {
        yield pause;
        continue;
      }
      run += before;
      before = between;
      if (typeof object === 'string') {
        run += object;
        if (run.length < pieceSize) continue;
        yield encodeText(run);
      } else yield* gathered(continued(run, encodeItem(media, object, type, dialect)));
      run = '';
    }
  }
  yield encodeText(run + (before === start ? empty : end));
}

function* continued(start: string, texts: Iterable<string>): Generator<string, void, undefined> {
  yield start;
  yield* texts;
}

/** Characters that are encoded as one run. */
const runSize = 16 * 1024;

/** Encodes texts, many of them short, as runs of bytes. */
function* gathered(texts: Iterable<string>): Generator<Uint8Array, void, undefined> {
  let run = '';
  for (const text of texts) {
    run += text;
    if (run.length < runSize) continue;
    yield encodeText(run);
    run = '';
  }
  if (run !== '') yield encodeText(run);
}

const encoder = new TextEncoder();

/**
 * Encodes a concatenated text in one pass, without the measurement that `Buffer.from` makes first.
 * Text that is not ASCII can need a second run.
 */
function encodeText(text: string): Uint8Array {
  const pieces: Uint8Array[] = [];
  for (let rest = text; rest !== ''; ) {
    const bytes = Buffer.allocUnsafeSlow(rest.length + 3);
    const { read, written } = encoder.encodeInto(rest, bytes);
    pieces.push(bytes.subarray(0, written));
    rest = read === rest.length ? '' : rest.slice(read);
  }
  return joined(pieces);
}

/** Encodes a response, without a body for HEAD. */
export function encodeAnswer(
  dialect: Dialect,
  media: MediaType,
  answer: Answer,
  head: boolean,
): ApiResponse {
  const headers: Record<string, string> = { ...answer.headers };
  if (answer.form === 'empty') return { status: answer.status, headers };
  if (answer.form === 'file') {
    const { content } = answer;
    const body = typeof content === 'string' ? content : [content];
    return { status: answer.status, headers: { ...headers, 'Content-Type': answer.media }, body };
  }
  headers['Content-Type'] = contentType(media);
  if (head) return { status: answer.status, headers };
  return { status: answer.status, headers, body: encodeAnswerBody(dialect, media, answer) };
}

function encodeAnswerBody(
  dialect: Dialect,
  media: MediaType,
  answer: Exclude<Answer, { form: 'empty' | 'file' }>,
): string | Iterable<Uint8Array> {
  switch (answer.form) {
    case 'object': {
      const { object, type } = answer;
      const texts = encodeLargeObject(media, object, type, dialect);
      return texts ? objectBody(texts) : encodeObject(media, object, type, dialect);
    }
    case 'text':
      return answer.text(media);
    case 'list':
      return listBody(media, answer, dialect);
    case 'action':
    case 'creation':
      return encodeAction(media, answer.action, dialect, answer.form);
  }
}

/** Encodes a refusal as a fault document in the accepted format. */
export function faultResponse(
  dialect: Dialect,
  media: MediaType,
  refusal: Refusal,
  headers: Readonly<Record<string, string>> = {},
): ApiResponse {
  const fault = {
    reason: refusal.reason,
    ...(refusal.detail === undefined ? {} : { detail: refusal.detail }),
  };
  return {
    status: refusal.status,
    headers: { 'Content-Type': contentType(media), ...refusal.headers, ...headers },
    body: encodeFault(media, fault, dialect),
  };
}

function contentType(media: MediaType): string {
  return media === 'application/xml' ? 'application/xml;charset=UTF-8' : media;
}
