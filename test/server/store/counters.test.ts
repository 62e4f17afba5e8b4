/** Maintained sums over the disks of a domain are equal to new sums, after any change. */
import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { referringCondition } from '../../../src/server/store/conditions.ts';
import { readDiskSums } from '../../../src/server/store/counters.ts';
import type { Transaction } from '../../../src/server/store/transaction.ts';
import { useWorld } from '../support/world.ts';

const world = useWorld();
const domains = ['one', 'two'];

function summed(tx: Transaction, id: string) {
  const condition = referringCondition('disk', 'storage_domains', id);
  return {
    total_size: tx.sum('disk', 'total_size', { condition }),
    provisioned_size: tx.sum('disk', 'provisioned_size', { condition }),
  };
}

function compare(tx: Transaction, what: string): void {
  for (const id of domains) expect(readDiskSums(tx, id), `${what}: ${id}`).toEqual(summed(tx, id));
}

it('remains correct while disks are added, extended, moved and removed, and after a rollback', async () => {
  const ids = Array.from({ length: 6 }, () => randomUUID());
  const disk = (id: string, size: number, on: readonly string[]) => ({
    ...{ id, name: id, provisioned_size: size, total_size: size / 2 },
    storage_domains: on.map((one) => ({ id: one })),
  });
  await world.run(({ tx }) => {
    compare(tx, 'none');
    for (const [at, id] of ids.entries())
      tx.insert('disk', '/disks', disk(id, 1_000 + at, ['one']));
    compare(tx, 'added');
    tx.update('disk', disk(ids[0] ?? '', 5_000, ['one']));
    compare(tx, 'grown');
    tx.update('disk', disk(ids[1] ?? '', 7_000, ['two']));
    compare(tx, 'moved and grown');
    tx.update('disk', disk(ids[2] ?? '', 9_000, ['one', 'two']));
    compare(tx, 'on both');
    const { total_size: _, ...unmeasured } = disk(ids[3] ?? '', 1, ['one']);
    tx.update('disk', unmeasured);
    compare(tx, 'without a size');
    tx.remove('disk', ids[4] ?? '');
    compare(tx, 'removed');
    expect(summed(tx, 'two').provisioned_size).toBe(16_000);
  });
  const undone = world.run(({ tx }) => {
    tx.update('disk', disk(ids[0] ?? '', 50_000, ['two']));
    compare(tx, 'before it is undone');
    throw new Error('undone');
  });
  await expect(undone).rejects.toThrow('undone');
  await world.run(({ tx }) => compare(tx, 'undone'));
});
