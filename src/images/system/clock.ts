/** Monotonic clock and timers, replaceable in tests. */

/** Measures and waits without looking at the wall clock, which people and NTP may turn. */
export interface Clock {
  /** Milliseconds since an arbitrary moment; never goes back. */
  now(): number;
  /** Calls `run` once after `ms` milliseconds unless the returned function is called first. */
  schedule(ms: number, run: () => void): () => void;
}

export const monotonicClock: Clock = {
  now: () => performance.now(),
  schedule(ms, run) {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
};
