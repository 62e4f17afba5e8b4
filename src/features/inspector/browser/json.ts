/** Readers of JSON values from the server. */

export type Json = Readonly<Record<string, unknown>>;

/** Whether a value is an object and not a list. */
function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Parses an object. Throws for invalid JSON and for other values. */
export function parseObject(text: string): Json {
  const value: unknown = JSON.parse(text);
  if (!isJson(value)) throw new Error('The response is not an object.');
  return value;
}

/** Objects of a list; empty for other values. */
export function asObjects(value: unknown): readonly Json[] {
  return Array.isArray(value) ? value.filter(isJson) : [];
}

/** Member that is an object; an empty object for other values. */
export function getObject(object: Json | undefined, name: string): Json {
  const value = object?.[name];
  return isJson(value) ? value : {};
}
