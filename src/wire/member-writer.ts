/** Writer of the members of an object in the order of its type, in pieces where it is large. */

export interface MemberWriter {
  readonly name: string;
  /** The whole member, indented for its depth where that means something; undefined: left out. */
  readonly write: (value: unknown, depth: number) => string | undefined;
  /** The same of what is long, in pieces that are short; none of them is empty. */
  readonly pieces: (value: unknown, depth: number) => Pieces;
}

/** How one object is put together from texts of its members, each in its place. */
export interface ObjectTexts {
  /** How many places there are. */
  readonly size: number;
  /** The place of a member; undefined where its type has none of that name. */
  readonly place: (name: string) => number | undefined;
  /** The text of a member; empty where nothing is written. */
  readonly write: (place: number, value: unknown) => string;
  /** The whole object; empty and missing texts are left out. */
  readonly whole: (texts: readonly (string | undefined)[]) => string;
}

/** A text, from its beginning to its end. */
export type Pieces = Generator<string, void, undefined>;

/**
 * Makes the writer for the members of a type. Most objects have a small part of the members that
 * their type has: looking at those that are there costs far less than asking for each.
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
    return added(texts, separator, 0, texts.length);
  };
}

/** Texts from a place to another one, with a separator between those that are not empty. */
export function added(
  texts: readonly (string | undefined)[],
  separator: string,
  start: number,
  end: number,
): string {
  // Not joined: texts that are only added are copied once, when the whole body is sent.
  let whole = '';
  for (let index = start; index < end; index++) {
    const text = texts[index];
    if (text) whole += whole === '' ? text : separator + text;
  }
  return whole;
}

/** What such a writer writes, in pieces: each member in one, unless it is large. */
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

/** A text as its only piece, where there is one. */
export function* one(text: string | undefined): Pieces {
  if (text !== undefined && text !== '') yield text;
}

/** Values that are written in one go: about a millisecond of work, and far more than most objects have. */
const mostAtOnce = 500;

/** Whether a value holds more values than are written in one go. No more of them are looked at. */
export function isLarge(value: unknown): boolean {
  return left(value, mostAtOnce) < 0;
}

/** What is left of a number of values when those of this one are taken from it. */
function left(value: unknown, limit: number): number {
  let rest = limit - 1;
  if (typeof value !== 'object' || value === null) return rest;
  if (Array.isArray(value)) {
    for (const one of value as readonly unknown[]) {
      rest = left(one, rest);
      if (rest < 0) return rest;
    }
    return rest;
  }
  const fields = value as Readonly<Record<string, unknown>>;
  for (const name in fields) {
    rest = left(fields[name], rest);
    if (rest < 0) return rest;
  }
  return rest;
}
