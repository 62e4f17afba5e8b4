/** Transitions that wait for copied images, as they are found again in the store. */
import { describe, expect, it } from 'vitest';
import { behaviors } from '../../../src/server/resources/index.ts';
import { useWorld } from '../support/world.ts';

const world = useWorld();

describe('copying that was noted in the store', () => {
  it.each(['run', 'journey'])('ends the transition that it names as %s', async (member) => {
    const status = await world.run((ctx) => {
      const [vm] = ctx.tx.list('vm', { limit: 1 });
      const id = vm?.id ?? '';
      ctx.tx.update('vm', { ...vm, status: 'image_locked' }, '/vms');
      const transition = { kind: 'vm', collection: '/vms', id, operation: 'import' };
      const noted = { [member]: transition, state: 'image_locked', copies: [] };
      behaviors
        .work('work:copy images')
        ?.read(JSON.stringify({ data: noted }))
        .done(ctx);
      return ctx.tx.get('vm', id)?.status;
    });
    expect(status).toBe('down');
  });

  it('is refused clearly where it names none', async () => {
    const broken = world.run((ctx) =>
      behaviors
        .work('work:copy images')
        ?.read(JSON.stringify({ data: { state: 'image_locked', copies: [] } }))
        .done(ctx),
    );
    await expect(broken).rejects.toThrow('without the transition that waits for it');
  });
});
