/** Recorded runs, one a line, and a run beside the last of them. */
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import type { Origin } from './machine.ts';
import { figureOf, isRow, type Row } from './row.ts';

/** The rows of one program in `bench/`. */
export interface Table {
  readonly table: string;
  readonly rows: readonly Row[];
  /** Part of the machine that others took meanwhile, from 0 to 1. */
  readonly others: number | null;
}

/** One run. */
export interface Run extends Origin {
  /** Once and small: such figures say that nothing is broken, and are compared with their like only. */
  readonly quick: boolean;
  readonly tables: readonly Table[];
}

/** A row beside the same one of an earlier run. */
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

/** Less than this is no change, whatever the spread was. */
const smallest = 0.05;

/** Appends a run to a file, which is made where there is none. */
export function recordRun(file: string, run: Run): void {
  appendFileSync(file, `${JSON.stringify(run)}\n`);
}

/** All runs in a file, the oldest first; none where there is no file. Throws with the line that is no run. */
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

/** The last run of the same size that measured one of the tables; undefined where there is none. */
export function lastLike(
  runs: readonly Run[],
  quick: boolean,
  tables: readonly string[],
): Run | undefined {
  return runs.findLast(
    (run) => run.quick === quick && run.tables.some(({ table }) => tables.includes(table)),
  );
}

/** What changed in the tables that were measured now; rows that are not there any more are last in theirs. */
export function changesOf(before: Run, now: Run): Change[] {
  return now.tables.flatMap(({ table, rows }) => {
    const earlier = before.tables.find((one) => one.table === table)?.rows ?? [];
    const gone = earlier.filter((old) => !rows.some((row) => isSame(old, row)));
    return [
      ...rows.map((row) => {
        const old = earlier.find((one) => isSame(one, row));
        return old ? changeOf(table, old, row) : lone(table, row, 'new');
      }),
      ...gone.map((row) => lone(table, row, 'gone')),
    ];
  });
}

/** Several rows of a table may have one name, each with another peer. */
function isSame(one: Row, other: Row): boolean {
  return one.name === other.name && one.beside === other.beside;
}

function lone(table: string, row: Row, judgement: 'new' | 'gone'): Change {
  const figure = figureOf(row);
  const [before, now] = judgement === 'new' ? [null, figure] : [figure, null];
  return { table, name: row.name, beside: row.beside, before, now, factor: null, judgement };
}

function changeOf(table: string, old: Row, row: Row): Change {
  const [before, now] = [figureOf(old), figureOf(row)];
  const common = { table, name: row.name, beside: row.beside, before, now };
  if (now === null) return { ...common, factor: null, judgement: 'gone' };
  if (before === null) return { ...common, factor: null, judgement: 'new' };
  const factor = before === 0 ? null : now / before;
  const limit = Math.max(smallest, old.spread ?? 0, row.spread ?? 0) * Math.abs(before);
  const rise = (now - before) * (row.direction === 'at least' ? 1 : -1);
  const judgement = Math.abs(rise) <= limit ? 'same' : rise > 0 ? 'better' : 'worse';
  return { ...common, factor, judgement };
}
