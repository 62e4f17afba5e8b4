/**
 * Checksum of an image: a hash over the hashes of its blocks, as image daemons compute it. Blocks are
 * hashed in any order, by a thread of their own that reads them where they are: handing a copy to the
 * system's threads, as `SubtleCrypto` does, costs as much again as the hash.
 */
import type { Range } from '../extents/range-set.ts';
import { FAST_ALGORITHM, startDigest } from '../hash/algorithms.ts';
import type { Digest } from '../hash/digest.ts';
import { DigestTable } from '../hash/digest-table.ts';
import { HashThreadPool } from '../hash/thread-pool.ts';
import { loadXxh128 } from '../hash/xxh128.ts';
import { BLOCK, blockCount, lengthOf } from './blocks.ts';
import { type Algorithm, digestLengths } from './checksum-algorithm.ts';

/** Parameters of the daemon's checksum that give the same value as `BlockHashes`. */
export function checksumQuery(algorithm: Algorithm): string {
  return `algorithm=${algorithm}&block_size=${BLOCK}`;
}

/** Hashes of the blocks of one image, by one algorithm. */
export class BlockHashes {
  readonly algorithm: Algorithm;
  readonly #length: number;
  readonly #digests: DigestTable;
  readonly #zeros = new Map<number, Buffer>();

  constructor(algorithm: Algorithm) {
    this.algorithm = algorithm;
    this.#length = digestLengths[algorithm];
    this.#digests = new DigestTable(this.#length);
  }

  /** Whether none was noted. */
  get isEmpty(): boolean {
    return this.#digests.isEmpty;
  }

  /** The hash of the bytes of one block, which must not change meanwhile. */
  async hash(bytes: Uint8Array): Promise<Uint8Array> {
    const hash = thread.start(this.algorithm);
    try {
      // Its failure is that of the digest as well.
      hash.update(bytes).catch(() => undefined);
      return await hash.digest();
    } finally {
      hash.close();
    }
  }

  /** Notes hashes that stand one after the other, as of blocks that do; returns how many bytes they have. */
  setAll(first: number, last: number, digests: Uint8Array): number {
    for (let block = first; block <= last; block += 1) {
      const at = (block - first) * this.#length;
      this.set(block, digests.subarray(at, at + this.#length));
    }
    return (last - first + 1) * this.#length;
  }

  /** Notes the hash of a block. */
  set(block: number, digest: Uint8Array): void {
    this.#digests.set(block, digest);
  }

  /** The hash of a block; `undefined` when none was noted. */
  get(block: number): Buffer | undefined {
    return this.#digests.get(block);
  }

  /** The checksum of an image of `size` bytes; blocks without a hash are zeros. In hexadecimal. */
  async checksum(size: number, rangeOf: (block: number) => Range): Promise<string> {
    if (this.algorithm === FAST_ALGORITHM) await loadXxh128();
    const outer = this.#start();
    for (let block = 0; block < blockCount(size); block += 1) {
      outer.update(this.get(block) ?? this.#ofZeros(lengthOf(rangeOf(block))));
    }
    return outer.digest().toString('hex');
  }

  /** The hash of `length` zeros. */
  #ofZeros(length: number): Buffer {
    let digest = this.#zeros.get(length);
    if (!digest) {
      const hash = this.#start();
      hash.update(Buffer.alloc(length));
      digest = hash.digest();
      this.#zeros.set(length, digest);
    }
    return digest;
  }

  #start(): Digest {
    const digest = startDigest(this.algorithm);
    if (!digest) throw new Error(`This version of Node.js lacks ${this.algorithm}.`);
    return digest;
  }
}

/** One thread: a second one would take the processor from what is sent meanwhile. */
const thread = new HashThreadPool(1);
