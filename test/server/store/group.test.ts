/** Group commit: concurrent write requests share a commit within a time limit. */
import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { openStore } from '../../../src/server/store/store.ts';

/** Uses processor time, like rules. */
function work(milliseconds: number): void {
  const until = performance.now() + milliseconds;
  while (performance.now() < until);
}

describe('concurrent requests', () => {
  it('share a group if they are short', async () => {
    const store = await openStore(':memory:');
    const before = store.version;
    await Promise.all(Array.from({ length: 20 }, () => store.write((tx) => tx.next('made'))));
    expect(store.version).toBe(before + 1);
    await store.close();
  });

  it('let other events run if they are long, keep their order, and all complete', async () => {
    const store = await openStore(':memory:');
    const done: number[] = [];
    const written = Promise.all(
      Array.from({ length: 12 }, async (_, number) => {
        await store.write((tx) => {
          work(10);
          if (number === 5) throw new Error('refused');
          tx.next('made');
        });
        done.push(number);
      }).map((one) => one.catch((error: Error) => error.message)),
    );
    let turns = 0;
    while (done.length < 11) {
      await turn();
      turns += 1;
    }
    expect((await written).filter((one) => one !== undefined)).toEqual(['refused']);
    expect(done).toEqual([0, 1, 2, 3, 4, 6, 7, 8, 9, 10, 11]);
    // At most three fit into 20 ms.
    expect(turns).toBeGreaterThanOrEqual(4);
    expect(store.read((tx) => tx.next('made'))).toBe(12);
    await store.close();
  });
});
