/** Scalar values: their spelling on the wire and their form in memory. */
import { WireError, type WireErrorKind, type WireErrorSource } from './body.ts';
import type { ScalarContent } from './shape.ts';

/** Where a reader stands, and how strict it is. */
export interface Place {
  /** Dotted path of the member that is read. */
  path(): string;
  /** Where the document has that member. */
  source(): WireErrorSource;
  /** Unknown members are skipped, and enum words that the model does not have are kept. */
  readonly tolerant: boolean;
}

/** Turns text into a value; `undefined` when the text says that there is none. */
export type ReadScalar = (text: string, place: Place) => unknown;

const intLimit = 2 ** 31;
const longLimit = 2n ** 63n;
/** Fifteen digits are always exact as a number. */
const exactDigits = 15;

const integer = /^[+-]?[0-9]+$/;
const decimal = /^[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]{1,4})?$/;
const timestamp =
  /^([0-9]{4})-([0-9]{2})-([0-9]{2})T([0-9]{2}):([0-9]{2}):([0-9]{2})(?:\.[0-9]{1,9})?(Z|[+-][0-9]{2}:[0-9]{2})?$/;
const booleans: Readonly<Record<string, boolean>> = {
  true: true,
  1: true,
  false: false,
  0: false,
};

function refuse(place: Place, problem: string, kind: WireErrorKind = 'value'): never {
  throw new WireError(kind, place.path(), problem, place.source());
}

/** At most so much of a refused value is repeated in the message. */
function quoted(text: string): string {
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 77)}...` : text);
}

/** XML lets numbers, booleans, dates and enum words be surrounded by white space. */
function trimmed(text: string): string {
  let start = 0;
  let end = text.length;
  while (isBlank(text.charCodeAt(start))) start++;
  // Not by a pattern, which would begin anew at each blank of a long text.
  while (end > start && isBlank(text.charCodeAt(end - 1))) end--;
  return text.slice(start, end);
}

function isBlank(code: number): boolean {
  return code === 32 || code === 9 || code === 10 || code === 13;
}

function readInt(text: string, place: Place): number | undefined {
  const plain = trimmed(text);
  if (plain === '') return undefined;
  const value = integer.test(plain) ? Number(plain) : Number.NaN;
  if (value >= -intLimit && value < intLimit) return value + 0;
  return refuse(
    place,
    `${quoted(text)} is not an integer between -2147483648 and 2147483647`,
    integer.test(plain) ? 'value' : 'number',
  );
}

function readLong(text: string, place: Place): number | bigint | undefined {
  const plain = trimmed(text);
  if (plain === '') return undefined;
  if (plain.length <= 40 && integer.test(plain)) {
    if (plain.length <= exactDigits) return Number(plain) + 0;
    const exact = BigInt(plain.startsWith('+') ? plain.slice(1) : plain);
    if (exact >= -longLimit && exact < longLimit) return longOf(exact);
  }
  return refuse(
    place,
    `${quoted(text)} is not an integer between -9223372036854775808 and 9223372036854775807`,
    integer.test(plain) ? 'value' : 'number',
  );
}

/** A 64-bit integer as it is held in memory: a number while that is exact. */
export function longOf(exact: bigint): number | bigint {
  const near = Number(exact);
  return Number.isSafeInteger(near) ? near : exact;
}

function readDecimal(text: string, place: Place): number | undefined {
  const plain = trimmed(text);
  if (plain === '') return undefined;
  const value = decimal.test(plain) ? Number(plain) : Number.NaN;
  return Number.isFinite(value)
    ? value + 0
    : refuse(place, `${quoted(text)} is not a number`, 'number');
}

function readBool(text: string, place: Place): boolean | undefined {
  const plain = trimmed(text);
  if (plain === '') return undefined;
  const value = Object.hasOwn(booleans, plain) ? booleans[plain] : booleans[plain.toLowerCase()];
  return typeof value === 'boolean'
    ? value
    : refuse(place, `${quoted(text)} is not a boolean. Possible values are: true, false, 1, 0`);
}

/**
 * In memory a date is always UTC with milliseconds, as `Date.toISOString` writes it, so that dates
 * compare as text. Text without an offset is taken as UTC; digits beyond milliseconds are dropped.
 */
function readDate(text: string, place: Place): string | undefined {
  const plain = trimmed(text);
  if (plain === '') return undefined;
  const parts = timestamp.exec(plain);
  if (parts) {
    const [, year, month, day] = parts;
    const millis = Date.parse(parts[7] ? plain : `${plain}Z`);
    const lastDay = new Date(Date.UTC(2000 + (Number(year) % 400), Number(month), 0)).getUTCDate();
    if (Number(day) <= lastDay && millis >= firstInstant && millis <= lastInstant) {
      return new Date(millis).toISOString();
    }
  }
  return refuse(
    place,
    `${quoted(text)} is not a date such as 2024-05-31T08:30:00.000+02:00`,
    'number',
  );
}

/** Years are four digits on the wire. */
const firstInstant = Date.parse('0000-01-01T00:00:00Z');
const lastInstant = Date.parse('9999-12-31T23:59:59.999Z');

/** A date from milliseconds since the epoch. */
export function dateOfMillis(millis: number, place: Place): string {
  if (Number.isInteger(millis) && millis >= firstInstant && millis <= lastInstant) {
    return new Date(millis).toISOString();
  }
  return refuse(place, `${millis} is not a date in milliseconds since the epoch`);
}

function enumReader({ words = new Set(), display = '' }: ScalarContent): ReadScalar {
  return (text, place) => {
    if (words.has(text)) return text;
    const word = trimmed(text).toLowerCase();
    if (word === '') return undefined;
    if (words.has(word) || place.tolerant) return word;
    const shown = text.length > 80 ? `${text.slice(0, 77)}...` : text;
    return refuse(
      place,
      `${shown} is not a member of ${display}. Possible values for ${display} are: ${[...words].join(', ')}`,
    );
  };
}

/** The reader for one kind of value, from its text in XML or in a JSON string. */
export function scalarReader(content: ScalarContent): ReadScalar {
  switch (content.kind) {
    case 'string':
      return (text) => text;
    case 'int':
      return readInt;
    case 'long':
      return readLong;
    case 'decimal':
      return readDecimal;
    case 'bool':
      return readBool;
    case 'date':
      return readDate;
    case 'enum':
      return enumReader(content);
  }
}

/** Text of an integer in memory; `undefined` for what is no number. */
export function integerText(value: unknown): string | undefined {
  if (typeof value === 'bigint') return value.toString();
  if (typeof value !== 'number' || !Number.isFinite(value)) return undefined;
  return Math.abs(value) < 1e21 ? String(Math.trunc(value)) : BigInt(value).toString();
}

/** Text of a decimal without an exponent, which XML decimals do not have. */
export function decimalText(value: unknown): string | undefined {
  if (typeof value !== 'number' || !Number.isFinite(value)) return undefined;
  const text = String(value);
  const [mantissa = '', exponent] = text.split('e');
  if (exponent === undefined) return text;
  const sign = mantissa.startsWith('-') ? '-' : '';
  const [whole = '', fraction = ''] = mantissa.replace('-', '').split('.');
  const shift = Number(exponent);
  return shift > 0
    ? `${sign}${whole}${fraction.padEnd(shift, '0')}`
    : `${sign}0.${'0'.repeat(-shift - 1)}${whole}${fraction}`;
}

/** A date as it is written: in UTC, with the offset `Z`. */
export function dateText(value: unknown): string {
  return String(value);
}
