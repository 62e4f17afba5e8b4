/** Operations of the specification: the data of the product, and data that only tests use. */
import { readFileSync } from 'node:fs';

const read = (path: string): unknown =>
  JSON.parse(readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8'));

/** Lists all operations, with tier, rows and success from `src/specification`. */
export function specifiedOperations<T>(): readonly T[] {
  const known = read('src/specification/operations.json') as readonly object[];
  const more = read('test/data/operations.json') as readonly object[];
  // Both have the same operations in the same order.
  return known.map((one, index) => ({ ...more[index], ...one }) as T);
}

/** Rows that contain several operations: `G3`, and the rows of the image daemon. */
export function specifiedGroups(): Readonly<Record<string, readonly string[]>> {
  return read('src/specification/groups.json') as Readonly<Record<string, readonly string[]>>;
}
