/** Long work of several servers on one store: one does it at a time, and takes over from one that is silent. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openPostgresStore } from '../../../src/features/postgres/open.ts';
import { dialects } from '../../../src/model/dialect.ts';
import { BehaviorRegistry } from '../../../src/server/core/behavior.ts';
import { defineWork } from '../../../src/server/core/declared-tasks.ts';
import type { Site } from '../../../src/server/core/ports.ts';
import { TaskRunner } from '../../../src/server/core/task-runner.ts';
import type { SharedStore } from '../../../src/server/store/shared-store.ts';
import {
  type Cluster,
  createDatabase,
  postgresPrograms,
  startCluster,
} from '../../support/postgres.ts';

describe.skipIf(postgresPrograms() === undefined)('work of several servers', () => {
  let cluster: Cluster;
  let now = 1_000_000;
  const told: string[] = [];
  const ends: (() => void)[] = [];

  /** A server: its store, and a runner whose work ends when it is told to. */
  function serverOf(name: string, store: SharedStore) {
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
    // The runner asks for nothing else.
    const site = {
      ...{ behaviors, dialect: dialects.standard },
      ...{ steady: () => now, now: () => new Date(now) },
    } as unknown as Site;
    return { store, runner: new TaskRunner(store, site, (error) => told.push(String(error))) };
  }

  let one: ReturnType<typeof serverOf>;
  let other: ReturnType<typeof serverOf>;
  beforeAll(async () => {
    cluster = startCluster();
    const { address } = await createDatabase(cluster.folder);
    [one, other] = ['one', 'other'].map((name) => {
      const store = openPostgresStore(address);
      store.started();
      return serverOf(name, store);
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

  /** How many pieces of work are noted, and when the next one is due. */
  const noted = () => one.store.read((tx) => [tx.tasks.count(), tx.tasks.nextDue()]);

  it('goes on where it was begun for as long as its server says so', async () => {
    const caller = { userId: 'x', userName: 'x', administrator: true, superUser: true };
    await one.store.write((tx) => tx.tasks.add(now, 'work:wait', 'target', { data: {}, caller }));
    one.runner.wake();
    await expect.poll(() => told).toEqual(['one begins']);
    now += 3_000;
    one.runner.renew();
    now += 3_000;
    other.runner.renew();
    // It is due a second later: whoever looks now has nothing to do.
    expect(noted()).toEqual([1, now + 1_000]);
    expect(told).toEqual(['one begins']);
  });

  it('is begun again by another server when that one is silent, and ends once', async () => {
    now += 2_000;
    other.runner.renew();
    // Its timer counts real seconds.
    await expect.poll(() => told, { timeout: 10_000 }).toEqual(['one begins', 'other begins']);
    // The first one comes back, ends its own, and says that it goes on with what it has no more.
    one.runner.renew();
    ends[0]?.();
    await expect.poll(noted).toEqual([1, now + 4_000]);
    ends[1]?.();
    await expect.poll(noted).toEqual([0, undefined]);
    expect(told).toEqual(['one begins', 'other begins', 'other ends']);
  });

  it('fails at the third server when two have stopped during it', async () => {
    const caller = { userId: 'x', userName: 'x', administrator: true, superUser: true };
    told.length = 0;
    await one.store.write((tx) => tx.tasks.add(now, 'work:wait', 'target', { data: {}, caller }));
    for (const { runner } of [one, other, one]) {
      runner.wake();
      const before = told.length;
      await expect.poll(() => told.length, { timeout: 10_000 }).toBe(before + 1);
      // Neither of them says that it goes on.
      now += 5_000;
    }
    expect(told).toEqual(['one begins', 'other begins', 'one fails']);
    await expect.poll(noted).toEqual([0, undefined]);
  });
});
