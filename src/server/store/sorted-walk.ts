/** Lists without an index for their order: rows sorted in slices. */

import { allOf, createTerms, type SqlCondition, withTablesForPiece } from './conditions.ts';
import { readJson } from './kinds.ts';
import { table } from './schema.ts';
import { Pace, type Slices } from './slices.ts';
import type { ListRead } from './walk.ts';

/** A sort value in the types of SQLite. */
export type SortValue = string | number | bigint | null;

/** One key of an order. */
export interface SortDirection {
  readonly descending: boolean;
  /** Whether upper and lower case are equal, as in columns with NOCASE. */
  readonly folds: boolean;
}

/** A row with the values of its sort keys. */
export interface SortedRow {
  readonly row: number;
  readonly values: readonly SortValue[];
}

/** Approximate comparisons per slice. */
const slice = 5_000;

/**
 * Sorts rows stably. The rows must have increasing numbers, so that equal rows are in the order of
 * `rowid`.
 */
export function* sortRows(
  rows: readonly SortedRow[],
  directions: readonly SortDirection[],
): Slices<SortedRow[]> {
  const compare = createComparison(directions);
  let runs: SortedRow[][] = [];
  for (let at = 0; at < rows.length; at += 512) {
    runs.push(rows.slice(at, at + 512).sort(compare));
    if (runs.length % 2 === 0) yield;
  }
  while (runs.length > 1) {
    const merged: SortedRow[][] = [];
    for (let at = 0; at < runs.length; at += 2) {
      merged.push(yield* mergeRuns(runs[at] ?? [], runs[at + 1] ?? [], compare));
    }
    runs = merged;
  }
  return runs[0] ?? [];
}

function* mergeRuns(
  left: readonly SortedRow[],
  right: readonly SortedRow[],
  compare: Comparison,
): Slices<SortedRow[]> {
  const merged: SortedRow[] = [];
  let [a, b] = [0, 0];
  for (;;) {
    const [one, other] = [left[a], right[b]];
    if (!one || !other) break;
    // Stable: the left run precedes.
    if (compare(one, other) <= 0) {
      merged.push(one);
      a += 1;
    } else {
      merged.push(other);
      b += 1;
    }
    if (merged.length % slice === 0) yield;
  }
  for (const one of left.slice(a)) merged.push(one);
  for (const other of right.slice(b)) merged.push(other);
  return merged;
}

type Comparison = (one: SortedRow, other: SortedRow) => number;

function createComparison(directions: readonly SortDirection[]): Comparison {
  return (one, other) => {
    for (const [index, { descending, folds }] of directions.entries()) {
      const found = compareValues(one.values[index] ?? null, other.values[index] ?? null, folds);
      if (found !== 0) return descending ? -found : found;
    }
    return one.row - other.row;
  };
}

/** Compares values like SQLite: NULL, numbers, then texts by their bytes in UTF-8. */
export function compareValues(one: SortValue, other: SortValue, folds: boolean): number {
  const [rank, otherRank] = [getTypeRank(one), getTypeRank(other)];
  if (rank !== otherRank) return rank - otherRank;
  if (one === null || other === null) return 0;
  if (typeof one === 'string' && typeof other === 'string') {
    return folds ? compareTexts(foldCase(one), foldCase(other)) : compareTexts(one, other);
  }
  return one < other ? -1 : one > other ? 1 : 0;
}

function getTypeRank(value: SortValue): number {
  return value === null ? 0 : typeof value === 'string' ? 2 : 1;
}

/** NOCASE folds these letters only. */
function foldCase(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

/** From this range on, UTF-16 order differs from UTF-8 order. */
const beyond = /[\uD800-\uFFFF]/;

function compareTexts(one: string, other: string): number {
  if (one === other) return 0;
  if (beyond.test(one) && beyond.test(other)) {
    return Buffer.compare(Buffer.from(one), Buffer.from(other));
  }
  return one < other ? -1 : 1;
}

/** Maximum end of a page that is sorted while rows are gathered, which limits memory. */
const shortList = 5_000;

/** The keys of a list in order, among the known rows if given. */
export function* readSorted(
  walk: ListRead,
  known: readonly number[] | undefined,
): Slices<number[]> {
  const { limit, offset = 0, order = [] } = walk.options;
  const needed = limit === undefined ? Number.POSITIVE_INFINITY : offset + limit;
  const last = known ? known.length : walk.tx.rows(walk.kind);
  const pace = new Pace(1);
  let gathered: SortedRow[] = [];
  for (let at = 0; at < last; ) {
    at = pace.slice((size) => {
      const some = known ? listed(walk, known.slice(at, at + size)) : between(walk, at, at + size);
      for (const [row, ...values] of gather(walk, some, needed <= shortList ? needed : -1)) {
        gathered.push({ row: Number(row), values });
      }
      return at + size;
    });
    yield;
    if (needed <= shortList && gathered.length > 4 * shortList) {
      gathered = (yield* sortRows(gathered, order)).slice(0, needed);
    }
  }
  const sorted = yield* sortRows(gathered, order);
  return sorted.slice(offset, needed).map(({ row }) => row);
}

function listed({ kind }: ListRead, rows: readonly number[]): SqlCondition {
  const sql = `${table(kind)}.rowid IN (SELECT value FROM json_each(?))`;
  return { sql, values: [JSON.stringify(rows)] };
}

function between({ kind }: ListRead, from: number, until: number): SqlCondition {
  const sql = `${table(kind)}.rowid > ? AND ${table(kind)}.rowid <= ?`;
  return { sql, values: [from, until] };
}

/** Row numbers and sort values of the matching objects. */
function gather(
  { tx, kind, options, condition, test, made }: ListRead,
  some: SqlCondition,
  maxRows: number,
) {
  const { order = [] } = options;
  const all = allOf(some, ...createTerms(options.where), condition, test) ?? some;
  const head = withTablesForPiece([all, ...order], { made, kind, some });
  const keys = order.map(({ sql }, index) => `, ${sql} AS k${index}`).join('');
  const sorts = order
    .map(({ descending }, index) => `k${index} ${descending ? 'DESC' : 'ASC'}, `)
    .join('');
  // These objects and no index; a limit keeps SQLite from computing a key for each use.
  const fitting = `SELECT ${table(kind)}.rowid AS row${keys} FROM ${table(kind)} NOT INDEXED WHERE ${all.sql}${maxRows < 0 ? '' : ` ORDER BY ${sorts}rowid`} LIMIT ${maxRows}`;
  const row = tx
    .statement(
      `${head.sql}SELECT json_group_array(json_array(row${order.map(exact).join('')})) AS found FROM (${fitting})`,
    )
    .get(...head.values, ...order.flatMap(({ values }) => values), ...all.values);
  return readJson<SortValue[][]>(String(row?.['found']));
}

/** A key in JSON, with all digits of numbers beyond 2^53. */
function exact(_: unknown, index: number): string {
  const key = `k${index}`;
  return `, CASE WHEN typeof(${key}) = 'integer' AND ${key} NOT BETWEEN -9007199254740991 AND 9007199254740991 THEN json_object('$bigint', CAST(${key} AS TEXT)) ELSE ${key} END`;
}
