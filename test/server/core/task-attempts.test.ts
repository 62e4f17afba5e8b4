/** Attempt limits of persistent tasks after crashes, stops and exceptions. */
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { dialects } from '../../../src/model/dialect.ts';
import { BehaviorRegistry } from '../../../src/server/core/behavior.ts';
import { defineDeadline, defineWork } from '../../../src/server/core/declared-tasks.ts';
import type { Site } from '../../../src/server/core/ports.ts';
import { TaskRunner } from '../../../src/server/core/task-runner.ts';
import { openStore, type Store } from '../../../src/server/store/store.ts';

const caller = { userId: 'x', userName: 'x', administrator: true, superUser: true };

interface WorkData {
  readonly name: string;
}

let store: Store;
let now: number;
/** Occurred events, in order. */
let log: string[];
/** Functions that end running work, by its name. */
let ends: Map<string, () => void>;
beforeEach(async () => {
  store = await openStore(':memory:');
  now = 1_000;
  log = [];
  ends = new Map();
});
afterEach(async () => {
  vi.useRealTimers();
  await store.close();
});

const work = defineWork<WorkData>('test', {
  run: (_, { name }) =>
    new Promise((resolve) => {
      log.push(`${name} begins`);
      ends.set(name, resolve);
    }),
  done: (_, { name }) => void log.push(`${name} ends`),
  failed: (_, { name }, { message }) => void log.push(`${name} fails: ${message}`),
  subject: (_, { name }) => ({ task: 'copy', type: 'disk', name, objects: [] }),
});
const thrower = defineDeadline('throws', () => {
  log.push('throws');
  throw new Error('a rule that is wrong');
});
const other = defineDeadline('other', () => void log.push('other is done'));

/** A server on the store. Abandoning it simulates a crash. */
async function start(): Promise<TaskRunner> {
  const site = {
    behaviors: new BehaviorRegistry([], [thrower, other], [work]),
    dialect: dialects.standard,
    steady: () => now,
    now: () => new Date(now),
  } as unknown as Site;
  const runner = new TaskRunner(store, site, () => {});
  await runner.recover();
  return runner;
}

/** Runs the event loop and the fake timers. */
async function pass(): Promise<void> {
  if (vi.isFakeTimers()) await vi.advanceTimersByTimeAsync(10);
  await turn();
}

/** Waits until the log contains exactly these lines. */
async function seen(...lines: readonly string[]): Promise<void> {
  while (log.length < lines.length) await pass();
  for (let turns = 0; turns < 50; turns += 1) await pass();
  expect(log).toEqual(lines);
  log.length = 0;
}

const add = (...names: readonly string[]) =>
  store.write((tx) => {
    for (const name of names) tx.tasks.add(0, work.name, name, { data: { name }, caller });
  });
const events = () => store.read((tx) => tx.list('event').map(({ description }) => description));
const count = () => store.read((tx) => tx.tasks.count());

describe('work that a crash interrupts', () => {
  it('is retried once, and fails with an event after the second crash', async () => {
    await add('a');
    await start();
    await seen('a begins');
    await start();
    await seen('a begins');
    await start();
    await seen('a fails: the server stopped unexpectedly during 2 attempts');
    expect(events()).toEqual([
      'Task copy of Virtual Disk a failed: the server stopped unexpectedly during 2 attempts.',
    ]);
    expect(count()).toBe(0);
  });

  it('does not fail because of other work that ends the server', async () => {
    await add('a', 'b', 'c');
    await start();
    await seen('a begins', 'b begins', 'c begins');
    // They begin one after another, so that only one is under way at the next crash.
    await start();
    await seen('a begins');
    ends.get('a')?.();
    await seen('a ends', 'b begins');
    await start();
    await seen('b fails: the server stopped unexpectedly during 2 attempts', 'c begins');
    ends.get('c')?.();
    await seen('c ends');
    expect(count()).toBe(0);
  });

  it('does not delay new work', async () => {
    await add('a');
    await start();
    await seen('a begins');
    const runner = await start();
    await seen('a begins');
    await add('b');
    runner.wake();
    await seen('b begins');
  });

  it('keeps its attempts after a clean stop', async () => {
    await add('a');
    for (let stops = 0; stops < 7; stops += 1) {
      const runner = await start();
      await seen('a begins');
      // The process ends before the work.
      void runner.stop();
      for (let turns = 0; turns < 50; turns += 1) await turn();
    }
    expect(events()).toEqual([]);
  });

  it('may be interrupted five times after a minute', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    await add('a');
    for (let crashes = 0; crashes < 5; crashes += 1) {
      await start();
      await seen('a begins');
      await vi.advanceTimersByTimeAsync(61_000);
      for (let turns = 0; turns < 50; turns += 1) await turn();
    }
    await start();
    await seen('a fails: the server stopped unexpectedly during 5 attempts');
  });
});

describe('a rule that throws', () => {
  it('does not block other tasks, and fails with an event after several attempts', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    await store.write((tx) => {
      tx.tasks.add(0, thrower.name, 'target', { data: {}, caller });
      tx.tasks.add(1, other.name, 'target', { data: {}, caller });
    });
    const runner = await start();
    await seen('throws', 'other is done');
    let tries = 1;
    for (; count() > 0; tries += 1) {
      now += 10 * 60_000;
      runner.wake();
      await vi.advanceTimersByTimeAsync(10 * 60_000);
      for (let turns = 0; turns < 50; turns += 1) await pass();
      expect(tries).toBeLessThan(20);
    }
    expect(log).toHaveLength(9);
    expect(events()).toEqual([
      'Task throws of Deadline target failed: its rule always reports an internal error.',
    ]);
  });
});
