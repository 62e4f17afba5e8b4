// The checksum of an image: a hash over the hashes of its blocks, the last of which may be short.
import type { Digest } from './algorithms.ts';

/**
 * Takes an image in from its start to its end, as bytes and as blocks of zeros. Splitting into
 * blocks lets zeros be counted without being read, and blocks be compared one by one.
 */
export class BlockHash {
  readonly #blockSize: number;
  readonly #start: () => Digest;
  readonly #outer: Digest;
  #block: Digest | undefined;
  #blockLength = 0;
  #zeroBlock: Buffer | undefined;

  constructor(blockSize: number, start: () => Digest) {
    this.#blockSize = blockSize;
    this.#start = start;
    this.#outer = start();
  }

  /** Adds the next bytes of the image. */
  update(bytes: Uint8Array): void {
    let used = 0;
    while (used < bytes.length) {
      const count = Math.min(bytes.length - used, this.#blockSize - this.#blockLength);
      this.#block ??= this.#start();
      this.#block.update(bytes.subarray(used, used + count));
      this.#blockLength += count;
      used += count;
      if (this.#blockLength === this.#blockSize) this.#endBlock();
    }
  }

  /** Adds `count` whole blocks of zeros; only between two blocks. */
  zeroBlocks(count: number): void {
    this.#zeroBlock ??= this.#hashOfZeros();
    for (let i = 0; i < count; i++) this.#outer.update(this.#zeroBlock);
  }

  /** The checksum in hexadecimal. */
  digest(): string {
    this.#endBlock();
    return this.#outer.digest().toString('hex');
  }

  #endBlock(): void {
    if (this.#block) this.#outer.update(this.#block.digest());
    this.#block = undefined;
    this.#blockLength = 0;
  }

  #hashOfZeros(): Buffer {
    const zeros = Buffer.alloc(Math.min(this.#blockSize, 1 << 20));
    const hash = this.#start();
    for (let left = this.#blockSize; left > 0; left -= zeros.length) {
      hash.update(zeros.subarray(0, Math.min(left, zeros.length)));
    }
    return hash.digest();
  }
}
