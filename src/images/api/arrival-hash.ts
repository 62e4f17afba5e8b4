/** Hashes of the complete blocks of a request body, computed while it is written. */
import type { Hash, HashThreadPool } from '../../hash/thread-pool.ts';
import { BLOCK } from '../tickets/written-digests.ts';

/** Digest of a completely received block. */
export interface BlockDigest {
  readonly block: number;
  readonly digest: Uint8Array;
}

/** Hashes a body in order. Its pieces do not cross the boundaries of blocks. */
export class ArrivalHash {
  readonly algorithm: string;
  readonly #threads: HashThreadPool;
  readonly #size: number;
  /** Hash of the current block. Absent if the beginning of the block was not received. */
  #hash: Hash | undefined;

  /** @param size bytes of the image; the last block can be short */
  constructor(threads: HashThreadPool, algorithm: string, size: number) {
    this.#threads = threads;
    this.algorithm = algorithm;
    this.#size = size;
  }

  /**
   * Hashes bytes at an offset of the image. Resolves when the buffer can be reused, with a digest
   * if a block ends there. A failed hash only omits the digest.
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

  /** Discards the incomplete block. */
  close(): void {
    this.#hash?.close();
    this.#hash = undefined;
  }
}
