/** Encoder of objects in memory to bodies. */
import type { Dialect } from '../model/dialect.ts';
import { getPluralTag, getTag } from '../model/index.ts';
import { toRecord } from '../records.ts';
import type { MediaType } from './body.ts';
import { writeJson, writeJsonInPieces } from './json-writer.ts';
import { isLarge } from './member-writer.ts';
import { actionShape, actionsMember, getShape, linkMember, type Shape } from './shape.ts';
import { writeXml, writeXmlInPieces, xmlDeclaration } from './xml-writer.ts';

/** Minimum characters in a chunk of a long list. */
const chunkSize = 64 * 1024;

/** Encodes one object of a type of the model. */
export function encodeObject(
  media: MediaType,
  value: object,
  type: string,
  dialect: Dialect,
): string {
  return encode(media, value, getTag(type), getShape(type), dialect);
}

/**
 * Encodes a large object in pieces, so that other requests run in between. `undefined` if the
 * object is small.
 */
export function encodeLargeObject(
  media: MediaType,
  value: object,
  type: string,
  dialect: Dialect,
): Generator<string, void, undefined> | undefined {
  return isLarge(value) ? largeObject(media, value, type, dialect) : undefined;
}

function* largeObject(media: MediaType, value: object, type: string, dialect: Dialect) {
  if (media === 'application/xml') yield xmlDeclaration;
  yield* itemInPieces(media, value, type, dialect, 0);
}

/**
 * Encodes the request or response body of an action. Members without a value are omitted. `tag` is
 * the root element, because the status of a creation has the same form.
 */
export function encodeAction(
  media: MediaType,
  value: object,
  dialect: Dialect,
  tag: 'action' | 'creation' = 'action',
): string {
  return encode(media, value, tag, actionShape(), dialect);
}

function encode(
  media: MediaType,
  value: object,
  tag: string,
  shape: Shape,
  dialect: Dialect,
): string {
  const fields = toRecord(value);
  return media === 'application/json'
    ? writeJson(fields, shape, dialect)
    : xmlDeclaration + writeXml(fields, tag, shape);
}

/** Members of a collection in addition to its items, such as its actions. */
export interface CollectionExtras {
  readonly actions?: object;
  readonly link?: readonly object[];
}

const extrasShape: Shape = { display: 'Collection', members: [actionsMember, linkMember] };

/** Parts of the body of a collection without its items. */
export interface ListFrame {
  readonly start: string;
  /** Separator of two items. */
  readonly between: string;
  readonly end: string;
  /** Body of an empty collection. */
  readonly empty: string;
}

export function listFrame(
  media: MediaType,
  type: string,
  dialect: Dialect,
  extras: CollectionExtras = {},
  service?: string,
): ListFrame {
  const json = media === 'application/json';
  const beside = encodeExtras(json, extras, dialect);
  if (json) {
    const start = `{${beside}"${getTag(type)}":[`;
    const { jsonEmptyListsBare, jsonNamedEmptyLists } = dialect;
    const isNamed = !jsonEmptyListsBare || jsonNamedEmptyLists.has(service ?? '');
    const empty = isNamed ? `${start}]}` : `{${beside.slice(0, -1)}}`;
    return { start, between: ',', end: ']}', empty };
  }
  const plural = getPluralTag(type);
  const start = `${xmlDeclaration}<${plural}>\n${beside}`;
  const end = `</${plural}>\n`;
  const empty = beside === '' ? `${xmlDeclaration}<${plural}/>\n` : start + end;
  return { start, between: '', end, empty };
}

/** Encoded items of a collection without the frame, in chunks of about 64 KiB. */
export function* encodeRuns(
  media: MediaType,
  items: Iterable<object>,
  type: string,
  dialect: Dialect,
): Generator<string, void, undefined> {
  const shape = getShape(type);
  const json = media === 'application/json';
  const tag = getTag(type);
  let run = '';
  for (const item of items) {
    const fields = toRecord(item);
    run += json
      ? (run === '' ? '' : ',') + writeJson(fields, shape, dialect)
      : writeXml(fields, tag, shape, 1);
    if (run.length >= chunkSize) {
      yield run;
      run = '';
    }
  }
  if (run !== '') yield run;
}

/** One encoded item of a collection, in pieces. Its size does not matter. */
export function* encodeItem(
  media: MediaType,
  item: object,
  type: string,
  dialect: Dialect,
): Generator<string, void, undefined> {
  if (isLarge(item)) yield* itemInPieces(media, item, type, dialect, 1);
  else yield* encodeRuns(media, [item], type, dialect);
}

function itemInPieces(
  media: MediaType,
  item: object,
  type: string,
  dialect: Dialect,
  depth: number,
): Generator<string, void, undefined> {
  const fields = toRecord(item);
  const shape = getShape(type);
  return media === 'application/json'
    ? writeJsonInPieces(fields, shape, dialect)
    : writeXmlInPieces(fields, getTag(type), shape, depth);
}

/**
 * Encodes a collection in chunks of about 64 KiB. Memory does not depend on the length of the list.
 */
export function* encodeListChunks(
  media: MediaType,
  items: Iterable<object>,
  type: string,
  dialect: Dialect,
  extras: CollectionExtras = {},
): Generator<string, void, undefined> {
  const { start, between, end, empty } = listFrame(media, type, dialect, extras);
  let before = start;
  for (const run of encodeRuns(media, items, type, dialect)) {
    yield before + run;
    before = between;
  }
  yield before === start ? empty : end;
}

/** The extras without the enclosing object or element. */
function encodeExtras(json: boolean, extras: CollectionExtras, dialect: Dialect): string {
  const fields = { ...extras };
  if (Object.values(fields).every((value) => value === undefined)) return '';
  if (json) return `${writeJson(fields, extrasShape, dialect).slice(1, -1)},`;
  const [, ...lines] = writeXml(fields, 'extras', extrasShape).split('\n');
  return `${lines.slice(0, -2).join('\n')}\n`;
}

/** Encodes a collection as one text. */
export function encodeList(
  media: MediaType,
  items: Iterable<object>,
  type: string,
  dialect: Dialect,
  extras: CollectionExtras = {},
): string {
  return [...encodeListChunks(media, items, type, dialect, extras)].join('');
}
