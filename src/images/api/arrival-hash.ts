/** Hashes of the whole blocks of a request body, made while it is written. */
import type { Hash, HashThreadPool } from '../../hash/thread-pool.ts';
import { BLOCK } from '../tickets/written-digests.ts';

/** The digest of a block that came whole. */
export interface BlockDigest {
  readonly block: number;
  readonly digest: Uint8Array;
}

/** Takes in a body in order, in pieces that do not cross the end of a block. */
export class ArrivalHash {
  readonly algorithm: string;
  readonly #threads: HashThreadPool;
  readonly #size: number;
  /** That of the block that is under way; missing when its beginning did not come. */
  #hash: Hash | undefined;

  /** @param size bytes of the image, whose last block may be short */
  constructor(threads: HashThreadPool, algorithm: string, size: number) {
    this.#threads = threads;
    this.algorithm = algorithm;
    this.#size = size;
  }

  /**
   * Takes in the bytes at an offset of the image, which may be overwritten once it resolves: with a digest
   * where a block ends with them. A hash that fails is only missing.
   */
  async update(offset: number, bytes: Buffer): Promise<BlockDigest | undefined> {
    const block = Math.floor(offset / BLOCK);
    try {
      if (offset === block * BLOCK) this.#hash = this.#threads.start(this.algorithm);
      if (!this.#hash) return undefined;
      const updated = this.#hash.update(bytes);
      if (offset + bytes.length < Math.min((block + 1) * BLOCK, this.#size)) {
        await updated;
        return undefined;
      }
      const [digest] = await Promise.all([this.#hash.digest(), updated]);
      this.close();
      return { block, digest };
    } catch {
      this.close();
      return undefined;
    }
  }

  /** Forgets the block that did not end. */
  close(): void {
    this.#hash?.close();
    this.#hash = undefined;
  }
}
