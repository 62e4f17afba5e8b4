/** Numbers and ids made from names: the same for the same object in every run. */
import { createHash } from 'node:crypto';

/** Sixteen bytes that depend on the words alone. */
export function digestOf(...words: readonly string[]): Buffer {
  return createHash('md5').update(words.join(' ')).digest();
}

/** An id in the form of a UUID that depends on the words alone. */
export function namedId(...words: readonly string[]): string {
  const hex = digestOf(...words).toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-3${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
