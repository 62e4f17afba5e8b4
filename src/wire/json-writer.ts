/**
 * Writer of objects as JSON, as one text or in pieces, with one cached writer for each shape and
 * style.
 */
import type { Dialect } from '../model/dialect.ts';
import { toRecord } from '../records.ts';
import { LinkList } from './links.ts';
import {
  getItems,
  isLarge,
  membersInPieces,
  membersWriter,
  one,
  type Pieces,
} from './member-writer.ts';
import { dateText, integerText } from './scalars.ts';
import type { ListContent, Member, ObjectContent, ScalarContent, Shape } from './shape.ts';

type Fields = Readonly<Record<string, unknown>>;
type Write = (value: unknown) => string | undefined;

interface Writer {
  readonly write: Write;
  /** The same text in pieces; a large value gives short pieces. */
  readonly pieces: (value: unknown) => Pieces;
}

/** Spelling of plain values in a dialect. */
type Style = Pick<Dialect, 'jsonScalarsAsStrings' | 'jsonDatesAsMillis' | 'jsonBareElements'>;

/** Writes one object without a wrapper. */
export function writeJson(value: Fields, shape: Shape, style: Style): string {
  return getWriter(shape, style).write(value);
}

/** Writes the same text in pieces, for objects of any size. */
export function writeJsonInPieces(value: Fields, shape: Shape, style: Style): Pieces {
  return getWriter(shape, style).pieces(value);
}

interface ObjectWriter {
  readonly write: (fields: Fields) => string;
  readonly pieces: (fields: Fields) => Pieces;
}

const writers = new WeakMap<Style, WeakMap<Shape, ObjectWriter>>();

function getWriter(shape: Shape, style: Style): ObjectWriter {
  let styled = writers.get(style);
  if (!styled) {
    styled = new WeakMap();
    writers.set(style, styled);
  }
  let writer = styled.get(shape);
  if (!writer) {
    writer = makeWriter(shape, style);
    styled.set(shape, writer);
  }
  return writer;
}

function makeWriter({ members, jsonMembers = members }: Shape, style: Style): ObjectWriter {
  const writers = jsonMembers.map((member) => {
    const key = `${JSON.stringify(member.wire)}:`;
    const value = memberWriter(member, style);
    return {
      name: member.name,
      write: (content: unknown) => {
        const written = value.write(content);
        return written === undefined ? undefined : key + written;
      },
      pieces: (content: unknown) => enclosed(key, value.pieces(content), ''),
    };
  });
  const write = membersWriter(writers, ',');
  const pieces = membersInPieces(writers, ',');
  return {
    write: (fields) => `{${write(fields, 0)}}`,
    pieces: (fields) => enclosed('{', pieces(fields, 0), '}'),
  };
}

function* enclosed(start: string, pieces: Pieces, end: string): Pieces {
  yield start;
  yield* pieces;
  if (end !== '') yield end;
}

function memberWriter({ content }: Member, style: Style): Writer {
  return content.form === 'list' ? listWriter(content, style) : singleWriter(content, style);
}

function singleWriter(content: ScalarContent | ObjectContent, style: Style): Writer {
  if (content.form === 'object') return objectWriter(content, style);
  const write = scalarWriter(content, style);
  return { write, pieces: (value) => one(write(value)) };
}

function objectWriter(content: ObjectContent, style: Style): Writer {
  let writer: ObjectWriter | undefined;
  const known = () => {
    writer ??= getWriter(content.shape(), style);
    return writer;
  };
  return {
    write: (value) => known().write(toRecord(value)),
    pieces: (value) => known().pieces(toRecord(value)),
  };
}

function listWriter({ item, wrapped, of }: ListContent, style: Style): Writer {
  const items = singleWriter(of, style);
  const [open, close] = wrapped ? [`{${JSON.stringify(item)}:[`, ']}'] : ['[', ']'];
  const empty = wrapped && style.jsonBareElements.has(item) ? '{}' : open + close;
  return {
    write: (value) => {
      if (value instanceof LinkList) return value.json();
      const texts: string[] = [];
      for (const one of getItems(value)) {
        const written = items.write(one);
        if (written !== undefined) texts.push(written);
      }
      return texts.length === 0 ? empty : open + texts.join() + close;
    },
    pieces: (value) => enclosed(open, itemsInPieces(items, getItems(value)), close),
  };
}

function* itemsInPieces({ write, pieces }: Writer, items: Iterable<unknown>): Pieces {
  let before = '';
  for (const item of items) {
    let start = before;
    for (const piece of isLarge(item) ? pieces(item) : one(write(item))) {
      yield start + piece;
      start = '';
      before = ',';
    }
  }
}

function scalarWriter({ kind }: ScalarContent, style: Style): Write {
  switch (kind) {
    case 'int':
    case 'long':
      return style.jsonScalarsAsStrings ? quotedInteger : integerText;
    case 'bool':
      return style.jsonScalarsAsStrings ? (value) => `"${value}"` : String;
    case 'decimal':
      return (value) => (Number.isFinite(value) ? String(value) : undefined);
    case 'date':
      return style.jsonDatesAsMillis ? millisText : (value) => quote(dateText(value));
    default:
      return (value) => quote(String(value));
  }
}

function quotedInteger(value: unknown): string | undefined {
  const text = integerText(value);
  return text === undefined ? undefined : `"${text}"`;
}

function millisText(value: unknown): string {
  const millis = Date.parse(String(value));
  return Number.isNaN(millis) ? quote(String(value)) : String(millis);
}

/** Most texts are ids, names and addresses, which contain no escapes. */
const plainText = /^[ !#-[\]-~]*$/;

/** Quotes a string. An unpaired surrogate becomes U+FFFD, because readers may refuse it. */
function quote(text: string): string {
  if (plainText.test(text)) return `"${text}"`;
  const quoted = JSON.stringify(text);
  return quoted.includes('\\ud')
    ? JSON.stringify(text.replace(/\p{Surrogate}/gu, '\ufffd'))
    : quoted;
}
