/** Transactions that fill a new site. */
import { expect, it } from 'vitest';
import { useWorld } from '../support/world.ts';

const world = useWorld();

it('stores the objects', async () => {
  await world.store().fill((tx) => tx.insert('tag', '/tags', { id: 'one', name: 'one' }));
  expect(world.store().read((tx) => tx.get('tag', 'one'))).toMatchObject({ name: 'one' });
});

it('stores nothing if the work fails', async () => {
  const failing = world.store().fill((tx) => {
    tx.insert('tag', '/tags', { id: 'two', name: 'two' });
    throw new Error('broken');
  });
  await expect(failing).rejects.toThrow('broken');
  expect(world.store().read((tx) => tx.get('tag', 'two'))).toBeUndefined();
});
