/** Texts that are kept: for how long, and in how much memory. */
import { expect, it } from 'vitest';
import { KeptTexts, TextSlot } from '../../../src/server/api/kept-texts.ts';
import { openStore } from '../../../src/server/store/store.ts';

const KiB = 1_024;

/** Memory for so many bytes over a store, and a slot that makes what it has not kept. */
function scene(maxSize: number) {
  const store = {
    version: 1,
    get knownVersion() {
      return this.version;
    },
  };
  const kept = new KeptTexts(store, maxSize);
  const slot = new TextSlot(kept, 2_000);
  const ask = (source: string, from = slot) => {
    const known = from.get(source);
    if (known === undefined) from.keep(source, `text of ${source}`, []);
    else expect(known.text).toBe(`text of ${source}`);
    return known === undefined ? 'made' : 'kept';
  };
  return { store, kept, ask };
}

it('keeps what was made', () => {
  const { ask, store } = scene(100 * KiB);
  expect(['a', 'a', 'b', 'a'].map((one) => ask(one))).toEqual(['made', 'kept', 'made', 'kept']);
  store.version += 1;
  expect(ask('a')).toBe('kept');
});

it('looks once where an object is, until the store changes', async () => {
  const { kept, store } = scene(100 * KiB);
  const tables = await openStore(':memory:');
  const place = () => tables.read((tx) => kept.placeOf(tx, 'quota', 'q').collection);
  expect(place()).toBeUndefined();
  await tables.write((tx) => tx.insert('quota', '/datacenters/d/quotas', { id: 'q' }));
  expect(place()).toBeUndefined();
  store.version += 1;
  expect(place()).toBe('/datacenters/d/quotas');
  await tables.close();
});

it('keeps what is asked for again and again, whatever else passes by', () => {
  const { ask } = scene(100 * KiB);
  ask('often');
  for (let number = 0; number < 10_000; number++) {
    ask(`once ${number}`);
    expect(ask('often')).toBe('kept');
  }
  expect(ask('once 0')).toBe('made');
});

it('forgets also what is in slots that nobody asks any more', () => {
  const { ask, kept } = scene(100 * KiB);
  const other = new TextSlot(kept, 2_000);
  ask('a', other);
  expect(ask('a', other)).toBe('kept');
  for (let number = 0; number < 10_000; number++) ask(`once ${number}`);
  expect(other.last).toBeUndefined();
  expect(ask('a', other)).toBe('made');
});

it('keeps no text that is long', () => {
  const { ask } = scene(100 * KiB);
  const long = 'x'.repeat(3_000);
  expect([ask(long), ask(long)]).toEqual(['made', 'made']);
});

it('keeps nothing of a text that bytes cannot hold', () => {
  const { ask } = scene(100 * KiB);
  expect([ask('\ud800'), ask('\ud800'), ask('\ufffd')]).toEqual(['made', 'made', 'made']);
});
