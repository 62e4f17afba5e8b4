/** Rows of the table of performance: a figure, its peer, and the target. */

export type Direction = 'at least' | 'at most';

/** Row. Every program in `bench/` prints a list of rows as JSON. */
export interface Row {
  readonly name: string;
  /** Peer. Empty without one. */
  readonly beside: string;
  /** Unit of `ours` and `peer`. */
  readonly unit: string;
  /** Medians of all rounds. Null if not measured. */
  readonly ours: number | null;
  readonly peer: number | null;
  /** `ours / peer`. Null without a peer. */
  readonly ratio: number | null;
  /** Interquartile range of all rounds, relative to their median. Null with few rounds. */
  readonly spread: number | null;
  /** Target of `ratio`, or of `ours` without a peer. Null if the row is only shown. */
  readonly reach: number | null;
  readonly direction: Direction;
  /** Reason why it was not measured. */
  readonly missing?: string;
}

/** Measurements of all rounds: ours, and optionally the peer. */
export interface Measured {
  readonly name: string;
  readonly beside?: string;
  readonly unit: string;
  readonly ours: readonly number[];
  readonly peer?: readonly number[];
  readonly reach: number | null;
  readonly direction: Direction;
}

/** Tolerance for the failure of a run, because other work on the computer disturbs it. */
const noise = 1.15;

/** Median: the middle value, or the mean of the two middle ones. 0 without values. */
export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

function quantile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (sorted.length - 1) * part;
  const [low, high] = [sorted[Math.floor(at)] ?? 0, sorted[Math.ceil(at)] ?? 0];
  return low + (high - low) * (at - Math.floor(at));
}

/** Interquartile range relative to the median. Null for three rounds or fewer. */
export function computeSpread(values: readonly number[]): number | null {
  const middle = median(values);
  if (values.length < 4 || middle === 0) return null;
  return (quantile(values, 0.75) - quantile(values, 0.25)) / Math.abs(middle);
}

/** Row of a measurement. The spread is that of the ratios of corresponding rounds. */
export function createRow(measured: Measured): Row {
  const { name, beside = '', unit, ours, peer, reach, direction } = measured;
  const figures = { ours: median(ours), peer: peer ? median(peer) : null };
  const ratio = figures.peer === null ? null : figures.ours / figures.peer;
  const rounds = peer ? ours.map((one, round) => one / (peer[round] ?? Number.NaN)) : ours;
  // A peer that is too fast to measure gives no ratio.
  const usable = (value: number | null) =>
    value !== null && Number.isFinite(value) ? value : null;
  const missing = peer && usable(ratio) === null ? { missing: 'too short to be measured' } : {};
  return {
    ...{ name, beside, unit, ...figures, ratio: usable(ratio) },
    ...{ spread: usable(computeSpread(rounds)), reach, direction, ...missing },
  };
}

/** Row that cannot be measured on this computer. */
export function missingRow(
  row: Pick<Row, 'name' | 'beside' | 'unit' | 'reach' | 'direction'>,
  missing: string,
): Row {
  return { ...row, ours: null, peer: null, ratio: null, spread: null, missing };
}

/** Figure to compare with the target. */
export function getFigure(row: Row): number | null {
  return row.beside === '' ? row.ours : row.ratio;
}

/** Whether a row reaches its target. `undefined` without a target or figure. */
export function isHeld(row: Row): boolean | undefined {
  return reaches(row, 1);
}

/** Whether a row misses its target by more than the tolerance. */
export function isFailed(row: Row): boolean {
  return reaches(row, noise) === false;
}

function reaches(row: Row, tolerance: number): boolean | undefined {
  const figure = getFigure(row);
  if (figure === null || row.reach === null) return undefined;
  return row.direction === 'at least'
    ? figure * tolerance >= row.reach
    : figure <= row.reach * tolerance;
}

/** Parses the output of a program. Throws if it is not a list of rows. */
export function parseRows(text: string): Row[] {
  const parsed: unknown = JSON.parse(text);
  if (!Array.isArray(parsed) || !parsed.every(isRow)) throw new Error('no list of rows');
  return parsed;
}

/** Whether a value is a valid row. */
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
