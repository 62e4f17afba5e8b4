/** JSON output with API names and exact large integers, without control characters. */
import { escapeControlChars } from '../../escape-control-chars.ts';

const mark = '\u0001bigint:';
const marked = /"\\u0001bigint:(-?\d+)"/g;

/** Serializes a value; `space` as in `JSON.stringify`. */
export function formatJson(value: unknown, space?: number): string {
  return escapeControlChars.json(stringifyPlain(value, space) ?? stringifyExact(value, space));
}

/** Fast path for values without large integers; undefined otherwise. */
function stringifyPlain(value: unknown, space?: number): string | undefined {
  try {
    return JSON.stringify(value, undefined, space) ?? 'null';
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

function stringifyExact(value: unknown, space?: number): string {
  const text = JSON.stringify(
    value,
    (_, member: unknown) => (typeof member === 'bigint' ? `${mark}${member}` : member),
    space,
  );
  return text.replace(marked, '$1');
}
