/** Objects as text in the database, and the values of their columns. */
import type { SqlValue } from './driver.ts';
import type { Column } from './kinds.ts';

/** An object as the rules see it. */
export type StoredObject = Record<string, unknown>;

const bigMark = '$bigint';

/** Writes an object; integers beyond 2^53 keep every digit. */
export function writeDocument(object: object): string {
  return JSON.stringify(object, (_, value: unknown) =>
    typeof value === 'bigint' ? { [bigMark]: value.toString() } : value,
  );
}

/** Reads what `writeDocument` wrote. */
export function parseDocument(text: string): StoredObject {
  return parse(text) as StoredObject;
}

/** Reads several of them, written as a JSON array. */
export function parseDocuments<T>(text: string): T[] {
  return parse(text) as T[];
}

function parse(text: string): unknown {
  // The reviver costs far more than the parse; almost no object needs it.
  if (!text.includes(bigMark)) return JSON.parse(text);
  return JSON.parse(text, (_, value: unknown) => {
    const digits = isRecord(value) ? value[bigMark] : undefined;
    return typeof digits === 'string' ? BigInt(digits) : value;
  });
}

export function isRecord(value: unknown): value is StoredObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value at a path inside an object, or undefined where the path ends early. */
export function valueAt(object: unknown, path: readonly string[]): unknown {
  let at = object;
  for (const word of path) {
    if (!isRecord(at)) return undefined;
    at = at[word];
  }
  return at;
}

/** The value of a column: booleans as 0 and 1, absent values as NULL. */
export function columnValue(object: StoredObject, column: Column): SqlValue {
  const value = valueAt(object, column.path);
  switch (typeof value) {
    case 'string':
    case 'number':
    case 'bigint':
      return value;
    case 'boolean':
      return value ? 1 : 0;
    default:
      return null;
  }
}
