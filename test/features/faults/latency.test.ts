/** Delay rules: delay every response, without an effect on other rules. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { FaultRules } from '../../../src/features/faults/fault-rules.ts';
import { listOperations } from '../../../src/model/index.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const list = listOperations('/vms').find(({ name }) => name === 'list');

/** Duration of some work in milliseconds. */
async function lasting(work: Promise<unknown>): Promise<number> {
  const began = Date.now();
  let ended = 0;
  const done = work.then(() => {
    ended = Date.now();
  });
  await vi.runAllTimersAsync();
  await done;
  return ended - began;
}

it.each([
  [0, 150],
  [0.5, 200],
  [1, 250],
])('distributes delays uniformly: at %s it waits %s', async (random, milliseconds) => {
  const rules = new FaultRules(() => random);
  rules.add({ delay: 200, spread: 50 });
  expect(await lasting(rules.beforeResponse())).toBe(milliseconds);
});

it('is never used up, and does not block other rules', async () => {
  const rules = new FaultRules(() => 0);
  rules.add({ delay: 10 });
  rules.add({ operation: 'list', status: 503, times: 1 });
  for (let time = 0; time < 3; time += 1) expect(await lasting(rules.beforeResponse())).toBe(10);
  if (!list) throw new Error('There are no lists of machines.');
  await expect(rules.beforeOperation(list, () => undefined)).rejects.toMatchObject({ status: 503 });
  await rules.beforeOperation(list, () => undefined);
  expect(rules.all).toEqual([{ id: 'fault-1', rate: 1, delay: 10 }]);
});

it('waits once if the rule has an operation', async () => {
  const rules = new FaultRules(() => 0);
  rules.add({ operation: 'list', delay: 10 });
  expect(await lasting(rules.beforeResponse())).toBe(0);
  if (list) expect(await lasting(rules.beforeOperation(list, () => undefined))).toBe(10);
});

it.each([{ delay: 10, spread: 11 }, { delay: 86_400_001 }, { spread: -1 }])(
  'refuses %o',
  (rule) => {
    expect(() => new FaultRules(() => 0).add(rule)).toThrow();
  },
);
