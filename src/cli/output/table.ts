/**
 * Table layout: columns with two spaces between them.
 * On a terminal, the table fits the width: long texts are truncated and the last columns omitted.
 * If even the first columns do not fit, each object becomes a block.
 */
import { getDisplayWidth, truncate, wrapText } from '../text/display-width.ts';

/** Where texts of a column may be truncated. */
export type Cut = 'never' | 'middle' | 'end';

export interface TableText {
  /** The most important column first. */
  readonly titles: readonly string[];
  readonly rows: readonly (readonly string[])[];
  readonly headers: boolean;
  readonly cuts: readonly Cut[];
  /** The user selected the columns, so none is omitted because of its values. */
  readonly isChosen?: boolean;
}

/** Colours a cell; `row` is -1 for titles. */
export type Paint = (cell: string, column: number, row: number) => string;

const gap = 2;

/** Returns the printed cells: a dash for an empty cell, capitals for titles. */
function getPrintedCells({ titles, rows, headers }: TableText): readonly (readonly string[])[] {
  const filled = rows.map((row) => row.map((cell) => (cell === '' ? '-' : cell)));
  return headers ? [titles.map((title) => title.toUpperCase()), ...filled] : filled;
}

/** Yields lines with padded columns, for grep and awk. */
export function* renderAligned(table: TableText, paint?: Paint): Generator<string> {
  const lines = getPrintedCells(table);
  const widths = getColumnWidths(lines);
  const first = table.headers ? -1 : 0;
  for (const [row, line] of lines.entries()) {
    const last = line.length - 1;
    const cells = line.map((cell, column) => {
      const painted = paint ? paint(cell, column, row + first) : cell;
      const padding = (widths[column] ?? 0) + gap - getDisplayWidth(cell);
      return column === last ? painted : painted + ' '.repeat(padding);
    });
    yield cells.join('').trimEnd();
  }
}

function getColumnWidths(lines: readonly (readonly string[])[]): readonly number[] {
  const widths: number[] = [];
  for (const line of lines) {
    for (const [index, cell] of line.entries()) {
      widths[index] = Math.max(widths[index] ?? 0, getDisplayWidth(cell));
    }
  }
  return widths;
}

/** Minimum widths of truncated texts: first column, others, prose. */
const minimumWidths = { first: 20, middle: 12, end: 20 } as const;

/** Number of columns that a table must have: the name and the most important attribute. */
const essentialColumns = 2;

/** Maximum width of terminals that are too narrow for truncated columns. */
export const narrowWidth = 40;

/** Table for a terminal. */
export interface FittedTable {
  readonly table: TableText;
  /** Indexes of the columns in the original table. */
  readonly kept: readonly number[];
  /** Titles of omitted columns. */
  readonly dropped: readonly string[];
}

/**
 * Fits a table to `width` terminal columns; undefined if the terminal is too narrow. The first
 * columns are the most important: later ones that do not fit are omitted, and texts are truncated.
 * `mark` replaces the removed text.
 */
export function fitTable(table: TableText, width: number, mark: string): FittedTable | undefined {
  const natural = getColumnWidths(getPrintedCells(table));
  const all = natural.map((_, index) => index);
  if (getTotalWidth(natural) <= width) return { table, kept: all, dropped: [] };
  if (width <= narrowWidth) return undefined;
  const least = natural.map((wanted, index) => getMinimumWidth(table, wanted, index));
  const cells = (index: number) => table.rows.map((row) => row[index] ?? '');
  // Ids are redundant beside names, and empty columns carry no information.
  const isDispensable = natural.map(
    (_, index) =>
      index > 0 &&
      table.isChosen !== true &&
      (cells(index).every((cell) => cell === '') ||
        (table.cuts[index] === 'never' && cells(index).every((cell) => ids.test(cell)))),
  );
  const fits = (indexes: readonly number[], widths: readonly number[]) =>
    getTotalWidth(indexes.map((index) => widths[index] ?? 0)) <= width;
  let kept: readonly number[] = [];
  for (const index of all) {
    if (!isDispensable[index] && fits([...kept, index], least)) kept = [...kept, index];
  }
  const shown = all.filter((index) => !isDispensable[index]);
  if (shown.slice(0, essentialColumns).some((index) => !kept.includes(index))) return undefined;
  // Spare columns appear only if no text has to be truncated for them.
  for (const index of all.filter((one) => isDispensable[one])) {
    const more = [...kept, index].sort((a, b) => a - b);
    if (fits(more, natural)) kept = more;
  }
  const widths = distributeWidth(kept, natural, least, width);
  const cut = (row: readonly string[]) =>
    kept.map((index, place) => {
      const cell = row[index] ?? '';
      return truncate(
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

/** Returns the width of columns including gaps. */
function getTotalWidth(widths: readonly number[]): number {
  return widths.reduce((sum, width) => sum + width, 0) + gap * Math.max(0, widths.length - 1);
}

const ids = /^([0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}(, |$))+$/i;

/** Returns the minimum width of a column. Titles and ids are never truncated. */
function getMinimumWidth(
  { titles, rows, headers, cuts }: TableText,
  wanted: number,
  index: number,
): number {
  const cut = cuts[index] ?? 'never';
  // Objects without a name show their id.
  if (cut === 'never' || rows.some((row) => ids.test(row[index] ?? ''))) return wanted;
  const title = headers ? getDisplayWidth(titles[index] ?? '') : 0;
  return Math.min(wanted, Math.max(title, index === 0 ? minimumWidths.first : minimumWidths[cut]));
}

/** Distributes the width: the widest columns shrink first, the remainder goes to the left. */
function distributeWidth(
  kept: readonly number[],
  natural: readonly number[],
  minimum: readonly number[],
  width: number,
): readonly number[] {
  const under = (limit: number) =>
    kept.map((index) => Math.max(minimum[index] ?? 0, Math.min(natural[index] ?? 0, limit)));
  let limit = width;
  while (limit > 0 && getTotalWidth(under(limit)) > width) limit -= 1;
  const widths = under(limit);
  let room = width - getTotalWidth(widths);
  for (const [place, index] of kept.entries()) {
    const more = Math.min(room, (natural[index] ?? 0) - (widths[place] ?? 0));
    widths[place] = (widths[place] ?? 0) + more;
    room -= more;
  }
  return widths;
}

/** Yields a block of `name: value` lines for each object, separated by empty lines. */
export function* renderBlocks(
  { titles, rows }: Pick<TableText, 'titles' | 'rows'>,
  width: number,
  paint?: Paint,
): Generator<string> {
  for (const [number, row] of rows.entries()) {
    if (number > 0) yield '';
    for (const [index, title] of titles.entries()) {
      const text = row[index] || '-';
      const room = width - getDisplayWidth(title) - gap;
      const [first = '', ...more] = wrapText(text, room, width - gap);
      // A value that does not fit after its name starts on the next line.
      const [behind, below] =
        getDisplayWidth(first) > room ? ['', [first, ...more]] : [first, more];
      yield `${title}: ${paint ? paint(behind, index, number) : behind}`.trimEnd();
      for (const line of below) yield `  ${line}`;
    }
  }
}

/** Draws the table with the library, without borders and colours. */
export async function drawTable(table: TableText, paint?: Paint): Promise<string> {
  const { default: Table } = await import('cli-table3');
  const lines = getPrintedCells(table);
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
