/** Rows of the table of performance: one figure of ours, the peer beside it, and what is to be reached. */

export type Direction = 'at least' | 'at most';

/** One row; every program in `bench/` answers with some of these, as JSON. */
export interface Row {
  readonly name: string;
  /** The peer; empty where the figure stands by itself. */
  readonly beside: string;
  /** Unit of `ours` and `peer`. */
  readonly unit: string;
  /** Medians of all rounds; null where nothing was measured. */
  readonly ours: number | null;
  readonly peer: number | null;
  /** `ours / peer`; null where the figure stands by itself. */
  readonly ratio: number | null;
  /** Distance between the quartiles of all rounds, as a part of their median; null with few rounds. */
  readonly spread: number | null;
  /** What `ratio`, or `ours` without a peer, should be; null where it is only shown. */
  readonly reach: number | null;
  readonly direction: Direction;
  /** Why nothing was measured. */
  readonly missing?: string;
}

/** What is measured in every round: ours, and the peer where there is one. */
export interface Measured {
  readonly name: string;
  readonly beside?: string;
  readonly unit: string;
  readonly ours: readonly number[];
  readonly peer?: readonly number[];
  readonly reach: number | null;
  readonly direction: Direction;
}

/** What a figure may be beside its reach before a run fails: other work disturbs it. */
const noise = 1.15;

/** The middle of several measurements, or the mean of the two in the middle; 0 where there are none. */
export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

function quantile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (sorted.length - 1) * part;
  const [low, high] = [sorted[Math.floor(at)] ?? 0, sorted[Math.ceil(at)] ?? 0];
  return low + (high - low) * (at - Math.floor(at));
}

/** Distance between the quartiles over the median; null where three rounds or fewer say nothing. */
export function spreadOf(values: readonly number[]): number | null {
  const middle = median(values);
  if (values.length < 4 || middle === 0) return null;
  return (quantile(values, 0.75) - quantile(values, 0.25)) / Math.abs(middle);
}

/** The row of a measurement. Rounds belong together by their place: the spread is that of their ratios. */
export function rowOf(measured: Measured): Row {
  const { name, beside = '', unit, ours, peer, reach, direction } = measured;
  const figures = { ours: median(ours), peer: peer ? median(peer) : null };
  const ratio = figures.peer === null ? null : figures.ours / figures.peer;
  const rounds = peer ? ours.map((one, round) => one / (peer[round] ?? Number.NaN)) : ours;
  // A peer that took less than can be measured makes no ratio.
  const usable = (value: number | null) =>
    value !== null && Number.isFinite(value) ? value : null;
  const missing = peer && usable(ratio) === null ? { missing: 'too short to be measured' } : {};
  return {
    ...{ name, beside, unit, ...figures, ratio: usable(ratio) },
    ...{ spread: usable(spreadOf(rounds)), reach, direction, ...missing },
  };
}

/** The row of something that cannot be measured on this machine. */
export function missingRow(
  row: Pick<Row, 'name' | 'beside' | 'unit' | 'reach' | 'direction'>,
  missing: string,
): Row {
  return { ...row, ours: null, peer: null, ratio: null, spread: null, missing };
}

/** The figure that is held against the reach. */
export function figureOf(row: Row): number | null {
  return row.beside === '' ? row.ours : row.ratio;
}

/** Whether a row holds what it should; undefined where that is not asked or not known. */
export function isHeld(row: Row): boolean | undefined {
  return reaches(row, 1);
}

/** Whether a row misses its reach by more than what other work on the machine explains. */
export function isFailed(row: Row): boolean {
  return reaches(row, noise) === false;
}

function reaches(row: Row, tolerance: number): boolean | undefined {
  const figure = figureOf(row);
  if (figure === null || row.reach === null) return undefined;
  return row.direction === 'at least'
    ? figure * tolerance >= row.reach
    : figure <= row.reach * tolerance;
}

/** Reads what a program answered. Throws where this is no list of rows. */
export function parseRows(text: string): Row[] {
  const parsed: unknown = JSON.parse(text);
  if (!Array.isArray(parsed) || !parsed.every(isRow)) throw new Error('no list of rows');
  return parsed;
}

/** Whether a value has the shape of a row. */
export function isRow(value: unknown): value is Row {
  if (typeof value !== 'object' || value === null) return false;
  const row = value as Partial<Record<keyof Row, unknown>>;
  const isFigure = (one: unknown) => one === null || typeof one === 'number';
  return (
    [row.name, row.beside, row.unit].every((one) => typeof one === 'string') &&
    [row.ours, row.peer, row.ratio, row.spread, row.reach].every(isFigure) &&
    (row.direction === 'at least' || row.direction === 'at most') &&
    (row.missing === undefined || typeof row.missing === 'string')
  );
}
