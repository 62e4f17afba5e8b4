/**
 * Every search field of the model finds something: for each there is an object that has a value,
 * which a search by that value finds and a search for everything else does not.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import { searchFields } from '../../src/model/derive/search.ts';
import { RawApi } from '../support/raw.ts';
import { addVolume } from './support/gluster.ts';
import { type People, useSite } from './support/site.ts';
import { Speaker, type Thing } from './support/speaker.ts';
import { gibibyte, ownSite } from './support/storage.ts';
import { addDisk, newVm, until } from './support/vms.ts';

const site = useSite();

/** A condition that holds for the object, written after the name of the field. */
type Condition = string | ((object: Thing) => string);
interface Known {
  /** Path of the collection. */
  readonly path: string;
  /** The expected object: by an attribute or by another criterion. */
  readonly is: (object: Thing) => boolean;
  readonly fields: Readonly<Record<string, Condition>>;
}

/** Fields that nothing in a simulated site has a value of, and why. */
const valueless: Readonly<Record<string, string>> = {
  'vm has_illegal_images': 'only a copy that fails leaves illegal images',
  'vm k8s_namespace': 'no container clusters exist',
  'instance_type comment': 'shares its fields with templates',
  'instance_type sealed': 'an instance type has no disks to seal',
  'instance_type cluster': 'belongs to no cluster',
  'instance_type datacenter': 'belongs to no cluster',
  'instance_type quota': 'uses no quota',
  'instance_type architecture': 'has no separate architecture',
  'instance_type creationdate': 'those of a fresh service were not made',
  'instance_type status': 'has none',
  'instance_type version_name': 'has no versions',
  'instance_type tag': 'carries no tags',
  'instance_type os': 'shares its fields with templates',
  'user lastname': 'the simulated directory has none',
  'user department': 'the simulated directory has none',
  'directory_user lastname': 'the simulated directory has none',
  'directory_user department': 'the simulated directory has none',
  'directory_user title': 'the simulated directory has none',
  'host ha_score': 'only hosts of a hosted engine have one',
};

const named = (name: string) => (object: Thing) => object['name'] === name;
const of = (attribute: string) => (object: Thing) => `="${String(object[attribute])}"`;
const inside =
  (...path: string[]) =>
  (object: Thing) => {
    const value = path.reduce<unknown>((at, name) => (at as Thing | undefined)?.[name], object);
    return `="${String(value)}"`;
  };

let people: People;
const made: Record<string, string> = {};

beforeAll(async () => {
  const server = site.server();
  const admin = new Speaker(await RawApi.signIn(server), 'JSON');
  let count = 0;
  const ids: Record<string, string> = {};
  for (const [name, path] of [
    ['cluster', '/clusters'],
    ['datacenter', '/datacenters'],
  ] as const) {
    ids[name] = (await admin.find(path, 'Default')).id;
  }
  people = {
    ...{ admin, jane: admin, olaf: admin, format: 'JSON' },
    path: (template) => template.replace(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? ''),
    name: (stem) => `${stem}-${++count}`,
  };
  await furnish(people);
});

/** Gives the small site what its fields need to have values. */
async function furnish({ admin, path }: People): Promise<void> {
  const vm = await admin.find('/vms', 'vm-01');
  const host = await admin.find('/hosts', 'host1');
  const user = (await admin.get('/users?search=usrname%3Djane')).list[0];
  const dataCenter = path('/datacenters/{datacenter}');
  const tag = await admin.add('/tags', { tag: { name: 'seen' } });
  const texts = { comment: 'a comment', description: 'a description' };
  // Storage remembers requests, and quotas count them.
  const quota = await admin.add(`${dataCenter}/quotas`, { quota: { name: 'q', ...texts } });
  const unlimited = { vcpu_limit: -1, memory_limit: -1 };
  await admin.add(`${dataCenter}/quotas/${quota.id}/quotaclusterlimits`, {
    quota_cluster_limit: unlimited,
  });
  await admin.add(`${dataCenter}/quotas/${quota.id}/quotastoragelimits`, {
    quota_storage_limit: { limit: -1 },
  });
  const seek = await newVm(people, {
    name: 'seek',
    ...texts,
    memory: 2 * gibibyte,
    memory_policy: { guaranteed: gibibyte },
    cpu: { topology: { sockets: 1, cores: 3, threads: 1 } },
    os: { type: 'rhel_9x64' },
    type: 'high_performance',
    bios: { type: 'q35_ovmf' },
    quota: { id: quota.id },
    custom_emulated_machine: 'pc-q35-9.0',
    custom_cpu_model: 'Nehalem',
    custom_compatibility_version: { major: 4, minor: 7 },
    initialization: { domain: 'corp.example.com' },
  });
  const storage_domains = { storage_domain: [{ name: 'data1' }] };
  const disk = await addDisk(people, seek.id, {
    disk: {
      ...{ name: 'seek-disk', description: 'of seek', provisioned_size: 3 * gibibyte },
      ...{ sparse: false, wipe_after_delete: true, quota: { id: quota.id }, storage_domains },
    },
  });
  made['disk'] = disk;
  await admin.add('/disks', {
    disk: {
      ...{ name: 'shared', format: 'raw', provisioned_size: gibibyte, shareable: true },
      storage_domains,
    },
  });
  const template = await admin.add('/templates', {
    template: {
      name: 'made',
      ...texts,
      quota: { id: quota.id },
      vm: { id: seek.id },
      version: { version_name: 'first' },
    },
  });
  await until(people, `/templates/${template.id}`, ({ status }) => status === 'ok');
  await admin.add('/vmpools', {
    vm_pool: {
      ...{ name: 'pool', ...texts, size: 1, type: 'manual' },
      ...{ cluster: { id: path('{cluster}') }, template: { id: template.id } },
    },
  });
  const type = await admin.add('/instancetypes', {
    instance_type: { name: 'type', memory: gibibyte, ...texts },
  });
  await newVm(people, { name: 'typed', instance_type: { id: type.id } });
  for (const owner of [
    `/vms/${vm.id}`,
    `/hosts/${host.id}`,
    `/users/${user?.['id']}`,
    `/templates/${template.id}`,
  ]) {
    await admin.add(`${owner}/tags`, { tag: { id: tag.id } });
  }
  await admin.put(`/vms/${vm.id}`, { vm: texts });
  await admin.put(`/vms/${vm.id}`, { vm: { custom_cpu_model: 'Westmere' } });
  await admin.must(`/vms/${vm.id}/logon`);
  await admin.put(`/hosts/${host.id}`, { host: texts });
  await admin.put(path('/clusters/{cluster}'), { cluster: texts });
  await admin.put(dataCenter, { data_center: texts });
  const domain = await admin.find('/storagedomains', 'data1');
  const flags = { wipe_after_delete: true, warning_low_space_indicator: 7 };
  await admin.put(`/storagedomains/${domain.id}`, {
    storage_domain: { ...texts, ...flags, critical_space_action_blocker: 6 },
  });
  await admin.add('/storagedomains', {
    storage_domain: {
      ...{ name: 'kept', type: 'data', backup: true, host: { name: 'host1' } },
      storage: { type: 'nfs', address: 'nfs.example.com', path: '/kept' },
    },
  });
  const qos = await admin.add(`${dataCenter}/qoss`, {
    qos: {
      ...{ name: 'net-qos', type: 'hostnetwork' },
      ...{ outbound_average_linkshare: 10, outbound_average_upperlimit: 20 },
    },
  });
  const network = await admin.add('/networks', {
    network: {
      ...{ name: 'net9', ...texts, vlan: { id: 9 }, mtu: 1400, stp: true },
      ...{ qos: { id: qos.id }, data_center: { id: path('{datacenter}') } },
    },
  });
  await admin.add(`/networks/${network.id}/networklabels`, { network_label: { id: 'lab' } });
  const provider = await admin.add('/openstacknetworkproviders', {
    openstack_network_provider: { name: 'neutron', url: 'http://net.example.com:9696' },
  });
  await admin.add('/networks', {
    network: {
      ...{ name: 'outside', external_provider: { id: provider.id } },
      data_center: { id: path('{datacenter}') },
    },
  });
  await admin.add(`/users/${user?.['id']}/permissions`, {
    permission: { role: { name: 'UserRole' }, vm_pool: await admin.find('/vmpools', 'pool') },
  });
  await logEvents(people, template.id);
}

/** Events that are about everything that events can be about. */
async function logEvents(all: People, template: string): Promise<void> {
  const { admin, path } = all;
  const vm = await admin.find('/vms', 'vm-01');
  const event = (custom_id: number, more: object) =>
    admin.send(
      'POST',
      '/events',
      {
        event: {
          ...{ origin: 'the test', custom_id, severity: 'alert', description: 'about it' },
          ...more,
        },
      },
      { 'Correlation-Id': 'found-by-this' },
    );
  const domain = (await admin.find('/storagedomains', 'data1')).id;
  const about = {
    vm: { id: vm.id },
    host: { id: (await admin.find('/hosts', 'host1')).id },
    template: { id: template },
    storage_domain: { id: domain },
    data_center: { id: path('{datacenter}') },
    user: { id: String((await admin.get('/users?search=usrname%3Djane')).list[0]?.['id']) },
  };
  expect((await event(77, about)).status).toBe(201);
  const gone = await event(78, {});
  made['gone'] = String(gone.object['id']);
  expect((await admin.delete(`/events/${made['gone']}`)).status).toBe(200);
  const { volume } = await addVolume(all);
  made['volume'] = String(volume['name']);
  made['volumeId'] = volume.id;
  made['volumePath'] = String(volume['href'])
    .replace(/^.*\/api/, '')
    .replace(/\/[^/]+$/, '');
  // An exhausted quota causes an event.
  const own = await ownSite(all);
  const storage = { type: 'nfs', address: 'nfs.example.com', path: '/own' };
  const data = await admin.add('/storagedomains', {
    storage_domain: { name: 'own', type: 'data', host: { name: own.own }, storage },
  });
  await admin.add(`${own.path}/storagedomains`, { storage_domain: { id: data.id } });
  await admin.put(own.path, { data_center: { quota_mode: 'audit' } });
  const full = await admin.add(`${own.path}/quotas`, { quota: { name: 'full' } });
  made['quota'] = full.id;
  await admin.add(`${own.path}/quotas/${full.id}/quotastoragelimits`, {
    quota_storage_limit: { limit: 1 },
  });
  await admin.add('/disks', {
    disk: {
      ...{ name: 'big', format: 'raw', provisioned_size: 2 * gibibyte, quota: { id: full.id } },
      storage_domains: { storage_domain: [{ id: data.id }] },
    },
  });
  await admin.send(
    'PUT',
    `/vms/${(await admin.find('/vms', 'seek')).id}`,
    { vm: { comment: 'a comment' } },
    { 'Correlation-Id': 'job-of-this' },
  );
}

const texts = { comment: '="a comment"', description: '="a description"' };
const now = { creationdate: '>yesterday' };

const known: Readonly<Record<string, readonly Known[]>> = {
  vm: [
    {
      path: '/vms',
      is: named('vm-01'),
      fields: {
        ...{ name: '=vm-01', status: '=Up', fqdn: of('fqdn'), on_host: '=host1', ...texts, ...now },
        ...{ uptime: '<1', address: '=host1.example.com', ip: '=10.*', apps: '=qemu-guest*' },
        ...{ cpu_usage: '>=0', mem_usage: '>0', network_usage: '>=0' },
        ...{ migration_progress_percent: '=0', loggedinuser: '=admin*', tag: '=seen' },
        ...{ cluster: '=Default', datacenter: '=Default', id: of('id'), architecture: '=x86_64' },
        ...{ compatibility_level: '=4.8', next_run_config_exists: '=true' },
        created_by_user_id: '!=nobody',
      },
    },
    {
      path: '/vms',
      is: named('seek'),
      fields: {
        ...{ memory: '=2048', guaranteed_memory: '=1024', vcpus: '=3', os: '=rhel_9x64' },
        ...{ type: '=HighPerformance', quota: '=q', custom_emulated_machine: '=pc-q35-9.0' },
        ...{ custom_cpu_type: '=Nehalem', custom_compatibility_level: '=4.7' },
        ...{ bios_type: '=Q35_OVMF', domain: '=corp.example.com' },
      },
    },
    { path: '/vms', is: named('pool-1'), fields: { pool: '=pool' } },
  ],
  host: [
    {
      path: '/hosts',
      is: named('host1'),
      fields: {
        ...{ name: '=host1', comment: '="a comment"', status: '=Up', external_status: '=ok' },
        ...{ cluster: '=Default', address: of('address'), datacenter: '=Default', tag: '=seen' },
        ...{ cpu_usage: '>=0', mem_usage: '>0', network_usage: '>=0', load: '>=0' },
        ...{ version: inside('version', 'full_version'), cpus: '=32', memory: '=1048576' },
        ...{ cpu_speed: inside('cpu', 'speed'), cpu_model: inside('cpu', 'name') },
        ...{ active_vms: '=1', migrating_vms: '=0', committed_mem: '>0', type: '=rhel' },
        ...{ architecture: '=x86_64', update_available: '=false', spm_id: '=1' },
        ...{ hw_id: inside('hardware_information', 'uuid'), id: of('id') },
      },
    },
  ],
  cluster: [
    {
      path: '/clusters',
      is: named('Default'),
      fields: {
        ...{ name: '=Default', ...texts, architecture: '=x86_64', compatibility_level: '=4.8' },
        cpu_type: inside('cpu', 'type'),
      },
    },
  ],
  data_center: [
    {
      path: '/datacenters',
      is: named('Default'),
      fields: {
        ...{ name: '=Default', ...texts, local: '=false', status: '=Up' },
        compatibility_version: '=4.8',
      },
    },
  ],
  storage_domain: [
    {
      path: '/storagedomains',
      is: named('data1'),
      fields: {
        ...{ name: '=data1', ...texts, shared_status: '=active', external_status: '=ok' },
        ...{ datacenter: '=Default', type: '=NFS', free_size: '>0', used_size: '>=3' },
        ...{ total_size: '=1024', committed: '>=3', wipe_after_delete: '=true' },
        ...{ discard_after_delete: '=false', low_space_threshold: '=7' },
        critical_space_threshold: '=6',
      },
    },
    {
      path: '/storagedomains',
      is: named('kept'),
      fields: { status: '=Unattached', backup: '=true' },
    },
  ],
  disk: [
    {
      path: '/disks',
      is: (disk) => disk['id'] === made['disk'],
      fields: {
        ...{ alias: '=seek-disk', name: '=seek-disk', description: '="of seek"' },
        ...{ provisioned_size: `>${3 * gibibyte - 1}`, size: `>${3 * gibibyte - 1}` },
        ...{ actual_size: '>0', creation_date: '>yesterday', last_modified: '>yesterday' },
        ...{ wipe_after_delete: '=true', status: '=OK', disk_type: '=Image' },
        ...{ disk_content_type: '=DATA', allocation_policy: '=Preallocated' },
        ...{ number_of_vms: '=1', vm_names: '=seek', quota: '=q', id: of('id') },
      },
    },
    { path: '/disks', is: named('shared'), fields: { shareable: '=true' } },
  ],
  event: [
    {
      path: '/events',
      is: (event) => event['custom_id'] === '77',
      fields: {
        ...{ type: '=9804', severity: '=alert', message: '="about it"', time: '>yesterday' },
        ...{ usrname: '=jane', event_host: '=host1' },
        ...{ event_vm: '=vm-01', event_template: '=made', event_storage: '=data1' },
        ...{ event_datacenter: '=Default', correlation_id: '=found-by-this' },
        ...{ origin: '="the test"', custom_event_id: '=77' },
        ...{ _event_host_id: inside('host', 'id'), _event_vm_id: inside('vm', 'id') },
        _event_template_id: inside('template', 'id'),
        _event_datacenter_id: inside('data_center', 'id'),
      },
    },
    {
      path: '/events?search=deleted%3Dtrue',
      is: (event) => event['id'] === made['gone'],
      fields: { deleted: '=true' },
    },
    {
      path: '/events',
      is: (event) => event['code'] === '4000',
      fields: {
        event_volume: () => `="${made['volume']}"`,
        _event_volume_id: () => `="${made['volumeId']}"`,
      },
    },
    {
      path: '/events',
      is: (event) => event['code'] === '3010',
      fields: { _event_quota_id: () => `="${made['quota']}"` },
    },
  ],
  user: [
    {
      path: '/users',
      is: named('jane'),
      fields: {
        ...{ name: '=jane', usrname: '=jane@internal', user_and_domain: '=jane@internal' },
        ...{ login: '=jane', directory: '=internal-authz', tag: '=seen', pool: '=pool' },
        type: '=user',
      },
    },
  ],
  group: [
    { path: '/groups', is: named('Everyone'), fields: { grpname: '=Everyone', name: '=Every*' } },
  ],
  template: [
    {
      path: '/templates',
      is: named('made'),
      fields: {
        ...{ name: '=made', ...texts, os: '=rhel_9x64', ...now, childcount: '=1', mem: '=2048' },
        ...{ status: '=OK', sealed: '=false', cluster: '=Default', datacenter: '=Default' },
        ...{ quota: '=q', architecture: '=x86_64', version_name: '=first', tag: '=seen' },
        _vmt_id: of('id'),
      },
    },
  ],
  instance_type: [
    {
      path: '/instancetypes',
      is: named('type'),
      fields: {
        ...{ name: '=type', description: '="a description"', childcount: '=1', mem: '=1024' },
        _vmt_id: of('id'),
      },
    },
  ],
  vm_pool: [
    {
      path: '/vmpools',
      is: named('pool'),
      fields: {
        ...{ name: '=pool', ...texts, type: '=MANUAL', cluster: '=Default' },
        ...{ datacenter: '=Default', architecture: '=x86_64', assigned_vm_count: '=1' },
        running_vm_count: '=0',
      },
    },
  ],
  network: [
    {
      path: '/networks',
      is: named('net9'),
      fields: {
        ...{ name: '=net9', ...texts, vlanid: '=9', mtu: '=1400', stp: '=true' },
        ...{ vmnetwork: '=true', datacenter: '=Default', label: '=lab', qos_name: '=net-qos' },
      },
    },
    { path: '/networks', is: named('outside'), fields: { provider_name: '=neutron' } },
  ],
  gluster_volume: [
    {
      path: '{volumes}',
      is: (volume) => volume['name'] === made['volume'],
      fields: {
        ...{ name: of('name'), type: '=DISTRIBUTE', transport_type: '=TCP', status: '=DOWN' },
        ...{ replica_count: '>=0', stripe_count: '>=0' },
      },
    },
  ],
  job: [
    {
      path: '/jobs',
      is: (job) => job['description'] === 'Editing properties of VM seek',
      fields: { correlation_id: '=job-of-this' },
    },
  ],
  directory_user: [
    {
      path: '{domain}/users',
      is: named('marco'),
      fields: { name: '=marco', username: '=marco*', allnames: '=*marco*' },
    },
  ],
  directory_group: [
    {
      path: '{domain}/groups',
      is: named('auditors'),
      fields: { name: '=auditors', groupname: '=auditors', allnames: '=audit*' },
    },
  ],
};

async function resolvePath(path: string): Promise<string> {
  const { list } = await people.admin.get('/domains');
  const domain = list.find((one) => String(one['name']).startsWith('internal'));
  return path
    .replace('{domain}', `/domains/${String(domain?.['id'])}`)
    .replace('{volumes}', made['volumePath'] ?? '');
}

/** Kinds with a separate search, not only a reference from others. */
const searched = Object.keys(known);

describe('every field', () => {
  it.each(searched)('of %s has a test here, or is declared as having no values', (type) => {
    const seen = new Set((known[type] ?? []).flatMap(({ fields }) => Object.keys(fields)));
    const left = Object.entries(searchFields[type] ?? {})
      .filter(([name, { relations }]) => !seen.has(name) && relations?.length !== 0)
      .map(([name]) => name)
      .filter((name) => !valueless[`${type} ${name}`]);
    expect(left).toEqual([]);
  });
});

describe.each(searched)('%s', (type) => {
  const conditions = (known[type] ?? []).flatMap((one) =>
    Object.entries(one.fields).map(([field, condition]) => [field, condition, one] as const),
  );

  it.each(conditions)('is found by %s', async (field, condition, { path, is }) => {
    const at = await resolvePath(path);
    const all = (await people.admin.get(at)).list;
    const object = all.find(is);
    expect(object, `${at}: ${JSON.stringify(all).slice(0, 500)}`).toBeDefined();
    const text = typeof condition === 'string' ? condition : condition(object ?? {});
    const ask = async (search: string) => {
      const [plain] = at.split('?');
      const answer = await people.admin.get(`${plain}?search=${encodeURIComponent(search)}`);
      expect(answer.status, `${search}: ${answer.text}`).toBe(200);
      return answer.list.map((one) => one['id']);
    };
    expect(await ask(`${field}${text}`), `${field}${text}`).toContain(object?.['id']);
    const relations = searchFields[type]?.[field]?.relations ?? ['=', '!='];
    if (!text.startsWith('=') || !relations.includes('!=')) return;
    expect(await ask(`${field}!${text}`), `${field}!${text}`).not.toContain(object?.['id']);
  });
});
