/** A set of block numbers as merged ranges: small however large the image is. */
export class BlockSet {
  /** Ascending, apart from each other by at least one block. */
  readonly #ranges: [first: number, last: number][] = [];

  has(block: number): boolean {
    const at = this.#position(block);
    const range = this.#ranges[at];
    return range !== undefined && range[0] <= block;
  }

  /** Adds the blocks `first` to `last`. */
  add(first: number, last = first): void {
    const from = this.#position(first - 1);
    let to = from;
    let [low, high] = [first, last];
    for (let range = this.#ranges[to]; range && range[0] <= last + 1; range = this.#ranges[to]) {
      low = Math.min(low, range[0]);
      high = Math.max(high, range[1]);
      to += 1;
    }
    this.#ranges.splice(from, to - from, [low, high]);
  }

  /** The ranges of `first` to `last` that are not in the set. */
  *missing(first: number, last: number): Generator<[first: number, last: number]> {
    let at = first;
    for (let index = this.#position(first); at <= last; index += 1) {
      const range = this.#ranges[index];
      if (!range || range[0] > last) {
        yield [at, last];
        return;
      }
      if (range[0] > at) yield [at, range[0] - 1];
      at = Math.max(at, range[1] + 1);
    }
  }

  get ranges(): readonly (readonly [first: number, last: number])[] {
    return this.#ranges;
  }

  /** Index of the first range that ends at or behind a block. */
  #position(block: number): number {
    let low = 0;
    let high = this.#ranges.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const range = this.#ranges[middle];
      if (range && range[1] < block) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
