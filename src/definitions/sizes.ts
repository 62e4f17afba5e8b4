/** Sizes with units in documents and flags: `4GiB`, `1.5 TiB`, `512M`, `4GB`. */
import type { SizeUnit } from '../model/notation/attributes.ts';

const powers = ['', 'K', 'M', 'G', 'T', 'P', 'E'];

/** Bytes per unit of the model. */
const unitBytes: Readonly<Record<SizeUnit, bigint>> = {
  bytes: 1n,
  MiB: 2n ** 20n,
  GiB: 2n ** 30n,
};

/** Whether a text is a size with a unit. */
export function hasUnit(text: string): boolean {
  return /^\s*\d+(?:\.\d+)?\s*(?:[KMGTPE](?:i?B)?|B)\s*$/i.test(text);
}

/**
 * Parses a size into a number of units. A plain number already counts units; `G` and `GiB` are
 * binary, `GB` is decimal. Throws an `Error` with the reason, without a position.
 */
export function parseSize(text: string, unit: SizeUnit): bigint {
  if (/^[-+]?\d+$/.test(text)) return BigInt(text);
  const [, count = '', letter = '', suffix = ''] =
    /^\s*(\d+(?:\.\d+)?)\s*([KMGTPE]?)(iB|B)?\s*$/i.exec(text) ?? [];
  if (count === '') throw new Error('not a number or a size');
  if (letter === '' && suffix === '') throw new Error('not an integer');
  const base = suffix.toUpperCase() === 'B' && letter !== '' ? 1_000n : 1_024n;
  const [whole = '0', part = ''] = count.split('.');
  const scaled = BigInt(whole + part) * base ** BigInt(powers.indexOf(letter.toUpperCase()));
  const bytes = scaled / 10n ** BigInt(part.length);
  if (bytes % unitBytes[unit] !== 0n) throw new Error(`not an integer number of ${unit}`);
  return bytes / unitBytes[unit];
}

/** Formats a number of bytes in the largest binary unit that is exact. */
export function formatSize(bytes: number | bigint): string | number | bigint {
  const exact = BigInt(bytes);
  const power = powers.findLastIndex(
    (letter, index) => letter !== '' && exact !== 0n && exact % 1_024n ** BigInt(index) === 0n,
  );
  return power < 0 ? bytes : `${exact / 1_024n ** BigInt(power)} ${powers[power]}iB`;
}
