/** Selection of object members by a condition. */
import type { StoredObject } from '../store/kinds.ts';

/** Replaces all members of an object in place. */
export function replaceMembers(object: StoredObject, members: object): void {
  for (const name of Object.keys(object)) delete object[name];
  Object.assign(object, members);
}

/** The members that meet a condition. */
export function pickMembers<T extends object>(
  object: T,
  holds: (name: string, value: unknown) => boolean,
): Partial<T> {
  const left = Object.entries(object).filter(([name, value]) => holds(name, value));
  // Entries lose the member types; the remaining members have their original values.
  return Object.fromEntries(left) as Partial<T>;
}

/** The members that are not undefined, for types with exact optional members. */
export function pickDefined<T extends object>(
  object: {
    readonly [K in keyof T]: T[K] | undefined;
  },
): Partial<T> {
  // The type checker cannot see that the filter removes undefined.
  return pickMembers(object, (_, value) => value !== undefined) as Partial<T>;
}
