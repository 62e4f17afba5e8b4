/** Writes objects as JSON: one writer per shape and style, made once. */
import type { Dialect } from '../../model/dialect.ts';
import { LinkList } from '../links.ts';
import { membersWriter } from '../members.ts';
import { dateText, integerText } from '../scalars.ts';
import type { ListContent, Member, ObjectContent, ScalarContent, Shape } from '../shape.ts';

type Fields = Readonly<Record<string, unknown>>;
type Write = (value: unknown) => string | undefined;

/** How a dialect spells plain values. */
type Style = Pick<Dialect, 'jsonScalarsAsStrings' | 'jsonDatesAsMillis'>;

/** One object, without a wrapper. */
export function writeJson(value: Fields, shape: Shape, style: Style): string {
  return writerOf(shape, style)(value);
}

type WriteObject = (fields: Fields) => string;

const writers = new Map<string, WeakMap<Shape, WriteObject>>();

function writerOf(shape: Shape, style: Style): WriteObject {
  const key = `${style.jsonScalarsAsStrings} ${style.jsonDatesAsMillis}`;
  let styled = writers.get(key);
  if (!styled) {
    styled = new WeakMap();
    writers.set(key, styled);
  }
  let writer = styled.get(shape);
  if (!writer) {
    writer = makeWriter(shape, style);
    styled.set(shape, writer);
  }
  return writer;
}

function makeWriter({ members }: Shape, style: Style): WriteObject {
  const write = membersWriter(
    members.map((member) => {
      const key = `${JSON.stringify(member.wire)}:`;
      const value = memberWriter(member, style);
      return {
        name: member.name,
        write: (content) => {
          const written = value(content);
          return written === undefined ? undefined : key + written;
        },
      };
    }),
    ',',
  );
  return (fields) => `{${write(fields, 0)}}`;
}

function memberWriter({ content }: Member, style: Style): Write {
  switch (content.form) {
    case 'scalar':
      return scalarWriter(content, style);
    case 'object':
      return objectWriter(content, style);
    case 'list':
      return listWriter(content, style);
  }
}

function objectWriter(content: ObjectContent, style: Style): Write {
  let writer: WriteObject | undefined;
  return (value) => {
    writer ??= writerOf(content.shape(), style);
    return writer(value as Fields);
  };
}

function listWriter({ item, wrapped, of }: ListContent, style: Style): Write {
  const writeItem = of.form === 'scalar' ? scalarWriter(of, style) : objectWriter(of, style);
  const [open, close] = wrapped ? [`{${JSON.stringify(item)}:[`, ']}'] : ['[', ']'];
  return (value) => {
    if (value instanceof LinkList) return value.json();
    const items: string[] = [];
    for (const one of value as Iterable<unknown>) {
      const written = writeItem(one);
      if (written !== undefined) items.push(written);
    }
    return open + items.join() + close;
  };
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

/** Most texts are ids, names and addresses: nothing in them needs an escape. */
const plainText = /^[ !#-[\]-~]*$/;

/** A string in quotes; half a surrogate pair becomes U+FFFD, since no reader has to accept it. */
function quote(text: string): string {
  if (plainText.test(text)) return `"${text}"`;
  const quoted = JSON.stringify(text);
  return quoted.includes('\\ud')
    ? JSON.stringify(text.replace(/\p{Surrogate}/gu, '\ufffd'))
    : quoted;
}
