/**
 * Long work in slices, so that others have a turn of the event loop in between: a generator that
 * yields wherever it may be interrupted. Between two slices others may change the store.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';

/** Work that can be interrupted wherever it yields. */
export type Slices<T> = Generator<undefined, T, undefined>;

/** Milliseconds that work goes on for before others have a turn. */
const longestTurn = 5;

/** Does the work without an interruption: inside a transaction, or where it is short. */
export function atOnce<T>(work: Slices<T>): T {
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
  }
}

/**
 * Does the work with turns of the event loop in between; every slice runs inside `within`, so that
 * what fails there fails the promise as it would fail a read of the store.
 */
export async function inTurns<T>(
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
    // What it keeps for as long as it runs is given back, however it ended.
    const iterator: Iterator<undefined, T, undefined> = work;
    iterator.return?.();
  }
}

/** Milliseconds that one statement of many should take. */
const wanted = 5;

/** How many objects a slice takes: few at first, then as many as fit into its time. */
export class Pace {
  #size: number;
  readonly #max: number;

  constructor(first = 4, max = 20_000) {
    this.#size = first;
    this.#max = max;
  }

  /** Does one slice with the number of objects that it should have. */
  slice<T>(work: (size: number) => T): T {
    const began = performance.now();
    const result = work(this.#size);
    const took = Math.max(performance.now() - began, 0.01);
    const factor = Math.min(4, wanted / took);
    this.#size = Math.max(1, Math.min(this.#max, Math.floor(this.#size * factor)));
    return result;
  }
}
