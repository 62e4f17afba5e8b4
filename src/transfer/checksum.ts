/**
 * The checksum of an image: a hash over the hashes of its blocks, as image daemons make it. Blocks
 * are hashed in any order, each when its bytes pass by.
 */
import { createHash } from 'node:crypto';
import { BLOCK, blockCount, lengthOf, type Range } from './blocks.ts';
import { ALGORITHM } from './hash-thread.ts';

export const DIGEST_LENGTH = 32;

export class BlockHashes {
  #digests = Buffer.alloc(0);
  readonly #zeros = new Map<number, Buffer>();

  /** Notes the hash of a block. */
  set(block: number, digest: Uint8Array): void {
    const end = (block + 1) * DIGEST_LENGTH;
    if (end > this.#digests.length) {
      const grown = Buffer.alloc(Math.max(end, this.#digests.length * 2, 4096));
      this.#digests.copy(grown);
      this.#digests = grown;
    }
    this.#digests.set(digest, end - DIGEST_LENGTH);
  }

  /** The hash of a block; `undefined` when none was noted. */
  get(block: number): Buffer | undefined {
    const start = block * DIGEST_LENGTH;
    const digest = this.#digests.subarray(start, start + DIGEST_LENGTH);
    return digest.length < DIGEST_LENGTH || digest.every((byte) => byte === 0) ? undefined : digest;
  }

  /** The hash of `length` zeros. */
  ofZeros(length: number): Buffer {
    let digest = this.#zeros.get(length);
    if (!digest) {
      digest = createHash(ALGORITHM).update(Buffer.alloc(length)).digest();
      this.#zeros.set(length, digest);
    }
    return digest;
  }

  /** The checksum of an image of `size` bytes; blocks without a hash are zeros. In hexadecimal. */
  checksum(size: number, rangeOf: (block: number) => Range): string {
    const outer = createHash(ALGORITHM);
    for (let block = 0; block < blockCount(size); block += 1) {
      outer.update(this.get(block) ?? this.ofZeros(lengthOf(rangeOf(block))));
    }
    return outer.digest('hex');
  }
}

/** Parameters of the daemon's checksum that give the same value. */
export const checksumQuery = `algorithm=${ALGORITHM}&block_size=${BLOCK}`;
