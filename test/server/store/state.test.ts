/** Saved states: invalid ones, and replacement of the current state. */
import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseDocument, storedKinds } from '../../../src/server/store/kinds.ts';
import { table } from '../../../src/server/store/schema.ts';
import { loadState, replaceState, saveState } from '../../../src/server/store/state.ts';
import { openStore, type Store } from '../../../src/server/store/store.ts';
import type { Transaction } from '../../../src/server/store/transaction.ts';
import { runs } from '../../support/mutants.ts';
import { useWorld } from '../support/world.ts';

const head = '{"format":"vmctl-state","version":1}';

it.each([
  ['', 'the saved state:1:1: the text is empty'],
  ['{}', 'the saved state:1:1: not a state of vmctl serve'],
  [
    `${head}\n{"kind":"car","collection":"/cars","object":{}}`,
    'the saved state:2:2: unknown kind of objects "car"',
  ],
  [`${head}\n{"kind":"api","collection":"/","object":{}}`, ':2:32: the object has no id'],
  [`${head}\n{"kind":"vm","collection":"/vms"}`, 'the saved state:2:1: it has no object'],
  [`${head}\n{"kind":"vm","collection":"/vms","object":[1]}`, ':2:34: .*it has no object'],
  [`${head}\n{"task":"move","left":0,"target":"x"}`, 'the saved state:2:1: it has no data'],
  [`${head}\n{"other":1}`, 'the saved state:2:1: it is not an object, a counter or a task'],
])('refuses %j', async (text, message) => {
  const store = await openStore(':memory:');
  await expect(store.write((tx) => loadState(tx, text, 0))).rejects.toThrow(new RegExp(message));
  await store.close();
});

describe('a replacing state', () => {
  const world = useWorld();
  let state: string;
  let store: Store;
  let wanted: string;

  beforeAll(async () => {
    state = [...world.store().read((tx) => saveState(tx, 0))].join('');
    store = await openStore(':memory:');
    await store.write((tx) => loadState(tx, state, 0));
    wanted = contents();
  });
  afterAll(() => store?.close());

  /** All saved rows, without row numbers. */
  const contents = () =>
    store.read((tx) => {
      const references = tx.statement('SELECT * FROM reference ORDER BY 1, 2, 3, 4').all();
      const rows = storedKinds().map((kind) => [
        kind,
        tx.statement(`SELECT * FROM ${table(kind)} ORDER BY rowid`).all(),
      ]);
      return JSON.stringify([references, rows, [...saveState(tx, 0)]]);
    });
  const replace = () => store.write((tx) => replaceState(tx, state, 0));

  const kinds = ['vm', 'host', 'network', 'tag', 'event', 'permit', 'role', 'disk', 'nic'] as const;
  const changes = fc.array(
    fc.record({
      kind: fc.constantFrom(...kinds),
      how: fc.constantFrom('add', 'add elsewhere', 'change', 'link', 'remove'),
      which: fc.nat({ max: 9 }),
    }),
    { maxLength: 8 },
  );
  type Change = typeof changes extends fc.Arbitrary<(infer One)[]> ? One : never;

  const apply = (tx: Transaction, { kind, how, which }: Change) => {
    const rows = tx.statement(`SELECT collection, doc FROM ${table(kind)} ORDER BY rowid`).all();
    const row = rows[which % Math.max(1, rows.length)];
    const stored = row ? parseDocument(String(row['doc'])) : { id: randomUUID(), name: 'new' };
    const collection = String(row?.['collection'] ?? '/new');
    const other = { ...stored, id: randomUUID() };
    switch (how) {
      case 'add':
        return tx.restore(kind, collection, other);
      case 'add elsewhere':
        return tx.restore(kind, `${collection}/${randomUUID()}`, stored);
      case 'change':
        return tx.update(kind, { ...stored, description: 'another' });
      case 'link':
        return tx.restore('affinity_group', '/x', { ...other, vms: [{ id: other.id }] });
      case 'remove':
        return tx.remove(kind, String(stored['id']));
    }
  };

  it('is the same as in an empty store, after any change', async () => {
    await fc.assert(
      fc.asyncProperty(changes, async (list) => {
        await store.write((tx) => {
          for (const change of list) apply(tx, change);
        });
        await replace();
        expect(contents()).toBe(wanted);
      }),
      { numRuns: runs(60) },
    );
  });

  it('leaves identical objects unchanged', async () => {
    const numbers = () =>
      store.read((tx) => [
        tx.statement('SELECT rowid AS n FROM o_permit').all(),
        tx.statement('SELECT rowid AS n FROM o_event').all(),
      ]);
    const before = numbers();
    await store.write((tx) => {
      const [event] = tx.list('event', { limit: 1 });
      tx.insert('event', '/events', { ...event, id: '999999' });
    });
    await replace();
    expect(numbers()).toEqual(before);
    expect(contents()).toBe(wanted);
  });

  it.each([
    ['with spaces', (text: string) => text.replaceAll('{"kind":', '{ "kind": ')],
    ['with another order of members', (text: string) => text.replaceAll(moved, '{$2,$1,')],
  ])('may come from another program: %s', async (_, write) => {
    const text = write(state);
    expect(text).not.toBe(state);
    await store.write((tx) => {
      for (const vm of tx.list('vm')) tx.remove('vm', vm.id ?? '');
      replaceState(tx, text, 0);
    });
    expect(contents()).toBe(wanted);
  });

  it('is refused without its first line, without any change', async () => {
    const text = state.slice(state.indexOf('\n') + 1);
    const refused = store.write((tx) => replaceState(tx, text, 0));
    await expect(refused).rejects.toThrow('the saved state:1:1: not a state of vmctl serve');
    expect(contents()).toBe(wanted);
  });
});

const moved = /\{("kind":"\w+"),("collection":"[^"]+"),/g;
