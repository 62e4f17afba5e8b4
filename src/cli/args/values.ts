/** Parser of flag values into values of the model. */

import { getErrorMessage } from '../../caught-errors.ts';
import { UsageError } from '../../client/errors.ts';
import { parseSize } from '../../definitions/sizes.ts';
import { listEnumValues } from '../../model/enum-values.ts';
import type { EnumName, EnumValue } from '../../model/enums.ts';
import { parseKind } from '../../model/index.ts';
import type { Attribute, SizeUnit } from '../../model/notation/attributes.ts';
import { findCloseMatches } from '../text/did-you-mean.ts';

const maxLong = 2n ** 63n - 1n;

/** Kind of an attribute or parameter, and the unit of a size. */
export type ValueKind = Pick<Attribute, 'kind' | 'unit'>;

/**
 * Parses a text as a value of a kind. `flag` is the typed flag, for messages. Throws `UsageError`
 * for references, which need a lookup, and for structures.
 */
export function parseValue<E extends EnumName>(
  text: string,
  kind: { readonly kind: `enum ${E}` },
  flag: string,
): EnumValue<E>;
export function parseValue(text: string, kind: ValueKind, flag: string): unknown;
export function parseValue(text: string, { kind, unit }: ValueKind, flag: string): unknown {
  const { form, of, list } = parseKind(kind);
  if (list && (form === 'scalar' || form === 'enum')) {
    const words = text.split(',').map((word) => word.trim());
    return words
      .filter((word) => word !== '')
      .map((word) => parseSingle(word, form, of, unit, flag));
  }
  if (form === 'struct' && of === 'version') return parseVersion(text, flag);
  if (form !== 'scalar' && form !== 'enum') {
    throw new UsageError(`${flag} is a ${of.replaceAll('_', ' ')}, not a plain value`, {
      hint: `set a member with --set path.member=value, or use --set-json`,
    });
  }
  return parseSingle(text, form, of, unit, flag);
}

function parseSingle(
  text: string,
  form: 'scalar' | 'enum',
  of: string,
  unit: SizeUnit | undefined,
  flag: string,
): unknown {
  if (form === 'enum') return parseEnumValue(text, of, flag);
  switch (of) {
    case 'bool':
      return parseBoolean(text, flag);
    case 'int':
      return parseInt32(text, flag);
    case 'long':
      return parseLong(text, unit, flag);
    case 'decimal':
      return parseDecimal(text, flag);
    case 'date':
      return parseDate(text, flag);
    default:
      return text;
  }
}

function parseEnumValue(text: string, name: string, flag: string): string {
  const words = listEnumValues(name);
  const plain = text.toLowerCase().replaceAll('-', '_');
  const found = words.find((word) => word === text) ?? words.find((word) => word === plain);
  if (found !== undefined) return found;
  const near = findCloseMatches(plain, words);
  const all = `use one of ${words.slice(0, 30).join(', ')}${words.length > 30 ? ', ...' : ''}`;
  throw new UsageError(`${flag} ${text}: not a valid ${name.replaceAll('_', ' ')}`, {
    hint: near.length > 0 ? `did you mean ${near.join(' or ')}?` : all,
  });
}

/** Parses `true` and `false`, and their synonyms. */
export function parseBoolean(text: string, flag: string): boolean {
  if (/^(true|yes|on|1)$/i.test(text)) return true;
  if (/^(false|no|off|0)$/i.test(text)) return false;
  throw new UsageError(`${flag} ${text}: neither true nor false`, { hint: `${flag}=true` });
}

function parseInt32(text: string, flag: string): number {
  const value = /^[-+]?\d+$/.test(text) ? Number(text) : Number.NaN;
  if (Number.isInteger(value) && Math.abs(value) <= 2_147_483_648) return value;
  throw new UsageError(`${flag} ${text}: not an integer`, { hint: `${flag} 4` });
}

/**
 * Parses an integer or, for attributes with a unit, a size: `4GiB`, `4G` (binary), `4GB` (decimal).
 */
export function parseLong(text: string, unit: SizeUnit | undefined, flag: string): number | bigint {
  if (unit === 'bytes' && text.startsWith('-')) {
    throw new UsageError(`${flag} ${text}: a size cannot be negative`, { hint: `${flag} 4GiB` });
  }
  if (/^[-+]?\d+$/.test(text)) return toExactInteger(BigInt(text), text, flag);
  if (unit === undefined) {
    throw new UsageError(`${flag} ${text}: not an integer`, { hint: `${flag} 4` });
  }
  let size: bigint;
  try {
    size = parseSize(text, unit);
  } catch (error) {
    throw new UsageError(`${flag} ${text}: ${getErrorMessage(error)}`, {
      hint: unit === 'bytes' ? `${flag} 4GiB` : `use ${flag} 4GiB; a plain number is in ${unit}`,
    });
  }
  return toExactInteger(size, text, flag);
}

/** Smallest plain number of bytes that a flag accepts as the size of memory or a disk. */
const minPlainBytes = 2 ** 20;

/**
 * Refuses a plain number that is implausible as a size in bytes: `--memory 4096` means 4096 MiB.
 * `4096B` remains possible.
 */
export function requirePlausibleSize(text: string, { unit }: ValueKind, flag: string): void {
  const count = /^\d+$/.test(text) ? Number(text) : 0;
  if (unit !== 'bytes' || count === 0 || count >= minPlainBytes) return;
  const likely = count < 128 ? 'GiB' : 'MiB';
  const assign = flag.includes(' ') ? '=' : ' ';
  throw new UsageError(`${flag} ${text}: ${count} bytes is too small`, {
    hint: `for ${likely}, use ${flag}${assign}${count}${likely}; for bytes, ${flag}${assign}${count}B`,
  });
}

function toExactInteger(value: bigint, text: string, flag: string): number | bigint {
  if (value > maxLong || value < -maxLong - 1n) {
    throw new UsageError(`${flag} ${text}: larger than a 64-bit integer`);
  }
  const plain = Number(value);
  return Number.isSafeInteger(plain) ? plain : value;
}

function parseDecimal(text: string, flag: string): number {
  const value = text.trim() === '' ? Number.NaN : Number(text);
  if (Number.isFinite(value)) return value;
  throw new UsageError(`${flag} ${text}: not a number`, { hint: `${flag} 1.5` });
}

function parseDate(text: string, flag: string): string {
  const date = new Date(text);
  if (!Number.isNaN(date.getTime())) return date.toISOString();
  throw new UsageError(`${flag} ${text}: not a date`, { hint: `${flag} 2030-01-31T12:00:00Z` });
}

/** Parses a compatibility level: `4.7`. */
function parseVersion(text: string, flag: string): { major: number; minor: number } {
  const [, major, minor] = /^(\d+)\.(\d+)$/.exec(text) ?? [];
  if (major !== undefined && minor !== undefined) {
    return { major: Number(major), minor: Number(minor) };
  }
  throw new UsageError(`${flag} ${text}: not a version`, { hint: `${flag} 4.7` });
}
