/** Writer of objects as XML, as one text or in pieces, with one cached writer for each shape. */
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
import { dateText, decimalText, integerText } from './scalars.ts';
import type { ListContent, Member, ObjectContent, ScalarContent, Shape } from './shape.ts';
import { escapeAttribute, escapeText } from './xml-characters.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Writes a member with the indentation of its depth and a line end. */
type WriteMember = (value: unknown, depth: number) => string;

interface Writer {
  readonly write: WriteMember;
  /** The same text in pieces; a large value gives short pieces. */
  readonly pieces: (value: unknown, depth: number) => Pieces;
}

/** Writes a member of an object as an attribute of its element. */
interface AttributeWriter {
  readonly name: string;
  readonly write: (value: unknown) => string | undefined;
}

interface ObjectWriter {
  readonly write: (fields: Fields, tag: string, depth: number) => string;
  readonly pieces: (fields: Fields, tag: string, depth: number) => Pieces;
}

type Text = (value: unknown) => string | undefined;

export const xmlDeclaration = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';

/** Writes one object as an element with a line end. */
export function writeXml(value: Fields, tag: string, shape: Shape, depth = 0): string {
  return getWriter(shape).write(value, tag, depth);
}

/** Writes the same text in pieces, for objects of any size. */
export function writeXmlInPieces(value: Fields, tag: string, shape: Shape, depth = 0): Pieces {
  return getWriter(shape).pieces(value, tag, depth);
}

const pads = Array.from({ length: 8 }, (_, depth) => '    '.repeat(depth));

function pad(depth: number): string {
  return pads[depth] ?? '    '.repeat(depth);
}

const writers = new WeakMap<Shape, ObjectWriter>();

function getWriter(shape: Shape): ObjectWriter {
  let writer = writers.get(shape);
  if (!writer) {
    writer = makeWriter(shape);
    writers.set(shape, writer);
  }
  return writer;
}

function makeWriter({ members }: Shape): ObjectWriter {
  const attributes = members.filter((member) => member.attribute).map(attributeWriter);
  const writers = members
    .filter((member) => !member.attribute)
    .map((member) => ({ name: member.name, ...memberWriter(member) }));
  const elements = membersWriter(writers, '');
  const elementsInPieces = membersInPieces(writers, '');
  const opened = (fields: Fields, tag: string, depth: number) => {
    let open = `${pad(depth)}<${tag}`;
    for (const { name, write } of attributes) {
      const value = fields[name];
      if (value !== undefined && value !== null) open += write(value) ?? '';
    }
    return open;
  };
  return {
    write(fields, tag, depth) {
      const open = opened(fields, tag, depth);
      const inner = elements(fields, depth + 1);
      return inner === '' ? `${open}/>\n` : `${open}>\n${inner}${pad(depth)}</${tag}>\n`;
    },
    pieces: (fields, tag, depth) =>
      enclosed(opened(fields, tag, depth), elementsInPieces(fields, depth + 1), tag, depth),
  };
}

function attributeWriter({ name, wire, content }: Member): AttributeWriter {
  const start = ` ${wire}="`;
  const text = content.form === 'scalar' ? getFormatter(content) : String;
  return {
    name,
    write: (value) => {
      const written = text(value);
      return written === undefined ? undefined : `${start}${escapeAttribute(written)}"`;
    },
  };
}

/**
 * Encloses pieces in an element. `open` is the start tag without `>`; without pieces it becomes an
 * empty-element tag.
 */
function* enclosed(open: string, inner: Pieces, tag: string, depth: number): Pieces {
  let start = `${open}>\n`;
  for (const piece of inner) {
    yield start + piece;
    start = '';
  }
  yield start === '' ? `${pad(depth)}</${tag}>\n` : `${open}/>\n`;
}

function memberWriter({ wire, content }: Member): Writer {
  return content.form === 'list' ? listWriter(wire, content) : singleWriter(wire, content);
}

function singleWriter(tag: string, content: ScalarContent | ObjectContent): Writer {
  if (content.form === 'object') return objectWriter(tag, content);
  const write = scalarWriter(tag, content);
  return { write, pieces: (value, depth) => one(write(value, depth)) };
}

function scalarWriter(tag: string, content: ScalarContent): WriteMember {
  const text = getFormatter(content);
  const escaped = content.kind === 'string' || content.kind === 'enum' || content.kind === 'date';
  const starts = pads.map((space) => `${space}<${tag}>`);
  const end = `</${tag}>\n`;
  return (value, depth) => {
    const written = text(value);
    if (written === undefined) return '';
    const start = starts[depth] ?? `${pad(depth)}<${tag}>`;
    return start + (escaped ? escapeText(written) : written) + end;
  };
}

function objectWriter(tag: string, content: ObjectContent): Writer {
  let writer: ObjectWriter | undefined;
  const known = () => {
    writer ??= getWriter(content.shape());
    return writer;
  };
  return {
    write: (value, depth) => known().write(toRecord(value), tag, depth),
    pieces: (value, depth) => known().pieces(toRecord(value), tag, depth),
  };
}

function listWriter(tag: string, { item, wrapped, of }: ListContent): Writer {
  const { write, pieces } = singleWriter(item, of);
  function* itemsInPieces(items: Iterable<unknown>, depth: number): Pieces {
    for (const item of items) {
      yield* isLarge(item) ? pieces(item, depth) : one(write(item, depth));
    }
  }
  return {
    write(value, depth) {
      if (value instanceof LinkList) return value.xml(pad(depth));
      let items = '';
      const itemDepth = wrapped ? depth + 1 : depth;
      for (const one of getItems(value)) items += write(one, itemDepth);
      if (!wrapped) return items;
      return items === ''
        ? `${pad(depth)}<${tag}/>\n`
        : `${pad(depth)}<${tag}>\n${items}${pad(depth)}</${tag}>\n`;
    },
    pieces(value, depth) {
      const items = getItems(value);
      if (!wrapped) return itemsInPieces(items, depth);
      return enclosed(`${pad(depth)}<${tag}`, itemsInPieces(items, depth + 1), tag, depth);
    },
  };
}

function getFormatter({ kind }: ScalarContent): Text {
  switch (kind) {
    case 'int':
    case 'long':
      return integerText;
    case 'decimal':
      return decimalText;
    case 'date':
      return dateText;
    default:
      return String;
  }
}
