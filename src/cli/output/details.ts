/** Details of one object: an attribute per line, nested ones with their path. */

import { escapeControlChars } from '../../escape-control-chars.ts';
import { displayWidth, folded } from '../text/display-width.ts';
import { meaningOf, type Reader, textFor } from './cells.ts';
import { blockLines, narrow } from './table.ts';

/** So much of a terminal is for values, at least; else each stands behind its name. */
const valueWidth = 24;

/**
 * The lines for an object: paths aligned, values behind them. In a terminal, whose width may be
 * given, values of several words go on below where they begin.
 */
export function* detailLines(
  item: Readonly<Record<string, unknown>>,
  type: string | undefined,
  reader: Reader,
  terminal?: number,
): Generator<string> {
  const lines = flattened(item, '').map(([path, value]): readonly [string, string] => {
    const meaning = meaningOf(type, path);
    return [path, escapeControlChars.line(textFor(reader, value, meaning))];
  });
  const first = ['name', 'id', 'status', 'description'];
  const rank = (path: string) => (first.indexOf(path) + first.length + 1) % (first.length + 1);
  lines.sort(([a], [b]) => rank(a) - rank(b));
  const width = Math.max(0, ...lines.map(([path]) => displayWidth(path))) + 2;
  const room = (terminal ?? Infinity) - width;
  if (terminal !== undefined && (terminal <= narrow || room < valueWidth)) {
    const block = { titles: lines.map(([path]) => path), rows: [lines.map(([, value]) => value)] };
    for (const line of blockLines(block, terminal)) yield `${line}\n`;
    return;
  }
  for (const [path, value] of lines) {
    const [first = '', ...more] = folded(value, room, room);
    yield `${path.padEnd(width)}${first}`.trimEnd().concat('\n');
    for (const line of more) yield `${' '.repeat(width)}${line}\n`;
  }
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
