/**
 * Cost of host scheduling: the number of statements is independent of the number of hosts. Also the
 * sums of used resources.
 */
import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import type { RuleContext } from '../../../src/server/core/context.ts';
import { chooseHost, listMigrationTargets } from '../../../src/server/inventory/choose-host.ts';
import { countStatements } from '../support/statements.ts';
import { useWorld } from '../support/world.ts';

const world = useWorld();

/** A VM that is down. */
function machine({ tx }: RuleContext) {
  const [vm] = tx.list('vm', { where: { status: 'down' }, limit: 1 });
  if (!vm) throw new Error('no machine is down');
  return vm;
}

/** Statements of a host choice. */
function statementsOfChoice(ctx: RuleContext): number {
  const vm = machine(ctx);
  return countStatements(ctx.tx, () => chooseHost(ctx, vm, 'migrate'));
}

it('uses as many statements for fifty hosts as for three', async () => {
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

it('sums the resources of the VMs on each host, without one that leaves', async () => {
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
    // Two hosts have half a gibibyte free, the third has all of it, and a moving VM frees its own.
    expect([...listMigrationTargets(ctx, { ...vm, memory: gibibyte })]).toEqual(
      hosts.slice(2).map(({ id }) => id),
    );
    const { host: _, ...anywhere } = here;
    expect(listMigrationTargets(ctx, anywhere)).toEqual(
      new Set(hosts.map(({ id }) => id).filter((id) => id !== two)),
    );
  });
});
