/** Rows in the order that SQLite would give them, sorted in slices: a long sort holds up all others. */
import type { Slices } from './slices.ts';

/** A value of a sort order as SQLite compares it. */
export type SortValue = string | number | bigint | null;

/** One key of an order. */
export interface SortDirection {
  readonly descending: boolean;
  /** Letters count the same in upper and lower case, as in columns with NOCASE. */
  readonly folds: boolean;
}

/** A row with the values of the keys that it is sorted by. */
export interface SortedRow {
  readonly row: number;
  readonly values: readonly SortValue[];
}

/** How many comparisons one slice takes, about. */
const slice = 5_000;

/**
 * The rows in order; of rows that are the same those that came first stay first. The rows must come
 * by rising number, so that this is the order of `rowid`.
 */
export function* sortRows(
  rows: readonly SortedRow[],
  directions: readonly SortDirection[],
): Slices<SortedRow[]> {
  const compare = comparing(directions);
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
    // What came first stays first.
    if (compare(one, other) <= 0) {
      merged.push(one);
      a += 1;
    } else {
      merged.push(other);
      b += 1;
    }
    if (merged.length % slice === 0) yield;
  }
  for (; a < left.length; a++) merged.push(left[a] as SortedRow);
  for (; b < right.length; b++) merged.push(right[b] as SortedRow);
  return merged;
}

type Comparison = (one: SortedRow, other: SortedRow) => number;

function comparing(directions: readonly SortDirection[]): Comparison {
  return (one, other) => {
    for (const [index, { descending, folds }] of directions.entries()) {
      const found = compareValues(one.values[index] ?? null, other.values[index] ?? null, folds);
      if (found !== 0) return descending ? -found : found;
    }
    return one.row - other.row;
  };
}

/** As SQLite orders values: nothing, numbers, texts by their bytes in UTF-8. */
export function compareValues(one: SortValue, other: SortValue, folds: boolean): number {
  const [rank, otherRank] = [rankOf(one), rankOf(other)];
  if (rank !== otherRank) return rank - otherRank;
  if (one === null || other === null) return 0;
  if (typeof one === 'string' && typeof other === 'string') {
    return folds ? compareTexts(folded(one), folded(other)) : compareTexts(one, other);
  }
  return one < other ? -1 : one > other ? 1 : 0;
}

function rankOf(value: SortValue): number {
  return value === null ? 0 : typeof value === 'string' ? 2 : 1;
}

/** Only these letters count the same for SQLite. */
function folded(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

/** Above these the order of UTF-16 is another one than that of UTF-8. */
const beyond = /[\uD800-\uFFFF]/;

function compareTexts(one: string, other: string): number {
  if (one === other) return 0;
  if (beyond.test(one) && beyond.test(other)) {
    return Buffer.compare(Buffer.from(one), Buffer.from(other));
  }
  return one < other ? -1 : 1;
}
