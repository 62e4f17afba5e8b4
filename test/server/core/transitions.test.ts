/** Transitions with pending copies of images, as the store contains them. */
import { describe, expect, it } from 'vitest';
import { behaviors } from '../../../src/server/resources/index.ts';
import { useWorld } from '../support/world.ts';

const world = useWorld();

describe('a stored copy', () => {
  it.each(['run', 'journey'])('ends the transition in its member %s', async (member) => {
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

  it('is refused with a message if it has no transition', async () => {
    const broken = world.run((ctx) =>
      behaviors
        .work('work:copy images')
        ?.read(JSON.stringify({ data: { state: 'image_locked', copies: [] } }))
        .done(ctx),
    );
    await expect(broken).rejects.toThrow('without the transition that waits for it');
  });
});
