// A set of byte offsets kept as merged ranges, to count what was transferred.

/** Union of half-open ranges. Adding costs a binary search plus the ranges it swallows. */
export class RangeSet {
  // Parallel sorted lists; ranges never touch each other.
  readonly #starts: number[] = [];
  readonly #ends: number[] = [];
  #total = 0;

  /** Number of bytes in the union. */
  get total(): number {
    return this.#total;
  }

  /** Number of separate ranges kept. */
  get count(): number {
    return this.#starts.length;
  }

  /** Adds the bytes from `start` up to but not including `end`; an empty range adds nothing. */
  add(start: number, end: number): void {
    if (end <= start) return;
    const first = lowerBound(this.#ends, start);
    let next = first;
    let from = start;
    let to = end;
    let swallowed = 0;
    while (next < this.#starts.length) {
      const otherStart = this.#starts[next] ?? 0;
      const otherEnd = this.#ends[next] ?? 0;
      if (otherStart > end) break;
      from = Math.min(from, otherStart);
      to = Math.max(to, otherEnd);
      swallowed += otherEnd - otherStart;
      next += 1;
    }
    if (next === first + 1) {
      this.#starts[first] = from;
      this.#ends[first] = to;
    } else {
      this.#starts.splice(first, next - first, from);
      this.#ends.splice(first, next - first, to);
    }
    this.#total += to - from - swallowed;
  }
}

/** Index of the first element that is not less than `value`. */
function lowerBound(sorted: readonly number[], value: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] ?? 0) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}
