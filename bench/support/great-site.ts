/** A site with very many machines, and a user with very many permissions on some of them. */
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
import { openStore } from '../../src/server/store/store.ts';

/**
 * Writes the database of a new data folder: `jane@internal` has a role on so many of the machines,
 * from the first to the last at even distances. Returns the id of one of them.
 */
export async function fillGreatSite(
  folder: string,
  { vms, permissions }: { readonly vms: number; readonly permissions: number },
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
  await store.write((tx) => {
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
    store.setMeta('filled', 'bench');
  });
  await store.close();
  return { vm };
}
