/** The operations of the specification: what the product knows of them, and what only tests look at. */
import { readFileSync } from 'node:fs';

const read = (path: string): unknown =>
  JSON.parse(readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8'));

/** All operations, with tier, rows and success of `src/specification`. */
export function specifiedOperations<T>(): readonly T[] {
  const known = read('src/specification/operations.json') as readonly object[];
  const more = read('test/data/operations.json') as readonly object[];
  // Both have the same operations in the same order.
  return known.map((one, index) => ({ ...more[index], ...one }) as T);
}

/** The rows that stand for several operations each: `G3`, and those of the image daemon. */
export function specifiedGroups(): Readonly<Record<string, readonly string[]>> {
  return read('src/specification/groups.json') as Readonly<Record<string, readonly string[]>>;
}
