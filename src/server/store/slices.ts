/**
 * Long-running work in slices, with event loop turns in between: a generator that yields at every
 * point where it may be interrupted. The store may change between two slices.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';

/** Work that can be interrupted at each yield. */
export type Slices<T> = Generator<undefined, T, undefined>;

/** Maximum milliseconds per turn. */
const longestTurn = 5;

/** Runs the work without interruption: inside a transaction, or if it is short. */
export function runSlices<T>(work: Slices<T>): T {
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
  }
}

/**
 * Runs the work with event loop turns in between. Every slice runs inside `within`, so that errors
 * reject the promise like errors of a store read.
 */
export async function runSlicesInTurns<T>(
  work: Slices<T>,
  within: (slice: () => IteratorResult<undefined, T>) => IteratorResult<undefined, T>,
): Promise<T> {
  let began = performance.now();
  try {
    for (;;) {
      const { done, value } = within(() => work.next());
      if (done) return value;
      if (performance.now() - began < longestTurn) continue;
      await nextTurn();
      began = performance.now();
    }
  } finally {
    // Releases the resources of the generator, also after an error.
    const iterator: Iterator<undefined, T, undefined> = work;
    iterator.return?.();
  }
}

/** Target milliseconds per statement of many. */
const targetMs = 5;

/** Adaptive slice size: small at first, then as large as the target time permits. */
export class Pace {
  #size: number;
  readonly #max: number;

  constructor(first = 4, max = 20_000) {
    this.#size = first;
    this.#max = max;
  }

  /** Runs one slice with the current size. */
  slice<T>(work: (size: number) => T): T {
    const began = performance.now();
    const result = work(this.#size);
    const took = Math.max(performance.now() - began, 0.01);
    const factor = Math.min(4, targetMs / took);
    this.#size = Math.max(1, Math.min(this.#max, Math.floor(this.#size * factor)));
    return result;
  }
}
