/** Significance test for the difference of two series of measurements. */

interface Summary {
  readonly mean: number;
  /** Variance of the mean. */
  readonly error: number;
}

/** Share of the slowest measurements, which depend on the computer rather than on the code. */
const slowest = 0.1;

/** Yuen's t for means trimmed by the slowest tenth. Beyond ±4.5, the difference is significant. */
export function computeYuenT(a: readonly number[], b: readonly number[]): number {
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
  // Winsorized values: trimmed ones count as the largest retained one, otherwise the variance would
  // be too small.
  const pulledIn = sorted.map((value) => Math.min(value, last));
  const middle = average(pulledIn);
  const spread = pulledIn.reduce((sum, value) => sum + (value - middle) ** 2, 0);
  return { mean: average(sorted.slice(0, kept)), error: spread / (kept * (kept - 1)) };
}
