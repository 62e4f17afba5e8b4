/** Conversion of scalar values between text and memory. */
import { WireError, type WireErrorKind, type WireErrorSource } from './body.ts';
import type { ScalarContent } from './shape.ts';

/** Position and strictness of a reader. */
export interface ReadPosition {
  /** Dotted path of the current member. */
  path(): string;
  /** Source position of the current member. */
  source(): WireErrorSource;
  /** Skips unknown members, and accepts enum values that the model does not contain. */
  readonly tolerant: boolean;
}

/** Converts text to a value. `undefined` if the text represents an absent value. */
export type ReadScalar = (text: string, position: ReadPosition) => unknown;

const intLimit = 2 ** 31;
const longLimit = 2n ** 63n;
/** Numbers represent fifteen digits exactly. */
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

function refuse(position: ReadPosition, problem: string, kind: WireErrorKind = 'value'): never {
  throw new WireError(kind, position.path(), problem, position.source());
}

/** Quotes a refused value for a message, limited to 80 characters. */
function quote(text: string): string {
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 77)}...` : text);
}

/** XML allows white space around numbers, booleans, dates and enum values. */
function trim(text: string): string {
  let start = 0;
  let end = text.length;
  while (isBlank(text.charCodeAt(start))) start++;
  // A regular expression takes quadratic time in a long text with many blanks.
  while (end > start && isBlank(text.charCodeAt(end - 1))) end--;
  return text.slice(start, end);
}

function isBlank(code: number): boolean {
  return code === 32 || code === 9 || code === 10 || code === 13;
}

function readInt(text: string, position: ReadPosition): number | undefined {
  const plain = trim(text);
  if (plain === '') return undefined;
  const value = integer.test(plain) ? Number(plain) : Number.NaN;
  if (value >= -intLimit && value < intLimit) return value + 0;
  return refuse(
    position,
    `${quote(text)} is not an integer between -2147483648 and 2147483647`,
    integer.test(plain) ? 'value' : 'number',
  );
}

function readLong(text: string, position: ReadPosition): number | bigint | undefined {
  const plain = trim(text);
  if (plain === '') return undefined;
  if (plain.length <= 40 && integer.test(plain)) {
    if (plain.length <= exactDigits) return Number(plain) + 0;
    const exact = BigInt(plain.startsWith('+') ? plain.slice(1) : plain);
    if (exact >= -longLimit && exact < longLimit) return toLong(exact);
  }
  return refuse(
    position,
    `${quote(text)} is not an integer between -9223372036854775808 and 9223372036854775807`,
    integer.test(plain) ? 'value' : 'number',
  );
}

/** A 64-bit integer in memory: a number if it is exact, otherwise a bigint. */
export function toLong(exact: bigint): number | bigint {
  const near = Number(exact);
  return Number.isSafeInteger(near) ? near : exact;
}

function readDecimal(text: string, position: ReadPosition): number | undefined {
  const plain = trim(text);
  if (plain === '') return undefined;
  const value = decimal.test(plain) ? Number(plain) : Number.NaN;
  return Number.isFinite(value)
    ? value + 0
    : refuse(position, `${quote(text)} is not a number`, 'number');
}

function readBool(text: string, position: ReadPosition): boolean | undefined {
  const plain = trim(text);
  if (plain === '') return undefined;
  const value = Object.hasOwn(booleans, plain) ? booleans[plain] : booleans[plain.toLowerCase()];
  return typeof value === 'boolean'
    ? value
    : refuse(position, `${quote(text)} is not a boolean. Possible values are: true, false, 1, 0`);
}

/**
 * In memory, a date is UTC with milliseconds, as `Date.toISOString` writes it, so that dates
 * compare as text. Text without an offset is UTC. Digits after milliseconds are dropped.
 */
function readDate(text: string, position: ReadPosition): string | undefined {
  const plain = trim(text);
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
    position,
    `${quote(text)} is not a date such as 2024-05-31T08:30:00.000+02:00`,
    'number',
  );
}

/** Years have four digits in bodies. */
const firstInstant = Date.parse('0000-01-01T00:00:00Z');
const lastInstant = Date.parse('9999-12-31T23:59:59.999Z');

/** A date from milliseconds since the epoch. */
export function dateFromMillis(millis: number, position: ReadPosition): string {
  if (Number.isInteger(millis) && millis >= firstInstant && millis <= lastInstant) {
    return new Date(millis).toISOString();
  }
  return refuse(position, `${millis} is not a date in milliseconds since the epoch`);
}

function enumReader({ values = new Set(), display = '' }: ScalarContent): ReadScalar {
  return (text, position) => {
    if (values.has(text)) return text;
    const word = trim(text).toLowerCase();
    if (word === '') return undefined;
    if (values.has(word) || position.tolerant) return word;
    const shown = text.length > 80 ? `${text.slice(0, 77)}...` : text;
    return refuse(
      position,
      `${shown} is not a member of ${display}. Possible values for ${display} are: ${[...values].join(', ')}`,
    );
  };
}

/** Creates a reader for one kind of value. It reads text of XML or of a JSON string. */
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

/** Text of an integer in memory. `undefined` if the value is not a number. */
export function integerText(value: unknown): string | undefined {
  if (typeof value === 'bigint') return value.toString();
  if (typeof value !== 'number' || !Number.isFinite(value)) return undefined;
  return Math.abs(value) < 1e21 ? String(Math.trunc(value)) : BigInt(value).toString();
}

/** Text of a decimal without an exponent, because XML decimals have none. */
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

/** Text of a date: UTC, with the offset `Z`. */
export function dateText(value: unknown): string {
  return String(value);
}
