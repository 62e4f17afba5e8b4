/** The members of an object as text, in the order in which its type is written. */

export interface MemberWriter {
  readonly name: string;
  /** The whole member, indented for its depth where that means something; undefined: left out. */
  readonly write: (value: unknown, depth: number) => string | undefined;
}

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
    // Not joined: texts that are only added are copied once, when the whole body is sent.
    let whole = '';
    for (const text of texts) {
      if (text !== undefined) whole += whole === '' ? text : separator + text;
    }
    return whole;
  };
}
