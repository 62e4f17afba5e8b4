/** Limit of bytes per second, with a fake clock. */
import { expect, it } from 'vitest';
import { RateLimit } from '../../src/transfer/rate-limit.ts';

/** Clock that moves only during waits. */
function clock() {
  let now = 0;
  const timing = {
    now: () => now,
    pause: async (milliseconds: number) => {
      now += milliseconds;
    },
  };
  return { timing, at: () => now, idle: (milliseconds: number) => (now += milliseconds) };
}

const { signal } = new AbortController();

it('passes bytes at the rate, for any callers', async () => {
  const { timing, at } = clock();
  const limit = new RateLimit(1_000_000, timing);
  for (let count = 0; count < 11; count += 1) await limit.acquire(100_000, signal);
  // The first piece passes immediately.
  expect(at()).toBeCloseTo(1_000, 5);
});

it('does not accumulate unused time', async () => {
  const { timing, at, idle } = clock();
  const limit = new RateLimit(1_000, timing);
  await limit.acquire(1_000, signal);
  idle(60_000);
  const before = at();
  await limit.acquire(1_000, signal);
  expect(at()).toBe(before);
  await limit.acquire(1_000, signal);
  expect(at()).toBe(before + 1_000);
});

it('splits data into pieces of a tenth of a second', () => {
  expect(new RateLimit(2_000_000).chunkSize).toBe(200_000);
  expect(new RateLimit(10).chunkSize).toBe(4_096);
  expect(new RateLimit(10 ** 12).chunkSize).toBe(2 ** 20);
});
