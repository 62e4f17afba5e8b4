/** What is kept of lists: what was asked for twice, while nothing changes, in bounded memory. */
import { expect, it } from 'vitest';
import { ListCache } from '../../../src/server/api/list-options.ts';

const MiB = 1024 * 1024;

/** A cache, the store's version, and how often a part was made. */
function scene() {
  const store = { version: 1 };
  const cache = new ListCache(store);
  const ask = (key: string, size = 10) => {
    let made = false;
    cache.part(key, () => {
      made = true;
      return Buffer.alloc(size);
    });
    return made ? 'made' : 'kept';
  };
  return { store, ask };
}

it('keeps a part that is asked for a second time', () => {
  const { ask } = scene();
  expect([ask('a'), ask('a'), ask('a'), ask('b'), ask('a')]).toEqual([
    ...['made', 'made', 'kept', 'made', 'kept'],
  ]);
});

it('keeps nothing once the store has changed', () => {
  const { store, ask } = scene();
  for (let turn = 0; turn < 2; turn++) ask('a');
  store.version += 1;
  expect([ask('a'), ask('a'), ask('a')]).toEqual(['made', 'made', 'kept']);
});

it('drops the oldest parts when there are too many', () => {
  const { ask } = scene();
  for (let number = 0; number < 5; number++) {
    for (let turn = 0; turn < 2; turn++) ask(`part ${number}`, 4 * MiB);
  }
  expect(ask('part 4', 4 * MiB)).toBe('kept');
  expect(ask('part 1', 4 * MiB)).toBe('kept');
  expect(ask('part 0', 4 * MiB)).toBe('made');
});

it('forgets what was asked for long ago', () => {
  const { ask } = scene();
  for (let number = 0; number < 2_000; number++) ask(`part ${number}`);
  ask('part 0');
  expect(ask('part 0')).toBe('made');
  expect(ask('part 0')).toBe('kept');
});
