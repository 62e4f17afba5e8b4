// Bounds the disk operations under way, because the whole process shares one small thread pool.

/** Runs at most `limit` operations at a time, the rest in the order they came. */
export class DiskSlots {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(limit: number) {
    this.#free = limit;
  }

  /** Runs `operation` as soon as a slot is free and settles as it does. */
  async run<T>(operation: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await operation();
    } finally {
      // The slot goes straight to the next in line, or back to the free ones.
      const next = this.#waiting.shift();
      if (next) next();
      else this.#free += 1;
    }
  }
}

/**
 * The slots of this thread: one thread of the pool stays free, so that a disk that hangs cannot
 * stop name look-ups and key derivations elsewhere in the process.
 */
export const diskSlots = new DiskSlots(
  Math.max(1, (Number(process.env['UV_THREADPOOL_SIZE']) || 4) - 1),
);
