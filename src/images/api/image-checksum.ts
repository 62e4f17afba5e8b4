/** Checksum of an image: a hash over the hashes of its blocks, the last of which may be short. */
import type { Hash, HashThreadPool } from '../../hash/thread-pool.ts';

/** Bytes of zeros that are hashed at a time, in memory that all threads see. */
const ZEROS = new Uint8Array(new SharedArrayBuffer(1 << 20));
/** Zero blocks whose hashes are handed over together. */
const ZERO_BATCH = 4096;

/**
 * Takes an image in block by block, in order. Blocks let zeros be counted without being read; and
 * several are hashed at the same time.
 */
export class ImageChecksum {
  readonly algorithm: string;
  readonly blockSize: number;
  readonly #threads: HashThreadPool;
  readonly #outer: Hash;
  /** Hashes of blocks that are being made, in order. */
  readonly #blocks: Promise<Uint8Array>[] = [];
  #zeroBlock: Promise<Uint8Array> | undefined;

  /** Throws when the program of the threads is missing. */
  constructor(threads: HashThreadPool, algorithm: string, blockSize: number) {
    this.#threads = threads;
    this.algorithm = algorithm;
    this.blockSize = blockSize;
    this.#outer = threads.start(algorithm);
  }

  /**
   * Adds the next block, whose bytes `feed` hands to its hash. Resolves as soon as there is room for
   * another one: what rejects in `feed` rejects a later call, `digest` at the latest.
   */
  async add(feed: (hash: Hash) => Promise<void>): Promise<void> {
    await this.#put(this.#hashOf(feed));
  }

  /** Adds blocks whose digests, by the same algorithm, are known. */
  async addDigests(digests: Uint8Array): Promise<void> {
    await this.#put(Promise.resolve(digests));
  }

  /** Adds whole blocks of zeros. */
  async addZeros(count: number): Promise<void> {
    this.#zeroBlock ??= this.#hashOf(async (hash) => {
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

  /** Resolves when all blocks that were added are hashed. */
  async settle(): Promise<void> {
    while (this.#blocks.length > 0) await this.#take();
  }

  /** The checksum in hexadecimal. */
  async digest(): Promise<string> {
    await this.settle();
    return Buffer.from(await this.#outer.digest()).toString('hex');
  }

  /** Resolves when nothing is read or hashed any more. */
  async close(): Promise<void> {
    await Promise.allSettled(this.#blocks);
    this.#outer.close();
  }

  async #put(block: Promise<Uint8Array>): Promise<void> {
    // It is awaited in its turn.
    block.catch(() => undefined);
    this.#blocks.push(block);
    // One more than threads, so that none of them waits for the bytes of its next block.
    while (this.#blocks.length > this.#threads.count + 1) await this.#take();
  }

  async #take(): Promise<void> {
    const [first] = this.#blocks;
    if (!first) return;
    const digest = await first;
    this.#blocks.shift();
    await this.#outer.update(digest);
  }

  async #hashOf(feed: (hash: Hash) => Promise<void>): Promise<Uint8Array> {
    const hash = this.#threads.start(this.algorithm);
    try {
      await feed(hash);
      return await hash.digest();
    } finally {
      hash.close();
    }
  }
}
