/** Flush shared by parallel requests: as few as possible, and none after one that failed. */

/**
 * Wraps a backend's flush. Flushes run one after the other, and a caller is served by one that
 * starts after its call, so requests that arrive while one runs share the next. After a failure
 * the system may report success for data it has dropped, therefore the first failure is final.
 */
export class SharedFlush {
  readonly #flush: () => Promise<void>;
  #tail: Promise<void> = Promise.resolve();
  /** The flush that has not started yet, if any. */
  #queued: Promise<void> | undefined;
  #failure: { error: unknown } | undefined;

  constructor(flush: () => Promise<void>) {
    this.#flush = flush;
  }

  /** True once a flush has failed. */
  get failed(): boolean {
    return this.#failure !== undefined;
  }

  /** Resolves when everything written before the call is on stable storage; else rejects. */
  run(): Promise<void> {
    if (!this.#queued) {
      this.#queued = this.#tail.then(() => this.#runQueued());
      this.#tail = this.#queued.catch(() => {});
    }
    return this.#queued;
  }

  async #runQueued(): Promise<void> {
    this.#queued = undefined;
    if (this.#failure) throw this.#failure.error;
    try {
      await this.#flush();
    } catch (error) {
      this.#failure = { error };
      throw error;
    }
  }
}
