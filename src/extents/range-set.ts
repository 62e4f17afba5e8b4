/** Sets of numbers as merged ranges: block numbers that are done, bytes that were transferred. */

/** A half-open range: from `start` up to but not including `end`. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

/**
 * Union of ranges. Memory depends on the number of ranges, not on their lengths. `add` takes a
 * binary search plus the ranges that it merges.
 */
export class RangeSet implements Iterable<Range> {
  // Two sorted lists instead of pairs, for speed. Adjacent ranges are merged.
  readonly #starts: number[] = [];
  readonly #ends: number[] = [];
  #total = 0;

  /** Count of the numbers in the set. */
  get total(): number {
    return this.#total;
  }

  /** Count of the separate ranges. */
  get count(): number {
    return this.#starts.length;
  }

  /** Ranges in ascending order. */
  *[Symbol.iterator](): Generator<Range> {
    for (let index = 0; index < this.count; index += 1) yield this.#at(index);
  }

  has(value: number): boolean {
    const index = lowerBound(this.#ends, value + 1);
    return index < this.count && (this.#starts[index] ?? 0) <= value;
  }

  /** Adds a range. An empty range changes nothing. */
  add(start: number, end = start + 1): void {
    if (end <= start) return;
    const first = lowerBound(this.#ends, start);
    let next = first;
    let from = start;
    let to = end;
    let swallowed = 0;
    while (next < this.count) {
      const other = this.#at(next);
      if (other.start > end) break;
      from = Math.min(from, other.start);
      to = Math.max(to, other.end);
      swallowed += other.end - other.start;
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

  /** Parts of a range that are not in the set, in ascending order. */
  *missing(start: number, end: number): Generator<Range> {
    let at = start;
    for (let index = lowerBound(this.#ends, start + 1); at < end; index += 1) {
      const range = index < this.count ? this.#at(index) : undefined;
      if (!range || range.start >= end) {
        yield { start: at, end };
        return;
      }
      if (range.start > at) yield { start: at, end: range.start };
      at = range.end;
    }
  }

  #at(index: number): Range {
    return { start: this.#starts[index] ?? 0, end: this.#ends[index] ?? 0 };
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
