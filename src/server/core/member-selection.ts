/** Selections of members: an object without those that do not meet a condition, or have no value. */
import type { StoredObject } from '../store/kinds.ts';

/** Gives an object other members in the place of its own. */
export function replaceMembers(object: StoredObject, members: object): void {
  for (const name of Object.keys(object)) delete object[name];
  Object.assign(object, members);
}

/** What is left of an object when members are taken away. */
export function membersWhere<T extends object>(
  object: T,
  holds: (name: string, value: unknown) => boolean,
): Partial<T> {
  const left = Object.entries(object).filter(([name, value]) => holds(name, value));
  // Entries lose the names of their members; those that are left have the values that they had.
  return Object.fromEntries(left) as Partial<T>;
}

/** The members that have a value: to be put where one without is not allowed. */
export function definedMembers<T extends object>(
  object: {
    readonly [K in keyof T]: T[K] | undefined;
  },
): Partial<T> {
  // The condition takes away what may be undefined: types do not follow it.
  return membersWhere(object, (_, value) => value !== undefined) as Partial<T>;
}
