/** Hosts of one test, in a separate cluster, so that VMs of other tests do not migrate. */
import { expect } from 'vitest';
import type { People, Site } from './site.ts';
import type { Thing } from './speaker.ts';

type Found = Thing & { readonly id: string };

/** Adds a cluster to the data center of the inventory. */
export function addCluster({ admin, name, path }: People, more: Thing = {}): Promise<Found> {
  return admin.add('/clusters', {
    cluster: {
      name: name('cluster'),
      cpu: { type: 'Intel Nehalem Family' },
      data_center: { id: path('{datacenter}') },
      ...more,
    },
  });
}

/** Body that adds a host to a cluster. */
export function hostIn({ name }: People, cluster: string, more: Thing = {}): { host: Thing } {
  const own = name('host');
  return {
    host: {
      name: own,
      address: `${own}.example.com`,
      root_password: 'secret',
      cluster: { id: cluster },
      ...more,
    },
  };
}

/** Adds a host, in a separate cluster unless one is given. */
export async function addHost(
  people: People,
  { cluster, query = '', ...more }: Thing & { cluster?: string; query?: string } = {},
): Promise<Found & { readonly path: string; readonly cluster: string }> {
  const home = cluster ?? (await addCluster(people)).id;
  const host = await people.admin.add(`/hosts${query}`, hostIn(people, home, more));
  return { ...host, path: `/hosts/${host.id}`, cluster: home };
}

/** Adds a machine to a cluster, and starts it. */
export async function addRunningVm(
  { admin, name }: People,
  cluster: string,
  more: Thing = {},
): Promise<Found & { readonly path: string; readonly host: string }> {
  const vm = await admin.add('/vms', {
    vm: {
      name: name('vm'),
      cluster: { id: cluster },
      template: { name: 'Blank' },
      os: { boot: { devices: { device: ['cdrom'] } } },
      ...more,
    },
  });
  await admin.must(`/vms/${vm.id}/start`);
  const { object } = await admin.get(`/vms/${vm.id}`);
  return {
    ...vm,
    path: `/vms/${vm.id}`,
    host: String((object['host'] as Thing | undefined)?.['id']),
  };
}

/** A user with permission to read the host only is refused with 403. */
export function forbidden(site: Site, method: string, template: string, body?: Thing): void {
  site.both('refuses users without permission', async ({ admin, jane, path }) => {
    const user = (await admin.get('/users')).list.find((one) =>
      String(one['user_name']).startsWith('jane'),
    );
    // One attempt is sufficient; the second finds the existing user.
    await admin.post(path('/hosts/{host}/permissions'), {
      permission: { role: { name: 'UserRole' }, user: { id: user?.['id'] } },
    });
    const answer = await jane.send(method, path(template), body);
    expect(answer.status, answer.text).toBe(403);
    expect(answer.fault?.detail, answer.text).toBeTruthy();
  });
}
