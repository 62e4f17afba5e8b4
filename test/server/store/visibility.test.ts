/**
 * What filtering costs: no condition looks through all objects of a site to decide about one of them,
 * and a page takes as many statements in a large site as in a small one.
 */

import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { read } from '../../../src/server/api/generic.ts';
import { visibilityFilterOf } from '../../../src/server/api/visibility-filter.ts';
import { holdersOf } from '../../../src/server/auth/permissions.ts';
import { resolveCollection } from '../../../src/server/core/collection-ref.ts';
import { RuleContext } from '../../../src/server/core/context.ts';
import { compose, heading, type SqlCondition } from '../../../src/server/store/conditions.ts';
import { type KindName, storedKinds } from '../../../src/server/store/kinds.ts';
import { table } from '../../../src/server/store/schema.ts';
import { orderKeys, orderText } from '../../../src/server/store/search-values.ts';
import { atOnce } from '../../../src/server/store/slices.ts';
import type { Transaction } from '../../../src/server/store/transaction.ts';
import { Visibility } from '../../../src/server/store/visibility.ts';
import { statementsOf } from '../support/statements.ts';
import { useWorld } from '../support/world.ts';

const world = useWorld();
const jane = { userId: 'jane', userName: 'jane@x', administrator: false, superUser: false };

/** Jane has a role on one object of every sort that can have permissions. */
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

/** Tables that a statement goes through from the first row to the last. */
function scannedBy(tx: Transaction, statement: SqlCondition): string[] {
  const head = heading(statement);
  const plan = tx
    .statement(`EXPLAIN QUERY PLAN ${head.sql}${statement.sql}`)
    .all(...head.values, ...statement.values);
  return plan.flatMap(({ detail }) => /^SCAN (?:o_\w+|reference)/.exec(String(detail))?.[0] ?? []);
}

function select(kind: KindName, condition: SqlCondition): SqlCondition {
  return compose`SELECT 1 FROM ${table(kind)} WHERE id = 'x' AND ${condition}`;
}

/** Few whatever the size of a site, or of those that contain much. */
const small = ['SCAN o_role'];

it('decides about one object without a look at all others', async () => {
  await world.run(({ tx }) => {
    settle(tx);
    const visibility = new Visibility(tx, jane.userId, holdersOf(tx, jane));
    for (const kind of storedKinds()) {
      const condition = visibility.ofOne(kind);
      // What is visible to nobody takes no look at all.
      if (!condition || condition.sql === '0') continue;
      const scanned = scannedBy(tx, select(kind, condition));
      expect(
        scanned.filter((one) => !small.includes(one)),
        kind,
      ).toEqual([]);
    }
  });
});

it('finds a look at all others where there is one', async () => {
  await world.run(({ tx }) => {
    const all = { sql: "EXISTS (SELECT 1 FROM o_vm WHERE doc LIKE '%x')", values: [] };
    expect(scannedBy(tx, select('disk', all))).toEqual(['SCAN o_vm']);
  });
});

const order = orderKeys('vm', [{ path: 'name' }]);
const orderOf = { orderBy: orderText(order), order };

/** Statements that a page of machines takes, with what is below each. */
function statementsOfPage(ctx: RuleContext): number {
  const asked = { parameters: new Map([['filter', 'true']]), header: () => undefined };
  ctx.filter = visibilityFilterOf(ctx, asked as never, true);
  const { tx } = ctx;
  return statementsOf(tx, () => {
    const place = resolveCollection(tx, '/vms', []);
    const options = { ...orderOf, limit: 3 };
    const parts = atOnce(read(ctx, ctx.filter?.part(place) ?? place, options));
    for (const vm of parts.flatMap(({ objects }) => objects())) {
      const below = resolveCollection(tx, '/vms/{vm}/nics', [String(vm['id'])]);
      for (const { objects } of atOnce(read(ctx, ctx.filter?.part(below) ?? below, {}))) objects();
    }
  });
}

it('takes as many statements for a page with a thousand machines as with a few', async () => {
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
