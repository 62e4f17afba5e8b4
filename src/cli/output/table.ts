/**
 * Tables: columns with two blanks between them. On a terminal they are fitted to its width: long texts
 * are cut, the last columns left out; where even the first ones have no room, objects become blocks.
 */
import { displayWidth, folded, truncated } from '../text/display-width.ts';

/** What may be cut out of the texts of a column. */
export type Cut = 'never' | 'middle' | 'end';

export interface TableText {
  /** The most important one first. */
  readonly titles: readonly string[];
  readonly rows: readonly (readonly string[])[];
  readonly headers: boolean;
  /** By column. */
  readonly cuts: readonly Cut[];
  /** Somebody has asked for these columns: none is spared for what it holds. */
  readonly isChosen?: boolean;
}

/** Colours the cell of a column; `row` is -1 for the titles. */
export type Paint = (cell: string, column: number, row: number) => string;

const gap = 2;

/** Cells as they are printed: empty ones are a dash, titles in capitals. */
function lineCells({ titles, rows, headers }: TableText): readonly (readonly string[])[] {
  const filled = rows.map((row) => row.map((cell) => (cell === '' ? '-' : cell)));
  return headers ? [titles.map((title) => title.toUpperCase()), ...filled] : filled;
}

/** Columns padded with blanks, so that grep and awk find their way. */
export function* alignedLines(table: TableText, paint?: Paint): Generator<string> {
  const lines = lineCells(table);
  const widths = columnWidths(lines);
  const first = table.headers ? -1 : 0;
  for (const [row, line] of lines.entries()) {
    const last = line.length - 1;
    const cells = line.map((cell, column) => {
      const painted = paint ? paint(cell, column, row + first) : cell;
      const padding = (widths[column] ?? 0) + gap - displayWidth(cell);
      return column === last ? painted : painted + ' '.repeat(padding);
    });
    yield cells.join('').trimEnd();
  }
}

function columnWidths(lines: readonly (readonly string[])[]): readonly number[] {
  const widths: number[] = [];
  for (const line of lines) {
    for (const [index, cell] of line.entries()) {
      widths[index] = Math.max(widths[index] ?? 0, displayWidth(cell));
    }
  }
  return widths;
}

/** What is left of a text that is cut, at least: of the first column, of others, of prose. */
const leastOf = { first: 20, middle: 12, end: 20 } as const;

/** So many columns have to be there: what an object is called, and what matters most of it. */
const essential = 2;

/** Terminals of this width and less have no room for columns that are cut. */
export const narrow = 40;

/** A table as a terminal shows it. */
export interface FittedTable {
  readonly table: TableText;
  /** Where the columns of the table were before. */
  readonly kept: readonly number[];
  /** Titles of the columns that are left out. */
  readonly dropped: readonly string[];
}

/**
 * The table for a terminal of `width` columns; `undefined` where it is too narrow for columns. The
 * first columns matter most: those that have no room behind them are left out, and texts are cut.
 */
export function fitted(table: TableText, width: number, mark: string): FittedTable | undefined {
  const natural = columnWidths(lineCells(table));
  const all = natural.map((_, index) => index);
  if (spaceOf(natural) <= width) return { table, kept: all, dropped: [] };
  if (width <= narrow) return undefined;
  const least = natural.map((wanted, index) => leastWidth(table, wanted, index));
  const cells = (index: number) => table.rows.map((row) => row[index] ?? '');
  // Names do instead of ids; what says nothing is missed least.
  const isSpare = natural.map(
    (_, index) =>
      index > 0 &&
      table.isChosen !== true &&
      (cells(index).every((cell) => cell === '') ||
        (table.cuts[index] === 'never' && cells(index).every((cell) => ids.test(cell)))),
  );
  const fits = (indexes: readonly number[], widths: readonly number[]) =>
    spaceOf(indexes.map((index) => widths[index] ?? 0)) <= width;
  let kept: readonly number[] = [];
  for (const index of all) {
    if (!isSpare[index] && fits([...kept, index], least)) kept = [...kept, index];
  }
  const shown = all.filter((index) => !isSpare[index]);
  if (shown.slice(0, essential).some((index) => !kept.includes(index))) return undefined;
  // Nothing is cut for the sake of these.
  for (const index of all.filter((one) => isSpare[one])) {
    const more = [...kept, index].sort((a, b) => a - b);
    if (fits(more, natural)) kept = more;
  }
  const widths = shared(kept, natural, least, width);
  const cut = (row: readonly string[]) =>
    kept.map((index, place) => {
      const cell = row[index] ?? '';
      return truncated(
        cell,
        widths[place] ?? 0,
        table.cuts[index] === 'end' ? 'end' : 'middle',
        mark,
      );
    });
  return {
    table: {
      titles: kept.map((index) => table.titles[index] ?? ''),
      rows: table.rows.map(cut),
      headers: table.headers,
      cuts: kept.map((index) => table.cuts[index] ?? 'never'),
    },
    kept,
    dropped: all.filter((index) => !kept.includes(index)).map((index) => table.titles[index] ?? ''),
  };
}

/** What columns of these widths take, with the blanks between them. */
function spaceOf(widths: readonly number[]): number {
  return widths.reduce((sum, width) => sum + width, 0) + gap * Math.max(0, widths.length - 1);
}

const ids = /^([0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}(, |$))+$/i;

/** The width below which a column cannot go: titles and ids are never cut. */
function leastWidth(
  { titles, rows, headers, cuts }: TableText,
  wanted: number,
  index: number,
): number {
  const cut = cuts[index] ?? 'never';
  // Of what has no name to be shown there is the id.
  if (cut === 'never' || rows.some((row) => ids.test(row[index] ?? ''))) return wanted;
  const title = headers ? displayWidth(titles[index] ?? '') : 0;
  return Math.min(wanted, Math.max(title, index === 0 ? leastOf.first : leastOf[cut]));
}

/** Widths of the columns that are kept: the widest give way first, what is left over goes to the left. */
function shared(
  kept: readonly number[],
  natural: readonly number[],
  least: readonly number[],
  width: number,
): readonly number[] {
  const under = (limit: number) =>
    kept.map((index) => Math.max(least[index] ?? 0, Math.min(natural[index] ?? 0, limit)));
  let limit = width;
  while (limit > 0 && spaceOf(under(limit)) > width) limit -= 1;
  const widths = under(limit);
  let room = width - spaceOf(widths);
  for (const [place, index] of kept.entries()) {
    const more = Math.min(room, (natural[index] ?? 0) - (widths[place] ?? 0));
    widths[place] = (widths[place] ?? 0) + more;
    room -= more;
  }
  return widths;
}

/** A block of `name: value` for each object, with an empty line between them. */
export function* blockLines(
  { titles, rows }: Pick<TableText, 'titles' | 'rows'>,
  width: number,
  paint?: Paint,
): Generator<string> {
  for (const [number, row] of rows.entries()) {
    if (number > 0) yield '';
    for (const [index, title] of titles.entries()) {
      const text = row[index] || '-';
      const room = width - displayWidth(title) - gap;
      const [first = '', ...more] = folded(text, room, width - gap);
      // What does not fit behind its name has a line for itself, as far as it goes.
      const [behind, below] = displayWidth(first) > room ? ['', [first, ...more]] : [first, more];
      yield `${title}: ${paint ? paint(behind, index, number) : behind}`.trimEnd();
      for (const line of below) yield `  ${line}`;
    }
  }
}

/** Draws the table. The library has neither borders nor colours of its own here. */
export async function drawn(table: TableText, paint?: Paint): Promise<string> {
  const { default: Table } = await import('cli-table3');
  const lines = lineCells(table);
  const first = table.headers ? -1 : 0;
  const drawing = new Table({
    chars: noBorders,
    style: { head: [], border: [], compact: true, 'padding-left': 0, 'padding-right': 0 },
    wordWrap: false,
  });
  drawing.push(
    ...lines.map((line, row) =>
      line.map((cell, column) => (paint ? paint(cell, column, row + first) : cell)),
    ),
  );
  return drawing
    .toString()
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n');
}

const noBorders = {
  ...Object.fromEntries(
    ['top', 'bottom', 'left', 'right', 'mid'].flatMap((side) =>
      ['', '-left', '-mid', '-right'].map((end) => [`${side}${end}`, '']),
    ),
  ),
  middle: ' '.repeat(gap),
};
