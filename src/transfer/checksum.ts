/**
 * Checksum of an image: a hash over the hashes of its blocks, as image daemons compute it. Blocks are
 * hashed in any order, by a thread of their own that reads them where they are: handing a copy to the
 * system's threads, as `SubtleCrypto` does, costs as much again as the hash.
 */
import { createHash } from 'node:crypto';
import { Worker } from 'node:worker_threads';
import type { Range } from '../extents/range-set.ts';
import { BLOCK, blockCount, lengthOf } from './blocks.ts';

/** The algorithm that every daemon knows and that Node has in native code. */
export const ALGORITHM = 'sha256';

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

const program = `
  const { createHash } = require('node:crypto');
  const { parentPort } = require('node:worker_threads');
  parentPort.on('message', (bytes) => {
    parentPort.postMessage(createHash('${ALGORITHM}').update(bytes).digest());
  });
`;

interface PendingHash {
  readonly resolve: (digest: Uint8Array) => void;
  readonly reject: (error: unknown) => void;
}

/** Started when the first block is there. */
class HashThread {
  #worker: Worker | undefined;
  /** Whoever waits for a hash, in the order in which they come. */
  #waiting: PendingHash[] = [];

  async hash(bytes: Uint8Array): Promise<Uint8Array> {
    this.#worker ??= this.#start();
    const worker = this.#worker;
    return await new Promise((resolve, reject) => {
      worker.ref();
      this.#waiting.push({ resolve, reject });
      worker.postMessage(bytes);
    });
  }

  #start(): Worker {
    const worker = new Worker(program, { eval: true });
    worker.on('message', (digest: Uint8Array) => {
      this.#waiting.shift()?.resolve(digest);
      // A command does not go on because of a thread that has nothing to do.
      if (this.#waiting.length === 0) worker.unref();
    });
    worker.on('error', (error) => {
      this.#worker = undefined;
      for (const { reject } of this.#waiting.splice(0)) reject(error);
    });
    return worker;
  }
}

const thread = new HashThread();

/** The hash of the bytes of one block, which must not change meanwhile. */
export async function hashBlock(bytes: Uint8Array): Promise<Uint8Array> {
  return await thread.hash(bytes);
}
