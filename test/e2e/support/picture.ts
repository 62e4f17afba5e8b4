/** Summary of a site for comparisons: names, states, placements; without ids and times. */
import { at, type Speaker, type Thing } from '../../operations/support/speaker.ts';

/** State of the site; equal for all sites built in the same way. */
export async function describeSite(admin: Speaker): Promise<Thing> {
  const list = async (path: string) =>
    [...(await admin.get(path)).list].sort((a, b) => (getName(a) < getName(b) ? -1 : 1));
  const names = async (path: string) => (await list(path)).map(getName);
  const [hosts, vms, disks] = [
    await list('/hosts?follow=cluster'),
    await list('/vms?follow=cluster,host'),
    await list('/disks'),
  ];
  const by = async (path: string, look: (one: Thing) => Promise<unknown> | unknown) => {
    const found: Record<string, unknown> = {};
    for (const one of await list(path)) found[getName(one)] = await look(one);
    return found;
  };
  return {
    data_centers: await by('/datacenters', async (dataCenter) => ({
      status: dataCenter['status'],
      quota_mode: dataCenter['quota_mode'],
      networks: await names(`/datacenters/${dataCenter['id']}/networks`),
      storage_domains: await by(`/datacenters/${dataCenter['id']}/storagedomains`, (domain) => ({
        status: domain['status'],
        master: domain['master'],
      })),
      quotas: await by(`/datacenters/${dataCenter['id']}/quotas`, (quota) =>
        listLimits(admin, `/datacenters/${dataCenter['id']}/quotas/${quota['id']}`),
      ),
    })),
    clusters: await by('/clusters', async (cluster) => ({
      networks: await names(`/clusters/${cluster['id']}/networks`),
      affinity_groups: await by(`/clusters/${cluster['id']}/affinitygroups`, (group) =>
        names(`/clusters/${cluster['id']}/affinitygroups/${group['id']}/vms`),
      ),
      hosts: Object.fromEntries(
        hosts
          .filter((host) => at(host, 'cluster.id') === cluster['id'])
          .map((host) => [getName(host), placed(host, vms)]),
      ),
      not_running: vms
        .filter((vm) => at(vm, 'cluster.id') === cluster['id'] && !at(vm, 'host.id'))
        .map((vm) => `${getName(vm)} (${vm['status']})`),
    })),
    templates: await by('/templates', (template) => template['status']),
    disks: {
      count: disks.length,
      states: counted(disks.map((disk) => String(disk['status']))),
      without_machine: await unattached(admin, disks, vms),
    },
    permissions: await by('/users', async (user) =>
      (await admin.get(`/users/${user['id']}/permissions?follow=role`)).list
        .map((one) => `${at(one, 'role.name')} on ${describePermission(one)}`)
        .sort(),
    ),
    /** Events other than normal ones, by code. */
    troubles: counted(
      (await admin.get('/events')).list
        .filter(({ severity }) => severity !== 'normal')
        .map(({ code, severity }) => `${code} ${severity}`),
    ),
  };
}

function getName(object: Thing): string {
  return String(object['user_name'] ?? object['name']);
}

function placed(host: Thing, vms: readonly Thing[]) {
  const here = vms.filter((vm) => at(vm, 'host.id') === host['id']);
  return { status: host['status'], spm: at(host, 'spm.status'), vms: here.map(getName) };
}

async function listLimits(admin: Speaker, quota: string): Promise<readonly string[]> {
  const { list } = await admin.get(`${quota}/quotastoragelimits`);
  return list.map(({ limit, usage }) => `${usage} of ${limit} GiB`);
}

async function unattached(admin: Speaker, disks: readonly Thing[], vms: readonly Thing[]) {
  const attached = new Set<unknown>();
  for (const vm of vms) {
    const { list } = await admin.get(`/vms/${vm['id']}/diskattachments`);
    for (const { id } of list) attached.add(id);
  }
  return disks.filter(({ id }) => !attached.has(id)).map(getName);
}

const subjects = ['vm', 'host', 'cluster', 'data_center', 'storage_domain', 'template', 'disk'];

function describePermission(permission: Thing): string {
  return subjects.find((name) => permission[name] !== undefined) ?? 'the system or others';
}

/** Number of occurrences of each word. */
function counted(words: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const word of [...words].sort()) counts[word] = (counts[word] ?? 0) + 1;
  return counts;
}
