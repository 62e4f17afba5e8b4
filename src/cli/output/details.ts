/** Details of one object: one attribute per line, nested attributes with their path. */

import { escapeControlChars } from '../../escape-control-chars.ts';
import { isRecord } from '../../records.ts';
import { getDisplayWidth, wrapText } from '../text/display-width.ts';
import { formatForReader, getMeaning, type Reader } from './cells.ts';
import { narrowWidth, renderBlocks } from './table.ts';

/** Minimum columns for values. Narrower terminals get `name: value` lines. */
const valueWidth = 24;

/**
 * Yields the lines of an object: aligned paths, followed by values. If the terminal width is given,
 * long values continue below their beginning.
 */
export function* renderDetails(
  item: Readonly<Record<string, unknown>>,
  type: string | undefined,
  reader: Reader,
  terminal?: number,
): Generator<string> {
  const lines = flattenAttributes(item, '').map(([path, value]): readonly [string, string] => {
    const meaning = getMeaning(type, path);
    return [path, escapeControlChars.line(formatForReader(reader, value, meaning))];
  });
  const first = ['name', 'id', 'status', 'description'];
  const rank = (path: string) => (first.indexOf(path) + first.length + 1) % (first.length + 1);
  lines.sort(([a], [b]) => rank(a) - rank(b));
  const width = Math.max(0, ...lines.map(([path]) => getDisplayWidth(path))) + 2;
  const room = (terminal ?? Infinity) - width;
  if (terminal !== undefined && (terminal <= narrowWidth || room < valueWidth)) {
    const block = { titles: lines.map(([path]) => path), rows: [lines.map(([, value]) => value)] };
    for (const line of renderBlocks(block, terminal)) yield `${line}\n`;
    return;
  }
  for (const [path, value] of lines) {
    const [first = '', ...more] = wrapText(value, room, room);
    yield `${path.padEnd(width)}${first}`.trimEnd().concat('\n');
    for (const line of more) yield `${' '.repeat(width)}${line}\n`;
  }
}

/** Lists paths and values. References and lists of plain values remain in one piece. */
function flattenAttributes(
  fields: Readonly<Record<string, unknown>>,
  prefix: string,
): readonly (readonly [string, unknown])[] {
  return Object.entries(fields).flatMap(([name, value]) => {
    const path = `${prefix}${name}`;
    if (value === undefined || name === 'href') return [];
    if (Array.isArray(value)) return value.length === 0 ? [] : [[path, value] as const];
    if (!isRecord(value) || 'id' in value || 'major' in value) return [[path, value] as const];
    return flattenAttributes(value, `${path}.`);
  });
}
