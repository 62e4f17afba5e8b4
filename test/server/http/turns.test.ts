/** Event loop turns: concurrent requests let other events run in between, in order. */

import { expect, it } from 'vitest';
import { Turns } from '../../../src/server/http/turns.ts';

/** Works without interruption for longer than a turn should last. */
function work(): void {
  for (const until = performance.now() + 6; performance.now() < until; );
}

it('begins a request immediately if the turn has time for it', () => {
  expect(new Turns().begin()).toBeUndefined();
});

it('runs timers between concurrent requests, and retains their order', async () => {
  const turns = new Turns();
  const seen: (number | string)[] = [];
  const request = async (number: number) => {
    const turn = turns.begin();
    if (turn) await turn;
    work();
    seen.push(number);
  };
  // Called in sequence in one phase of the loop, like readable sockets.
  const arrived = (number: number) =>
    new Promise<void>((resolve) => {
      setImmediate(() => resolve(request(number)));
    });
  const timers = new Set<NodeJS.Timeout>();
  const tick = () => {
    seen.push('timer');
    timers.add(setTimeout(tick, 0));
  };
  tick();
  await Promise.all([1, 2, 3, 4, 5].map(arrived));
  for (const timer of timers) clearTimeout(timer);
  expect(seen.filter((one) => one !== 'timer')).toEqual([1, 2, 3, 4, 5]);
  // Each after the first had a separate turn.
  for (const number of [2, 3, 4]) expect(seen[seen.indexOf(number) + 1]).toBe('timer');
});

it('begins requests immediately again after all waiting ones have begun', async () => {
  const turns = new Turns();
  turns.begin();
  work();
  await Promise.all([turns.begin(), turns.begin()]);
  await new Promise((resolve) => setImmediate(resolve));
  await new Promise((resolve) => setImmediate(resolve));
  expect(turns.begin()).toBeUndefined();
});
