/** What the choice of a host costs: as many statements among many hosts as among few; and what it adds up. */
import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import type { RuleContext } from '../../../src/server/core/context.ts';
import { chooseHost, hostsThatTake } from '../../../src/server/inventory/choose-host.ts';
import { statementsOf } from '../support/statements.ts';
import { useWorld } from '../support/world.ts';

const world = useWorld();

/** A machine that is down. */
function machine({ tx }: RuleContext) {
  const [vm] = tx.list('vm', { where: { status: 'down' }, limit: 1 });
  if (!vm) throw new Error('no machine is down');
  return vm;
}

/** Statements that the choice of a host takes. */
function statementsOfChoice(ctx: RuleContext): number {
  const vm = machine(ctx);
  return statementsOf(ctx.tx, () => chooseHost(ctx, vm, 'migrate'));
}

it('takes as many statements among fifty hosts as among three', async () => {
  await world.run((ctx) => {
    const few = statementsOfChoice(ctx);
    expect(few).toBeGreaterThan(3);
    const [model] = ctx.tx.list('host', { limit: 1 });
    const more = Array.from({ length: 50 }, () => randomUUID());
    for (const id of more) ctx.tx.insert('host', '/hosts', { ...model, id, name: id });
    expect(statementsOfChoice(ctx)).toBe(few);
    for (const id of more) ctx.tx.remove('host', id);
  });
});

it('adds up what the machines of each host take, without one that leaves', async () => {
  await world.run((ctx) => {
    const { tx } = ctx;
    const vm = machine(ctx);
    const hosts = tx.list('host', { where: { status: 'up' } });
    const [one, two] = hosts.map(({ id }) => id ?? '');
    const gibibyte = 2 ** 30;
    for (const host of hosts) tx.update('host', { ...host, memory: 4 * gibibyte });
    const running = (host: string | undefined, memory: number) => {
      const id = randomUUID();
      const guest = {
        ...vm,
        id,
        name: id,
        status: 'up' as const,
        memory,
        host: { id: host ?? '' },
      };
      tx.insert('vm', '/vms', guest);
      return guest;
    };
    for (const { id } of tx.list('vm', { where: { status: 'up' } })) tx.remove('vm', id ?? '');
    const here = running(one, 3 * gibibyte);
    running(two, gibibyte);
    running(two, 2 * gibibyte);
    // Both have half a gibibyte left; the third has all of it, and one that moves leaves its own.
    expect([...hostsThatTake(ctx, { ...vm, memory: gibibyte })]).toEqual(
      hosts.slice(2).map(({ id }) => id),
    );
    const { host: _, ...anywhere } = here;
    expect(hostsThatTake(ctx, anywhere)).toEqual(
      new Set(hosts.map(({ id }) => id).filter((id) => id !== two)),
    );
  });
});
