/** Time limit of a shutdown that a guest ignores. */
import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { systemCaller } from '../../../../src/server/core/context.ts';
import { continueTransition, limitTransition } from '../../../../src/server/core/transitions.ts';
import { useWorld } from '../../support/world.ts';

const world = useWorld();

it('a VM whose guest does not shut down in time is up again, with an event', async () => {
  const id = randomUUID();
  const run = { kind: 'vm', collection: '/vms', id, operation: 'shutdown', before: 'up' } as const;
  const { found, events } = await world.run((ctx) => {
    ctx.tx.insert('vm', '/vms', { id, name: 'slow', status: 'powering_down' });
    limitTransition(ctx, run, 60_000);
    expect(ctx.tx.tasks.take(ctx.steady + 59_999)).toBeUndefined();
    const task = ctx.tx.tasks.take(ctx.steady + 60_000);
    if (!task) throw new Error('The limit has no task.');
    const ended = continueTransition(ctx.tx, world.site(), task);
    expect(ended.failed).toBe(true);
    expect(ended.caller).toEqual(systemCaller);
    return { found: ctx.tx.get('vm', id), events: ctx.tx.list('event') };
  });
  expect(found?.status).toBe('up');
  expect(events.map(({ description }) => description)).toContain(
    'Shutdown of VM slow failed: the guest did not respond in time.',
  );
});
