/**
 * Optimistic reads: they restart until all rows belong to one state, which is never older than
 * their start. Skipped if PostgreSQL is not installed.
 */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openPostgresStore } from '../../../src/features/postgres/open.ts';
import type { PostgresStore } from '../../../src/features/postgres/store.ts';
import { StoreError } from '../../../src/server/store/store.ts';
import type { Transaction } from '../../../src/server/store/transaction.ts';
import {
  type Cluster,
  createDatabase,
  postgresPrograms,
  startCluster,
  type TestDatabase,
} from '../../support/postgres.ts';

describe.skipIf(postgresPrograms() === undefined)('optimistic work', () => {
  let cluster: Cluster;
  let database: TestDatabase;
  let store: PostgresStore;
  let other: PostgresStore;

  beforeAll(async () => {
    cluster = startCluster();
    database = await createDatabase(cluster.folder);
    store = openPostgresStore(database.address);
    store.started();
    other = openPostgresStore(database.address);
    other.started();
    await store.write((tx) => tx.insert('tag', '/tags', createTag('first')));
  }, 60_000);
  afterAll(async () => {
    await other?.close();
    await store?.close();
    cluster?.remove();
  });

  const createTag = (name: string) => ({ id: randomUUID(), name });
  const names = () => store.read((tx) => tx.list('tag').map(({ name }) => name));
  /** Change by the other server while this one works. */
  const change = (name: string) =>
    other.database.exec(
      `INSERT INTO o_tag (collection, id, name, doc) VALUES ('/tags', '${randomUUID()}', '${name}', '{"name":"${name}"}');` +
        'UPDATE store_version SET version = version + 1',
    );
  /** The version is read once per turn of the event loop. */
  const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

  let remembered:
    | { readonly version: number; readonly names: ReturnType<typeof names> }
    | undefined;
  /** Names of all tags, cached like in a server until the store changes. */
  const rememberedNames = () => {
    const { version } = store;
    if (remembered?.version === version) return remembered.names;
    const found = names();
    // The read may have found a newer version.
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
  /** Counts the tags with the statement of this number. */
  const countBy = (tx: Transaction, number: number) =>
    tx.statement(`SELECT count(*) AS found_${number} FROM o_tag`).get()?.[`found_${number}`];
  const thrice = (tx: Transaction) => [1, 2, 3].map((number) => countBy(tx, number));
  const countThrice = () => store.read(thrice);

  it('runs once if everything is cached', async () => {
    expect(await assuming(() => rememberedNames())).toEqual(names());
    expect(done).toBe(1);
  });

  it.each([
    ['one statement', 1, 2],
    ['two statements', 2, 3],
    ['three statements, the last one of which it waits for', 3, 3],
  ])('restarts for the rows of %s', async (_what, statements, times) => {
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

  it('is refused only for current reasons', async () => {
    const refuse = () => {
      if (!rememberedNames().includes('missed')) throw new Error('the object does not exist');
      return 'found';
    };
    change('missed');
    expect(await assuming(refuse)).toBe('found');
    done = 0;
    await expect(assuming(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(done).toBe(1);
  });

  it.each([1, 2, 3])('reads one state if a change follows statement %i', async (number) => {
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

  it('terminates during constant changes', async () => {
    const found = await assuming(() => {
      change(`again ${done}`);
      return countThrice();
    });
    expect(new Set(found).size).toBe(1);
    expect(found[0]).toBe(names().length);
  });

  it('writes nothing for outdated reasons', async () => {
    change('decides');
    const written = await assuming(() =>
      rememberedNames().includes('decides')
        ? undefined
        : store.write((tx) => tx.insert('tag', '/tags', createTag('written by mistake'))),
    );
    await written;
    expect(done).toBeGreaterThan(1);
    expect(names()).not.toContain('written by mistake');
  });

  it('reads one state each time, and none from before its start, while both servers write', async () => {
    /** Minimum number of tags: each was acknowledged. */
    let written = names().length;
    let isOver = false;
    const write = async (writer: PostgresStore) => {
      for (let count = 0; count < 40; count += 1) {
        await writer.write((tx) => tx.insert('tag', '/tags', createTag(randomUUID())));
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

  it('continues after PostgreSQL closes the connections, and reports its absence', async () => {
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
