/** A site is filled with memory to spare, which is given back whatever comes of it. */
import { expect, it } from 'vitest';
import type { Transaction } from '../../../src/server/store/transaction.ts';
import { useWorld } from '../support/world.ts';

const world = useWorld();
const cache = () => world.store().database.prepare('PRAGMA cache_size').get()?.['cache_size'];

it('has more of the database in memory meanwhile, and as much as before afterwards', async () => {
  const before = Number(cache());
  const tag = (tx: Transaction) => tx.insert('tag', '/tags', { id: 'one', name: 'one' });
  // Negative: in KiB.
  const meanwhile = await world.store().fill((tx) => {
    tag(tx);
    return Number(cache());
  });
  expect(meanwhile).toBeLessThan(before);
  expect(cache()).toBe(before);
  expect(world.store().read((tx) => tx.get('tag', 'one'))).toMatchObject({ name: 'one' });
});

it('gives it back and keeps nothing where the work fails', async () => {
  const before = cache();
  const failing = world.store().fill((tx) => {
    tx.insert('tag', '/tags', { id: 'two', name: 'two' });
    throw new Error('broken');
  });
  await expect(failing).rejects.toThrow('broken');
  expect(cache()).toBe(before);
  expect(world.store().read((tx) => tx.get('tag', 'two'))).toBeUndefined();
});
