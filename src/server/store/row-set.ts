/** A set of rows that is kept: a bit for each row of the table. */
export class RowSet {
  readonly #bits: Uint8Array;
  readonly size: number;

  /** Takes the numbers of rows in any order, each once. */
  constructor(rows: readonly number[]) {
    let last = 0;
    for (const row of rows) last = Math.max(last, row);
    this.#bits = new Uint8Array((last >>> 3) + 1);
    for (const row of rows) this.#bits[row >>> 3] = (this.#bits[row >>> 3] ?? 0) | (1 << (row & 7));
    this.size = rows.length;
  }

  has(row: number): boolean {
    return ((this.#bits[row >>> 3] ?? 0) & (1 << (row & 7))) !== 0;
  }

  /** The numbers, rising. */
  rows(): number[] {
    const rows: number[] = [];
    for (const [at, bits] of this.#bits.entries()) {
      if (bits === 0) continue;
      for (let bit = 0; bit < 8; bit++) if (bits & (1 << bit)) rows.push(at * 8 + bit);
    }
    return rows;
  }
}
