/** Ids of the first object of each collection, by path parameter. */
import { expect } from 'vitest';
import type { RawApi } from './raw.ts';

/** Collections by path parameter. */
export const collections: Readonly<Record<string, string>> = {
  vm: '/vms',
  host: '/hosts',
  cluster: '/clusters',
  datacenter: '/datacenters',
  storagedomain: '/storagedomains',
  network: '/networks',
  disk: '/disks',
  user: '/users',
  group: '/groups',
  template: '/templates',
  role: '/roles',
  policy: '/schedulingpolicies',
  domain: '/domains',
  diskprofile: '/diskprofiles',
  cpuprofile: '/cpuprofiles',
  profile: '/vnicprofiles',
};

/** Reads every collection; fails if one is empty. */
export async function readFirstIds(api: RawApi): Promise<Record<string, string>> {
  const ids: Record<string, string> = {};
  for (const [name, path] of Object.entries(collections)) {
    const answer = await api.json('GET', path);
    const [objects] = Object.values(answer.json<Record<string, { id: string }[]>>());
    const id = objects?.[0]?.id;
    expect(id, `the first of ${path}`).toBeTruthy();
    if (id) ids[name] = id;
  }
  return ids;
}
