/** Reproducible numbers and ids from a seed or a name. */
import { createHash } from 'node:crypto';

/** Sixteen bytes derived from the parts. */
export function digestParts(...parts: readonly string[]): Buffer {
  return createHash('md5').update(parts.join(' ')).digest();
}

/** An id in UUID form derived from the parts. */
export function namedId(...parts: readonly string[]): string {
  const hex = digestParts(...parts).toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-3${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** A generator of numbers from 0 to 1 (mulberry32): small, fast, sufficient for a simulation. */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/**
 * A generator of ids in the form of random UUIDs. Another `beginning` yields other ids, for a store
 * that already has objects with ids of the same seed.
 */
export function seededUuid(seed: number, beginning = 0): () => string {
  const random = seededRandom(seed ^ 0x5f3759df ^ Math.imul(beginning, 0x9e3779b1));
  const hex = (digits: number) =>
    Math.floor(random() * 16 ** digits)
      .toString(16)
      .padStart(digits, '0');
  return () => `${hex(8)}-${hex(4)}-4${hex(3)}-a${hex(3)}-${hex(8)}${hex(4)}`;
}

/**
 * A generator of `count` increasing, evenly spread ids. Objects inserted in the order of their ids
 * append to every index, which is fast for indexes of any size.
 */
export function ascendingIds(newId: () => string, count: number): () => string {
  let made = 0;
  return () => {
    const id = newId();
    const part = (made + Number.parseInt(id.slice(0, 8), 16) / 2 ** 32) / count;
    made += 1;
    const first = Math.floor(part * 2 ** 32).toString(16);
    return `${first.padStart(8, '0')}${id.slice(8)}`;
  };
}
