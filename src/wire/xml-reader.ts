/**
 * Reader of objects from XML, with one cached reader for each shape. It skips unknown attributes,
 * in requests too, because generated clients send `href`, `id` and `rel` in any element.
 */
import type { DecodeOptions } from './body.ts';
import { type ReadPosition, type ReadScalar, scalarReader } from './scalars.ts';
import type { Member, ObjectContent, ScalarContent, Shape } from './shape.ts';
import { registerName } from './xml-characters.ts';
import { XmlCursor } from './xml-cursor.ts';

/** Reads the current element of the cursor. Consumes its end tag. */
type ReadElement = (cursor: XmlCursor) => unknown;

type Fields = Record<string, unknown>;

type Unknown = DecodeOptions['unknown'];

interface MemberReader {
  readonly member: Member;
  readonly read: ReadElement;
  /** Present for members that may be attributes. */
  readonly readAttribute?: ReadScalar;
}

interface ObjectReader {
  readonly members: ReadonlyMap<string, MemberReader>;
  readonly read: (cursor: XmlCursor) => Fields;
}

/** Reads a document whose root element is one object. */
export function readXml(text: string, root: string, shape: Shape, unknown: Unknown): Fields {
  const cursor = open(text, root, unknown);
  const value = objectReader(shape).read(cursor);
  cursor.end();
  return value;
}

/** Members of a collection in addition to its items. */
const collectionMembers: ReadonlySet<string> = new Set([
  'actions',
  'link',
  'size',
  'total',
  'active',
]);

/** Reads a document whose root element holds objects. */
export function readXmlList(
  text: string,
  root: string,
  item: string,
  shape: Shape,
  unknown: Unknown,
): Fields[] {
  const cursor = open(text, root, unknown);
  const { read } = objectReader(shape);
  const items: Fields[] = [];
  while (cursor.nextChild()) {
    if (cursor.name === item) items.push(read(cursor));
    else if (cursor.skipsUnknown || collectionMembers.has(cursor.name)) cursor.skip();
    else cursor.refuse(`unknown element, expected <${item}>`);
  }
  cursor.end();
  return items;
}

/** Name of the root element. Throws if the document has none. */
export function readRootName(text: string): string {
  const cursor = new XmlCursor(text, 'skip');
  cursor.root();
  return cursor.name;
}

function open(text: string, root: string, unknown: Unknown): XmlCursor {
  const cursor = new XmlCursor(text, unknown);
  cursor.root();
  if (cursor.name !== root) {
    cursor.refuse(`expected the root element <${root}>`);
  }
  return cursor;
}

const readers = new WeakMap<Shape, ObjectReader>();

function objectReader(shape: Shape): ObjectReader {
  let reader = readers.get(shape);
  if (!reader) {
    reader = makeObjectReader(shape);
    readers.set(shape, reader);
  }
  return reader;
}

function makeObjectReader(shape: Shape): ObjectReader {
  const members = new Map<string, MemberReader>();
  for (const member of shape.members) {
    const { attribute, content } = member;
    const reader = {
      member,
      read: memberReader(member),
      ...(attribute && content.form === 'scalar' ? { readAttribute: scalarReader(content) } : {}),
    };
    for (const name of [member.name, member.wire]) {
      registerName(name);
      members.set(name, reader);
    }
  }
  const read = (cursor: XmlCursor): Fields => {
    const fields: Fields = {};
    if (cursor.attributeEnd > 0) readAttributes(cursor, members, fields);
    while (cursor.nextChild()) {
      const found = members.get(cursor.name);
      if (!found || (skipsElements(cursor) && found.member.attribute)) {
        if (cursor.skipsUnknown) cursor.skip();
        else if (!isLinkSentBack(cursor, shape)) {
          cursor.refuse(`unknown element, ${shape.display} has no such member`);
        }
        continue;
      }
      const { name } = found.member;
      const before = fields[name];
      const repeats = isRepeated(found.member);
      if (before !== undefined && !cursor.tolerant && !repeats) {
        cursor.refuse('duplicate member');
      }
      const value = found.read(cursor);
      if (value === undefined) continue;
      if (repeats && Array.isArray(before) && Array.isArray(value)) before.push(...value);
      else fields[name] = value;
    }
    return fields;
  };
  return { members, read };
}

/** Whether the document is read as a deployed engine reads it: there, `<id>` is an unknown element. */
function skipsElements({ skipsUnknown, tolerant }: XmlCursor): boolean {
  return skipsUnknown && !tolerant;
}

/** Links are repeated without an enclosing element. */
function isRepeated({ content }: Member): boolean {
  return content.form === 'list' && !content.wrapped;
}

function readAttributes(
  cursor: XmlCursor,
  members: ReadonlyMap<string, MemberReader>,
  fields: Fields,
): void {
  for (let i = 0; i < cursor.attributeEnd; i += 2) {
    const name = cursor.attributes[i] ?? '';
    const read = members.get(name)?.readAttribute;
    if (read) {
      const place: ReadPosition = {
        tolerant: cursor.tolerant,
        path: () => `${cursor.path()}.${name}`,
        source: () => cursor.source(),
      };
      const value = read(cursor.attributes[i + 1] ?? '', place);
      if (value !== undefined) fields[name] = value;
    }
  }
}

function hasHref({ attributes, attributeEnd }: XmlCursor): boolean {
  for (let i = 0; i < attributeEnd; i += 2) if (attributes[i] === 'href') return true;
  return false;
}

/**
 * Whether the element is a link that a generated client sends back after reading: an empty element
 * with an address. It is ignored.
 */
function isLinkSentBack(cursor: XmlCursor, { links }: Shape): boolean {
  return (
    links !== undefined &&
    hasHref(cursor) &&
    links().has(cursor.name.replaceAll('_', '')) &&
    !cursor.nextChild()
  );
}

function memberReader({ content }: Member): ReadElement {
  if (content.form !== 'list') return contentReader(content);
  const readItem = contentReader(content.of);
  const { item, wrapped } = content;
  registerName(item);
  if (!wrapped) return (cursor) => [readItem(cursor)];
  return (cursor) => {
    // Generated clients send back each link that they have read as a list with only an address.
    // This does not mean an empty list.
    const sentBack = cursor.attributeEnd > 0 && hasHref(cursor);
    const items: unknown[] = [];
    while (cursor.nextChild()) {
      if (cursor.name === item) {
        const value = readItem(cursor);
        if (value !== undefined) items.push(value);
      } else if (cursor.skipsUnknown) cursor.skip();
      else cursor.refuse(`unknown element, expected <${item}>`);
    }
    return sentBack && items.length === 0 ? undefined : items;
  };
}

function contentReader(content: ScalarContent | ObjectContent): ReadElement {
  if (content.form === 'scalar') {
    const read = scalarReader(content);
    return (cursor) => read(cursor.content(), cursor.justRead);
  }
  let reader: ObjectReader | undefined;
  return (cursor) => {
    reader ??= objectReader(content.shape());
    return reader.read(cursor);
  };
}
