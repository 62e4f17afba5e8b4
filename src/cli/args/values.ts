/** Values of the model from the text of a flag. */
import { UsageError } from '../../client/errors.ts';
import { parseSize } from '../../definitions/sizes.ts';
import { type EnumName, enums } from '../../model/enums.ts';
import { parseKind } from '../../model/index.ts';
import type { Attribute, SizeUnit } from '../../model/notation/attributes.ts';
import { closeMatches } from '../text/did-you-mean.ts';

const maxLong = 2n ** 63n - 1n;

/** What an attribute or a parameter may be: its kind, and what a size is counted in. */
export type Valued = Pick<Attribute, 'kind' | 'unit'>;

/**
 * Reads a text as a value of a kind; `flag` is what the user typed, for messages. References are
 * not read here: they have to be looked up.
 */
export function parseValue(text: string, { kind, unit }: Valued, flag: string): unknown {
  const { form, of, list } = parseKind(kind);
  if (list && (form === 'scalar' || form === 'enum')) {
    const words = text.split(',').map((word) => word.trim());
    return words.filter((word) => word !== '').map((word) => single(word, form, of, unit, flag));
  }
  if (form === 'struct' && of === 'version') return versionOf(text, flag);
  if (form !== 'scalar' && form !== 'enum') {
    throw new UsageError(`${flag} is a ${of.replaceAll('_', ' ')}, not a plain value`, {
      hint: `set a member with --set path.member=value, or use --set-json`,
    });
  }
  return single(text, form, of, unit, flag);
}

function single(
  text: string,
  form: 'scalar' | 'enum',
  of: string,
  unit: SizeUnit | undefined,
  flag: string,
): unknown {
  if (form === 'enum') return wordOf(text, of, flag);
  switch (of) {
    case 'bool':
      return switchOf(text, flag);
    case 'int':
      return intOf(text, flag);
    case 'long':
      return longOf(text, unit, flag);
    case 'decimal':
      return decimalOf(text, flag);
    case 'date':
      return dateOf(text, flag);
    default:
      return text;
  }
}

function wordOf(text: string, name: string, flag: string): string {
  const words: readonly string[] = enums[name as EnumName];
  const plain = text.toLowerCase().replaceAll('-', '_');
  const found = words.find((word) => word === text) ?? words.find((word) => word === plain);
  if (found !== undefined) return found;
  const near = closeMatches(plain, words);
  const all = `use one of ${words.slice(0, 30).join(', ')}${words.length > 30 ? ', ...' : ''}`;
  throw new UsageError(`${flag} ${text}: not a valid ${name.replaceAll('_', ' ')}`, {
    hint: near.length > 0 ? `did you mean ${near.join(' or ')}?` : all,
  });
}

/** `true` and `false`, and what people write for them. */
export function switchOf(text: string, flag: string): boolean {
  if (/^(true|yes|on|1)$/i.test(text)) return true;
  if (/^(false|no|off|0)$/i.test(text)) return false;
  throw new UsageError(`${flag} ${text}: neither true nor false`, { hint: `${flag}=true` });
}

function intOf(text: string, flag: string): number {
  const value = /^[-+]?\d+$/.test(text) ? Number(text) : Number.NaN;
  if (Number.isInteger(value) && Math.abs(value) <= 2_147_483_648) return value;
  throw new UsageError(`${flag} ${text}: not an integer`, { hint: `${flag} 4` });
}

/** Whole numbers and, of what is counted in a unit, sizes: `4GiB`, `4G` (binary), `4GB` (decimal). */
export function longOf(text: string, unit: SizeUnit | undefined, flag: string): number | bigint {
  if (/^[-+]?\d+$/.test(text)) return exact(BigInt(text), text, flag);
  if (unit === undefined) {
    throw new UsageError(`${flag} ${text}: not an integer`, { hint: `${flag} 4` });
  }
  let size: bigint;
  try {
    size = parseSize(text, unit);
  } catch (error) {
    throw new UsageError(`${flag} ${text}: ${(error as Error).message}`, {
      hint: unit === 'bytes' ? `${flag} 4GiB` : `use ${flag} 4GiB; a plain number is in ${unit}`,
    });
  }
  return exact(size, text, flag);
}

function exact(value: bigint, text: string, flag: string): number | bigint {
  if (value > maxLong || value < -maxLong - 1n) {
    throw new UsageError(`${flag} ${text}: larger than a 64-bit integer`);
  }
  const plain = Number(value);
  return Number.isSafeInteger(plain) ? plain : value;
}

function decimalOf(text: string, flag: string): number {
  const value = text.trim() === '' ? Number.NaN : Number(text);
  if (Number.isFinite(value)) return value;
  throw new UsageError(`${flag} ${text}: not a number`, { hint: `${flag} 1.5` });
}

function dateOf(text: string, flag: string): string {
  const date = new Date(text);
  if (!Number.isNaN(date.getTime())) return date.toISOString();
  throw new UsageError(`${flag} ${text}: not a date`, { hint: `${flag} 2030-01-31T12:00:00Z` });
}

/** A compatibility level: `4.7`. */
function versionOf(text: string, flag: string): { major: number; minor: number } {
  const [, major, minor] = /^(\d+)\.(\d+)$/.exec(text) ?? [];
  if (major !== undefined && minor !== undefined) {
    return { major: Number(major), minor: Number(minor) };
  }
  throw new UsageError(`${flag} ${text}: not a version`, { hint: `${flag} 4.7` });
}
