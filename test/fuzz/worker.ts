/** The thread of a fuzz run in which inputs are read: it is ended from outside where one does not end. */
import { parentPort, workerData } from 'node:worker_threads';
import { inputOf } from './mutate.ts';
import { targets } from './targets.ts';

export interface WorkerTask {
  readonly target: string;
  readonly seed: number;
  /** Number of the first input. */
  readonly first: number;
  /** Number of the input that is being read, for the watchdog; then milliseconds and number of the slowest. */
  readonly progress: SharedArrayBuffer;
  /** One input to read instead. */
  readonly input?: Uint8Array;
}

export interface Finding {
  readonly index: number;
  readonly kind: 'crash' | 'memory';
  readonly detail: string;
}

/** Bytes by which one input may let the memory of the process grow beyond all before it. */
const mostGrowth = 192 * 2 ** 20;

const { target: name, seed, first, progress, input } = workerData as WorkerTask;
const current = new Int32Array(progress);
const target = targets[name];
if (!target) throw new Error(`There is no target ${name}.`);

const peak = () => process.resourceUsage().maxRSS * 1024;

async function read(bytes: Buffer): Promise<Omit<Finding, 'index'> | undefined> {
  const before = peak();
  try {
    await target?.run(bytes);
  } catch (thrown) {
    const error = thrown instanceof Error ? thrown : new Error(String(thrown));
    if (!target?.isExpected(error)) return { kind: 'crash', detail: error.stack ?? error.message };
  }
  const growth = peak() - before;
  if (growth <= mostGrowth) return undefined;
  return { kind: 'memory', detail: `memory grew by ${Math.round(growth / 2 ** 20)} MiB` };
}

async function run(): Promise<void> {
  for (let index = first; ; index++) {
    Atomics.store(current, 0, index);
    const began = performance.now();
    const found = await read(input ? Buffer.from(input) : inputOf(target ?? never(), seed, index));
    const spent = Math.round(performance.now() - began);
    if (spent > Atomics.load(current, 1)) {
      Atomics.store(current, 1, spent);
      Atomics.store(current, 2, index);
    }
    if (found) parentPort?.postMessage({ index, ...found } satisfies Finding);
    if (found || input) return;
    // Messages of the watchdog come through.
    if (index % 64 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
}

function never(): never {
  throw new Error('There is no target.');
}

await run();
