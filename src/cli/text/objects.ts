/** Readers for members of objects of any type. */
import { isRecord } from '../../records.ts';

type PlainObject = Record<string, unknown>;

/** Returns a member that is an object; undefined for other values. */
export function getObject(owner: unknown, name: string): PlainObject | undefined {
  const value = isRecord(owner) ? owner[name] : undefined;
  return isRecord(value) ? value : undefined;
}

/** Returns the objects of a member that is a list; empty for other values. */
export function getObjects(owner: unknown, name: string): readonly PlainObject[] {
  const value = isRecord(owner) ? owner[name] : undefined;
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

/** Returns the `id` of a member that is a reference. */
export function getReferenceId(owner: unknown, name: string): unknown {
  return getObject(owner, name)?.['id'];
}
