/** Pool of hashing threads, so that the thread that moves bytes never waits for a hash. */
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { builtFile } from '../built-file.ts';

/** MiB of the heap of each: it keeps nothing but a few digests. */
const HEAP = { maxOldGenerationSizeMb: 32, maxYoungGenerationSizeMb: 4 };
/** More would take the processors from what else there is to do. */
const MAX_THREADS = 2;

/** A hash under way. All methods reject when its thread cannot go on. */
export interface Hash {
  /** Takes in the next bytes; in shared memory they may be overwritten once it resolves. */
  update(bytes: Uint8Array): Promise<void>;
  digest(): Promise<Uint8Array>;
  /** Forgets it, finished or not. */
  close(): void;
}

/** Gives each hash to the thread with the fewest of them. */
export class HashThreadPool {
  readonly #threads: readonly HashThread[];

  constructor(count = Math.min(MAX_THREADS, availableParallelism())) {
    this.#threads = Array.from({ length: count }, () => new HashThread());
  }

  /** How many hashes are made at the same time. */
  get count(): number {
    return this.#threads.length;
  }

  /** Begins a hash. Throws when the program of the threads is missing. */
  start(algorithm: string): Hash {
    const [first, ...others] = this.#threads;
    if (!first) throw new Error('no hash threads are running');
    return others
      .reduce((best, one) => (one.load < best.load ? one : best), first)
      .start(algorithm);
  }

  async close(): Promise<void> {
    await Promise.all(this.#threads.map((thread) => thread.close()));
  }
}

interface PendingReply {
  readonly resolve: (done: HashReply) => void;
  readonly reject: (error: Error) => void;
}

/** Starts its thread when the first hash is asked for. */
class HashThread {
  #worker: Worker | undefined;
  /** Whoever waits for an answer, in the order in which they come. */
  #waiting: PendingReply[] = [];
  #lastId = 0;
  /** Hashes under way. */
  load = 0;

  start(algorithm: string): Hash {
    const worker = this.#start();
    this.#lastId += 1;
    this.load += 1;
    const id = this.#lastId;
    let isOpen = true;
    worker.postMessage({ id, kind: 'start', algorithm } satisfies HashCommand);
    return {
      update: async (bytes) => void (await this.#ask(worker, { id, kind: 'update', bytes })),
      digest: async () => {
        const { digest } = await this.#ask(worker, { id, kind: 'digest' });
        if (!digest) throw new Error('the hash thread returned no digest');
        return digest;
      },
      close: () => {
        if (isOpen) this.load -= 1;
        isOpen = false;
        worker.postMessage({ id, kind: 'drop' } satisfies HashCommand);
      },
    };
  }

  async close(): Promise<void> {
    await this.#worker?.terminate();
  }

  #start(): Worker {
    if (this.#worker) return this.#worker;
    const worker = new Worker(builtFile('hash-thread.js'), {
      name: 'hashes',
      resourceLimits: HEAP,
    });
    let cause = 'it exited';
    worker.on('message', (done: HashReply) => {
      const waiting = this.#waiting.shift();
      // Nobody stays alive because of a thread that has nothing to do.
      if (this.#waiting.length === 0) worker.unref();
      if (done.failure === undefined) waiting?.resolve(done);
      else waiting?.reject(new Error(done.failure));
    });
    worker.on('error', (error) => {
      cause = error.message;
    });
    worker.once('exit', () => {
      if (this.#worker === worker) this.#worker = undefined;
      const stopped = new Error(`a hash thread has stopped: ${cause}`);
      for (const { reject } of this.#waiting.splice(0)) reject(stopped);
    });
    worker.unref();
    this.#worker = worker;
    return worker;
  }

  async #ask(worker: Worker, order: HashCommand): Promise<HashReply> {
    if (worker !== this.#worker) throw new Error('a hash thread has stopped');
    return await new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject });
      worker.ref();
      worker.postMessage(order);
    });
  }
}

/** Each order of a hash; all but the first and the last are answered, one after the other. */
export type HashCommand =
  | { readonly id: number; readonly kind: 'start'; readonly algorithm: string }
  /** Bytes in memory that both threads see, or a copy of a few. */
  | { readonly id: number; readonly kind: 'update'; readonly bytes: Uint8Array }
  | { readonly id: number; readonly kind: 'digest' }
  | { readonly id: number; readonly kind: 'drop' };

/** The digest, where that was asked; or why the order could not be followed. */
export interface HashReply {
  readonly digest?: Uint8Array;
  readonly failure?: string;
}
