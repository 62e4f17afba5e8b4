/**
 * Limit of the time for which requests that arrive together block the event loop. Node dispatches
 * all of them before it handles a timer or another socket.
 */

/** Milliseconds in which requests start within one turn of the event loop. */
const longestTurn = 5;

export class Turns {
  /** Start of the first request of this turn; undefined before it. */
  #began: number | undefined;
  readonly #waiting: (() => void)[] = [];

  /**
   * Returns undefined if a request can start immediately, or a promise. Waiting requests start in
   * the order of arrival, one per turn.
   */
  begin(): Promise<void> | undefined {
    if (this.#waiting.length === 0 && this.#hasTime()) return undefined;
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      if (this.#waiting.length === 1) setImmediate(() => this.#next());
    });
  }

  #hasTime(): boolean {
    if (this.#began !== undefined) return performance.now() - this.#began < longestTurn;
    this.#began = performance.now();
    setImmediate(() => {
      this.#began = undefined;
    });
    return true;
  }

  #next(): void {
    this.#waiting.shift()?.();
    if (this.#waiting.length > 0) setImmediate(() => this.#next());
  }
}
