/** Recorded runs, one in each line, and comparison with the last one. */
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import type { Origin } from './machine.ts';
import { getFigure, isRow, type Row } from './row.ts';

/** Rows of one program in `bench/`. */
export interface Table {
  readonly table: string;
  readonly rows: readonly Row[];
  /** Share of the computer used by other processes during the run, from 0 to 1. */
  readonly others: number | null;
}

/** One run. */
export interface Run extends Origin {
  /**
   * Whether it ran once with small sizes. These figures only show that the programs work, and are
   * compared only with each other.
   */
  readonly quick: boolean;
  readonly tables: readonly Table[];
}

/** Row compared with that of an earlier run. */
export interface Change {
  readonly table: string;
  readonly name: string;
  readonly beside: string;
  readonly before: number | null;
  readonly now: number | null;
  /** `now / before`. */
  readonly factor: number | null;
  readonly judgement: 'better' | 'worse' | 'same' | 'new' | 'gone';
}

/** Smaller relative differences are not a change, with any spread. */
const smallest = 0.05;

/** Appends a run to a file. Creates the file if necessary. */
export function recordRun(file: string, run: Run): void {
  appendFileSync(file, `${JSON.stringify(run)}\n`);
}

/**
 * All runs in a file, the oldest first. Empty for a missing file. Throws with the line of an
 * invalid run.
 */
export function recordedRuns(file: string): Run[] {
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines.flatMap((line, index) => {
    if (line.trim() === '') return [];
    const run = parsed(line);
    if (!isRun(run)) {
      throw new Error(
        `${file}:${index + 1}: no recorded run. Remove the line, or take the file from Git.`,
      );
    }
    return [run];
  });
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

function isRun(value: unknown): value is Run {
  if (typeof value !== 'object' || value === null) return false;
  const { date, node, cores, quick, tables } = value as Partial<Record<keyof Run, unknown>>;
  return (
    [date, node].every((one) => typeof one === 'string') &&
    typeof cores === 'number' &&
    typeof quick === 'boolean' &&
    Array.isArray(tables) &&
    tables.every(
      (one: Partial<Table> | null) =>
        typeof one?.table === 'string' && Array.isArray(one.rows) && one.rows.every(isRow),
    )
  );
}

/** Last run of the same size with one of the tables. `undefined` if none exists. */
export function lastLike(
  runs: readonly Run[],
  quick: boolean,
  tables: readonly string[],
): Run | undefined {
  return runs.findLast(
    (run) => run.quick === quick && run.tables.some(({ table }) => tables.includes(table)),
  );
}

/** Changes in the measured tables. Removed rows are last in their table. */
export function compareRuns(before: Run, now: Run): Change[] {
  return now.tables.flatMap(({ table, rows }) => {
    const earlier = before.tables.find((one) => one.table === table)?.rows ?? [];
    const gone = earlier.filter((old) => !rows.some((row) => isSame(old, row)));
    return [
      ...rows.map((row) => {
        const old = earlier.find((one) => isSame(one, row));
        return old ? compareRows(table, old, row) : lone(table, row, 'new');
      }),
      ...gone.map((row) => lone(table, row, 'gone')),
    ];
  });
}

/** Rows of a table can share a name, with different peers. */
function isSame(one: Row, other: Row): boolean {
  return one.name === other.name && one.beside === other.beside;
}

function lone(table: string, row: Row, judgement: 'new' | 'gone'): Change {
  const figure = getFigure(row);
  const [before, now] = judgement === 'new' ? [null, figure] : [figure, null];
  return { table, name: row.name, beside: row.beside, before, now, factor: null, judgement };
}

function compareRows(table: string, old: Row, row: Row): Change {
  const [before, now] = [getFigure(old), getFigure(row)];
  const common = { table, name: row.name, beside: row.beside, before, now };
  if (now === null) return { ...common, factor: null, judgement: 'gone' };
  if (before === null) return { ...common, factor: null, judgement: 'new' };
  const factor = before === 0 ? null : now / before;
  const limit = Math.max(smallest, old.spread ?? 0, row.spread ?? 0) * Math.abs(before);
  const rise = (now - before) * (row.direction === 'at least' ? 1 : -1);
  const judgement = Math.abs(rise) <= limit ? 'same' : rise > 0 ? 'better' : 'worse';
  return { ...common, factor, judgement };
}
