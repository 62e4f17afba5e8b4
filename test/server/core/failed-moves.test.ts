/** Failed state transitions: each object ends in a settled state, if possible the previous one. */
import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { systemCaller } from '../../../src/server/core/context.ts';
import { failTransition } from '../../../src/server/core/transitions.ts';
import { behaviors } from '../../../src/server/resources/index.ts';
import { storedKinds } from '../../../src/server/store/kinds.ts';
import { useWorld } from '../support/world.ts';

const world = useWorld();

const moves = storedKinds().flatMap((kind) => {
  const { lifecycle } = behaviors.of(kind) ?? {};
  return Object.entries(lifecycle?.moves ?? {}).flatMap(([operation, move]) => {
    const stage = move.via?.at(-1)?.[0];
    const copies = behaviors.of(kind)?.transitions?.copies?.[operation] !== undefined;
    return lifecycle && (stage || copies) ? [{ kind, operation, move, lifecycle, stage }] : [];
  });
});

it('transitions that can fail are many', () => {
  expect(moves.length).toBeGreaterThan(60);
});

it.each(moves)('$kind $operation', async ({ kind, operation, move, lifecycle, stage }) => {
  const { attribute, settled } = lifecycle;
  const before = settled.find((state) => move.from.includes(state));
  const id = randomUUID();
  const dataCenter = randomUUID();
  // A storage domain leaves the data center that it refers to.
  const isAttached = kind === 'attached_storage_domain';
  const collection = isAttached ? `/datacenters/${dataCenter}/storagedomains` : `/tests/${kind}`;
  const ended = await world.run((ctx) => {
    const state = { [attribute]: stage ?? lifecycle.initial };
    const object = { id, name: id, data_center: { id: dataCenter }, ...state };
    ctx.tx.insert(kind, collection, object);
    const run = { kind, collection, id, operation, stage: 0, caller: systemCaller };
    const task = { data: JSON.stringify(before === undefined ? run : { ...run, before }) };
    failTransition(ctx.tx, world.site(), {
      ...task,
      seq: 1,
      due: 0,
      name: 'move',
      target: id,
      attempts: 10,
      lasting: 0,
    });
    const found: unknown = ctx.tx.get(kind, id, collection);
    return found as Readonly<Record<string, unknown>> | undefined;
  });
  // Without an object, the handler has removed it.
  if (!ended) return;
  const state = ended[attribute];
  expect(settled).toContain(state);
  // After a failure of a copy, the previous state is known.
  if (before !== undefined) expect(state).not.toMatch(/unknown|not_responding/);
});
