/** Flush that concurrent requests share. A failure is final. */

/**
 * Wraps the flush of a backend. Flushes run sequentially. Requests that arrive during a flush share
 * the next one, which starts after their calls. The first failure is final, because the system can
 * report success for dropped data afterwards.
 */
export class SharedFlush {
  readonly #flush: () => Promise<void>;
  #tail: Promise<void> = Promise.resolve();
  /** Next flush, if it has not started. */
  #queued: Promise<void> | undefined;
  #failure: { error: unknown } | undefined;

  constructor(flush: () => Promise<void>) {
    this.#flush = flush;
  }

  /** Whether a flush has failed. */
  get failed(): boolean {
    return this.#failure !== undefined;
  }

  /** Resolves when all earlier writes are on stable storage. Otherwise rejects. */
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
