/** Text of table cells, from the values of objects. */
import { attributesOf, isType, parseKind } from '../../model/index.ts';
import type { Column } from './columns.ts';

type Fields = Readonly<Record<string, unknown>>;

/** How a value is shown: `bytes` and `date` are easier to read on a terminal. */
export type Meaning = 'bytes' | 'date' | 'plain';

/** Integers that count bytes. The model knows them as `long` only. */
const byteNames =
  /^(memory|available|used|committed|transferred|max|guaranteed|size|max_scheduling_memory)$|_size$/;

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
  let at = type;
  const words = path.split('.');
  for (const [index, word] of words.entries()) {
    if (at === undefined || !isType(at)) return 'plain';
    const kind = attributesOf(at)[word]?.kind;
    if (!kind) return 'plain';
    const { form, of } = parseKind(kind);
    if (index < words.length - 1) {
      at = of;
      continue;
    }
    if (form === 'scalar' && of === 'date') return 'date';
    return form === 'scalar' && of === 'long' && byteNames.test(word) ? 'bytes' : 'plain';
  }
  return 'plain';
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
  if (meaning === 'bytes' && (typeof value === 'number' || typeof value === 'bigint')) {
    return humanBytes(Number(value));
  }
  if (meaning === 'date' && typeof value === 'string' && now !== undefined) {
    return humanDate(value, now);
  }
  return plainText(value);
}

const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB', 'EiB'];

/** Bytes with a binary unit: `4 GiB`, `1.5 TiB`. */
export function humanBytes(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (Math.abs(value) >= 1024 && unit < units.length - 1) {
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
