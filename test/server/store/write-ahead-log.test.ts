/** Write-ahead log of a store: emptied into the database during reads of lists, and by readers. */

import { randomUUID } from 'node:crypto';
import { copyFileSync, existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openDatabase } from '../../../src/server/store/driver.ts';
import { listKeys } from '../../../src/server/store/list-keys.ts';
import { runSlices } from '../../../src/server/store/slices.ts';
import { openStore, type Store } from '../../../src/server/store/store.ts';
import type { Transaction } from '../../../src/server/store/transaction.ts';

const MiB = 2 ** 20;
const folder = mkdtempSync(join(tmpdir(), 'vmctl-log-'));
const path = join(folder, 'vmctl.db');
let store: Store;

beforeAll(async () => {
  store = await openStore(path);
});

afterAll(async () => {
  await store.close();
  rmSync(folder, { recursive: true });
});

/** Adds tags whose descriptions determine their bytes in the log. */
function addTags(count: number, size: number): Promise<void> {
  return store.write((tx) => {
    for (let number = 0; number < count; number++) {
      const id = randomUUID();
      tx.insert('tag', '/tags', { id, name: id, description: 'x'.repeat(size) });
    }
  });
}

it('empties the log after reads of long lists', async () => {
  await addTags(6_000, 10);
  for (let turn = 0; turn < 40; turn++) {
    // The query plan selects the index for a table that is too large for one statement.
    const page = { where: { collection: '/tags' }, orderBy: 'name', limit: 10, offset: turn };
    const keys = store.read((tx) => runSlices(listKeys(tx, 'tag', page, undefined, undefined)));
    expect(keys).toHaveLength(10);
    await addTags(1, MiB);
  }
  expect(store.failed).toBe(false);
  expect(statSync(`${path}-wal`).size).toBeLessThan(12 * MiB);
  expect(statSync(path).size).toBeGreaterThan(32 * MiB);
});

describe('a filled store', () => {
  const modes: string[] = [];
  const mode = () => String(store.database.prepare('PRAGMA journal_mode').get()?.['journal_mode']);
  const addTag = (id: string) => (tx: Transaction) => {
    tx.insert('tag', '/tags', { id, name: id });
    modes.push(mode());
  };

  /** Current state on the disk, as a server would find it after a crash. */
  async function found(id: string): Promise<boolean> {
    const copy = join(folder, 'crashed.db');
    for (const ending of ['', '-wal', '-journal']) {
      rmSync(`${copy}${ending}`, { force: true });
      if (existsSync(`${path}${ending}`)) copyFileSync(`${path}${ending}`, `${copy}${ending}`);
    }
    const other = await openStore(copy, { check: true });
    const isThere = other.read((tx) => tx.get('tag', id)) !== undefined;
    await other.close();
    return isThere;
  }

  it('writes to the database directly, and to a log again afterwards', async () => {
    modes.length = 0;
    // The log is being emptied when the work starts.
    await addTags(1, 16 * MiB);
    await store.fill(addTag('filled'));
    expect([...modes, mode()]).toEqual(['delete', 'wal']);
    expect(existsSync(`${path}-journal`)).toBe(false);
    expect(await found('filled')).toBe(true);
    await store.write(addTag('written'));
    expect(statSync(`${path}-wal`).size).toBeGreaterThan(0);
    expect(await found('written')).toBe(true);
  });

  it('contains no part of failed work, and continues', async () => {
    const failing = store.fill((tx) => {
      addTag('failed')(tx);
      throw new Error('broken');
    });
    await expect(failing).rejects.toThrow('broken');
    expect(mode()).toBe('wal');
    await store.write(addTag('after'));
    expect([await found('failed'), await found('after')]).toEqual([false, true]);
  });
});

it('finishes every statement whose rows were read', async () => {
  const db = await openDatabase(join(folder, 'other.db'));
  db.exec(
    'PRAGMA journal_mode = WAL; CREATE TABLE t (a UNIQUE); INSERT INTO t VALUES (1), (2), (3)',
  );
  const statements = [
    'SELECT a FROM t ORDER BY a DESC',
    'EXPLAIN QUERY PLAN SELECT a FROM t ORDER BY +a LIMIT 2',
    'UPDATE t SET a = a RETURNING a',
    'SELECT a FROM t WHERE a > 5',
  ].map((sql) => db.prepare(sql));
  for (const statement of statements) {
    for (const read of [() => statement.all(), () => statement.get()]) {
      read();
      // An unfinished statement would keep the transaction of the next reader open.
      db.prepare('SELECT count(*) FROM t').get();
      const [result] = db.prepare('PRAGMA wal_checkpoint(PASSIVE)').all();
      expect(result).toMatchObject({ busy: 0 });
      expect(result?.['log']).toBe(result?.['checkpointed']);
    }
  }
  db.close();
});
