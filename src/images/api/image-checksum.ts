/** Checksum of an image: the hash of the hashes of its blocks. The last block can be short. */
import type { Hash, HashThreadPool } from '../../hash/thread-pool.ts';

/** Zeros to hash, in memory that all threads share. */
const ZEROS = new Uint8Array(new SharedArrayBuffer(1 << 20));
/** Zero blocks to hash in one batch. */
const ZERO_BATCH = 4096;

/**
 * Checksum that receives an image block by block, in order. Blocks permit adding zeros without
 * reading them, and parallel hashing.
 */
export class ImageChecksum {
  readonly algorithm: string;
  readonly blockSize: number;
  readonly #threads: HashThreadPool;
  readonly #outer: Hash;
  /** Pending hashes of blocks, in order. */
  readonly #blocks: Promise<Uint8Array>[] = [];
  #zeroBlock: Promise<Uint8Array> | undefined;

  /** Throws if the program of the hash threads is missing. */
  constructor(threads: HashThreadPool, algorithm: string, blockSize: number) {
    this.#threads = threads;
    this.algorithm = algorithm;
    this.blockSize = blockSize;
    this.#outer = threads.start(algorithm);
  }

  /**
   * Adds the next block; `feed` passes its bytes to the hash. Resolves when another block can be
   * added. If `feed` rejects, a later call rejects, at the latest `digest`.
   */
  async add(feed: (hash: Hash) => Promise<void>): Promise<void> {
    await this.#put(this.#hashBlock(feed));
  }

  /** Adds blocks with known digests of the same algorithm. */
  async addDigests(digests: Uint8Array): Promise<void> {
    await this.#put(Promise.resolve(digests));
  }

  /** Adds complete blocks of zeros. */
  async addZeros(count: number): Promise<void> {
    this.#zeroBlock ??= this.#hashBlock(async (hash) => {
      for (let left = this.blockSize; left > 0; left -= ZEROS.length) {
        await hash.update(ZEROS.subarray(0, Math.min(left, ZEROS.length)));
      }
    });
    const one = this.#zeroBlock;
    for (let left = count; left > 0; left -= ZERO_BATCH) {
      const some = Math.min(left, ZERO_BATCH);
      await this.#put(one.then((digest) => Buffer.concat(Array(some).fill(digest))));
    }
  }

  /** Resolves when all added blocks are hashed. */
  async settle(): Promise<void> {
    while (this.#blocks.length > 0) await this.#take();
  }

  /** Checksum in hexadecimal. */
  async digest(): Promise<string> {
    await this.settle();
    return Buffer.from(await this.#outer.digest()).toString('hex');
  }

  /** Resolves when no block is being read or hashed. */
  async close(): Promise<void> {
    await Promise.allSettled(this.#blocks);
    this.#outer.close();
  }

  async #put(block: Promise<Uint8Array>): Promise<void> {
    // A later call awaits it.
    block.catch(() => undefined);
    this.#blocks.push(block);
    // One block more than threads, so that no thread waits for data.
    while (this.#blocks.length > this.#threads.count + 1) await this.#take();
  }

  async #take(): Promise<void> {
    const [first] = this.#blocks;
    if (!first) return;
    const digest = await first;
    this.#blocks.shift();
    await this.#outer.update(digest);
  }

  async #hashBlock(feed: (hash: Hash) => Promise<void>): Promise<Uint8Array> {
    const hash = this.#threads.start(this.algorithm);
    try {
      await feed(hash);
      return await hash.digest();
    } finally {
      hash.close();
    }
  }
}
