/**
 * Tasks of several servers on one store: one server runs a task, and another takes over if it is
 * silent.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sharedWork } from '../../../src/features/postgres/coordination.ts';
import { renewLeases } from '../../../src/features/postgres/heartbeat.ts';
import { openPostgresStore } from '../../../src/features/postgres/open.ts';
import type { PostgresStore } from '../../../src/features/postgres/store.ts';
import { dialects } from '../../../src/model/dialect.ts';
import { BehaviorRegistry } from '../../../src/server/core/behavior.ts';
import { defineWork } from '../../../src/server/core/declared-tasks.ts';
import type { Site } from '../../../src/server/core/ports.ts';
import { TaskRunner } from '../../../src/server/core/task-runner.ts';
import {
  type Cluster,
  createDatabase,
  postgresPrograms,
  startCluster,
} from '../../support/postgres.ts';

describe.skipIf(postgresPrograms() === undefined)('tasks of several servers', () => {
  let cluster: Cluster;
  let now = 1_000_000;
  const told: string[] = [];
  const ends: (() => void)[] = [];

  /** A server: its store, and a task runner whose work the test ends. */
  function createServer(name: string, store: PostgresStore) {
    const work = defineWork('wait', {
      run: () =>
        new Promise<void>((resolve) => {
          told.push(`${name} begins`);
          ends.push(resolve);
        }),
      done: () => void told.push(`${name} ends`),
      failed: () => void told.push(`${name} fails`),
      subject: () => ({ task: 'wait', type: 'disk', name: 'disk', objects: [] }),
    });
    const behaviors = new BehaviorRegistry([], [], [work]);
    // The runner uses nothing else.
    const site = {
      ...{ behaviors, dialect: dialects.standard },
      ...{ steady: () => now, now: () => new Date(now) },
    } as unknown as Site;
    const report = (error: unknown) => told.push(String(error));
    const runner = new TaskRunner(store, site, report, sharedWork);
    /** The part of a heartbeat that concerns tasks. */
    const renew = () => {
      store.withoutTransaction((tx) => renewLeases(tx, runner.listWork(), now));
      runner.wake();
    };
    return { store, runner, renew };
  }

  let one: ReturnType<typeof createServer>;
  let other: ReturnType<typeof createServer>;
  beforeAll(async () => {
    cluster = startCluster();
    const { address } = await createDatabase(cluster.folder);
    [one, other] = ['one', 'other'].map((name) => {
      const store = openPostgresStore(address);
      store.started();
      return createServer(name, store);
    }) as [typeof one, typeof other];
  }, 60_000);
  afterAll(async () => {
    for (const end of ends) end();
    for (const { runner, store } of [one, other]) {
      await runner.stop();
      await store.close();
    }
    cluster?.remove();
  });

  /** Number of stored tasks, and the next due time. */
  const noted = () => one.store.read((tx) => [tx.tasks.count(), tx.tasks.nextDue()]);

  it('continue on the same server while it renews its lease', async () => {
    const caller = { userId: 'x', userName: 'x', administrator: true, superUser: true };
    await one.store.write((tx) => tx.tasks.add(now, 'work:wait', 'target', { data: {}, caller }));
    one.runner.wake();
    await expect.poll(() => told).toEqual(['one begins']);
    now += 3_000;
    one.renew();
    now += 3_000;
    other.renew();
    // Due a second later: other servers have nothing to do now.
    expect(noted()).toEqual([1, now + 1_000]);
    expect(told).toEqual(['one begins']);
  });

  it('are restarted by another server after silence, and end once', async () => {
    now += 2_000;
    other.renew();
    // Its timer counts real seconds.
    await expect.poll(() => told, { timeout: 10_000 }).toEqual(['one begins', 'other begins']);
    // The first server returns, ends its own task, and renews a lost lease.
    one.renew();
    ends[0]?.();
    await expect.poll(noted).toEqual([1, now + 4_000]);
    ends[1]?.();
    await expect.poll(noted).toEqual([0, undefined]);
    expect(told).toEqual(['one begins', 'other begins', 'other ends']);
  });

  it('fail at the third server after two have stopped', async () => {
    const caller = { userId: 'x', userName: 'x', administrator: true, superUser: true };
    told.length = 0;
    await one.store.write((tx) => tx.tasks.add(now, 'work:wait', 'target', { data: {}, caller }));
    for (const { runner } of [one, other, one]) {
      runner.wake();
      const before = told.length;
      await expect.poll(() => told.length, { timeout: 10_000 }).toBe(before + 1);
      // Neither of them renews its lease.
      now += 5_000;
    }
    expect(told).toEqual(['one begins', 'other begins', 'one fails']);
    await expect.poll(noted).toEqual([0, undefined]);
  });
});
