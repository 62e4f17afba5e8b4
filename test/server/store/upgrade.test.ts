/** Databases of older versions: missing columns and indexes are added when they are opened. */
import { expect, it } from 'vitest';
import { openDatabase } from '../../../src/server/store/driver.ts';
import { prepareSchema } from '../../../src/server/store/prepare-schema.ts';

it('adds attempt counts to tasks, and the indexes of limited tables', async () => {
  const db = await openDatabase(':memory:');
  prepareSchema(db);
  db.exec("INSERT INTO task (due, name, target, data) VALUES (1, 'work:old', 'target', '{}')");
  db.exec('ALTER TABLE task DROP COLUMN attempts; ALTER TABLE task DROP COLUMN lasting');
  db.exec('DROP INDEX token_user; DROP INDEX cookie_session_user; PRAGMA user_version = 0');
  prepareSchema(db);
  const tasks = db.prepare('SELECT name, attempts, lasting FROM task').all();
  expect(tasks).toEqual([expect.objectContaining({ name: 'work:old', attempts: 0, lasting: 0 })]);
  const indexes = db
    .prepare("SELECT name FROM sqlite_master WHERE name IN ('token_user', 'cookie_session_user')")
    .all();
  expect(indexes).toHaveLength(2);
  db.close();
});
