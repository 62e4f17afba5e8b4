/** A site with very many machines and events, and a user with very many permissions on some machines. */
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
import { table } from '../../src/server/store/schema.ts';
import { openStore } from '../../src/server/store/store.ts';

/** What there is of it, beside a hundred hosts. */
export interface GreatSite {
  readonly vms: number;
  /** `jane@internal` has a role on so many of the machines, at even distances. */
  readonly permissions?: number;
  /** Events of the machines, the last one of the last machine. */
  readonly events?: number;
}

/** Writes the database of a new data folder. Returns the id of a machine with a permission, if any. */
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

/** Events of all machines in turn, as their starts and stops make them; the last is of the last machine. */
function addEvents(ctx: RuleContext, count: number): void {
  const { tx } = ctx;
  const machines = tx
    .statement(`SELECT id, name FROM ${table('vm')} ORDER BY name`)
    .all()
    .map(({ id, name }) => ({ id: String(id), name: String(name) }));
  tx.indexes?.takeAway('event');
  for (let left = count - 1; left >= 0; left--) {
    const vm = machines[machines.length - 1 - (left % machines.length)];
    const isStart = Math.floor(left / machines.length) % 2 === 1;
    ctx.event(isStart ? 'VM_STARTED' : 'VM_DOWN', vm ? { vm } : {}, { HostName: 'host1' });
  }
  tx.indexes?.make('event');
}
