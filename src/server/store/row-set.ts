/** A set of rows of a table, one bit for each. */
import type { SqlCondition } from './conditions.ts';

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

  /** The condition that a row is in the set, for a statement that looks at the rows of one table. */
  get condition(): SqlCondition {
    const bytes = new Uint8Array(this.#bits.length * 8);
    for (let row = 0; row < bytes.length; row++) {
      bytes[row] = ((this.#bits[row >>> 3] ?? 0) >>> (row & 7)) & 1;
    }
    return { sql: "substr(?, rowid + 1, 1) = x'01'", values: [bytes] };
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
