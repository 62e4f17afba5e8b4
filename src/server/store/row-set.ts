/** A set of rows that is kept: their numbers, rising, in as little memory as they need. */
export class RowSet {
  readonly #rows: Float64Array;

  /** Takes the numbers in any order, each once. */
  constructor(rows: readonly number[]) {
    this.#rows = Float64Array.from(rows).sort();
  }

  get size(): number {
    return this.#rows.length;
  }

  has(row: number): boolean {
    let [from, until] = [0, this.#rows.length - 1];
    while (from <= until) {
      const middle = (from + until) >> 1;
      const found = this.#rows[middle] ?? 0;
      if (found === row) return true;
      if (found < row) from = middle + 1;
      else until = middle - 1;
    }
    return false;
  }

  /** The numbers, rising. */
  rows(): number[] {
    return Array.from(this.#rows);
  }
}
