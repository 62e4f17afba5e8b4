/** Indexes follow what is stored: kinds with few objects have none, those with many have all of them. */
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { copyTables } from '../../../src/server/store/copy-tables.ts';
import { type Database, openDatabase } from '../../../src/server/store/driver.ts';
import { columnsOf, type KindName } from '../../../src/server/store/kinds.ts';
import { enoughForIndexes, prepareSchema } from '../../../src/server/store/prepare-schema.ts';
import { planOf } from '../../../src/server/store/query-plan.ts';
import { table } from '../../../src/server/store/schema.ts';
import { openStore, type Store } from '../../../src/server/store/store.ts';
import { quickFolder } from '../../support/temporary.ts';

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(quickFolder, 'vmctl-test-'));
  path = join(folder, 'vmctl.db');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Closes a store; returns the path of what the next process finds, in which nothing is open or locked. */
async function closed(store: Store): Promise<string> {
  await store.close();
  const found = join(folder, 'found.db');
  copyFileSync(path, found);
  return found;
}

/** Names of the indexes of a kind, without the one that its key brings along. */
function indexes(db: Database, kind: KindName): string[] {
  const rows = db
    .prepare("SELECT name FROM sqlite_master WHERE tbl_name = ? AND type = 'index' AND sql <> ''")
    .all(table(kind));
  return rows.map(({ name }) => String(name)).sort();
}

/** What `indexes` finds where there are all of them. */
const all = ['collection', 'name', ...columnsOf('tag').map(({ name }) => `_${name}`)]
  .map((name) => `${table('tag')}_${name}`)
  .sort();

/** Stores tags with the numbers from `first` to `last`, counted from 1. */
function addTags(store: Store, first: number, last: number, fails = false): Promise<void> {
  return store.write((tx) => {
    for (let number = first; number <= last; number++) {
      tx.insert('tag', '/tags', { id: `tag-${number}`, name: `tag ${number}` });
    }
    if (fails) throw new Error('as asked');
  });
}

it('plans statements anew when there are indexes for them', async () => {
  const store = await openStore(':memory:');
  const byName = `SELECT rowid AS row FROM ${table('tag')} ORDER BY name LIMIT ?`;
  const isInOrder = () => store.read((tx) => planOf(tx, byName).inOrder);
  await addTags(store, 1, enoughForIndexes - 1);
  expect(isInOrder()).toBe(false);
  await addTags(store, enoughForIndexes, enoughForIndexes);
  expect(isInOrder()).toBe(true);
  await store.close();
});

it('makes the indexes of a kind with the object from which on they pay', async () => {
  const store = await openStore(':memory:');
  await addTags(store, 1, enoughForIndexes - 1);
  expect(indexes(store.database, 'tag')).toEqual([]);
  await addTags(store, enoughForIndexes, enoughForIndexes);
  expect(indexes(store.database, 'tag')).toEqual(all);
  expect(indexes(store.database, 'bookmark')).toEqual([]);
  await store.close();
});

it('makes them again where the transaction came to nothing that made them', async () => {
  const store = await openStore(':memory:');
  await expect(addTags(store, 1, enoughForIndexes, true)).rejects.toThrow('as asked');
  expect(indexes(store.database, 'tag')).toEqual([]);
  await addTags(store, 1, enoughForIndexes);
  expect(indexes(store.database, 'tag')).toEqual(all);
  await store.close();
});

it('goes on after a restart with what is there', async () => {
  const before = await openStore(path);
  await addTags(before, 1, enoughForIndexes - 1);
  const after = await openStore(await closed(before));
  expect(indexes(after.database, 'tag')).toEqual([]);
  await addTags(after, enoughForIndexes, enoughForIndexes);
  expect(indexes(after.database, 'tag')).toEqual(all);
  await after.close();
});

it('copies a table with all indexes that it needs there', async () => {
  const from = await openStore(':memory:');
  await addTags(from, 1, enoughForIndexes);
  const to = await openDatabase(path);
  prepareSchema(to);
  copyTables(from.database, to);
  expect(indexes(to, 'tag')).toEqual(all);
  expect(indexes(to, 'bookmark')).toEqual([]);
  to.close();
  await from.close();
});

it('adds the indexes and columns that a database of another version lacks', async () => {
  const before = await openStore(path);
  await addTags(before, 1, enoughForIndexes);
  await before.write((tx) => tx.insert('tag', '/tags', { id: 'x', parent: { id: 'tag-1' } }));
  const found = await closed(before);
  const other = await openDatabase(found);
  const index = '"o_tag__parent_id"';
  other.exec(`DROP INDEX ${index}; ALTER TABLE o_tag DROP COLUMN parent_id`);
  other.exec('DROP INDEX o_tag_name; PRAGMA user_version = 1');
  other.close();
  const after = await openStore(found);
  expect(indexes(after.database, 'tag')).toEqual(all);
  expect(after.read((tx) => tx.ids('tag', { where: { parent_id: 'tag-1' } }))).toEqual(['x']);
  await after.close();
});

it('leaves a database alone that has all of this version', async () => {
  const before = await openStore(path);
  before.database.exec('DROP TABLE o_bookmark');
  // Nobody looks for what only a stranger could have taken away.
  const after = await openStore(await closed(before));
  expect(indexes(after.database, 'bookmark')).toEqual([]);
  const found = after.database.prepare("SELECT 1 FROM sqlite_master WHERE name = 'o_bookmark'");
  expect(found.get()).toBeUndefined();
  await after.close();
});
