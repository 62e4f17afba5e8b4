/** Write-ahead log of a store: emptied into the database while lists are read, and by whoever reads. */

import { randomUUID } from 'node:crypto';
import { copyFileSync, existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openDatabase } from '../../../src/server/store/driver.ts';
import { listKeys } from '../../../src/server/store/list-keys.ts';
import { atOnce } from '../../../src/server/store/slices.ts';
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

/** Adds tags, which take about as many bytes of the log as their descriptions have. */
function addTags(count: number, size: number): Promise<void> {
  return store.write((tx) => {
    for (let number = 0; number < count; number++) {
      const id = randomUUID();
      tx.insert('tag', '/tags', { id, name: id, description: 'x'.repeat(size) });
    }
  });
}

it('empties the log when long lists were read', async () => {
  await addTags(6_000, 10);
  for (let turn = 0; turn < 40; turn++) {
    // The way along an index is chosen by its plan, for a table that is too long for one statement.
    const page = { where: { collection: '/tags' }, orderBy: 'name', limit: 10, offset: turn };
    const keys = store.read((tx) => atOnce(listKeys(tx, 'tag', page, undefined, undefined)));
    expect(keys).toHaveLength(10);
    await addTags(1, MiB);
  }
  expect(store.failed).toBe(false);
  expect(statSync(`${path}-wal`).size).toBeLessThan(12 * MiB);
  expect(statSync(path).size).toBeGreaterThan(32 * MiB);
});

describe('a store that is filled', () => {
  const modes: string[] = [];
  const mode = () => String(store.database.prepare('PRAGMA journal_mode').get()?.['journal_mode']);
  const addTag = (id: string) => (tx: Transaction) => {
    tx.insert('tag', '/tags', { id, name: id });
    modes.push(mode());
  };

  /** What is on the disk now, as a server would find it that starts after a crash. */
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

  it('writes to the database itself, and to a log again afterwards', async () => {
    modes.length = 0;
    // The log is being emptied when the work is asked for.
    await addTags(1, 16 * MiB);
    await store.fill(addTag('filled'));
    expect([...modes, mode()]).toEqual(['delete', 'wal']);
    expect(existsSync(`${path}-journal`)).toBe(false);
    expect(await found('filled')).toBe(true);
    await store.write(addTag('written'));
    expect(statSync(`${path}-wal`).size).toBeGreaterThan(0);
    expect(await found('written')).toBe(true);
  });

  it('holds nothing of what failed, and goes on', async () => {
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

it('leaves no statement unfinished whose rows were read', async () => {
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
      // What is unfinished would keep the transaction of whoever reads next.
      db.prepare('SELECT count(*) FROM t').get();
      const [result] = db.prepare('PRAGMA wal_checkpoint(PASSIVE)').all();
      expect(result).toMatchObject({ busy: 0 });
      expect(result?.['log']).toBe(result?.['checkpointed']);
    }
  }
  db.close();
});
