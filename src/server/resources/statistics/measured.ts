/** The measured values of an object, by the names of their statistics; each is worked out when asked for. */
export type Measured = Readonly<Record<string, () => number | string | readonly number[]>>;

/** Seconds between two looks at what is measured: so long a value stays. */
export const interval = 15;

/** How many values of the past are kept. */
export const historyLength = 40;

/** The last look, in seconds of running. */
export function lastLook(seconds: number): number {
  return Math.floor(seconds / interval) * interval;
}

/** Two digits behind the point. */
export function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}
