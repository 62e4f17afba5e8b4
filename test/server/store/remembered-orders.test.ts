/** Pages of very long lists: one behind another goes on where that one has ended. */
import { expect, it } from 'vitest';
import { type OrderedList, pageOf } from '../../../src/server/store/remembered-orders.ts';
import { useWorld } from '../support/world.ts';

const world = useWorld();

/** A list of the numbers from 1 on, and how its pages were made out. */
function numbers(values: readonly number[] = []): OrderedList & { readonly ways: string[] } {
  const ways: string[] = [];
  const some = (from: number, count: number) =>
    Array.from({ length: count }, (_, index) => from + index);
  return {
    ...{ sql: 'SELECT numbers', values, size: 1_000_000, ways },
    keys: (count, offset) => {
      ways.push(`passes over ${offset}`);
      return some(offset + 1, count);
    },
    keysBehind: (row, count) => {
      ways.push(`behind ${row}`);
      return some(row + 1, count);
    },
  };
}

it('goes on behind the page before, as long as nothing changes', async () => {
  const list = numbers();
  await world.run(({ tx }) => {
    for (const page of [0, 1, 2, 900, 901, 3]) {
      const found = pageOf(tx, list, 100, 100 * page);
      expect([found[0], found.length]).toEqual([100 * page + 1, 100]);
    }
    expect(list.ways).toEqual([
      ...['passes over 0', 'behind 100', 'behind 200'],
      ...['passes over 90000', 'behind 90100', 'behind 300'],
    ]);
    tx.insert('tag', '/tags', { id: 'one', name: 'one' });
    pageOf(tx, list, 100, 400);
    expect(list.ways.at(-1)).toBe('passes over 400');
  });
});

it('tells lists apart by their values', async () => {
  const [one, other] = [numbers([1]), numbers([2])];
  await world.run(({ tx }) => {
    pageOf(tx, one, 100, 0);
    pageOf(tx, other, 100, 100);
    expect(other.ways).toEqual(['passes over 100']);
  });
});

it('passes over what no index leads behind', async () => {
  const list = { ...numbers([3]), keysBehind: () => undefined };
  await world.run(({ tx }) => {
    pageOf(tx, list, 100, 0);
    expect(pageOf(tx, list, 100, 100)[0]).toBe(101);
    expect(list.ways).toEqual(['passes over 0', 'passes over 100']);
  });
});
