/**
 * Fuzzer: feeds readers of foreign files with damaged inputs until one crashes, hangs or uses too
 * much memory.
 *
 *     npm run fuzz                                 every target for 10 seconds
 *     npm run fuzz -- qcow2 tar --seconds 600
 *     npm run fuzz -- qcow2 --seed 42              repeats the inputs of that run
 *     npm run fuzz -- qcow2 --input FILE           one input
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';
import { createInput } from './mutate.ts';
import { targets } from './targets.ts';
import type { Finding, WorkerTask } from './worker.ts';

/** Milliseconds after which an input counts as slow. */
const patience = 1_000;
const failures = 'coverage/fuzz';

interface Options {
  readonly seed: number;
  readonly milliseconds: number;
  /**
   * CPU time limit of an input in milliseconds. Readers need a few; the margin is for busy
   * computers.
   */
  readonly deadline: number;
  readonly input?: Uint8Array;
}

interface Failure {
  readonly index: number;
  readonly kind: Finding['kind'] | 'hang';
  readonly detail: string;
}

interface Outcome {
  readonly inputs: number;
  /** The slowest input: its number and milliseconds. */
  readonly slowest: { readonly index: number; readonly milliseconds: number };
  readonly failure?: Failure;
}

/** Runs a target until the time is over or an input fails. */
function fuzz(target: string, { seed, milliseconds, deadline, input }: Options): Promise<Outcome> {
  const progress = new SharedArrayBuffer(12);
  const current = new Int32Array(progress);
  const workerData: WorkerTask = { target, seed, first: 0, progress, ...(input ? { input } : {}) };
  const worker = new Worker(new URL('./worker.mjs', import.meta.url), {
    workerData,
    resourceLimits: { maxOldGenerationSizeMb: 512 },
  });
  const began = performance.now();
  return new Promise((resolve) => {
    let last = { index: -1, since: began, cpu: process.cpuUsage() };
    let isOver = false;
    const end = (failure?: Failure) => {
      if (isOver) return;
      isOver = true;
      clearInterval(watchdog);
      const inputs = Atomics.load(current, 0) + 1;
      const slowest = { index: Atomics.load(current, 2), milliseconds: Atomics.load(current, 1) };
      const outcome = { inputs, slowest, ...(failure ? { failure } : {}) };
      void worker.terminate().then(() => resolve(outcome));
    };
    const watchdog = setInterval(() => {
      const index = Atomics.load(current, 0);
      if (index !== last.index) {
        last = { index, since: performance.now(), cpu: process.cpuUsage() };
      }
      const spent = performance.now() - last.since;
      const { user, system } = process.cpuUsage(last.cpu);
      // Other processes slow an input down, but do not consume its CPU time.
      const isHanging = (user + system) / 1000 > deadline || spent > 6 * deadline;
      if (isHanging) end({ index, kind: 'hang', detail: `not done after ${deadline} ms` });
      // Waits for a slow input to finish.
      const isDue = performance.now() - began > milliseconds && spent < patience;
      if (isDue && input === undefined) end();
    }, 100);
    worker.once('message', (finding: Finding) => end(finding));
    worker.once('error', (error) => {
      const index = Atomics.load(current, 0);
      end({ index, kind: 'crash', detail: error.stack ?? error.message });
    });
    // A single input was read without a finding.
    worker.once('exit', () => end());
  });
}

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      seconds: { type: 'string', default: '10' },
      seed: { type: 'string' },
      deadline: { type: 'string', default: '10' },
      input: { type: 'string' },
    },
  });
  const usual = Object.keys(targets).filter((name) => !targets[name]?.isPlanted);
  const names = positionals.length > 0 ? positionals : usual;
  const unknown = names.find((name) => !Object.hasOwn(targets, name));
  const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31));
  const [seconds, deadline] = [Number(values.seconds), Number(values.deadline)];
  if (unknown !== undefined || !Number.isSafeInteger(seed) || !(seconds > 0 && deadline > 0)) {
    const list = usual.map((name) => `  ${name.padEnd(8)}${targets[name]?.doc}`).join('\n');
    console.error(
      `Usage: npm run fuzz -- [target]... [--seconds N] [--seed S] [--deadline N] [--input FILE]\n\n${list}`,
    );
    return 2;
  }
  const input = values.input === undefined ? undefined : readFileSync(values.input);
  console.log(`seed ${seed}`);
  let failed = 0;
  for (const name of names) {
    const times = { milliseconds: seconds * 1000, deadline: deadline * 1000 };
    const options = { seed, ...times, ...(input ? { input } : {}) };
    const { inputs, slowest, failure } = await fuzz(name, options);
    if (!failure) {
      const { index, milliseconds } = slowest;
      console.log(
        `${name}: ${inputs} inputs, nothing found; the slowest took ${milliseconds} ms (${index})`,
      );
      continue;
    }
    failed += 1;
    const { index, kind, detail } = failure;
    const path = values.input ?? save(name, seed, index);
    console.log(`${name}: ${kind} after ${inputs} inputs\n${detail}`);
    console.log(`again: npm run fuzz -- ${name} --input ${path}`);
  }
  return failed > 0 ? 1 : 0;
}

function save(name: string, seed: number, index: number): string {
  const target = targets[name];
  const path = join(failures, `${name}-${seed}-${index}`);
  mkdirSync(failures, { recursive: true });
  if (target) writeFileSync(path, createInput(target, seed, index));
  return path;
}

process.exitCode = await main();
