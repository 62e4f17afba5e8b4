/** Turns of the event loop: requests that become ready together let others in between, in order. */

import { expect, it } from 'vitest';
import { Turns } from '../../../src/server/http/turns.ts';

/** Works without a break, for longer than a turn should take. */
function work(): void {
  for (const until = performance.now() + 6; performance.now() < until; );
}

it('begins a request at once where the turn has time for it', () => {
  expect(new Turns().begin()).toBeUndefined();
});

it('lets timers in between requests that come together, and keeps their order', async () => {
  const turns = new Turns();
  const seen: (number | string)[] = [];
  const request = async (number: number) => {
    const turn = turns.begin();
    if (turn) await turn;
    work();
    seen.push(number);
  };
  // Called one after the other in one phase of the loop, as sockets are that have something to read.
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
  // Each after the first had a turn of its own.
  for (const number of [2, 3, 4]) expect(seen[seen.indexOf(number) + 1]).toBe('timer');
});

it('begins at once again when all that waited have begun', async () => {
  const turns = new Turns();
  turns.begin();
  work();
  await Promise.all([turns.begin(), turns.begin()]);
  await new Promise((resolve) => setImmediate(resolve));
  await new Promise((resolve) => setImmediate(resolve));
  expect(turns.begin()).toBeUndefined();
});
