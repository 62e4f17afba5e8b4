/**
 * Worker thread of a fuzz run, which reads the inputs. The main thread terminates it if an input
 * hangs.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { createInput } from './mutate.ts';
import { targets } from './targets.ts';

export interface WorkerTask {
  readonly target: string;
  readonly seed: number;
  /** Number of the first input. */
  readonly first: number;
  /** Number of the current input for the watchdog, then milliseconds and number of the slowest. */
  readonly progress: SharedArrayBuffer;
  /** A single input instead of generated ones. */
  readonly input?: Uint8Array;
}

export interface Finding {
  readonly index: number;
  readonly kind: 'crash' | 'memory';
  readonly detail: string;
}

/** Maximum memory growth of the process by one input, in bytes. */
const mostGrowth = 192 * 2 ** 20;

const { target: name, seed, first, progress, input } = workerData as WorkerTask;
const current = new Int32Array(progress);
const target = targets[name];
if (!target) throw new Error(`unknown target ${name}`);

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
    const found = await read(
      input ? Buffer.from(input) : createInput(target ?? never(), seed, index),
    );
    const spent = Math.round(performance.now() - began);
    if (spent > Atomics.load(current, 1)) {
      Atomics.store(current, 1, spent);
      Atomics.store(current, 2, index);
    }
    if (found) parentPort?.postMessage({ index, ...found } satisfies Finding);
    if (found || input) return;
    // Lets messages of the watchdog through.
    if (index % 64 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
}

function never(): never {
  throw new Error('target missing');
}

await run();
