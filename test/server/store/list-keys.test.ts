/**
 * Long lists: the result of reads in slices, along an index or from few candidates, is equal to
 * that of one statement.
 */

import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { parseSearch } from '../../../src/search/index.ts';
import { follow, parseFollow } from '../../../src/server/api/follow.ts';
import { listHolderIds } from '../../../src/server/auth/permissions.ts';
import type { RuleContext } from '../../../src/server/core/context.ts';
import { findMeasure } from '../../../src/server/resources/vm/search-fields.ts';
import { allOf, collectTables, type ListOptions } from '../../../src/server/store/conditions.ts';
import type { KindName } from '../../../src/server/store/kinds.ts';
import { listKeys } from '../../../src/server/store/list-keys.ts';
import { compileSearch } from '../../../src/server/store/search.ts';
import { runSlices, type Slices } from '../../../src/server/store/slices.ts';
import { compareValues, sortRows } from '../../../src/server/store/sorted-walk.ts';
import { leaseNames, stageTables } from '../../../src/server/store/temporary-tables.ts';
import type { Transaction } from '../../../src/server/store/transaction.ts';
import { Visibility, VisibilityCache } from '../../../src/server/store/visibility.ts';
import { useWorld } from '../support/world.ts';

const world = useWorld();
const jane = { userId: 'jane', userName: 'jane@x', administrator: false, superUser: false };
/** More than the limit of one statement. */
const many = 5_200;

beforeAll(async () => {
  await world.run(({ tx }) => {
    const [vm] = tx.list('vm', { limit: 1 });
    const [host] = tx.ids('host', { limit: 1 });
    const [domain] = tx.ids('storage_domain', { limit: 1 });
    const role = { id: tx.byName('role', 'UserRole')?.id ?? '' };
    tx.insert('user', '/users', { id: jane.userId, name: 'jane' });
    for (let number = 0; number < many; number++) {
      const id = randomUUID();
      const placed = number % 7 === 0 ? { host: { id: host ?? '' }, status: 'up' as const } : {};
      // Repeated names in upper and lower case, and some without a match.
      const name = `${number % 2 ? 'vm' : 'VM'}-${Math.floor(number / 3) % 1_500}-é${number % 5}`;
      const memory = (number % 97) * 2 ** 30;
      const said = number % 3 === 0 ? { description: `text ${number % 11}` } : {};
      tx.insert('vm', '/vms', { ...vm, ...placed, ...said, id, name, memory });
      const disk = randomUUID();
      tx.insert('disk', '/disks', {
        ...{ id: disk, name: `disk-${number % 500}`, alias: `disk-${number % 500}` },
        storage_domains: [{ id: domain ?? '' }],
      });
      tx.insert('disk_attachment', `/vms/${id}/diskattachments`, {
        ...{ id: disk, vm: { id }, disk: { id: disk } },
      });
      if (number % 5 !== 0) continue;
      const permission = { id: randomUUID(), role, user: { id: jane.userId }, vm: { id } };
      tx.insert('permission', '/permissions', permission);
    }
  });
}, 120_000);

const searches: readonly (readonly [KindName, string])[] = [
  ['vm', ''],
  ['vm', 'name=vm-1*'],
  ['vm', 'name=*1* sortby memory'],
  ['vm', 'sortby memory desc'],
  ['vm', 'memory>=98304'],
  ['vm', 'memory<2048 and description=*7* sortby name desc'],
  ['vm', 'memory>1'],
  ['vm', 'sortby name desc'],
  ['vm', 'description=*7* sortby description desc'],
  ['vm', 'description!=*7*'],
  ['vm', 'sortby cluster desc'],
  ['vm', 'sortby vcpus desc'],
  ['vm', 'host.name=host*'],
  ['vm', 'host.name=host* and description=*1*'],
  ['vm', 'storage.name=data* sortby memory'],
  ['vm', 'storage.name=no-such'],
  ['vm', 'cpu_usage>=0 sortby cpu_usage desc'],
  ['vm', 'status=up or name=vm-10*'],
  ['vm', 'uptime>0'],
  ['vm', 'text'],
  ['disk', 'vm_names=vm-1*'],
  ['disk', 'number_of_vms=1 sortby number_of_vms'],
  ['disk', 'storage.name=no-such'],
  ['host', 'vms.name=vm-1* sortby active_vms'],
  ['storage_domain', 'sortby used_size'],
];
const pages: readonly Pick<ListOptions, 'limit' | 'offset'>[] = [
  { limit: 20 },
  { limit: 10, offset: 700 },
  {},
];

/** Whether a search uses measured fields. */
function isMeasured(text: string): boolean {
  return text === 'text' || text.includes('cpu_usage');
}

/** The options of a list, with a search or without. */
function createOptions(ctx: RuleContext, kind: KindName, text: string, visible?: Visibility) {
  const names = leaseNames();
  const query = parseSearch(text === '' ? 'sortby name' : text, kind, ctx.now);
  const seen = visible ? (of: KindName) => visible.ofOne(of) : undefined;
  const found = compileSearch(kind, query, {
    caseSensitive: false,
    seen,
    measured: (of, field) => findMeasure(ctx, of, field),
    names: names.next,
  });
  return { options: found as ListOptions, names };
}

/** The result of one statement. */
function plainly(tx: Transaction, kind: KindName, options: ListOptions, visible?: Visibility) {
  const condition = allOf(options.condition, visible?.ofOne(kind));
  return tx.keys(kind, { ...options, condition });
}

/** Number of points at which work can be interrupted. */
function countTurns(work: Slices<unknown>): number {
  let turns = 0;
  while (!work.next().done) turns += 1;
  return turns;
}

describe('a long list', () => {
  it.each(searches)('is equal to the result of one statement: %s %s', async (kind, text) => {
    await world.run((ctx) => {
      const { tx } = ctx;
      for (const who of [undefined, jane]) {
        const kept = new VisibilityCache();
        // Measurements are slow.
        for (const page of isMeasured(text) ? pages.slice(0, 1) : pages) {
          const visibility = who && new Visibility(tx, who.userId, listHolderIds(tx, who), kept);
          const { options, names } = createOptions(ctx, kind, text, visibility);
          const all = { ...options, ...page };
          const found = runSlices(listKeys(tx, kind, all, undefined, visibility?.ofOne(kind)));
          names.release(tx);
          const expected = plainly(tx, kind, all, visibility);
          expect(found, `${who?.userId} ${JSON.stringify(page)}`).toEqual(expected);
        }
      }
    });
  });

  it('keeps its order between pages, and includes changes in between', async () => {
    const page = (ctx: RuleContext, text: string, offset: number) => {
      const { options, names } = createOptions(ctx, 'vm', text);
      const all = { ...options, limit: 50, offset };
      const found = runSlices(listKeys(ctx.tx, 'vm', all, undefined, undefined));
      names.release(ctx.tx);
      expect(found, `${text} ${offset}`).toEqual(plainly(ctx.tx, 'vm', all));
      return found;
    };
    const searches = ['sortby name', 'sortby name desc', 'name=vm-1* sortby name'];
    const walk = (ctx: RuleContext) =>
      searches.map((text) => [600, 650, 700, 5_000, 650].map((offset) => page(ctx, text, offset)));
    const before = await world.run((ctx) => walk(ctx));
    const id = await world.run((ctx) => {
      const [vm] = ctx.tx.list('vm', { limit: 1 });
      const first = { ...vm, id: randomUUID(), name: 'AAA' };
      ctx.tx.insert('vm', '/vms', first);
      return first.id;
    });
    const after = await world.run((ctx) => walk(ctx));
    expect(after[0]?.[0]?.[1]).toBe(before[0]?.[0]?.[0]);
    await world.run((ctx) => {
      walk(ctx);
      ctx.tx.remove('vm', id);
      expect(walk(ctx)).toEqual(before);
    });
    const undone = world.run((ctx) => {
      ctx.tx.insert('vm', '/vms', { ...ctx.tx.list('vm', { limit: 1 })[0], id, name: 'AAA' });
      walk(ctx);
      throw new Error('undone');
    });
    await expect(undone).rejects.toThrow('undone');
    expect(await world.run((ctx) => walk(ctx))).toEqual(before);
  });

  it('lets other events run', async () => {
    await world.run((ctx) => {
      const { options, names } = createOptions(ctx, 'vm', 'description=*7* sortby description');
      const work = listKeys(ctx.tx, 'vm', options, undefined, undefined);
      const turns = countTurns(work);
      names.release(ctx.tx);
      expect(turns).toBeGreaterThan(3);
    });
  });

  it('lets other events run while a search selects other objects', async () => {
    await world.run((ctx) => {
      const { options, names } = createOptions(ctx, 'vm', 'storage.name=data*');
      const tables = collectTables([options.condition]);
      expect(tables.some(({ from }) => from !== undefined)).toBe(true);
      expect(countTurns(stageTables(ctx.tx, tables, () => true))).toBeGreaterThan(3);
      names.release(ctx.tx);
    });
  });

  it.each(['cluster', 'disk_attachments', 'permissions.role'])(
    'lets other events run at each object that is followed to %s',
    async (link) => {
      await world.run((ctx) => {
        const view = { ctx, apiPath: '/api', allContent: false, everything: false };
        const items = ctx.tx.list('vm', { limit: 50 }).map((vm) => ({
          ...{ ...vm, href: `/api/vms/${vm.id}` },
        }));
        const following = runSlices(parseFollow(view, 'vm', '/vms/{vm}', link));
        const turns = countTurns(follow(following, 'vm', '/vms/{vm}', items));
        expect(turns).toBeGreaterThanOrEqual(items.length);
      });
    },
  );
});

describe('rows', () => {
  it('have the order of SQLite', async () => {
    const values = [
      ...[null, 0, -1, 1.5, 2n ** 60n, 2n ** 60n + 1n, 7, '', 'a', 'B', 'b', 'é', 'É', 'Zz', 'zZ'],
      ...['\u{1F600}', '\uFFFD', '\uE000', 'a\u{1F600}', 'a\uFFFD', '10', '9'],
    ];
    await world.run(({ tx }) => {
      for (const folds of [false, true]) {
        for (const descending of [false, true]) {
          const rows = values.map((value, row) => ({ row, values: [value] }));
          const sorted = runSlices(sortRows(rows, [{ descending, folds }])).map(({ row }) => row);
          const all = values.map((_, row) => `SELECT ${row} AS row, ? AS v`).join(' UNION ALL ');
          const order = `v COLLATE ${folds ? 'NOCASE' : 'BINARY'} ${descending ? 'DESC' : 'ASC'}`;
          const expected = tx
            .statement(`SELECT row FROM (${all}) ORDER BY ${order}, row`)
            .all(...values)
            .map(({ row }) => Number(row));
          expect(sorted).toEqual(expected);
        }
      }
    });
    expect(compareValues('a', 'A', true)).toBe(0);
  });

  it('are sorted the same in large and small numbers', () => {
    const rows = Array.from({ length: 3_000 }, (_, row) => ({
      ...{ row, values: [(row * 7_919) % 101, `x${(row * 31) % 17}`] },
    }));
    const directions = [
      { descending: true, folds: false },
      { descending: false, folds: true },
    ];
    const sorted = runSlices(sortRows(rows, directions));
    const expected = rows.toSorted(
      (a, b) =>
        Number(b.values[0]) - Number(a.values[0]) ||
        compareValues(a.values[1] ?? null, b.values[1] ?? null, true) ||
        a.row - b.row,
    );
    expect(sorted).toEqual(expected);
  });
});
