/** Texts of table cells from the values of objects. */

import { isType, listAttributes, parseKind } from '../../model/index.ts';
import type { Attribute, SizeUnit } from '../../model/notation/attributes.ts';
import { isRecord } from '../../records.ts';
import type { Column } from './columns.ts';
import type { Cut } from './table.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Meaning of a number or text, for its format on a terminal. */
export type Meaning = SizeUnit | 'date' | 'plain';

/** Bytes of one unit. */
const bytesIn: Readonly<Record<SizeUnit, number>> = { bytes: 1, MiB: 2 ** 20, GiB: 2 ** 30 };

/** Returns the value at a path. For a list, the result is the list of the members' values. */
export function getValue(fields: Fields, path: string): unknown {
  let at: unknown = fields;
  for (const word of path.split('.')) {
    if (Array.isArray(at)) at = at.flatMap((one: unknown) => getMember(one, word));
    else at = getMember(at, word);
  }
  return at;
}

function getMember(value: unknown, name: string): unknown {
  return isRecord(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

/** Returns the value of a column: of its path, or the product of its paths. */
export function getColumnValue(fields: Fields, { paths }: Column): unknown {
  const [path = ''] = paths;
  if (paths.length === 1) return getReferenceName(fields, path) ?? getValue(fields, path);
  const factors = paths.map((one) => getValue(fields, one));
  if (factors.some((factor) => factor === undefined)) return undefined;
  return factors.reduce<number>((product, factor) => product * Number(factor), 1);
}

/** Returns the name of a reference, or its id if the object lacks the name. */
function getReferenceName(fields: Fields, path: string): unknown {
  if (!path.endsWith('.name')) return undefined;
  const target = getValue(fields, path.slice(0, -'.name'.length));
  return isRecord(target) ? (target['name'] ?? target['id']) : undefined;
}

/** Returns the meaning of the values at a path, according to the model. */
export function getMeaning(type: string | undefined, path: string): Meaning {
  const attribute = findAttribute(type, path);
  if (attribute === undefined) return 'plain';
  const { form, of } = parseKind(attribute.kind);
  return form === 'scalar' && of === 'date' ? 'date' : (attribute.unit ?? 'plain');
}

/** Attributes with sentences. Their beginning is the most informative part. */
const prose = /(^|\.)(description|comment|value|message|text|title)$/;

/** Returns where texts at a path may be truncated: never for ids, states, numbers and times. */
export function getCut(type: string | undefined, path: string): Cut {
  if (/(^|\.)id$/.test(path)) return 'never';
  if (prose.test(path)) return 'end';
  const attribute = findAttribute(type, path);
  if (attribute === undefined) return 'middle';
  const { form, of, list } = parseKind(attribute.kind);
  if (list || form === 'links') return 'end';
  return form === 'enum' || (form === 'scalar' && of !== 'string') ? 'never' : 'middle';
}

function findAttribute(type: string | undefined, path: string): Attribute | undefined {
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

/** Formats a value for programs: complete, without units. */
export function formatPlain(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (Array.isArray(value)) {
    return value
      .map(formatPlain)
      .filter((text) => text !== '')
      .join(',');
  }
  if (isRecord(value)) return formatObject(value);
  return String(value);
}

function formatObject(fields: Fields): string {
  const { name, id, major, minor, value } = fields;
  if (major !== undefined) return `${String(major)}.${String(minor ?? 0)}`;
  const shown = name ?? id ?? value;
  if (name !== undefined && value !== undefined) return `${String(name)}=${formatPlain(value)}`;
  return shown === undefined ? JSON.stringify(fields, replaceBigint) : String(shown);
}

function replaceBigint(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? value.toString() : value;
}

/** Reader of a text. */
export interface Reader {
  /** Whether a person reads on a terminal. */
  readonly terminal: boolean;
  /** Reference for relative times; undefined for absolute times. */
  readonly now: number | undefined;
}

export function formatForReader(
  { terminal, now }: Reader,
  value: unknown,
  meaning: Meaning,
): string {
  return terminal ? formatForPeople(value, meaning, now) : formatPlain(value);
}

/** Formats a value for people on a terminal: `now` as in `Reader`. */
export function formatForPeople(value: unknown, meaning: Meaning, now: number | undefined): string {
  if (Array.isArray(value)) {
    const texts = value.map((one: unknown) => formatForPeople(one, meaning, now));
    return texts.filter((text) => text !== '').join(', ');
  }
  if (meaning === 'date') {
    return typeof value === 'string' && now !== undefined
      ? formatRelativeDate(value, now)
      : formatPlain(value);
  }
  if (meaning === 'plain' || (typeof value !== 'number' && typeof value !== 'bigint')) {
    return formatPlain(value);
  }
  // A negative size means "unlimited".
  return value < 0 ? formatPlain(value) : formatBytes(Number(value) * bytesIn[meaning]);
}

const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB', 'EiB'];

/** Formats bytes with a binary unit: `4 GiB`, `1.5 TiB`. */
export function formatBytes(bytes: number): string {
  let value = bytes;
  let unit = 0;
  // A value that rounds to 1024 belongs to the next unit.
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

/** Formats a time relative to `now`, or as a date if the difference exceeds 30 days. */
function formatRelativeDate(text: string, now: number): string {
  const seconds = (now - Date.parse(text)) / 1_000;
  if (!Number.isFinite(seconds)) return text;
  const span = spans.find(([limit]) => Math.abs(seconds) < limit);
  if (!span) return text.slice(0, 10);
  const count = `${Math.floor(Math.abs(seconds) / span[1])}${span[2]}`;
  return seconds >= 0 ? `${count} ago` : `in ${count}`;
}
