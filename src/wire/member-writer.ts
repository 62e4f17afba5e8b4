/**
 * Writer of the members of an object in the order of its type; large objects are written in pieces.
 */
import { isRecord } from '../records.ts';

export interface MemberWriter {
  readonly name: string;
  /**
   * Writes the member, with the indentation of its depth if the format has any. `undefined` omits
   * it.
   */
  readonly write: (value: unknown, depth: number) => string | undefined;
  /** Writes a long value in short pieces that are not empty. */
  readonly pieces: (value: unknown, depth: number) => Pieces;
}

/** Consecutive pieces of a text. */
export type Pieces = Generator<string, void, undefined>;

/**
 * Creates the writer for the members of a type. It iterates the members that an object has, because
 * most objects have few members of their type.
 */
export function membersWriter(
  members: readonly MemberWriter[],
  separator: string,
): (fields: Readonly<Record<string, unknown>>, depth: number) => string {
  const places = new Map(members.map(({ name, write }, index) => [name, { index, write }]));
  return (fields, depth) => {
    const texts = new Array<string | undefined>(members.length);
    for (const name in fields) {
      const place = places.get(name);
      if (place === undefined) continue;
      const value = fields[name];
      if (value === undefined || value === null) continue;
      texts[place.index] = place.write(value, depth);
    }
    // Concatenated instead of joined: the text is copied only once, when the response is sent.
    let all = '';
    for (const text of texts) if (text) all += all === '' ? text : separator + text;
    return all;
  };
}

/** Creates a writer that yields each member as one piece, or as several if it is large. */
export function membersInPieces(
  members: readonly MemberWriter[],
  separator: string,
): (fields: Readonly<Record<string, unknown>>, depth: number) => Pieces {
  return function* (fields, depth) {
    let before = '';
    for (const { name, write, pieces } of members) {
      const value = fields[name];
      if (value === undefined || value === null) continue;
      let start = before;
      for (const piece of isLarge(value) ? pieces(value, depth) : one(write(value, depth))) {
        yield start + piece;
        start = '';
        before = separator;
      }
    }
  };
}

/** Yields a nonempty text as one piece. */
export function* one(text: string | undefined): Pieces {
  if (text !== undefined && text !== '') yield text;
}

/** Returns the items of a list. Throws a `TypeError` for other values. */
export function getItems(value: unknown): Iterable<unknown> {
  if (!isIterable(value)) throw new TypeError('the value of a list is not iterable');
  return value;
}

function isIterable(value: unknown): value is Iterable<unknown> {
  if (typeof value === 'string') return true;
  return typeof value === 'object' && value !== null && Symbol.iterator in value;
}

/**
 * Maximum values to write without interruption. They take about a millisecond, and most objects
 * have far fewer.
 */
const mostAtOnce = 500;

/** Whether a value contains more than `mostAtOnce` values. The count stops at this limit. */
export function isLarge(value: unknown): boolean {
  return left(value, mostAtOnce) < 0;
}

/** Subtracts the count of values in `value` from `limit`. */
function left(value: unknown, limit: number): number {
  let rest = limit - 1;
  if (Array.isArray(value)) {
    for (const one of value) {
      rest = left(one, rest);
      if (rest < 0) return rest;
    }
    return rest;
  }
  if (!isRecord(value)) return rest;
  for (const name in value) {
    rest = left(value[name], rest);
    if (rest < 0) return rest;
  }
  return rest;
}
