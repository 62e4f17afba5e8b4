/** Turns of expensive work: concurrency and order of image copies. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { dialects } from '../../../src/model/dialect.ts';
import { BehaviorRegistry } from '../../../src/server/core/behavior.ts';
import { defineWork } from '../../../src/server/core/declared-tasks.ts';
import type { Site } from '../../../src/server/core/ports.ts';
import { TaskRunner } from '../../../src/server/core/task-runner.ts';
import { copyImagesWork } from '../../../src/server/core/transitions.ts';
import { WorkQueue } from '../../../src/server/core/work-queue.ts';
import { openStore, type Store } from '../../../src/server/store/store.ts';

interface WorkData {
  readonly name: string;
  readonly cheap?: boolean;
}

let store: Store;
/** Names of work in the order of their start and of their end. */
let begun: string[];
let ended: string[];
/** Functions that end running work, by its name. */
let running: Map<string, () => void>;
let most: number;
beforeEach(async () => {
  store = await openStore(':memory:');
  [begun, ended, running, most] = [[], [], new Map(), 0];
});
afterEach(() => store.close());

const work = defineWork<WorkData>('test', {
  run: (_, { name }) =>
    new Promise((resolve) => {
      begun.push(name);
      running.set(name, resolve);
      most = Math.max(most, running.size);
    }),
  isCheap: ({ cheap }) => cheap === true,
  done: (_, { name }) => void ended.push(name),
  failed: (_, { name }, { message }) => void ended.push(`${name} failed: ${message}`),
  subject: (_, { name }) => ({ task: 'copy', type: 'disk', name, objects: [] }),
});

async function start(): Promise<TaskRunner> {
  const site = {
    behaviors: new BehaviorRegistry([], [], [work]),
    dialect: dialects.standard,
    steady: () => 1_000,
    now: () => new Date(1_000),
  } as unknown as Site;
  const runner = new TaskRunner(store, site, () => {});
  await runner.recover();
  return runner;
}

const add = (userId: string, count: number, cheap = false) =>
  store.write((tx) => {
    const caller = { userId, userName: userId, administrator: true, superUser: false };
    for (let number = 1; number <= count; number += 1) {
      const name = `${userId}${cheap ? ' cheap' : ''} ${number}`;
      tx.tasks.add(0, work.name, name, { data: { name, cheap }, caller });
    }
  });

/** Starts all permitted work. */
async function settle(): Promise<void> {
  for (let turns = 0; turns < 100; turns += 1) await turn();
}

/** Ends running work, oldest first, until none remains. */
async function endAll(): Promise<void> {
  for (let [first] = running; first; [first] = running) {
    const [name, end] = first;
    running.delete(name);
    end();
    await settle();
  }
}

describe('image copies', () => {
  it('run with limited concurrency, in turns between users', async () => {
    await add('hog', 20);
    const runner = await start();
    while (begun.length < 3) await turn();
    await settle();
    expect(begun).toEqual(['hog 1', 'hog 2', 'hog 3']);
    await add('other', 5);
    runner.wake();
    while (begun.length < 4) await turn();
    await settle();
    // One slot is always free for another user.
    expect(begun.slice(3)).toEqual(['other 1']);
    await endAll();
    // No copy of the other user waits for more than the running copies and one of the first user
    // each.
    expect(begun.indexOf('other 5')).toBeLessThan(3 + 2 * 5);
    expect(most).toBe(4);
    expect(ended).toHaveLength(25);
    await runner.stop();
  });

  it('do not delay work that copies nothing', async () => {
    await add('hog', 10);
    await add('quick', 1, true);
    await add('hog', 1, true);
    const runner = await start();
    while (begun.length < 5) await turn();
    await settle();
    expect(begun.slice(3)).toEqual(['quick cheap 1', 'hog cheap 1']);
    await endAll();
    await runner.stop();
  });

  it('that wait at a stop do not start, and run after the next start', async () => {
    await add('user', 6);
    const runner = await start();
    while (begun.length < 3) await turn();
    const stopped = runner.stop();
    for (const end of running.values()) end();
    running.clear();
    await stopped;
    expect(begun).toEqual(['user 1', 'user 2', 'user 3']);
    const next = await start();
    while (begun.length < 4) await turn();
    while (ended.length < 6) {
      await settle();
      await endAll();
    }
    expect(begun.slice(3)).toEqual(['user 4', 'user 5', 'user 6']);
    await next.stop();
  });

  it('occupy a slot unless they only release a storage domain', () => {
    const run = { kind: 'disk', collection: '/disks', id: 'a', operation: 'copy' };
    const isCheap = (...copies: object[]) =>
      copyImagesWork.read(JSON.stringify({ data: { run, state: 'locked', copies } })).isCheap;
    const release = { from: 'a', to: 'a', shared: { domain: 'd', way: 'release' } };
    expect(isCheap(release)).toBe(true);
    expect(isCheap(release, { from: 'a', to: 'b' })).toBe(false);
    expect(isCheap({ from: 'a', to: 'a', check: { size: 1 } })).toBe(false);
  });

  it('are created only by work that occupies a slot', () => {
    const root = join(import.meta.dirname, '../../../src/server');
    const copies =
      /\bimages\.(?:copy|convert|check)\(|hostArchives\.(?:un)?pack\(|sharedStorage\?*\.(?:\[|bring|take)/;
    const files = readdirSync(root, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts') && copies.test(readFileSync(join(root, file), 'utf8')))
      .map((file) => file.replaceAll('\\', '/'));
    // `copyImages` and `makePrepared`, which only declared work calls.
    expect(files.sort()).toEqual(['core/transitions.ts', 'resources/image-transfer/image.ts']);
  });
});

describe('a work queue', () => {
  it('continues after failed work', async () => {
    const queue = new WorkQueue({ atOnce: 1 });
    const failed = queue.run('a', '', () => Promise.reject(new Error('no room')));
    const next = queue.run('a', '', async () => 'done');
    await expect(failed).rejects.toThrow('no room');
    await expect(next).resolves.toBe('done');
  });
});
