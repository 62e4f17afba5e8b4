/** Limit on the bytes per second of all connections of a transfer. */
import { pause } from '../client/retry.ts';

/** Clock and timer in milliseconds, replaceable in tests. */
export interface Timing {
  readonly now: () => number;
  readonly pause: (milliseconds: number, signal: AbortSignal) => Promise<void>;
}

const MAX_CHUNK = 2 ** 20;
const MIN_CHUNK = 2 ** 12;

export class RateLimit {
  readonly #perMillisecond: number;
  readonly #timing: Timing;
  /** Time when all earlier requests have passed. */
  #free = 0;

  /** @param rate bytes per second */
  constructor(rate: number, timing: Timing = { now: () => performance.now(), pause }) {
    this.#perMillisecond = rate / 1_000;
    this.#timing = timing;
  }

  /** Maximum bytes at once: a tenth of a second. */
  get chunkSize(): number {
    return Math.min(MAX_CHUNK, Math.max(MIN_CHUNK, Math.floor(this.#perMillisecond * 100)));
  }

  /** Resolves when the bytes may pass. Unused time is not accumulated. */
  async acquire(bytes: number, signal: AbortSignal): Promise<void> {
    const now = this.#timing.now();
    const due = Math.max(now, this.#free);
    this.#free = due + bytes / this.#perMillisecond;
    if (due > now) await this.#timing.pause(due - now, signal);
  }
}
