/** Indexes of the tables of kinds. */
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { copyTables } from '../../../src/server/store/copy-tables.ts';
import { type Database, openDatabase } from '../../../src/server/store/driver.ts';
import { type KindName, listColumns } from '../../../src/server/store/kinds.ts';
import { prepareSchema } from '../../../src/server/store/prepare-schema.ts';
import { table } from '../../../src/server/store/schema.ts';
import { openStore, type Store } from '../../../src/server/store/store.ts';
import { fastFolder } from '../../support/temporary.ts';

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(fastFolder, 'vmctl-test-'));
  path = join(folder, 'vmctl.db');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Closes a store; returns the path of a copy in which nothing is open or locked. */
async function closed(store: Store): Promise<string> {
  await store.close();
  const found = join(folder, 'found.db');
  copyFileSync(path, found);
  return found;
}

/** Names of the indexes of a kind, without that of its primary key. */
function indexes(db: Database, kind: KindName): string[] {
  const rows = db
    .prepare("SELECT name FROM sqlite_master WHERE tbl_name = ? AND type = 'index' AND sql <> ''")
    .all(table(kind));
  return rows.map(({ name }) => String(name)).sort();
}

/** Complete result of `indexes`. */
const all = ['collection', 'name', ...listColumns('tag').map(({ name }) => `_${name}`)]
  .map((name) => `${table('tag')}_${name}`)
  .sort();

/** Stores tags with the numbers from `first` to `last`, counted from 1. */
function addTags(store: Store, first: number, last: number): Promise<void> {
  return store.write((tx) => {
    for (let number = first; number <= last; number++) {
      tx.insert('tag', '/tags', { id: `tag-${number}`, name: `tag ${number}` });
    }
  });
}

it('creates all indexes with the tables', async () => {
  const store = await openStore(':memory:');
  expect(indexes(store.database, 'tag')).toEqual(all);
  await store.close();
});

it('copies into tables with indexes', async () => {
  const from = await openStore(':memory:');
  await addTags(from, 1, 2);
  const to = await openDatabase(path);
  prepareSchema(to);
  copyTables(from.database, to);
  expect(indexes(to, 'tag')).toEqual(all);
  to.close();
  await from.close();
});

it('adds the indexes and columns that a database of another version lacks', async () => {
  const before = await openStore(path);
  await addTags(before, 1, 2);
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

it('leaves a database of this version unchanged', async () => {
  const before = await openStore(path);
  before.database.exec('DROP TABLE o_bookmark');
  // An index that another program has dropped is not restored.
  const after = await openStore(await closed(before));
  expect(indexes(after.database, 'bookmark')).toEqual([]);
  const found = after.database.prepare("SELECT 1 FROM sqlite_master WHERE name = 'o_bookmark'");
  expect(found.get()).toBeUndefined();
  await after.close();
});
