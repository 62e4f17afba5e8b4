/** Writes objects as XML: one writer per shape, made once. */
import { LinkList } from '../links.ts';
import { membersWriter } from '../members.ts';
import { dateText, decimalText, integerText } from '../scalars.ts';
import type { ListContent, Member, ObjectContent, ScalarContent, Shape } from '../shape.ts';
import { escapeAttribute, escapeText } from './characters.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Writes a member, indented for its depth, with a line end. */
type WriteMember = (value: unknown, depth: number) => string;
type WriteObject = (fields: Fields, tag: string, depth: number) => string;
type Text = (value: unknown) => string | undefined;

export const xmlDeclaration = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';

/** One object as an element, with a line end. */
export function writeXml(value: Fields, tag: string, shape: Shape, depth = 0): string {
  return writerOf(shape)(value, tag, depth);
}

const pads = Array.from({ length: 8 }, (_, depth) => '    '.repeat(depth));

function pad(depth: number): string {
  return pads[depth] ?? '    '.repeat(depth);
}

const writers = new WeakMap<Shape, WriteObject>();

function writerOf(shape: Shape): WriteObject {
  let writer = writers.get(shape);
  if (!writer) {
    writer = makeWriter(shape);
    writers.set(shape, writer);
  }
  return writer;
}

function makeWriter({ members }: Shape): WriteObject {
  const attributes = members
    .filter((member) => member.attribute)
    .map(({ name, wire, content }) => ({
      name,
      start: ` ${wire}="`,
      text: content.form === 'scalar' ? textOf(content) : String,
    }));
  const elements = membersWriter(
    members
      .filter((member) => !member.attribute)
      .map((member) => ({ name: member.name, write: memberWriter(member) })),
    '',
  );
  return (fields, tag, depth) => {
    let open = `${pad(depth)}<${tag}`;
    for (const { name, start, text } of attributes) {
      const value = fields[name];
      if (value === undefined || value === null) continue;
      const written = text(value);
      if (written !== undefined) open += `${start}${escapeAttribute(written)}"`;
    }
    const inner = elements(fields, depth + 1);
    return inner === '' ? `${open}/>\n` : `${open}>\n${inner}${pad(depth)}</${tag}>\n`;
  };
}

function memberWriter({ wire, content }: Member): WriteMember {
  switch (content.form) {
    case 'scalar':
      return scalarWriter(wire, content);
    case 'object':
      return objectWriter(wire, content);
    case 'list':
      return listWriter(wire, content);
  }
}

function scalarWriter(tag: string, content: ScalarContent): WriteMember {
  const text = textOf(content);
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

function objectWriter(tag: string, content: ObjectContent): WriteMember {
  let writer: WriteObject | undefined;
  return (value, depth) => {
    writer ??= writerOf(content.shape());
    return writer(value as Fields, tag, depth);
  };
}

function listWriter(tag: string, { item, wrapped, of }: ListContent): WriteMember {
  const writeItem = of.form === 'scalar' ? scalarWriter(item, of) : objectWriter(item, of);
  return (value, depth) => {
    if (value instanceof LinkList) return value.xml(pad(depth));
    let items = '';
    const itemDepth = wrapped ? depth + 1 : depth;
    for (const one of value as Iterable<unknown>) items += writeItem(one, itemDepth);
    if (!wrapped) return items;
    return items === ''
      ? `${pad(depth)}<${tag}/>\n`
      : `${pad(depth)}<${tag}>\n${items}${pad(depth)}</${tag}>\n`;
  };
}

function textOf({ kind }: ScalarContent): Text {
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
