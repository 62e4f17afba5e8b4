/**
 * Turns of the event loop for requests that become ready together: Node hands out all of them before
 * a timer or another socket is looked at, so that a few dozen short ones hold it as long as a slow one.
 */

/** Milliseconds that requests are begun for in one turn. */
const longestTurn = 5;

export class Turns {
  /** When the first request of this turn was begun; undefined before that. */
  #began: number | undefined;
  readonly #waiting: (() => void)[] = [];

  /**
   * When a request may begin: at once (undefined) where this turn has time for it, otherwise in the
   * order of arrival, one in each turn that follows.
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
