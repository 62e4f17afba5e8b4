/** Text of table cells, from the values of objects. */
import { isType, listAttributes, parseKind } from '../../model/index.ts';
import type { Attribute, SizeUnit } from '../../model/notation/attributes.ts';
import type { Column } from './columns.ts';
import type { Cut } from './table.ts';

type Fields = Readonly<Record<string, unknown>>;

/** How a value is shown: sizes and times are easier to read on a terminal. */
export type Meaning = SizeUnit | 'date' | 'plain';

/** Bytes in one of what sizes are counted in. */
const bytesIn: Readonly<Record<SizeUnit, number>> = { bytes: 1, MiB: 2 ** 20, GiB: 2 ** 30 };

/** The value at a path; the values of a list are kept as a list. */
export function valueAt(fields: Fields, path: string): unknown {
  let at: unknown = fields;
  for (const word of path.split('.')) {
    if (Array.isArray(at)) at = at.flatMap((one: unknown) => member(one, word));
    else at = member(at, word);
  }
  return at;
}

function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Fields)[name]
    : undefined;
}

/** The value of a column: of its path, or the product of its paths. */
export function columnValue(fields: Fields, { paths }: Column): unknown {
  const [path = ''] = paths;
  if (paths.length === 1) return referenceName(fields, path) ?? valueAt(fields, path);
  const factors = paths.map((one) => valueAt(fields, one));
  if (factors.some((factor) => factor === undefined)) return undefined;
  return factors.reduce<number>((product, factor) => product * Number(factor), 1);
}

/** A reference whose name nobody knows is shown by its id. */
function referenceName(fields: Fields, path: string): unknown {
  if (!path.endsWith('.name')) return undefined;
  const target = valueAt(fields, path.slice(0, -'.name'.length));
  return typeof target === 'object' && target !== null && !Array.isArray(target)
    ? ((target as Fields)['name'] ?? (target as Fields)['id'])
    : undefined;
}

/** What the values at a path mean, as the model tells it. */
export function meaningOf(type: string | undefined, path: string): Meaning {
  const attribute = attributeAt(type, path);
  if (attribute === undefined) return 'plain';
  const { form, of } = parseKind(attribute.kind);
  return form === 'scalar' && of === 'date' ? 'date' : (attribute.unit ?? 'plain');
}

/** Texts that are sentences: their beginning says most. */
const prose = /(^|\.)(description|comment|value|message|text|title)$/;

/** What may be cut out of the texts at a path: nothing of ids, states, numbers and times. */
export function cutOf(type: string | undefined, path: string): Cut {
  if (/(^|\.)id$/.test(path)) return 'never';
  if (prose.test(path)) return 'end';
  const attribute = attributeAt(type, path);
  if (attribute === undefined) return 'middle';
  const { form, of, list } = parseKind(attribute.kind);
  if (list || form === 'links') return 'end';
  return form === 'enum' || (form === 'scalar' && of !== 'string') ? 'never' : 'middle';
}

/** The attribute at a path, as the model tells it. */
function attributeAt(type: string | undefined, path: string): Attribute | undefined {
  let at = type;
  let attribute: Attribute | undefined;
  for (const word of path.split('.')) {
    if (at === undefined || !isType(at)) return undefined;
    attribute = listAttributes(at)[word];
    if (attribute === undefined) return undefined;
    at = parseKind(attribute.kind).of;
  }
  return attribute;
}

/** The text of a value as programs read it: full, with no unit. */
export function plainText(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (Array.isArray(value)) {
    return value
      .map(plainText)
      .filter((text) => text !== '')
      .join(',');
  }
  if (typeof value === 'object') return objectText(value as Fields);
  return String(value);
}

function objectText(fields: Fields): string {
  const { name, id, major, minor, value } = fields;
  if (major !== undefined) return `${String(major)}.${String(minor ?? 0)}`;
  const shown = name ?? id ?? value;
  if (name !== undefined && value !== undefined) return `${String(name)}=${plainText(value)}`;
  return shown === undefined ? JSON.stringify(fields, bigintsAsText) : String(shown);
}

function bigintsAsText(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? value.toString() : value;
}

/** Who reads the text of a value. */
export interface Reader {
  /** A person in front of a terminal, not a program. */
  readonly terminal: boolean;
  /** Against what times are told; absent where they are wanted in full. */
  readonly now: number | undefined;
}

/** The text of a value for a reader. */
export function textFor({ terminal, now }: Reader, value: unknown, meaning: Meaning): string {
  return terminal ? humanText(value, meaning, now) : plainText(value);
}

/** The text of a value as people read it on a terminal. */
export function humanText(value: unknown, meaning: Meaning, now: number | undefined): string {
  if (Array.isArray(value)) {
    const texts = value.map((one: unknown) => humanText(one, meaning, now));
    return texts.filter((text) => text !== '').join(', ');
  }
  if (meaning === 'date') {
    return typeof value === 'string' && now !== undefined
      ? humanDate(value, now)
      : plainText(value);
  }
  if (meaning === 'plain' || (typeof value !== 'number' && typeof value !== 'bigint')) {
    return plainText(value);
  }
  // What is less than nothing means something else: that there is no limit.
  return value < 0 ? plainText(value) : humanBytes(Number(value) * bytesIn[meaning]);
}

const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB', 'EiB'];

/** Bytes with a binary unit: `4 GiB`, `1.5 TiB`. */
export function humanBytes(bytes: number): string {
  let value = bytes;
  let unit = 0;
  // What would be written as 1024 is one of the next unit.
  while (Math.abs(value) >= 1023.95 && unit < units.length - 1) {
    value /= 1024;
    unit += 1;
  }
  const text = Number.isInteger(value) ? String(value) : value.toFixed(1).replace(/\.0$/, '');
  return `${text} ${units[unit]}`;
}

const spans: readonly (readonly [limit: number, divisor: number, unit: string])[] = [
  [60, 1, 's'],
  [3_600, 60, 'm'],
  [86_400, 3_600, 'h'],
  [86_400 * 30, 86_400, 'd'],
];

/** How long ago something was; the date where that is long ago. */
function humanDate(text: string, now: number): string {
  const seconds = (now - Date.parse(text)) / 1_000;
  if (!Number.isFinite(seconds)) return text;
  const span = spans.find(([limit]) => Math.abs(seconds) < limit);
  if (!span) return text.slice(0, 10);
  const count = `${Math.floor(Math.abs(seconds) / span[1])}${span[2]}`;
  return seconds >= 0 ? `${count} ago` : `in ${count}`;
}
