/** Tasks that are due at the same time: all run, with event loop turns in between. */
import { setImmediate as turn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { BehaviorRegistry } from '../../../src/server/core/behavior.ts';
import { defineDeadline } from '../../../src/server/core/declared-tasks.ts';
import type { Site } from '../../../src/server/core/ports.ts';
import { TaskRunner } from '../../../src/server/core/task-runner.ts';
import { openStore } from '../../../src/server/store/store.ts';

const caller = { userId: 'x', userName: 'x', administrator: true, superUser: true };

it('runs a large number of due tasks in several turns of the event loop', async () => {
  const store = await openStore(':memory:');
  const done: number[] = [];
  const deadline = defineDeadline('test', (_, { number }) => {
    const until = performance.now() + 10;
    while (performance.now() < until);
    done.push(Number(number));
  });
  const behaviors = new BehaviorRegistry([], [deadline], []);
  // The runner uses no other members.
  const site = { behaviors, steady: () => 1_000, now: () => new Date(1_000) } as unknown as Site;
  const errors: unknown[] = [];
  const runner = new TaskRunner(store, site, (error) => errors.push(error));
  await store.write((tx) => {
    for (let number = 0; number < 12; number += 1) {
      tx.tasks.add(500, deadline.name, 'target', { data: { number }, caller });
    }
  });
  runner.wake();
  const seen = new Set<number>();
  while (done.length < 12 && errors.length === 0) {
    seen.add(done.length);
    await turn();
  }
  expect(errors).toEqual([]);
  expect(done).toEqual(Array.from({ length: 12 }, (_, number) => number));
  // At most three tasks fit into 20 ms.
  expect(seen.size).toBeGreaterThanOrEqual(4);
  await runner.stop();
  await store.close();
});
