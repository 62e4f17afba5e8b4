/** Fault rules in the store: shared by two servers, except for those of the command line. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { FaultRules } from '../../../src/features/faults/fault-rules.ts';
import { createRules } from '../../../src/features/faults/stored-faults.ts';
import { listOperations } from '../../../src/model/index.ts';
import { openStore, type Store } from '../../../src/server/store/store.ts';

const list = listOperations('/vms').find(({ name }) => name === 'list');
const rule = { operation: 'list', status: 503 };

let store: Store;
beforeEach(async () => {
  store = await openStore(':memory:');
});
afterEach(() => store.close());

const server = (own: readonly Record<string, unknown>[] = [], isFirst = false) =>
  createRules(store, () => 0, own, isFirst);

async function isStruck(rules: FaultRules): Promise<boolean> {
  if (!list) throw new Error('There are no lists of machines.');
  return rules
    .beforeOperation(list, () => undefined)
    .then(
      () => false,
      () => true,
    );
}

it('apply to all servers, with a common count', async () => {
  const [one, other] = [await server(), await server()];
  expect(other.isActive).toBe(false);
  await one.share({ ...rule, times: 3 });
  expect(await isStruck(other)).toBe(true);
  expect(one.all).toEqual([{ ...rule, id: 'fault-1', rate: 1, times: 2 }]);
  const struck = await Promise.all(
    Array.from({ length: 10 }, (_, turn) => isStruck(turn % 2 ? one : other)),
  );
  expect(struck.filter(Boolean)).toHaveLength(2);
  expect([one.isActive, other.isActive]).toEqual([false, false]);
});

it('skip to the next rule if another server has used up the first', async () => {
  const [one, other] = [await server(), await server()];
  await one.share({ ...rule, times: 1 });
  await one.share({ ...rule, times: 1 });
  expect(await Promise.all([isStruck(one), isStruck(other), isStruck(one)])).toEqual([
    true,
    true,
    false,
  ]);
});

it('of the command line apply to one server, with unique ids', async () => {
  const one = await server([rule, rule]);
  const other = await server([rule]);
  await other.share(rule);
  expect(one.all.map(({ id }) => id)).toEqual(['fault-1', 'fault-2', 'fault-4']);
  expect(other.all.map(({ id }) => id)).toEqual(['fault-3', 'fault-4']);
  expect(await one.remove('fault-3')).toBe(false);
  expect(await one.remove('fault-4')).toBe(true);
  expect(other.all.map(({ id }) => id)).toEqual(['fault-3']);
});

it('are removed by the first server that starts', async () => {
  await (await server()).share(rule);
  expect((await server()).isActive).toBe(true);
  const first = await server([], true);
  expect(first.isActive).toBe(false);
  expect((await first.share(rule)).id).toBe('fault-1');
});

it('cost nothing if there are none, and are refused if invalid', async () => {
  const rules = await server([], true);
  await expect(rules.share({ status: 1 })).rejects.toThrow('status');
  for (const times of [0, 1.5, 1e300]) {
    await expect(rules.share({ times })).rejects.toThrow('times is not an integer of at least 1');
    expect(() => rules.add({ times })).toThrow('times is not an integer of at least 1');
  }
  expect(store.version).toBe(0);
  expect(await rules.remove()).toBe(true);
  expect(store.version).toBe(0);
});
