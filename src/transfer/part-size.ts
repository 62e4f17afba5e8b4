/** Size of the parts in which a block is sent: smaller if connections are cut before a block has arrived. */
import { BLOCK } from './blocks.ts';

/** Bytes of the smallest part: smaller requests cost more than their bytes. Sizes are multiples of it. */
const MIN_PART = 64 * 1024;
const STEP = 4;

export class PartSize {
  #bytes = BLOCK;
  /** Bytes that have arrived since the last loss, and those of the largest part among them. */
  #arrived = 0;
  #largest = 0;

  /** Bytes of the next part, at most. */
  get bytes(): number {
    return this.#bytes;
  }

  /** A part of this many bytes has arrived. The size grows after four parts of that size without a loss. */
  arrived(bytes: number): void {
    this.#arrived += bytes;
    this.#largest = Math.max(this.#largest, bytes);
    if (this.#arrived >= this.#bytes * STEP) this.#bytes = Math.min(BLOCK, this.#bytes * STEP);
  }

  /** A connection was lost during a part of this many bytes. The size stays if such a part arrived since the last loss. */
  lost(bytes: number): void {
    if (bytes > this.#largest) {
      const smaller = MIN_PART * Math.floor(bytes / STEP / MIN_PART);
      this.#bytes = Math.max(MIN_PART, Math.min(this.#bytes, smaller));
    }
    this.#largest = 0;
    this.#arrived = 0;
  }
}
