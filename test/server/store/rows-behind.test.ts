/** Rows behind another one in an order, part by part: with values that come twice, and with none. */
import { expect, it } from 'vitest';
import { openDatabase } from '../../../src/server/store/driver.ts';
import { onlyKey, partsBehind } from '../../../src/server/store/rows-behind.ts';
import { orderText } from '../../../src/server/store/search-values.ts';

const key = (descending: boolean) => ({ sql: '"name"', values: [], folds: true, descending });
const names = ['b', null, 'A', 'a', 'C', null, 'b', 'B', '', 'c', null, 'a'];

it.each([false, true])('are all that follow, in order; falling: %s', async (descending) => {
  const db = await openDatabase(':memory:');
  db.exec('CREATE TABLE list (name TEXT COLLATE NOCASE)');
  const insert = db.prepare('INSERT INTO list (rowid, name) VALUES (?, ?)');
  for (const [index, name] of names.entries()) insert.run(index + 1, name);
  const orderBy = orderText([key(descending)]);
  const all = db.prepare(`SELECT rowid AS row, name FROM list ORDER BY ${orderBy}`).all();
  expect(all).toHaveLength(names.length);
  for (const [index, { row, name = null }] of all.entries()) {
    const parts = partsBehind(key(descending), { value: name, row: Number(row) });
    const found = parts.flatMap(({ sql, values }) =>
      db.prepare(`SELECT rowid AS row FROM list WHERE ${sql} ORDER BY ${orderBy}`).all(...values),
    );
    const expected = all.slice(index + 1).map((one) => one['row']);
    expect(found.map((one) => one['row'])).toEqual(expected);
  }
  db.close();
});

it('one key decides, though it be there twice', () => {
  const other = { ...key(false), sql: '"memory"' };
  expect(onlyKey([key(true)])).toEqual(key(true));
  expect(onlyKey([key(true), key(false)])).toEqual(key(true));
  expect(onlyKey([key(true), other])).toBeUndefined();
  expect(onlyKey([])).toBeUndefined();
  expect(onlyKey(undefined)).toBeUndefined();
});
