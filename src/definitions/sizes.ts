/** Sizes as people write them: `4GiB`, `1.5 TiB`, `512M`, `4GB`; in documents and in flags. */
import type { SizeUnit } from '../model/notation/attributes.ts';

const powers = ['', 'K', 'M', 'G', 'T', 'P', 'E'];

/** How many bytes one is of what the attributes of the model are counted in. */
const unitBytes: Readonly<Record<SizeUnit, bigint>> = {
  bytes: 1n,
  MiB: 2n ** 20n,
  GiB: 2n ** 30n,
};

/** Whether a text is a size with a unit: then it is not meant to be anything else. */
export function hasUnit(text: string): boolean {
  return /^\s*\d+(?:\.\d+)?\s*(?:[KMGTPE](?:i?B)?|B)\s*$/i.test(text);
}

/**
 * A size counted in a unit. A plain number is counted in it already; `G` and `GiB` are binary, `GB` is
 * decimal. Throws an error that says what is wrong with the text, without its place.
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

/** A number of bytes as people write it: in the largest unit that loses nothing. */
export function sizeText(bytes: number | bigint): string | number | bigint {
  const exact = BigInt(bytes);
  const power = powers.findLastIndex(
    (letter, index) => letter !== '' && exact !== 0n && exact % 1_024n ** BigInt(index) === 0n,
  );
  return power < 0 ? bytes : `${exact / 1_024n ** BigInt(power)} ${powers[power]}iB`;
}
