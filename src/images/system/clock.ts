/** Monotonic clock and timers, replaceable in tests. */

/** Clock for durations. The wall clock does not suit, because people and NTP change it. */
export interface Clock {
  /** Milliseconds since an arbitrary moment. Never decreases. */
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
