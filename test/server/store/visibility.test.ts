/**
 * Cost of visibility filters: no condition scans all objects to test one of them, and a page needs
 * as many statements in a large site as in a small one.
 */

import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { read } from '../../../src/server/api/generic.ts';
import { createVisibilityFilter } from '../../../src/server/api/visibility-filter.ts';
import { listHolderIds } from '../../../src/server/auth/permissions.ts';
import { resolveCollection } from '../../../src/server/core/collection-ref.ts';
import { RuleContext } from '../../../src/server/core/context.ts';
import { compose, type SqlCondition, withTables } from '../../../src/server/store/conditions.ts';
import { type KindName, storedKinds } from '../../../src/server/store/kinds.ts';
import { table } from '../../../src/server/store/schema.ts';
import { orderKeys, orderText } from '../../../src/server/store/search-values.ts';
import { runSlices } from '../../../src/server/store/slices.ts';
import type { Transaction } from '../../../src/server/store/transaction.ts';
import { Visibility } from '../../../src/server/store/visibility.ts';
import { countStatements } from '../support/statements.ts';
import { useWorld } from '../support/world.ts';

const world = useWorld();
const jane = { userId: 'jane', userName: 'jane@x', administrator: false, superUser: false };

/** Jane has a role on one object of every type that supports permissions. */
function settle(tx: Transaction): void {
  if (tx.get('user', jane.userId)) return;
  tx.insert('user', '/users', { id: jane.userId, name: 'jane' });
  const role = { id: tx.byName('role', 'UserRole')?.id ?? '' };
  for (const kind of ['vm', 'data_center', 'host', 'cluster', 'storage_domain', 'disk'] as const) {
    const [one] = tx.ids(kind, { limit: 1 });
    if (one === undefined) continue;
    const permission = { id: randomUUID(), role, user: { id: jane.userId }, [kind]: { id: one } };
    tx.insert('permission', '/permissions', permission);
  }
}

/** Tables that a statement scans completely. */
function scannedBy(tx: Transaction, statement: SqlCondition): string[] {
  const head = withTables(statement);
  const plan = tx
    .statement(`EXPLAIN QUERY PLAN ${head.sql}${statement.sql}`)
    .all(...head.values, ...statement.values);
  return plan.flatMap(({ detail }) => /^SCAN (?:o_\w+|reference)/.exec(String(detail))?.[0] ?? []);
}

function select(kind: KindName, condition: SqlCondition): SqlCondition {
  return compose`SELECT 1 FROM ${table(kind)} WHERE id = 'x' AND ${condition}`;
}

/** Tables that are small in any site. */
const small = ['SCAN o_role'];

it('tests one object without a scan of all others', async () => {
  await world.run(({ tx }) => {
    settle(tx);
    const visibility = new Visibility(tx, jane.userId, listHolderIds(tx, jane));
    for (const kind of storedKinds()) {
      const condition = visibility.ofOne(kind);
      // Kinds without visible objects need no read.
      if (!condition || condition.sql === '0') continue;
      const scanned = scannedBy(tx, select(kind, condition));
      expect(
        scanned.filter((one) => !small.includes(one)),
        kind,
      ).toEqual([]);
    }
  });
});

it('detects a scan of all others', async () => {
  await world.run(({ tx }) => {
    const all = { sql: "EXISTS (SELECT 1 FROM o_vm WHERE doc LIKE '%x')", values: [] };
    expect(scannedBy(tx, select('disk', all))).toEqual(['SCAN o_vm']);
  });
});

const order = orderKeys('vm', [{ path: 'name' }]);
const orderOptions = { orderBy: orderText(order), order };

/** Statements of a page of VMs with their parts. */
function statementsOfPage(ctx: RuleContext): number {
  const asked = { parameters: new Map([['filter', 'true']]), header: () => undefined };
  ctx.filter = createVisibilityFilter(ctx, asked as never, true);
  const { tx } = ctx;
  return countStatements(tx, () => {
    const place = resolveCollection(tx, '/vms', []);
    const options = { ...orderOptions, limit: 3 };
    const parts = runSlices(read(ctx, ctx.filter?.part(place) ?? place, options));
    for (const vm of parts.flatMap(({ objects }) => objects())) {
      const below = resolveCollection(tx, '/vms/{vm}/nics', [String(vm['id'])]);
      for (const { objects } of runSlices(read(ctx, ctx.filter?.part(below) ?? below, {})))
        objects();
    }
  });
}

it('uses as many statements for a page with a thousand VMs as with a few', async () => {
  await world.run(({ tx, site }) => {
    settle(tx);
    const ctx = new RuleContext(tx, site, jane);
    statementsOfPage(ctx);
    const few = statementsOfPage(ctx);
    const [model] = tx.list('vm', { limit: 1 });
    for (let number = 0; number < 1_000; number++) {
      tx.insert('vm', '/vms', { ...model, id: randomUUID(), name: `zz-${number}` });
    }
    expect(statementsOfPage(ctx)).toBe(few);
  });
});
