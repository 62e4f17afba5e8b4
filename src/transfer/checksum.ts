/**
 * Checksum of an image in the form of image daemons: a hash over the hashes of its blocks. A
 * separate thread hashes blocks in shared memory, in any order. A copy, as `SubtleCrypto` makes,
 * would double the cost.
 */
import type { Range } from '../extents/range-set.ts';
import { startDigest } from '../hash/algorithms.ts';
import type { Digest } from '../hash/digest.ts';
import { DigestTable } from '../hash/digest-table.ts';
import { HashThreadPool } from '../hash/thread-pool.ts';
import { loadHash } from '../hash/wasm-hash.ts';
import { BLOCK, blockCount, getLength } from './blocks.ts';
import { type Algorithm, digestLengths } from './checksum-algorithm.ts';

/** Checksum parameters of the daemon that give the same value as `BlockHashes`. */
export function checksumQuery(algorithm: Algorithm): string {
  return `algorithm=${algorithm}&block_size=${BLOCK}`;
}

/** Hashes of the blocks of one image, with one algorithm. */
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

  /** Whether no hash is recorded. */
  get isEmpty(): boolean {
    return this.#digests.isEmpty;
  }

  /** Hashes one block, whose bytes must not change before the promise settles. */
  async hash(bytes: Uint8Array): Promise<Uint8Array> {
    const hash = thread.start(this.algorithm);
    try {
      // The digest fails with the same error.
      hash.update(bytes).catch(() => undefined);
      return await hash.digest();
    } finally {
      hash.close();
    }
  }

  /** Records the concatenated hashes of consecutive blocks. Returns their length in bytes. */
  setAll(first: number, last: number, digests: Uint8Array): number {
    for (let block = first; block <= last; block += 1) {
      const at = (block - first) * this.#length;
      this.set(block, digests.subarray(at, at + this.#length));
    }
    return (last - first + 1) * this.#length;
  }

  /** Records the hash of a block. */
  set(block: number, digest: Uint8Array): void {
    this.#digests.set(block, digest);
  }

  /** Hash of a block. `undefined` if none is recorded. */
  get(block: number): Buffer | undefined {
    return this.#digests.get(block);
  }

  /** Checksum of an image of `size` bytes, in hexadecimal. Blocks without a hash are zeros. */
  async checksum(size: number, rangeOf: (block: number) => Range): Promise<string> {
    await loadHash(this.algorithm);
    const outer = this.#start();
    for (let block = 0; block < blockCount(size); block += 1) {
      outer.update(this.get(block) ?? this.#hashZeros(getLength(rangeOf(block))));
    }
    return outer.digest().toString('hex');
  }

  /** Hash of `length` zeros. */
  #hashZeros(length: number): Buffer {
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

/** One thread, because a second one would compete with sending for the processor. */
const thread = new HashThreadPool(1);
