/**
 * Store in PostgreSQL: same results as the one in SQLite, and no acknowledged change is lost when
 * connections or the database end. Skipped if PostgreSQL is not installed.
 */
import { spawn, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { maskAddress } from '../../../src/features/postgres/address.ts';
import { writeAlone } from '../../../src/features/postgres/locks.ts';
import { openPostgresDatabase, openPostgresStore } from '../../../src/features/postgres/open.ts';
import { translateStatement } from '../../../src/features/postgres/statement-text.ts';
import type { PostgresStore } from '../../../src/features/postgres/store.ts';
import { searchFields } from '../../../src/model/derive/search.ts';
import { services } from '../../../src/model/derive/services.ts';
import type { SearchFieldKind } from '../../../src/model/notation/search.ts';
import { parseSearch, SearchError } from '../../../src/search/index.ts';
import { listHolderIds } from '../../../src/server/auth/permissions.ts';
import { RuleContext } from '../../../src/server/core/context.ts';
import { findMeasure } from '../../../src/server/resources/vm/search-fields.ts';
import { allOf } from '../../../src/server/store/conditions.ts';
import { copyTables, findDifference, isEmptySite } from '../../../src/server/store/copy-tables.ts';
import { readDiskSums, readStructureVersion } from '../../../src/server/store/counters.ts';
import { isKind, type KindName } from '../../../src/server/store/kinds.ts';
import { compileSearch } from '../../../src/server/store/search.ts';
import { runSlicesInTurns } from '../../../src/server/store/slices.ts';
import { type Store, StoreError } from '../../../src/server/store/store.ts';
import type { Transaction } from '../../../src/server/store/transaction.ts';
import { Visibility } from '../../../src/server/store/visibility.ts';
import { useWorld } from '../../server/support/world.ts';
import {
  type Cluster,
  createDatabase,
  postgresPrograms,
  startCluster,
  type TestDatabase,
} from '../../support/postgres.ts';

describe('the text of a statement', () => {
  it.each([
    ['a = ? AND b = ?', ['x', 1], 'a = $1 AND b = $2::int8'],
    ['a = \'?\' AND "b?" = ?', [1.5], 'a = \'?\' AND "b?" = $1::float8'],
    ["'it''s ?' || ?", [2n ** 60n], "'it''s ?' || $1::int8"],
    ['a CROSS JOIN b ON TRUE', [], 'a JOIN b ON TRUE'],
    ['CREATE TEMP TABLE t (id TEXT) WITHOUT ROWID', [], 'CREATE TEMP TABLE t (id TEXT) '],
    ["'CROSS JOIN'", [], "'CROSS JOIN'"],
    ['name = ? COLLATE NOCASE', ['x'], 'name = $1 COLLATE "C"'],
  ])('%s', (sql, values, expected) => {
    expect(translateStatement(sql, values)).toBe(expected);
  });

  it('masks passwords in addresses', () => {
    expect(maskAddress('postgres://me:secret@host/db')).toBe('postgres://me:***@host/db');
    expect(maskAddress('postgres:///db?user=me&password=secret&host=x')).toBe(
      'postgres:///db?user=me&password=***&host=x',
    );
    expect(maskAddress('postgres://me@host/db')).toBe('postgres://me@host/db');
  });
});

describe.skipIf(postgresPrograms() === undefined)('the store in PostgreSQL', () => {
  const world = useWorld();
  let cluster: Cluster;
  let database: TestDatabase;
  let store: Store;

  beforeAll(async () => {
    cluster = startCluster();
    database = await createDatabase(cluster.folder);
    const opened = openPostgresStore(database.address);
    opened.started();
    store = opened;
  }, 60_000);
  afterAll(async () => {
    await store?.close();
    cluster?.remove();
  });

  const createTag = (name: string) => ({ id: randomUUID(), name });
  const add = (name: string) => store.write((tx) => tx.insert('tag', '/tags', createTag(name)));
  const names = () => store.read((tx) => tx.list('tag').map(({ name }) => name));

  describe('with the site of a store in SQLite', () => {
    const jane = { userId: 'jane', userName: 'jane@x', administrator: false, superUser: false };
    let copy: TestDatabase;
    let other: Store;

    beforeAll(async () => {
      copy = await createDatabase(cluster.folder);
      other = openPostgresStore(copy.address);
      await world.run(({ tx }) => {
        const [vm] = tx.list('vm', { limit: 1 });
        const role = { id: tx.byName('role', 'UserRole')?.id ?? '' };
        tx.insert('user', '/users', { id: jane.userId, name: 'Jane' });
        for (const [index, name] of [
          'b',
          'A',
          'a',
          'É',
          'é',
          '_',
          'a%b',
          '',
          '9',
          '10',
        ].entries()) {
          const id = randomUUID();
          const memory = 2 ** 30 * index;
          tx.insert('vm', '/vms', { ...vm, id, name, memory, description: name.repeat(2) });
          if (index % 2) continue;
          const permission = { id: randomUUID(), role, user: { id: jane.userId }, vm: { id } };
          tx.insert('permission', '/permissions', permission);
        }
        tx.images.written(randomUUID(), 2 ** 53 + 2);
        tx.next('event');
      });
      await world.store().write(() => world.store().setMeta('site', '{}'));
      expect(isEmptySite(other.database)).toBe(true);
      copyTables(world.store().database, other.database);
    }, 60_000);
    afterAll(async () => {
      await other?.close();
      await copy?.drop();
    });

    it('has the same rows, and detects an additional row and another value', async () => {
      const [one, two] = [world.store().database, other.database];
      expect(findDifference(one, two)).toBeUndefined();
      expect(findDifference(two, one)).toBeUndefined();
      two.exec("UPDATE o_vm SET doc = doc || ' ' WHERE name = 'b'");
      expect(findDifference(one, two)).toMatch(/^o_vm \d+: doc$/);
      two.exec("UPDATE o_vm SET doc = rtrim(doc) WHERE name = 'b'");
      two.exec("INSERT INTO counter (name, value) VALUES ('zzz', 1)");
      expect(findDifference(one, two)).toBe('counter: more rows than expected');
      expect(findDifference(two, one)).toBe('counter zzz: name');
      two.exec("DELETE FROM counter WHERE name = 'zzz'");
      // Later rows have higher numbers than copied ones.
      const last = other.read((tx) => tx.rows('tag'));
      await other.write((tx) => tx.insert('tag', '/tags', createTag('later')));
      expect(other.read((tx) => tx.rows('tag'))).toBe(last + 1);
      await other.write((tx) => tx.remove('tag', tx.byName('tag', 'later')?.id ?? ''));
    });

    const collections = new Set<string>(
      Object.entries(services).flatMap(([path, { type }]) => (/^\/\w+$/.test(path) ? [type] : [])),
    );
    /** Valid words to search for, by kind of field. */
    const words: Readonly<Record<SearchFieldKind, readonly string[]>> = {
      text: ['=a', '=*a*', '!=a', '=""'],
      enum: [],
      bool: ['=true', '=false'],
      number: ['>0', '=1', '!=1', '<100'],
      date: ['>"2020-01-01"'],
      span: ['>1'],
      severity: ['>normal', '=alert'],
      tag: ['=a*', '!=a'],
      user: ['=admin', '!=admin@internal'],
    };
    const searches = Object.entries(searchFields).flatMap(([kind, fields]) =>
      isKind(kind) && collections.has(kind)
        ? [
            [kind, 'sortby nothing'] as const,
            ...Object.entries(fields).flatMap(([name, field]) => [
              ...(field.values ? [] : words[field.kind]).map(
                (word) => [kind, `${name}${word}`] as const,
              ),
              ...(field.kind === 'tag' ? [] : [[kind, `sortby ${name} desc`] as const]),
            ]),
          ]
        : [],
    );

    it.each([undefined, jane])('finds the same, in the same order, for %o', async (who) => {
      let found = 0;
      const differences: string[] = [];
      for (const [kind, text] of searches) {
        const idsIn = (ctx: RuleContext) => idsFound(ctx, kind, text);
        const expected = await world.run(idsIn);
        const ids = other.read((tx) => idsIn(RuleContext.system(tx, world.site())));
        if (expected === undefined) continue;
        found += expected.length;
        if (String(ids) !== String(expected))
          differences.push(`${kind}: ${text}: ${ids} ${expected}`);
      }
      expect(differences).toEqual([]);
      expect(found).toBeGreaterThan(500);

      function idsFound(ctx: RuleContext, kind: KindName, text: string): string[] | undefined {
        const { tx } = ctx;
        const visible = who && new Visibility(tx, who.userId, listHolderIds(tx, who));
        try {
          const { condition, ...order } = compileSearch(
            kind,
            parseSearch(text.replace('sortby nothing', ''), kind, ctx.now),
            {
              caseSensitive: text.includes('*a*'),
              seen: visible ? (of) => visible.ofOne(of) : undefined,
              measured: (of, field) => findMeasure(ctx, of, field),
            },
          );
          return tx.ids(kind, { ...order, condition: allOf(condition, visible?.ofOne(kind)) });
        } catch (error) {
          // Some fields do not support sorting, or have other relations.
          if (error instanceof SearchError || text.startsWith('sortby')) return undefined;
          throw new Error(`${kind}: ${text}`, { cause: error });
        }
      }
    });

    it('sums disks, and counts changes that affect permissions', async () => {
      const { tx, domain } = other.read((reading) => ({
        tx: reading,
        domain: reading.ids('storage_domain', { limit: 1 })[0] ?? '',
      }));
      const sums = () => other.read(() => readDiskSums(tx, domain).provisioned_size);
      const versions = () => other.read(() => readStructureVersion(tx));
      const before = { sums: sums(), version: versions() };
      await other.write((writing) =>
        writing.insert('disk', '/disks', {
          ...{ id: 'a-disk', alias: 'x', provisioned_size: 5_000 },
          storage_domains: [{ id: domain }],
        }),
      );
      expect(sums()).toBe(before.sums + 5_000);
      expect(versions()).not.toBe(before.version);
      const counted = () =>
        other.read((reading) => reading.statement('SELECT version FROM structure').get());
      const rises = Number(counted()?.['version']) + 1;
      // A transaction sees each of its changes, and writes the row once.
      const seen = await other.write((writing) =>
        ['b', 'c', 'd'].map((id) => {
          writing.insert('disk', '/disks', { id, alias: id });
          writing.remove('disk', id);
          return readStructureVersion(writing);
        }),
      );
      expect(new Set(seen).size).toBe(3);
      expect(counted()).toEqual({ version: rises });
      await other.write((writing) => writing.remove('disk', 'a-disk'));
      expect(sums()).toBe(before.sums);
    });
  });

  it('reverts only the failed request', async () => {
    const results = await Promise.allSettled([
      add('first'),
      store.write((tx) => {
        tx.insert('tag', '/tags', createTag('undone'));
        throw new Error('no');
      }),
      add('last'),
    ]);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(names()).toEqual(['first', 'last']);
  });

  it('fails only the request with the refused statement', async () => {
    const id = randomUUID();
    const twice = store.write((tx) => {
      tx.insert('tag', '/tags', { id, name: 'once' });
      tx.insert('tag', '/tags', { id, name: 'twice' });
    });
    const [refused, done] = await Promise.allSettled([twice, add('beside')]);
    expect(refused.status).toBe('rejected');
    expect(done.status).toBe('fulfilled');
    expect(names()).not.toContain('once');
  });

  it('does not run far ahead of a failed statement', async () => {
    let sent = 0;
    const written = store.write((tx) => {
      tx.statement('INSERT INTO counter (name, value) VALUES (?, ?)').run('', null);
      for (; sent < 1_000; sent += 1) tx.statement('DELETE FROM counter WHERE name = ?').run('');
    });
    await expect(written).rejects.toThrow(/null value/);
    expect(sent).toBeLessThanOrEqual(100);
  });

  it('finds names by their index', async () => {
    const plan = await store.write((tx) => {
      tx.statement('SET LOCAL enable_seqscan = off').run();
      const search = 'EXPLAIN SELECT id FROM o_tag WHERE name = ? COLLATE NOCASE';
      return tx
        .statement(search)
        .all('first')
        .map((row) => String(row['QUERY PLAN']));
    });
    expect(plan.join()).toContain('o_tag_name');
  });

  it('sees one state during a complete read', async () => {
    const count = store.read((tx) => {
      const before = tx.count('tag');
      const client = sql(
        'INSERT INTO o_tag (collection, id, name, doc) SELECT $$/tags$$, $$x$$, $$x$$, $${}$$',
      );
      expect(client).toBe(0);
      return [before, tx.count('tag')];
    });
    expect(count[1]).toBe(count[0]);
    expect(store.read((tx) => tx.count('tag'))).toBe((count[0] ?? 0) + 1);
    await store.write((tx) => tx.remove('tag', 'x'));
  });

  it('refuses exclusive use with a hint', () => {
    expect(() => openPostgresDatabase(database.address)).toThrow(/another vmctl serve uses it/);
    expect(() => openPostgresStore(database.address, { newSite: true })).toThrow(
      /another vmctl serve uses it/,
    );
  });

  describe('with a second server', () => {
    let other: PostgresStore;
    beforeAll(() => {
      other = openPostgresStore(database.address);
      other.started();
    });
    afterAll(async () => other.close());

    it('knows that it is not the first, and later that it is', async () => {
      const used = await createDatabase(cluster.folder);
      const [first, second] = [1, 2].map(() => {
        const one = openPostgresStore(used.address);
        one.started();
        return one;
      });
      expect([first?.isFirst, second?.isFirst]).toEqual([true, false]);
      await first?.close();
      await second?.close();
      const third = openPostgresStore(used.address);
      expect(third.isFirst).toBe(true);
      await third.close();
      await used.drop();
    });

    it('sees changes of the other one immediately, and a new version', async () => {
      const [before, mine] = [other.version, store.version];
      await add('from one');
      expect(other.read((tx) => tx.byName('tag', 'from one')?.name)).toBe('from one');
      expect(other.version).toBeGreaterThan(before);
      expect(store.version).toBeGreaterThan(mine);
      const unchanged = [other.version, store.version];
      expect([other.version, store.version]).toEqual(unchanged);
    });

    it('has one version during a complete read, regardless of changes by the other one', () => {
      const [before, after] = other.read(() => {
        const first = other.version;
        sql('UPDATE vmctl.store_version SET version = version + 1', database.address);
        return [first, other.version];
      });
      expect(after).toBe(before);
      expect(other.version).toBeGreaterThan(Number(before));
    });

    it('waits for another writer, and continues from its result', async () => {
      await store.write((tx) => tx.next('shared'));
      const writing = spawn('psql', [
        ...psqlWords(database.address),
        ...['-c', `BEGIN; ${writeAlone}; SELECT pg_sleep(1)`],
        ...['-c', "UPDATE vmctl.counter SET value = 100 WHERE name = 'shared'", '-c', 'COMMIT'],
      ]);
      const ended = new Promise((resolve) => writing.once('exit', resolve));
      const isAtWork = "SELECT count(*) AS n FROM pg_stat_activity WHERE wait_event = 'PgSleep'";
      const atWork = () => store.read((tx) => tx.statement(isAtWork).get()?.['n']);
      await expect.poll(atWork).toBe(1);
      const written = store.write((tx) => tx.next('shared'));
      // The event loop is not blocked.
      for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve));
      expect(atWork()).toBe(1);
      expect(await written).toBe(101);
      expect(await ended).toBe(0);
    });
  });

  it('refuses data of a newer version', async () => {
    const newer = await createDatabase(cluster.folder);
    await openPostgresStore(newer.address).close();
    const set = (version: string) =>
      sql(
        `UPDATE vmctl.meta SET value = $$${version}$$ WHERE key = $$schema_version$$`,
        newer.address,
      );
    set('99');
    expect(() => openPostgresStore(newer.address)).toThrow(/newer vmctl .*schema 99/);
    set('2');
    await openPostgresStore(newer.address).close();
    await newer.drop();
  });

  it('adds the attempt counts to the tasks of an older version', async () => {
    const older = await createDatabase(cluster.folder);
    const first = openPostgresStore(older.address);
    first.started();
    await first.write((tx) => tx.tasks.add(1, 'work:old', 'target', {}));
    await first.close();
    sql('ALTER TABLE vmctl.task DROP COLUMN attempts, DROP COLUMN lasting', older.address);
    const store = openPostgresStore(older.address);
    store.started();
    const task = await store.write((tx) => tx.tasks.take(1));
    expect(task).toMatchObject({ name: 'work:old', attempts: 0, lasting: 0 });
    await store.close();
    await older.drop();
  });

  it('reports the error of an address', () => {
    const address = (name: string, folder = cluster.folder) =>
      `postgres://postgres@/${name}?host=${encodeURIComponent(folder)}`;
    expect(() => openPostgresStore(address('no_such'))).toThrow(
      /does not exist; create it with createdb/,
    );
    expect(() => openPostgresStore(address('one', '/no/such'))).toThrow(
      /; start PostgreSQL, or correct the address/,
    );
  });

  it('starts an empty site next to existing data', async () => {
    const used = await createDatabase(cluster.folder);
    const first = openPostgresStore(used.address);
    await first.write((tx) => tx.insert('tag', '/tags', createTag('old')));
    await first.close();
    const notes: string[] = [];
    const second = openPostgresStore(used.address, {
      newSite: true,
      log: (line) => notes.push(line),
    });
    expect(second.read((tx) => tx.count('tag'))).toBe(0);
    await second.close();
    expect(notes).toEqual([expect.stringMatching(/vmctl is now vmctl_before_\d+$/)]);
    const schema = notes[0]?.split(' ').at(-1);
    expect(
      sql(`DO $$ BEGIN ASSERT (SELECT count(*) FROM ${schema}.o_tag) = 1; END $$`, used.address),
    ).toBe(0);
    await used.drop();
  });

  it('reconnects: reads, and an uncommitted group', async () => {
    killConnections();
    expect(names()).toContain('first');
    let tries = 0;
    const written = store.write((tx) => {
      tries += 1;
      tx.insert('tag', '/tags', createTag('in the end'));
      if (tries === 1) killConnections();
    });
    await expect.poll(() => tries).toBe(1);
    // A read between two attempts sees the earlier state.
    const between = [store.version, names().includes('in the end')];
    await written;
    expect([tries, between[1]]).toEqual([2, false]);
    expect(store.version).not.toBe(between[0]);
    expect(names().filter((name) => name === 'in the end')).toHaveLength(1);
  });

  describe('after a deadlock with another session', () => {
    /** A session that runs `first`, waits until it blocks another session, then runs `second`. */
    async function inTheWay(address: string, first: string, second: string) {
      const other = spawn(
        'psql',
        [
          ...psqlWords(address),
          // PostgreSQL aborts the other session.
          ...['-c', `SET deadlock_timeout = '1h'; BEGIN; ${first}; SELECT pg_advisory_lock(4711)`],
          '-c',
          `DO $$ BEGIN
            FOR i IN 1..1000 LOOP
              EXIT WHEN EXISTS (SELECT 1 FROM pg_locks WHERE NOT granted);
              PERFORM pg_sleep(0.02);
            END LOOP;
          END $$`,
          ...['-c', `${second}; COMMIT`],
        ],
        { stdio: 'ignore' },
      );
      const ended = new Promise((resolve) => other.once('exit', resolve));
      const isThere = 'DO $$ BEGIN ASSERT NOT pg_try_advisory_lock_shared(4711); END $$';
      await expect.poll(() => sql(isThere, address), { timeout: 10_000 }).toBe(0);
      return { ended };
    }

    it('repeats a group', async () => {
      await store.write((tx) => [tx.next('one'), tx.next('other')]);
      const set = (name: string) => `UPDATE vmctl.counter SET value = 10 WHERE name = '${name}'`;
      const { ended } = await inTheWay(database.address, set('other'), set('one'));
      let tries = 0;
      const values = await store.write((tx) => {
        tries += 1;
        return [tx.next('one'), tx.next('other')];
      });
      expect(await ended).toBe(0);
      expect([tries, values]).toEqual([2, [11, 11]]);
    });

    it('repeats the creation of its tables', async () => {
      const { ended } = await inTheWay(
        database.address,
        'LOCK TABLE vmctl.o_vm IN ROW EXCLUSIVE MODE',
        writeAlone,
      );
      await openPostgresStore(database.address).close();
      expect(await ended).toBe(0);
    });
  });

  describe('after its session has become unusable', () => {
    const images = () => store.read((tx) => tx.images.expected().map(({ id }) => id));
    const alter = (what: string) =>
      expect(
        sql(
          `BEGIN READ WRITE; DO $$ BEGIN EXECUTE 'ALTER DATABASE ' || current_database() || ' ${what}'; END $$; COMMIT`,
        ),
      ).toBe(0);

    it('reads with another one after a newer server has added a column', async () => {
      const shared = store as PostgresStore;
      const ahead = () => shared.assumingNoChange(async () => images());
      const all = async () => [images(), await ahead(), await store.write(listImages)];
      const listImages = (tx: Transaction) => tx.images.expected().map(({ id }) => id);
      expect(await all()).toEqual([[], [], []]);
      expect(sql('ALTER TABLE image_file ADD COLUMN later bigint')).toBe(0);
      expect(await all()).toEqual([[], [], []]);
      // A read that has already returned rows cannot restart: it is refused, and the next one
      // succeeds.
      expect(sql('ALTER TABLE image_file DROP COLUMN later')).toBe(0);
      const late = () => store.read((tx) => [tx.list('tag').length, listImages(tx)]);
      expect(isRefused(late)).toBe(true);
      expect(late()[1]).toEqual([]);
    });

    it('continues with another one without prepared statements', async () => {
      await add('prepared');
      store.database.exec('DEALLOCATE ALL');
      expect(names()).toContain('prepared');
      let tries = 0;
      await store.write((tx) => {
        tries += 1;
        if (tries === 1) tx.statement('DEALLOCATE ALL').run();
        tx.insert('tag', '/tags', createTag('prepared again'));
      });
      expect(tries).toBe(2);
      expect(names().filter((name) => name === 'prepared again')).toHaveLength(1);
    });

    it('refuses changes while the server is read-only, then continues', async () => {
      alter('SET default_transaction_read_only = on');
      killConnections();
      await expect(add('on a standby')).rejects.toThrow(StoreError);
      expect(names()).not.toContain('on a standby');
      alter('RESET default_transaction_read_only');
      await add('on the primary');
      expect(names()).toContain('on the primary');
    });
  });

  it('reads in slices, which cannot restart, over a new connection', async () => {
    const slices = (function* () {
      const before = names().length;
      yield undefined;
      killConnections();
      return [before, names().length];
    })();
    const [before, after] = await runSlicesInTurns(slices, (slice) => store.read(slice));
    expect(after).toBe(before);
  });

  it('determines the outcome of an unanswered commit', async () => {
    // The commit is on the disk, and waits for a missing standby.
    sql("ALTER SYSTEM SET synchronous_standby_names = 'nobody'", database.address);
    sql('SELECT pg_reload_conf()', database.address);
    const killer = spawn(
      'psql',
      [
        ...psqlWords(database.address),
        '-c',
        `DO $$ DECLARE waiting integer; BEGIN
        FOR i IN 1..500 LOOP
          SELECT pid INTO waiting FROM pg_stat_activity WHERE wait_event = 'SyncRep';
          EXIT WHEN waiting IS NOT NULL;
          PERFORM pg_sleep(0.02);
          PERFORM pg_stat_clear_snapshot();
        END LOOP;
        PERFORM pg_terminate_backend(waiting);
      END $$`,
        '-c',
        'ALTER SYSTEM RESET synchronous_standby_names',
        '-c',
        'SELECT pg_reload_conf()',
      ],
      { stdio: 'ignore' },
    );
    const ended = new Promise((resolve) => killer.once('exit', resolve));
    let tries = 0;
    await store.write((tx) => {
      tries += 1;
      tx.insert('tag', '/tags', createTag('in doubt'));
    });
    expect(await ended).toBe(0);
    // A repetition would insert it twice.
    expect(tries).toBe(1);
    expect(names().filter((name) => name === 'in doubt')).toHaveLength(1);
  });

  it('refuses while PostgreSQL is down, loses nothing, and recovers', async () => {
    await add('before');
    const kept = names();
    process.kill(cluster.pid(), 'SIGKILL');
    // A busy backend process completes first.
    await expect.poll(() => isRefused(names)).toBe(true);
    await expect(add('meanwhile')).rejects.toThrow(StoreError);
    await expect
      .poll(
        () => {
          try {
            cluster.start();
            return true;
          } catch {
            return false;
          }
        },
        { timeout: 30_000 },
      )
      .toBe(true);
    expect(names()).toEqual(kept);
    await add('after');
    expect(names()).toEqual([...kept, 'after']);
  });

  function isRefused(read: () => unknown): boolean {
    try {
      read();
      return false;
    } catch (error) {
      expect(error).toBeInstanceOf(StoreError);
      return true;
    }
  }

  /** Runs a statement in another session; returns its exit code. */
  function sql(statement: string, address = database.address): number {
    const words = [
      ...psqlWords(address),
      '-c',
      'SET search_path = vmctl, vmctl_types, public',
      '-c',
      statement,
    ];
    return spawnSync('psql', words, { stdio: 'ignore' }).status ?? 1;
  }

  function killConnections(): void {
    sql(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'vmctl serve' AND datname = current_database()",
    );
  }
});

function psqlWords(address: string): string[] {
  return ['-q', '-v', 'ON_ERROR_STOP=1', '-d', address];
}
