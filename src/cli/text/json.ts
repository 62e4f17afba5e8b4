/** JSON for programs: names of the API, exact large integers, no control characters. */
import { escapeControlChars } from '../../escape-control-chars.ts';

const mark = '\u0001bigint:';
const marked = /"\\u0001bigint:(-?\d+)"/g;

/** One value as JSON; `space` as JSON.stringify takes it. */
export function jsonText(value: unknown, space?: number): string {
  return escapeControlChars.json(plainJson(value, space) ?? exactJson(value, space));
}

/** Most values have no large integers, and are written in a fraction of the time. */
function plainJson(value: unknown, space?: number): string | undefined {
  try {
    return JSON.stringify(value, undefined, space) ?? 'null';
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

function exactJson(value: unknown, space?: number): string {
  const text = JSON.stringify(
    value,
    (_, member: unknown) => (typeof member === 'bigint' ? `${mark}${member}` : member),
    space,
  );
  return text.replace(marked, '$1');
}
