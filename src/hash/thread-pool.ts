/** Pool of hashing threads, so that the thread that transfers data never waits for a hash. */
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { builtFile } from '../built-file.ts';

/** Heap limits of a thread in MiB; it stores only a few digests. */
const HEAP_LIMITS = { maxOldGenerationSizeMb: 32, maxYoungGenerationSizeMb: 4 };
/** Maximum number of threads, which leaves processors for other work. */
const MAX_THREADS = 2;

/** A running hash. All methods reject if its thread has stopped. */
export interface Hash {
  /** Hashes the next bytes. After it resolves, shared memory may be overwritten. */
  update(bytes: Uint8Array): Promise<void>;
  digest(): Promise<Uint8Array>;
  /** Discards the hash, finished or not. */
  close(): void;
}

/** Assigns each hash to the thread with the fewest running hashes. */
export class HashThreadPool {
  readonly #threads: readonly HashThread[];

  constructor(count = Math.min(MAX_THREADS, availableParallelism())) {
    this.#threads = Array.from({ length: count }, () => new HashThread());
  }

  /** Number of threads. */
  get count(): number {
    return this.#threads.length;
  }

  /** Starts a hash. Throws if the file of the thread program is missing. */
  start(algorithm: string): Hash {
    const [first, ...others] = this.#threads;
    if (!first) throw new Error('no hash threads are running');
    return others
      .reduce((best, one) => (one.runningCount < best.runningCount ? one : best), first)
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

/** Starts its worker with the first hash. */
class HashThread {
  #worker: Worker | undefined;
  /** Pending replies, in the order of the requests. */
  #waiting: PendingReply[] = [];
  #lastId = 0;
  /** Number of running hashes. */
  runningCount = 0;

  start(algorithm: string): Hash {
    const worker = this.#start();
    this.#lastId += 1;
    this.runningCount += 1;
    const id = this.#lastId;
    let isOpen = true;
    worker.postMessage({ id, kind: 'start', algorithm } satisfies HashCommand);
    return {
      update: async (bytes) => void (await this.#request(worker, { id, kind: 'update', bytes })),
      digest: async () => {
        const { digest } = await this.#request(worker, { id, kind: 'digest' });
        if (!digest) throw new Error('the hash thread returned no digest');
        return digest;
      },
      close: () => {
        if (isOpen) this.runningCount -= 1;
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
      resourceLimits: HEAP_LIMITS,
    });
    let cause = 'it exited';
    worker.on('message', (done: HashReply) => {
      const waiting = this.#waiting.shift();
      // An idle thread must not keep the process alive.
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

  async #request(worker: Worker, order: HashCommand): Promise<HashReply> {
    if (worker !== this.#worker) throw new Error('a hash thread has stopped');
    return await new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject });
      worker.ref();
      worker.postMessage(order);
    });
  }
}

/** Command for a hash. The thread replies to `update` and `digest` in order. */
export type HashCommand =
  | { readonly id: number; readonly kind: 'start'; readonly algorithm: string }
  /** Bytes in shared memory, or a copy of a few bytes. */
  | { readonly id: number; readonly kind: 'update'; readonly bytes: Uint8Array }
  | { readonly id: number; readonly kind: 'digest' }
  | { readonly id: number; readonly kind: 'drop' };

/** Digest if requested, or the reason of a failure. */
export interface HashReply {
  readonly digest?: Uint8Array;
  readonly failure?: string;
}
