/** Watches on single objects. A watch calls its waiters after a change is durable. */

export class ChangeWatch {
  readonly #waiting = new Map<string, Set<() => void>>();
  /** Ids of objects with changes that are not yet durable. */
  readonly #changed = new Set<string>();

  /** Calls `wake` after each change of one of the objects. The returned function ends the watch. */
  watch(ids: readonly string[], wake: () => void): () => void {
    for (const id of ids) {
      const same = this.#waiting.get(id);
      if (same) same.add(wake);
      else this.#waiting.set(id, new Set([wake]));
    }
    return () => {
      for (const id of ids) {
        const same = this.#waiting.get(id);
        same?.delete(wake);
        if (same?.size === 0) this.#waiting.delete(id);
      }
    };
  }

  /** Records a change. Only for modules of the store, like the methods below. */
  note(id: string): void {
    this.#changed.add(id);
  }

  /** Records a possible change of every object. */
  noteAll(): void {
    for (const id of this.#waiting.keys()) this.#changed.add(id);
  }

  /** Wakes the waiters of all changed objects after the changes are durable. */
  wake(): void {
    if (this.#changed.size === 0) return;
    const changed = [...this.#changed];
    this.#changed.clear();
    for (const id of changed) for (const wake of [...(this.#waiting.get(id) ?? [])]) wake();
  }

  /** Wakes all waiters: any object may have changed, or the store has failed. */
  wakeAll(): void {
    const all = new Set([...this.#waiting.values()].flatMap((same) => [...same]));
    for (const wake of all) wake();
  }
}
