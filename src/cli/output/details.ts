/** Details of one object: an attribute per line, nested ones with their path. */

import { displayWidth } from '../text/display-width.ts';
import { escapeControlChars } from '../text/escape-control-chars.ts';
import { meaningOf, type Reader, textFor } from './cells.ts';

/** The lines for an object: paths aligned, values behind them. */
export function* detailLines(
  item: Readonly<Record<string, unknown>>,
  type: string | undefined,
  reader: Reader,
): Generator<string> {
  const lines = flattened(item, '').map(([path, value]): readonly [string, string] => {
    const meaning = meaningOf(type, path);
    return [path, escapeControlChars.line(textFor(reader, value, meaning))];
  });
  const first = ['name', 'id', 'status', 'description'];
  const rank = (path: string) => (first.indexOf(path) + first.length + 1) % (first.length + 1);
  lines.sort(([a], [b]) => rank(a) - rank(b));
  const width = Math.max(0, ...lines.map(([path]) => displayWidth(path)));
  for (const [path, value] of lines) yield `${path.padEnd(width)}  ${value}`.trimEnd().concat('\n');
}

/** Paths and values; references and lists of plain values stay whole. */
function flattened(
  fields: Readonly<Record<string, unknown>>,
  prefix: string,
): readonly (readonly [string, unknown])[] {
  return Object.entries(fields).flatMap(([name, value]) => {
    const path = `${prefix}${name}`;
    if (value === undefined || name === 'href') return [];
    if (Array.isArray(value)) return value.length === 0 ? [] : [[path, value] as const];
    if (typeof value !== 'object' || value === null) return [[path, value] as const];
    const nested = value as Readonly<Record<string, unknown>>;
    if ('id' in nested || 'major' in nested) return [[path, value] as const];
    return flattened(nested, `${path}.`);
  });
}
