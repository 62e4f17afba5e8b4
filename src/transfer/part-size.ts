/** Size of the parts of a block: smaller if connections are lost before a block has arrived. */
import { BLOCK } from './blocks.ts';

/**
 * Minimum bytes of a part, because smaller requests cost more than their data. Sizes are multiples
 * of it.
 */
const MIN_PART = 64 * 1024;
const STEP = 4;

export class PartSize {
  #bytes = BLOCK;
  /** Bytes that have arrived since the last loss, and the largest part among them. */
  #arrived = 0;
  #largest = 0;

  /** Maximum bytes of the next part. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Records an arrived part. The size grows after four parts of this size without a loss. */
  arrived(bytes: number): void {
    this.#arrived += bytes;
    this.#largest = Math.max(this.#largest, bytes);
    if (this.#arrived >= this.#bytes * STEP) this.#bytes = Math.min(BLOCK, this.#bytes * STEP);
  }

  /**
   * Records a connection lost during a part of this many bytes. The size remains if a part of this
   * size arrived since the last loss.
   */
  lost(bytes: number): void {
    if (bytes > this.#largest) {
      const smaller = MIN_PART * Math.floor(bytes / STEP / MIN_PART);
      this.#bytes = Math.max(MIN_PART, Math.min(this.#bytes, smaller));
    }
    this.#largest = 0;
    this.#arrived = 0;
  }
}
