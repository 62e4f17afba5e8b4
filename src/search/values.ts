/** Values of conditions, in the form that attributes have in memory. */
import { listEnumValues } from '../model/enum-values.ts';
import { type Relation, type SearchField, severities } from '../model/notation/search.ts';
import type { SearchValue, TextPattern } from './ast.ts';
import { dateForms, dateWords, parseDate, parseSpan } from './dates.ts';
import { SearchError, SearchValueError, type Token } from './scanner.ts';

const day = 24 * 60 * 60 * 1000;
const longLimit = 2n ** 63n;
const units = { MiB: 2n ** 20n, GiB: 2n ** 30n } as const;

/** Text split at its wildcards. Adjacent wildcards count as one. */
function parsePattern(text: string): TextPattern {
  return { pieces: text.includes('*') ? text.replace(/\*+/g, '*').split('*') : [text] };
}

/** Pattern that matches text at any position. */
export function parseContainsPattern(text: string): TextPattern {
  return parsePattern(`*${text}*`);
}

/** Parses the value of a condition. Throws a `SearchError` if the field cannot have this value. */
export function readValue(
  field: SearchField,
  relation: Relation,
  word: Token,
  now: Date,
): SearchValue {
  if (word.text === '' || (!word.quoted && word.text.toLowerCase() === 'null')) {
    if (relation === '=' || relation === '!=') return { kind: 'absent' };
    throw new SearchError('an empty value', word.position, ['a value, or = or != before it']);
  }
  switch (field.kind) {
    case 'text':
      return { kind: 'text', pattern: parsePattern(word.text) };
    case 'tag':
      return { kind: 'tag', pattern: parsePattern(word.text) };
    case 'user':
      return parseUser(word.text);
    case 'enum':
      return { kind: 'word', word: enumWord(field, word) };
    case 'bool':
      return { kind: 'bool', value: enumWord(field, word) === 'true' };
    case 'severity':
      return { kind: 'severity', words: selectSeverities(relation, word) };
    case 'number':
      return parseNumber(field, word);
    case 'date':
      return parseDateValue(word, now);
    case 'span':
      return parseSpanValue(word);
  }
}

/** Throws if a value is not an id. */
export function requireId({ text, position }: Token): void {
  if (/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text.trim())) return;
  throw new SearchValueError('no id', position, ['an id']);
}

function refuse(word: Token, what: string, expected: readonly string[]): never {
  const shown = word.text.length > 40 ? `${word.text.slice(0, 37)}...` : word.text;
  throw new SearchError(`"${shown}" is not a valid ${what}`, word.position, expected);
}

function parseUser(text: string): SearchValue {
  const at = text.lastIndexOf('@');
  if (at < 0) return { kind: 'user', name: parsePattern(text) };
  return {
    kind: 'user',
    name: parsePattern(text.slice(0, at)),
    domain: parsePattern(text.slice(at + 1)),
  };
}

/** Enum values are compared without case and underscores. */
function normalizeWord(word: string): string {
  return word.toLowerCase().replaceAll('_', '');
}

function listWords(field: SearchField): readonly string[] {
  if (field.enum) return listEnumValues(field.enum);
  return field.values ? [] : ['true', 'false'];
}

/** Values that the field accepts. Empty if it accepts any text. */
export function listOfferedValues(field: SearchField): readonly string[] {
  switch (field.kind) {
    case 'enum':
    case 'bool':
      return offered(field);
    case 'severity':
      return severities;
    case 'date':
      return dateWords;
    default:
      return [];
  }
}

const valuesByField = new WeakMap<SearchField, ReadonlyMap<string, string>>();

function enumWord(field: SearchField, word: Token): string {
  let words = valuesByField.get(field);
  if (!words) {
    words = new Map([
      ...listWords(field).map((one) => [normalizeWord(one), one] as const),
      ...Object.entries(field.values ?? {}),
    ]);
    valuesByField.set(field, words);
  }
  const found = words.get(normalizeWord(word.text.trim()));
  if (found !== undefined) return found;
  const name = field.path?.split('.').at(-1)?.replaceAll('_', ' ') ?? 'value';
  return refuse(word, field.kind === 'bool' ? 'boolean' : name, offered(field));
}

function offered(field: SearchField): readonly string[] {
  return [...listWords(field), ...Object.keys(field.values ?? {})];
}

/** Comparison of two ranks, by relation. */
const rankComparisons: Readonly<Record<Relation, (rank: number, other: number) => boolean>> = {
  '=': (rank, other) => rank === other,
  '!=': (rank, other) => rank !== other,
  '<': (rank, other) => rank < other,
  '>': (rank, other) => rank > other,
  '<=': (rank, other) => rank <= other,
  '>=': (rank, other) => rank >= other,
};

function selectSeverities(relation: Relation, word: Token): readonly string[] {
  const all: readonly string[] = severities;
  const requested = all.indexOf(word.text.trim().toLowerCase());
  if (requested < 0) refuse(word, 'severity', severities);
  return severities.filter((_, rank) => rankComparisons[relation](rank, requested));
}

function parseNumber(field: SearchField, word: Token): SearchValue {
  const text = word.text.trim();
  if (field.isDecimal && /^[+-]?\d{1,15}\.\d{1,6}$/.test(text)) {
    return { kind: 'number', value: Number(text) };
  }
  if (!/^[+-]?\d{1,19}$/.test(text)) refuse(word, 'integer', ['an integer']);
  const value = BigInt(text.replace('+', ''));
  const unit = field.unit ? units[field.unit] : 1n;
  const from = value * unit;
  const until = from + unit;
  if (from < -longLimit || until > longLimit) refuse(word, '64-bit integer', ['an integer']);
  if (!field.unit) return { kind: 'number', value: nearest(value) };
  return { kind: 'size', from: nearest(from), until: nearest(until) };
}

/** A number if it is exact, otherwise a bigint. */
function nearest(value: bigint): number | bigint {
  const near = Number(value);
  return Number.isSafeInteger(near) ? near : value;
}

function parseDateValue(word: Token, now: Date): SearchValue {
  const start = parseDate(word.text, now);
  if (start === undefined) return refuse(word, 'date', dateForms);
  return {
    kind: 'date',
    from: new Date(start).toISOString(),
    until: new Date(start + day).toISOString(),
  };
}

function parseSpanValue(word: Token): SearchValue {
  const seconds = parseSpan(word.text.trim());
  if (seconds !== undefined) return { kind: 'span', seconds };
  return refuse(word, 'duration', ['days, days.hours:minutes or hours:minutes']);
}
