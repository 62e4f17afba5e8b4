/** Site with many VMs and events, and a user with many permissions on single VMs. */
import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { dialects } from '../../src/model/dialect.ts';
import { RuleContext } from '../../src/server/core/context.ts';
import type { Site } from '../../src/server/core/ports.ts';
import { behaviors } from '../../src/server/resources/index.ts';
import { fillDefaults } from '../../src/server/seed/defaults.ts';
import { addSampleUsers } from '../../src/server/seed/samples.ts';
import { buildSite } from '../../src/server/seed/site.ts';
import { listColumns } from '../../src/server/store/kinds.ts';
import { createIndexes, dropIndexes, table } from '../../src/server/store/schema.ts';
import { openStore } from '../../src/server/store/store.ts';

/** Contents of a site, in addition to a hundred hosts. */
export interface GreatSite {
  readonly vms: number;
  /** Number of VMs on which `jane@internal` has a role, at equal distances. */
  readonly permissions?: number;
  /** Events of the VMs, the last one of the last VM. */
  readonly events?: number;
}

/** Writes the database of a new data folder. Returns the id of a VM with a permission, if any. */
export async function fillGreatSite(
  folder: string,
  { vms, permissions = 0, events = 0 }: GreatSite,
): Promise<{ readonly vm: string }> {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const store = await openStore(join(folder, 'vmctl.db'));
  const site = {
    behaviors,
    dialect: dialects.standard,
    speed: 0,
    now: () => new Date(),
    steady: () => 0,
    newId: randomUUID,
    random: () => 0.5,
    images: { sizes: () => ({ allocated: 0, length: 0 }) },
  } as unknown as Site;
  const counts = { datacenters: 2, clusters: 20, hosts: 100, storagedomains: 20, networks: 2 };
  let vm = '';
  await store.fill((tx) => {
    const ctx = RuleContext.system(tx, site);
    fillDefaults(ctx, 'admin@internal');
    buildSite(ctx, { ...counts, vms, disks: vms });
    addSampleUsers(ctx, 'admin@internal');
    const user = tx.find('user', { user_name: 'jane@internal-authz' })?.id ?? '';
    const role = tx.byName('role', 'UserRole')?.id ?? '';
    const ids = tx.ids('vm', { orderBy: 'name' });
    for (let number = 0; number < permissions; number++) {
      vm = ids[Math.floor((number * ids.length) / permissions)] ?? '';
      const one = { role: { id: role }, user: { id: user }, vm: { id: vm } };
      tx.insert('permission', '/permissions', { id: randomUUID(), ...one });
    }
    if (events > 0) addEvents(ctx, events);
    store.setMeta('filled', 'bench');
  });
  await store.close();
  return { vm };
}

/**
 * Events of all VMs in turn, as for their starts; the last one is of the last VM. One is created by
 * the rules, and the others are copies with different numbers, ids and names.
 */
function addEvents(ctx: RuleContext, count: number): void {
  const { tx } = ctx;
  const [first] = tx.list('vm', { orderBy: 'name', limit: 1 });
  if (!first?.id || !first.name) return;
  for (const sql of dropIndexes('event')) tx.statement(sql).run();
  ctx.event('VM_STARTED', { vm: first }, { HostName: 'host1' });
  const number = tx.next('event') - 1;
  tx.statement(
    'CREATE TEMP TABLE machine (number INTEGER PRIMARY KEY, id TEXT NOT NULL, name TEXT NOT NULL)',
  ).run();
  const vms = table('vm');
  tx.statement(
    `INSERT INTO machine SELECT row_number() OVER (ORDER BY name) - 1, id, name FROM ${vms}`,
  ).run();
  const copied = (text: string) => `replace(replace(${text}, ?1, vm.id), ?2, vm.name)`;
  const numbered = "json_set(event.doc, '$.id', CAST(n.number AS TEXT), '$.index', n.number)";
  const columns = listColumns('event').map(({ name }) => name);
  const values = columns.map((name) =>
    name === 'index'
      ? 'n.number'
      : `iif(event."${name}" IS NULL, NULL, ${copied(`event."${name}"`)})`,
  );
  const names = ['collection', 'id', 'name', 'doc', ...columns].map((name) => `"${name}"`);
  tx.statement(
    `WITH RECURSIVE n (number) AS
      (SELECT ${number + 1} UNION ALL SELECT number + 1 FROM n WHERE number < ${number + count - 1})
    INSERT INTO ${table('event')} (${names.join(', ')})
    SELECT event.collection, CAST(n.number AS TEXT), event.name, ${copied(numbered)}, ${values.join(', ')}
    FROM n CROSS JOIN machine vm ON vm.number = (n.number - ${number}) % (SELECT count(*) FROM machine)
    CROSS JOIN ${table('event')} event ON event.id = '${number}'`,
  ).run(first.id, first.name);
  tx.statement(`UPDATE counter SET value = ${number + count} WHERE name = 'event'`).run();
  tx.statement('DROP TABLE machine').run();
  for (const sql of createIndexes('event')) tx.statement(sql).run();
}
