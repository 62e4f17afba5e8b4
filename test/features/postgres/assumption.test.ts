/**
 * Reads that assume that nothing has changed: they are begun again until what they have read is of one state,
 * and never of one that was over when they began. Where PostgreSQL is not installed they are skipped.
 */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openPostgresStore } from '../../../src/features/postgres/open.ts';
import type { SharedStore } from '../../../src/server/store/shared-store.ts';
import { StoreError } from '../../../src/server/store/store.ts';
import type { Transaction } from '../../../src/server/store/transaction.ts';
import {
  type Cluster,
  createDatabase,
  postgresPrograms,
  startCluster,
  type TestDatabase,
} from '../../support/postgres.ts';

describe.skipIf(postgresPrograms() === undefined)('work that assumes that nothing changes', () => {
  let cluster: Cluster;
  let database: TestDatabase;
  let store: SharedStore;
  let other: SharedStore;

  beforeAll(async () => {
    cluster = startCluster();
    database = await createDatabase(cluster.folder);
    store = openPostgresStore(database.address);
    store.started();
    other = openPostgresStore(database.address);
    other.started();
    await store.write((tx) => tx.insert('tag', '/tags', tagOf('first')));
  }, 60_000);
  afterAll(async () => {
    await other?.close();
    await store?.close();
    cluster?.remove();
  });

  const tagOf = (name: string) => ({ id: randomUUID(), name });
  const names = () => store.read((tx) => tx.list('tag').map(({ name }) => name));
  /** A change by the other server in the middle of what this one does. */
  const change = (name: string) =>
    other.database.exec(
      `INSERT INTO o_tag (collection, id, name, doc) VALUES ('/tags', '${randomUUID()}', '${name}', '{"name":"${name}"}');` +
        'UPDATE store_version SET version = version + 1',
    );
  /** In one turn it is asked once what the version is. */
  const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

  let remembered:
    | { readonly version: number; readonly names: ReturnType<typeof names> }
    | undefined;
  /** The names of all tags, as a server keeps such things until the store changes. */
  const rememberedNames = () => {
    const { version } = store;
    if (remembered?.version === version) return remembered.names;
    const found = names();
    // Reading may have shown that there is a newer one.
    remembered = { version: store.version, names: found };
    return found;
  };

  let done = 0;
  beforeEach(async () => {
    done = 0;
    await nextTurn();
    rememberedNames();
    await nextTurn();
  });
  const assuming = <T>(work: () => T) =>
    store.assumingNoChange(async () => {
      done += 1;
      return work();
    });
  /** Counts the tags by the statement with this number. */
  const countBy = (tx: Transaction, number: number) =>
    tx.statement(`SELECT count(*) AS found_${number} FROM o_tag`).get()?.[`found_${number}`];
  const thrice = (tx: Transaction) => [1, 2, 3].map((number) => countBy(tx, number));
  const countThrice = () => store.read(thrice);

  it('is done once where all is remembered', async () => {
    expect(await assuming(() => rememberedNames())).toEqual(names());
    expect(done).toBe(1);
  });

  it.each([
    ['one statement', 1, 2],
    ['two statements', 2, 3],
    ['three statements, the last one of which it waits for', 3, 3],
  ])('is begun again for the rows of %s', async (_what, statements, times) => {
    const found = await assuming(() =>
      store.read((tx) =>
        Array.from({ length: statements }, (_, index) => countBy(tx, index)).concat(
          rememberedNames().length,
        ),
      ),
    );
    expect(new Set(found).size).toBe(1);
    expect(done).toBe(times);
  });

  it.each(['read after it', 'not read at all'])('sees a change: %s', async (how) => {
    change(`remembered ${how}`);
    const [known, read] = await assuming(() => {
      const { length } = rememberedNames();
      return [length, how === 'read after it' ? store.read((tx) => countBy(tx, 1)) : length];
    });
    expect(done).toBeGreaterThan(1);
    expect(rememberedNames()).toContain(`remembered ${how}`);
    expect(known).toBe(names().length);
    expect(read).toBe(known);
  });

  it('is refused only because of what is so', async () => {
    const refuse = () => {
      if (!rememberedNames().includes('missed')) throw new Error('there is none');
      return 'found';
    };
    change('missed');
    expect(await assuming(refuse)).toBe('found');
    done = 0;
    await expect(assuming(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(done).toBe(1);
  });

  it.each([1, 2, 3])('reads one state where a change comes behind statement %i', async (number) => {
    let isChanged = false;
    const found = await assuming(() =>
      store.read((tx) =>
        [1, 2, 3, 4].map((each) => {
          const count = countBy(tx, each);
          if (each === number && !isChanged) {
            isChanged = true;
            change(`behind ${number}`);
          }
          return count;
        }),
      ),
    );
    expect(new Set(found).size).toBe(1);
  });

  it('comes to an end where something changes again and again', async () => {
    const found = await assuming(() => {
      change(`again ${done}`);
      return countThrice();
    });
    expect(new Set(found).size).toBe(1);
    expect(found[0]).toBe(names().length);
  });

  it('writes nothing because of what is so no more', async () => {
    change('decides');
    const written = await assuming(() =>
      rememberedNames().includes('decides')
        ? undefined
        : store.write((tx) => tx.insert('tag', '/tags', tagOf('written by mistake'))),
    );
    await written;
    expect(done).toBeGreaterThan(1);
    expect(names()).not.toContain('written by mistake');
  });

  it('reads one state each time, and none of before it began, while both servers write', async () => {
    /** How many tags there are at least: each was acknowledged. */
    let written = names().length;
    let isOver = false;
    const write = async (writer: SharedStore) => {
      for (let count = 0; count < 40; count += 1) {
        await writer.write((tx) => tx.insert('tag', '/tags', tagOf(randomUUID())));
        written += 1;
      }
    };
    const read = async () => {
      while (!isOver) {
        const atLeast = written;
        const [known, ...found] = await assuming(() =>
          store.read((tx) => [rememberedNames().length, ...thrice(tx)]),
        );
        expect(found).toEqual([known, known, known]);
        expect(Number(known)).toBeGreaterThanOrEqual(atLeast);
      }
    };
    const reading = [read(), read(), read(), read()];
    const writing = Promise.all([write(store), write(other)]).finally(() => {
      isOver = true;
    });
    await Promise.all([writing, ...reading]);
    expect(names()).toHaveLength(written);
  });

  it('goes on where PostgreSQL ends the connections, and tells where it is gone', async () => {
    await assuming(countThrice);
    const killed = other.database
      .prepare(
        'SELECT count(pg_terminate_backend(pid)) AS killed FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND datname = current_database()',
      )
      .get();
    expect(Number(killed?.['killed'])).toBeGreaterThan(1);
    expect(new Set(await assuming(countThrice)).size).toBe(1);
    const lost = await createDatabase(cluster.folder);
    const alone = openPostgresStore(lost.address);
    alone.started();
    await lost.drop();
    await expect(
      alone.assumingNoChange(async () => alone.read((tx) => countBy(tx, 1))),
    ).rejects.toThrow(StoreError);
    await alone.close();
  });
});
