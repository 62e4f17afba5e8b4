/**
 * A thread that hashes blocks while this one moves bytes. It looks at them where they are: to hand
 * the system's own threads a copy, as `SubtleCrypto` does, costs as much again as the hash.
 */
import { Worker } from 'node:worker_threads';

/** The algorithm that every daemon knows and that Node has in native code. */
export const ALGORITHM = 'sha256';

const program = `
  const { createHash } = require('node:crypto');
  const { parentPort } = require('node:worker_threads');
  parentPort.on('message', (bytes) => {
    parentPort.postMessage(createHash('${ALGORITHM}').update(bytes).digest());
  });
`;

interface Waiting {
  readonly resolve: (digest: Uint8Array) => void;
  readonly reject: (error: unknown) => void;
}

/** Started when the first block is there. */
class HashThread {
  #worker: Worker | undefined;
  /** Whoever waits for a hash, in the order in which they come. */
  #waiting: Waiting[] = [];

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
export async function hashOf(bytes: Uint8Array): Promise<Uint8Array> {
  return await thread.hash(bytes);
}
