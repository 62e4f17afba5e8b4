/** Watch for changes of single objects: it wakes the waiters of an object once a change of it is durable. */

export class ChangeWatch {
  readonly #waiting = new Map<string, Set<() => void>>();
  /** Ids of objects whose changes are not durable yet. */
  readonly #changed = new Set<string>();

  /** Calls `wake` after each change of one of the objects, until the returned function is called. */
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

  /** Notes a change. For the modules of the store only, as what follows. */
  note(id: string): void {
    this.#changed.add(id);
  }

  /** Notes that anything may have changed. */
  noteAll(): void {
    for (const id of this.#waiting.keys()) this.#changed.add(id);
  }

  /** Wakes the waiters of all changed objects, whose changes are durable now. */
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
