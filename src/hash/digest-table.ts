/** Table with the digests of the blocks of an image, in one buffer. */

/** Initial size of the buffer in bytes. */
const SMALLEST = 4096;

export class DigestTable {
  readonly #length: number;
  #digests = Buffer.alloc(0);

  /** @param length digest length in bytes */
  constructor(length: number) {
    this.#length = length;
  }

  /** Whether no digest was ever set. */
  get isEmpty(): boolean {
    return this.#digests.length === 0;
  }

  /** Digest of a block; undefined if not set. */
  get(block: number): Buffer | undefined {
    const start = block * this.#length;
    const digest = this.#digests.subarray(start, start + this.#length);
    return digest.length < this.#length || digest.every((byte) => byte === 0) ? undefined : digest;
  }

  /** Sets the digest of a block. */
  set(block: number, digest: Uint8Array): void {
    const end = (block + 1) * this.#length;
    if (end > this.#digests.length) {
      const grown = Buffer.alloc(Math.max(end, this.#digests.length * 2, SMALLEST));
      this.#digests.copy(grown);
      this.#digests = grown;
    }
    this.#digests.set(digest, end - this.#length);
  }

  /**
   * Copies consecutive digests from `block` on, up to the first missing one or to `end`
   * (exclusive).
   */
  run(block: number, end: number): DigestRun {
    let next = block;
    while (next < end && this.get(next)) next += 1;
    const digests = this.#digests.subarray(block * this.#length, next * this.#length);
    return { count: next - block, digests: new Uint8Array(digests) };
  }

  /** Removes the digests of the blocks from `first` to `last`. */
  clear(first: number, last: number): void {
    this.#digests.subarray(first * this.#length, (last + 1) * this.#length).fill(0);
  }
}

/** Consecutive digests. */
export interface DigestRun {
  readonly count: number;
  readonly digests: Uint8Array;
}
