/** Separate storage for the tests of a file: data centers with a host, storage domains, disks. */
import { expect } from 'vitest';
import type { People } from './site.ts';
import type { Speaker, Thing } from './speaker.ts';

export const gibibyte = 2 ** 30;

/** NFS storage that no other test uses: its path is the name. */
export const nfs = (name: string) => ({
  type: 'nfs',
  address: 'nfs.example.com',
  path: `/${name}`,
});

export interface OwnSite {
  /** Name of the data center, its cluster and its host. */
  readonly own: string;
  readonly host: string;
  readonly cluster: string;
  readonly id: string;
  /** `/datacenters/123` */
  readonly path: string;
}

/** Creates a data center with a running host; all its objects have its name. */
export async function ownSite(
  { admin, name }: People,
  options: { local?: boolean } = {},
): Promise<OwnSite> {
  const own = name('own');
  const dataCenter = await admin.add('/datacenters', {
    data_center: { name: own, local: options.local ?? false },
  });
  const cluster = await admin.add('/clusters', {
    cluster: {
      name: own,
      cpu: { type: 'Intel Nehalem Family' },
      data_center: { id: dataCenter.id },
    },
  });
  const host = await admin.add('/hosts', {
    host: {
      name: own,
      address: `${own}.example.com`,
      root_password: 'secret',
      cluster: { id: cluster.id },
    },
  });
  const path = `/datacenters/${dataCenter.id}`;
  return { own, host: host.id, cluster: cluster.id, path, id: dataCenter.id };
}

/** Adds a storage domain, by a host that is named. */
export async function addDomain(
  admin: Speaker,
  host: string,
  name: string,
  more: object = {},
): Promise<Thing & { readonly id: string }> {
  const storage_domain = { name, type: 'data', storage: nfs(name), host: { name: host }, ...more };
  return admin.add('/storagedomains', { storage_domain });
}

/** Attaches a storage domain to a data center. */
export const attach = (admin: Speaker, dataCenter: string, id: string) =>
  admin.add(`${dataCenter}/storagedomains`, { storage_domain: { id } });

/** Creates an active storage domain in the data center of the inventory. */
export async function ownDomain(people: People, more: object = {}): Promise<string> {
  const { admin, name, path } = people;
  const { id } = await addDomain(admin, 'host1', name('domain'), more);
  await attach(admin, path('/datacenters/{datacenter}'), id);
  return id;
}

/** Returns a disk after its creation. */
export async function addDisk(
  admin: Speaker,
  domain: string,
  disk: object = {},
): Promise<Thing & { readonly id: string }> {
  const added = await admin.add('/disks', {
    disk: {
      provisioned_size: gibibyte,
      format: 'raw',
      storage_domains: { storage_domain: [{ id: domain }] },
      ...disk,
    },
  });
  return { ...(await settled(admin, `/disks/${added.id}`)), id: added.id };
}

/** Returns the object after the end of its lock. */
export async function settled(admin: Speaker, path: string): Promise<Thing> {
  for (let turn = 0; turn < 500; turn++) {
    const { object, status, text } = await admin.get(path);
    expect(status, text).toBe(200);
    if (object['status'] !== 'locked') return object;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  throw new Error(`${path} stays locked.`);
}

/** Descriptions of the newest events. */
export async function events(admin: Speaker): Promise<readonly string[]> {
  const { list } = await admin.get('/events?max=20');
  return list.map((event) => String(event['description']));
}

export const fetchStatus = async (admin: Speaker, path: string) =>
  (await admin.get(path)).object['status'];
