// The thread that makes checksums, as seen from the one that moves bytes and must not wait for it.
import { Worker } from 'node:worker_threads';
import { programNamed } from '../program.ts';
import type { Done, Order } from './orders.ts';

/** MiB of its heap: it keeps nothing but a few digests. */
const HEAP = { maxOldGenerationSizeMb: 32, maxYoungGenerationSizeMb: 4 };

interface Waiting {
  readonly resolve: (done: Done) => void;
  readonly reject: (error: Error) => void;
}

/** A checksum under way. All methods reject when the thread cannot go on. */
export interface Checksum {
  /** Takes in the next bytes of the image; they may be overwritten once it resolves. */
  update(bytes: Uint8Array): Promise<void>;
  /** Takes in whole blocks of zeros; only between two blocks. */
  zeroBlocks(count: number): Promise<void>;
  /** The checksum in hexadecimal. */
  digest(): Promise<string>;
  /** Forgets it, finished or not. */
  close(): void;
}

/** Starts the thread when the first checksum is asked for. */
export class HashThread {
  #worker: Worker | undefined;
  /** Whoever waits for an answer, in the order in which they come. */
  #waiting: Waiting[] = [];
  #lastId = 0;

  /** Begins a checksum. Throws when the program of the thread is missing. */
  start(algorithm: string, blockSize: number): Checksum {
    const worker = this.#start();
    this.#lastId += 1;
    const id = this.#lastId;
    worker.postMessage({ id, kind: 'start', algorithm, blockSize } satisfies Order);
    return {
      update: async (bytes) => void (await this.#ask(worker, { id, kind: 'update', bytes })),
      zeroBlocks: async (blocks) => void (await this.#ask(worker, { id, kind: 'zeros', blocks })),
      digest: async () => (await this.#ask(worker, { id, kind: 'digest' })).checksum ?? '',
      close: () => worker.postMessage({ id, kind: 'drop' } satisfies Order),
    };
  }

  async close(): Promise<void> {
    await this.#worker?.terminate();
  }

  #start(): Worker {
    if (this.#worker) return this.#worker;
    const worker = new Worker(programNamed('images-hash.js'), {
      name: 'checksums',
      resourceLimits: HEAP,
    });
    let cause = 'it ended';
    worker.on('message', (done: Done) => {
      const waiting = this.#waiting.shift();
      if (done.failure === undefined) waiting?.resolve(done);
      else waiting?.reject(new Error(done.failure));
    });
    worker.on('error', (error) => {
      cause = error.message;
    });
    worker.once('exit', () => {
      if (this.#worker === worker) this.#worker = undefined;
      const stopped = new Error(`the thread of checksums has stopped: ${cause}`);
      for (const { reject } of this.#waiting.splice(0)) reject(stopped);
    });
    worker.unref();
    this.#worker = worker;
    return worker;
  }

  async #ask(worker: Worker, order: Order): Promise<Done> {
    if (worker !== this.#worker) throw new Error('the thread of checksums has stopped');
    return await new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject });
      worker.postMessage(order);
    });
  }
}
