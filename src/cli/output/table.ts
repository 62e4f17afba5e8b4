/** Tables: a grid on a terminal, aligned columns everywhere else. */
import { displayWidth, truncated } from '../text/display-width.ts';

export interface TableText {
  readonly titles: readonly string[];
  readonly rows: readonly (readonly string[])[];
  readonly headers: boolean;
  /** Columns that are never shortened: ids. */
  readonly rigid: ReadonlySet<number>;
}

/** Columns padded with blanks, so that grep and awk find their way. Empty cells are a dash. */
export function* alignedLines(table: TableText): Generator<string> {
  const filled = table.rows.map((row) => row.map((cell) => (cell === '' ? '-' : cell)));
  const lines = table.headers ? [table.titles, ...filled] : filled;
  const widths = columnWidths(lines);
  for (const line of lines) {
    yield line
      .map((cell, index) =>
        index === line.length - 1 ? cell : pad(cell, (widths[index] ?? 0) + 2),
      )
      .join('')
      .trimEnd();
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

function pad(cell: string, width: number): string {
  return cell + ' '.repeat(Math.max(0, width - displayWidth(cell)));
}

/** What the borders of a grid take from the width of the terminal, per column. */
const frame = 3;
/** How narrow a cell may become: first this, and this where it would not fit otherwise. */
const narrowest = [8, 3] as const;

/**
 * The table with its cells shortened so that it fits the terminal: the widest columns give way
 * first, ids never.
 */
export function fitted(table: TableText, terminalWidth: number): TableText {
  const lines = table.headers ? [table.titles, ...table.rows] : table.rows;
  const widths = [...columnWidths(lines)];
  const room = () => terminalWidth - 1 - widths.reduce((sum, width) => sum + width + frame, 0);
  for (const least of narrowest) {
    while (room() < 0) {
      let widest = -1;
      for (const [index, width] of widths.entries()) {
        if (table.rigid.has(index) || width <= least) continue;
        if (widest < 0 || width > (widths[widest] ?? 0)) widest = index;
      }
      if (widest < 0) break;
      widths[widest] = Math.max(least, (widths[widest] ?? 0) - Math.max(1, -room() >> 2));
    }
  }
  const shorten = (cell: string, index: number) =>
    table.rigid.has(index) ? cell : truncated(cell, widths[index] ?? cell.length);
  const [titles, rows] = [table.titles.map(shorten), table.rows.map((row) => row.map(shorten))];
  return { ...table, titles, rows };
}

/** Draws the grid. The library colours by itself unless told not to; colour is ours alone. */
export async function grid(table: TableText): Promise<string> {
  const { default: Table } = await import('cli-table3');
  const drawn = new Table({
    ...(table.headers ? { head: [...table.titles] } : {}),
    style: { head: [], border: [], compact: true },
    wordWrap: false,
  });
  drawn.push(...table.rows.map((row) => [...row]));
  return drawn.toString();
}
