// Clock that only tests advance.
import type { Clock } from '../../../src/images/system/clock.ts';

export class FakeClock implements Clock {
  #now = 1_000_000;
  readonly #timers = new Set<{ due: number; run: () => void }>();

  now(): number {
    return this.#now;
  }

  schedule(ms: number, run: () => void): () => void {
    const timer = { due: this.#now + ms, run };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  /** Advances the clock and runs due timers, the earliest first. */
  advance(seconds: number): void {
    this.#now += seconds * 1000;
    const due = [...this.#timers].filter((timer) => timer.due <= this.#now);
    for (const timer of due.sort((a, b) => a.due - b.due)) {
      if (this.#timers.delete(timer)) timer.run();
    }
  }
}
