/** Gluster sites of a test: servers, volumes, and bricks in separate directories. */
import { expect } from 'vitest';
import { addCluster, addHost } from './hosts.ts';
import type { People } from './site.ts';
import type { Thing } from './speaker.ts';

export type Found = Thing & { readonly id: string };

export interface Servers {
  readonly cluster: string;
  readonly hosts: readonly Found[];
}

/** A cluster with the Gluster service, and servers. */
export async function servers(people: People, count = 2, more: Thing = {}): Promise<Servers> {
  const cluster = await addCluster(people, { gluster_service: true, virt_service: false, ...more });
  const hosts: Found[] = [];
  for (let number = 0; number < count; number++) {
    hosts.push(await addHost(people, { cluster: cluster.id }));
  }
  return { cluster: cluster.id, hosts };
}

let directories = 0;

/** Bricks in directories that no other has, one to each server in turn. */
export function bricksOn({ hosts }: Servers, count: number): Thing[] {
  return Array.from({ length: count }, (_, index) => {
    directories += 1;
    return {
      server_id: hosts[index % hosts.length]?.id,
      brick_dir: `/export/brick${directories}`,
    };
  });
}

export function createVolume({ name }: People, bricks: readonly Thing[], more: Thing = {}) {
  return {
    gluster_volume: {
      name: name('vol'),
      volume_type: 'distribute',
      bricks: { brick: bricks },
      ...more,
    },
  };
}

/** Creates a volume on separate servers. */
export async function addVolume(people: People, count = 2, more: Thing = {}) {
  const own = await servers(people);
  const path = `/clusters/${own.cluster}/glustervolumes`;
  const volume = await people.admin.add(path, createVolume(people, bricksOn(own, count), more));
  return { ...own, volume, path: `${path}/${volume.id}`, all: path };
}

export const copies = (replica_count: number): Thing => ({
  volume_type: 'replicate',
  replica_count,
});

export async function bricksIn({ admin }: People, path: string): Promise<readonly Found[]> {
  const { list } = await admin.get(`${path}/glusterbricks`);
  return list.map((brick) => ({ ...brick, id: String(brick['id']) }));
}

export const named = (...bricks: readonly Thing[]) => ({
  bricks: { brick: bricks.map((brick) => ({ name: brick['name'] })) },
});

export async function refused(
  answer: ReturnType<People['admin']['post']>,
  status: number,
  words: string,
): Promise<void> {
  const got = await answer;
  expect(got.status, got.text).toBe(status);
  expect(`${got.fault?.reason} ${got.fault?.detail}`).toContain(words);
}

/** Both paths of a service: with and without the data center. */
export const both = ({ path }: People, cluster: string) => [
  `/clusters/${cluster}`,
  `/datacenters/${path('{datacenter}')}/clusters/${cluster}`,
];

/** A started volume on a site where hosts take for ever to come up: those of the inventory do. */
export async function startedSlowly(people: People, count: number, more: Thing = {}) {
  const { admin, path } = people;
  const cluster = path('{cluster}');
  await admin.put(`/clusters/${cluster}`, { cluster: { gluster_service: true } });
  const hosts = (await admin.get('/hosts')).list.map((one) => ({ ...one, id: String(one['id']) }));
  const own: Servers = { cluster, hosts };
  const all = `/clusters/${cluster}/glustervolumes`;
  const volume = await admin.add(all, createVolume(people, bricksOn(own, count), more));
  await admin.must(`${all}/${volume.id}/start`);
  return { ...own, volume, all, path: `${all}/${volume.id}` };
}
