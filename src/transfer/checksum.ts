/**
 * Checksum of an image: a hash over the hashes of its blocks, as image daemons compute it. Blocks are
 * hashed in any order, by a thread of their own that reads them where they are: handing a copy to the
 * system's threads, as `SubtleCrypto` does, costs as much again as the hash.
 */
import { readFileSync } from 'node:fs';
import type { Range } from '../extents/range-set.ts';
import { type Digest, FAST_ALGORITHM, startDigest } from '../hash/algorithms.ts';
import { HashThreadPool } from '../hash/thread-pool.ts';
import { loadXxh128 } from '../hash/xxh128.ts';
import { BLOCK, blockCount, lengthOf } from './blocks.ts';

/** Algorithms that images are verified with: one that every daemon knows, and a faster one. */
export type Algorithm = 'sha256' | typeof FAST_ALGORITHM;

const digestLengths: Readonly<Record<Algorithm, number>> = { sha256: 32, [FAST_ALGORITHM]: 16 };

/** The fastest algorithm of those that a daemon has, for processors without instructions for SHA-256. */
export function fastestOf(offered: ReadonlySet<string>): Algorithm {
  return offered.has(FAST_ALGORITHM) ? FAST_ALGORITHM : 'sha256';
}

/**
 * Whether the processors have instructions for SHA-256, as `/proc/cpuinfo` tells it; where nobody tells they
 * have. With them it hashes as fast as bytes come from memory; without them at a quarter of that, and XXH128
 * at more than half.
 */
export function hasShaInstructions(cpuinfo = processors()): boolean {
  return (
    !/^(?:flags|Features)\b/m.test(cpuinfo) ||
    /^(?:flags|Features)\b.* (?:sha_ni|sha2)\b/m.test(cpuinfo)
  );
}

function processors(): string {
  try {
    return readFileSync('/proc/cpuinfo', 'utf8');
  } catch {
    return '';
  }
}

/** Whether a name is that of an algorithm that images are verified with. */
export function isAlgorithm(name: unknown): name is Algorithm {
  return typeof name === 'string' && Object.hasOwn(digestLengths, name);
}

/** Hashes of the blocks of one image, by one algorithm. */
export class BlockHashes {
  readonly algorithm: Algorithm;
  readonly #length: number;
  #digests = Buffer.alloc(0);
  readonly #zeros = new Map<number, Buffer>();

  constructor(algorithm: Algorithm) {
    this.algorithm = algorithm;
    this.#length = digestLengths[algorithm];
  }

  /** Parameters of the daemon's checksum that give the same value. */
  get query(): string {
    return `algorithm=${this.algorithm}&block_size=${BLOCK}`;
  }

  /** Whether none was noted. */
  get isEmpty(): boolean {
    return this.#digests.length === 0;
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
    const end = (block + 1) * this.#length;
    if (end > this.#digests.length) {
      const grown = Buffer.alloc(Math.max(end, this.#digests.length * 2, 4096));
      this.#digests.copy(grown);
      this.#digests = grown;
    }
    this.#digests.set(digest, end - this.#length);
  }

  /** The hash of a block; `undefined` when none was noted. */
  get(block: number): Buffer | undefined {
    const start = block * this.#length;
    const digest = this.#digests.subarray(start, start + this.#length);
    return digest.length < this.#length || digest.every((byte) => byte === 0) ? undefined : digest;
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
    if (!digest) throw new Error(`This Node has no ${this.algorithm}.`);
    return digest;
  }
}

/** One thread: a second one would take the processor from what is sent meanwhile. */
const thread = new HashThreadPool(1);
