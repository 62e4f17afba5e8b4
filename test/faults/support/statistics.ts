/** Whether two series of measurements differ. */

interface Summary {
  readonly mean: number;
  /** Variance of the mean. */
  readonly error: number;
}

/** Part of the measurements, the slowest, that tells of the machine and not of the work. */
const slowest = 0.1;

/**
 * Yuen's t, of means without the slowest tenth: beyond 4.5 either way, chance does not explain the
 * difference.
 */
export function tOf(a: readonly number[], b: readonly number[]): number {
  const first = summary(a);
  const second = summary(b);
  const error = Math.sqrt(first.error + second.error);
  return error === 0 ? 0 : (first.mean - second.mean) / error;
}

function summary(values: readonly number[]): Summary {
  const sorted = [...values].sort((x, y) => x - y);
  const kept = Math.max(2, Math.ceil(values.length * (1 - slowest)));
  const average = (numbers: readonly number[]) =>
    numbers.reduce((sum, value) => sum + value, 0) / numbers.length;
  const last = sorted[kept - 1] ?? 0;
  // What is cut off counts as much as the last that is kept, or the spread would seem too small.
  const pulledIn = sorted.map((value) => Math.min(value, last));
  const middle = average(pulledIn);
  const spread = pulledIn.reduce((sum, value) => sum + (value - middle) ** 2, 0);
  return { mean: average(sorted.slice(0, kept)), error: spread / (kept * (kept - 1)) };
}
