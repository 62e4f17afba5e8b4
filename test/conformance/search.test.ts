/** Searches over HTTP: every field, the grammar, order, pages, and syntax errors. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { crossReferences, searchFields } from '../../src/model/derive/search.ts';
import { listAllOperations } from '../../src/model/index.ts';
import { relationsByKind, type SearchField } from '../../src/model/notation/search.ts';
import { RawApi } from '../support/raw.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

type Thing = Readonly<Record<string, never>>;

let server: TestServer;
let api: RawApi;
let ovirtServer: TestServer;
let ovirt: RawApi;

const options = ['--speed', '0', '--seed', '7', '--inventory', 'small'];

beforeAll(async () => {
  [server, ovirtServer] = await Promise.all([
    startTestServer(options),
    startTestServer([...options, '--dialect', 'ovirt']),
  ]);
  [api, ovirt] = await Promise.all([
    RawApi.signIn(server),
    RawApi.signIn(ovirtServer, 'ovirt-app-api'),
  ]);
  const [vm] = await listed('vms', 'name=vm-01');
  const made = async (path: string, body: object) => {
    const answer = await api.json('POST', path, body);
    expect([200, 201], answer.text).toContain(answer.status);
    return answer.json<Record<string, string>>();
  };
  const north = await made('/tags', { name: 'north' });
  await made('/tags', { name: 'oslo', parent: { id: north['id'] } });
  await made(`/vms/${vm?.['id']}/tags`, { name: 'oslo' });
  const changed = await api.json('PUT', `/vms/${vm?.['id']}`, {
    description: '100% of_it, "quoted"',
    comment: 'web server',
  });
  expect(changed.status, changed.text).toBe(200);
});

afterAll(async () => {
  await Promise.all([server.stop(), ovirtServer.stop()]);
});

function path(collection: string, search: string, more = ''): string {
  return `/${collection}?search=${encodeURIComponent(search)}${more}`;
}

async function listed(collection: string, search: string, more = ''): Promise<Thing[]> {
  const answer = await api.json('GET', path(collection, search, more));
  expect(answer.status, `${collection}: ${search}: ${answer.text}`).toBe(200);
  // Some lists also have actions.
  return Object.values(answer.json<Record<string, Thing[]>>()).find(Array.isArray) ?? [];
}

async function names(collection: string, search: string, more = ''): Promise<string[]> {
  return (await listed(collection, search, more)).map(({ name }) => name ?? '');
}

/** Top-level collections that support searches, by the type of their objects. */
const searched = listAllOperations()
  .filter(({ query, path: at }) => query.includes('search') && at.split('/').length === 2)
  .filter(({ type }) => searchFields[type])
  .map(({ path: at, type }) => [at.slice(1), type] as const);

/** A value of the field. */
function createSample(field: SearchField): string {
  if (field.enum) return '""';
  const [word] = Object.keys(field.values ?? {});
  const values = { bool: 'true', number: '1', date: 'today', span: '1', severity: 'normal' };
  return word ?? (values as Record<string, string>)[field.kind] ?? '"no such *"';
}

describe('every field is served', () => {
  it.each(searched)('of %s', async (collection, type) => {
    for (const [name, field] of Object.entries(searchFields[type] ?? {})) {
      const relations = field.enum ? ['=', '!='] : (field.relations ?? relationsByKind[field.kind]);
      for (const relation of relations) {
        await listed(collection, `${name} ${relation} ${createSample(field)}`);
      }
      if (field.kind === 'tag') continue;
      await listed(collection, `sortby ${name} desc`);
      // Every object meets either a condition or its opposite.
      if (!relations.includes('!=')) continue;
      const yes = await listed(collection, `${name} = ${createSample(field)}`);
      const no = await listed(collection, `${name} != ${createSample(field)}`);
      const all = await listed(collection, '');
      if (collection !== 'events') expect(yes.length + no.length, name).toBe(all.length);
    }
  });

  it.each(searched)('of the references of %s', async (collection, type) => {
    for (const { names: words, fields } of crossReferences[type] ?? []) {
      for (const word of words) await listed(collection, `${word}=nothing`);
      for (const [name, field] of Object.entries(searchFields[fields] ?? {})) {
        const [relation] = field.relations ?? relationsByKind[field.kind];
        // Some fields are only found by text without a field.
        if (!relation) continue;
        await listed(collection, `${words[0]}.${name} ${relation} ${createSample(field)}`);
      }
    }
  });

  it('of directories and volumes', async () => {
    const [domain] = await listed('domains', '');
    const inDomain = (search: string) => names(`domains/${domain?.['id']}/users`, search);
    expect(await inDomain('allnames=*marco*')).toEqual(['marco']);
    for (const name of Object.keys(searchFields['directory_user'] ?? {})) {
      await inDomain(`${name}=x`);
    }
    expect(await names(`domains/${domain?.['id']}/groups`, 'groupname=aud*')).toEqual(['auditors']);
    const [cluster] = await listed('clusters', '');
    for (const [name, field] of Object.entries(searchFields['gluster_volume'] ?? {})) {
      const volumes = `clusters/${cluster?.['id']}/glustervolumes`;
      expect(await names(volumes, `${name}=${createSample(field)}`)).toEqual([]);
    }
  });
});

describe('known values', () => {
  it.each([
    ['vms', 'ip=10.*', ['vm-01', 'vm-03']],
    ['vms', 'apps=qemu-guest-agent*', ['vm-01', 'vm-03']],
    ['vms', 'uptime < 1', ['vm-01', 'vm-03']],
    ['vms', 'uptime > 1', []],
    ['vms', 'vcpus = 1 and name=vm-01', ['vm-01']],
    ['vms', 'vcpus > 64', []],
    ['vms', 'compatibility_level=4.8 and name=vm-01', ['vm-01']],
    ['vms', 'compatibility_level=4.2', []],
    ['vms', 'cpu_usage >= 0 and status=up', ['vm-01', 'vm-03']],
    ['vms', 'cpu_usage > 100', []],
    ['vms', 'mem_usage > 0', ['vm-01', 'vm-03']],
    ['vms', 'memory = 1024 and name=vm-01', ['vm-01']],
    ['vms', 'fqdn=vm-01.example.com', ['vm-01']],
    ['vms', 'template=Blank and name=vm-01', ['vm-01']],
    ['vms', 'tag=oslo', ['vm-01']],
    ['vms', 'tag=north', ['vm-01']],
    ['vms', 'tag=south', []],
    ['vms', 'k8s_namespace=x', []],
    ['vms', 'Storage.name=data1 and name=vm-01', ['vm-01']],
    ['vms', 'events.type=32 and name=vm-01', undefined],
    ['hosts', 'cpus = 32', ['host1', 'host2']],
    ['hosts', 'active_vms > 0', ['host1', 'host2']],
    ['hosts', 'committed_mem = 1024', ['host1', 'host2']],
    ['hosts', 'spm_id = 1', ['host1']],
    ['hosts', 'spm_id = 2', ['host2']],
    ['hosts', 'mem_usage > 0', ['host1', 'host2']],
    ['hosts', 'load > 1000', []],
    ['hosts', 'status=NonResponsive', []],
    ['storagedomains', 'total_size = 1024', ['data1', 'data2', 'iso1']],
    ['storagedomains', 'shared_status = active and name=data1', ['data1']],
    ['storagedomains', 'shared_status = unattached', ['repository']],
    ['disks', 'number_of_vms = 1 and alias=vm-01_Disk1', ['vm-01_Disk1']],
    ['disks', 'creation_date > yesterday and alias=vm-01*', ['vm-01_Disk1']],
    ['disks', 'creation_date < yesterday', []],
    ['disks', 'last_modified > today and name=vm-01*', ['vm-01_Disk1']],
    ['disks', 'vm_names=vm-01', ['vm-01_Disk1']],
    ['templates', 'childcount > 0', ['Blank']],
    ['templates', 'sealed = true', []],
    ['networks', 'vmnetwork = true', ['mgmt', 'net1']],
    ['networks', 'vmnetwork = false', []],
    ['networks', 'vlanid = 101', ['net1']],
    ['networks', 'cluster_network.cluster_name=Default and name=mgmt', ['mgmt']],
    ['clusters', 'cluster_networks.network_name=mgmt', ['Default']],
    ['clusters', 'storage.name=data1', ['Default']],
    ['users', 'usrname=admin@internal', ['admin']],
    ['users', 'usrname=admin@elsewhere', []],
    ['users', 'type=user and name=admin', ['admin']],
    ['datacenters', 'networks.name=net1', ['Default']],
  ] as const)('%s: %s', async (collection, search, expected) => {
    const found = await names(collection, search);
    if (expected) expect([...found].sort()).toEqual([...expected]);
  });

  it('contain the creator of a VM', async () => {
    const [cluster] = await listed('clusters', '');
    const body = { name: 'mine', cluster: { id: cluster?.['id'] }, template: { name: 'Blank' } };
    const added = await api.json('POST', '/vms', body);
    expect(added.status, added.text).toBe(201);
    const [admin] = await listed('users', 'name=admin');
    expect(await names('vms', `created_by_user_id=${admin?.['id']}`)).toContain('mine');
    const gone = await api.json('DELETE', `/vms/${added.json()['id']}`);
    expect(gone.status, gone.text).toBe(200);
  });
});

describe('grammar', () => {
  it.each([
    // "and" binds tighter than "or", adjacent conditions least.
    ['name=vm-01 or name=vm-02 and name=vm-03', ['vm-01']],
    ['name=vm-01 or name=vm-02 name=vm-02', ['vm-02']],
    ['NAME = vm-01 OR Name=VM-02', ['vm-01', 'vm-02']],
    ['name!=vm-01 and name=vm-0*', undefined],
    ['name=*-01', ['vm-01']],
    ['name=v*-*1', ['vm-01']],
    ['name="vm-01"', ['vm-01']],
    // These two characters have no special meaning.
    ['name=vm_01', []],
    ['name=vm%', []],
    ['description=100%*', ['vm-01']],
    ['comment="web server"', ['vm-01']],
    ['comment=web server', undefined],
    ['"web ser"', ['vm-01']],
    ['host.status=up and name=vm-01', ['vm-01']],
    ['on_host="" and name=vm-01', []],
    ['on_host!=null and name=vm-01', ['vm-01']],
  ] as const)('%s', async (search, expected) => {
    const found = await names('vms', search);
    if (expected) expect(found).toEqual([...expected]);
    else expect(found).not.toContain('nothing');
  });

  it('ignores case by default', async () => {
    expect(await names('vms', 'name=VM-01')).toEqual(['vm-01']);
    expect(await names('vms', 'name=VM-01', '&case_sensitive=true')).toEqual([]);
    expect(await names('vms', 'name=VM-*', '&case_sensitive')).toEqual([]);
    expect(await names('vms', 'name=vm-*1', '&case_sensitive=true')).toEqual(['vm-01']);
  });

  it.each([
    ['vms', 'colour=red'],
    ['vms', 'name='],
    ['vms', 'status=sideways'],
    ['vms', 'memory=much'],
    ['vms', 'name<vm-01'],
    ['vms', 'creationdate > someday'],
    ['vms', "name=it's"],
    ['vms', 'name=a; drop'],
    ['vms', 'name=a\\'],
    ['vms', 'name="a'],
    ['vms', '(name=a)'],
    ['vms', 'planets.name=a'],
    ['vms', 'sortby colour'],
    ['vms', 'sortby name sortby memory'],
    ['vms', 'page one'],
    ['vms', 'page 1 name=a'],
    ['vms', 'and name=a'],
    ['hosts', 'status != non_existing'],
    ['events', 'severity=grave'],
  ])('does not parse %s: %s', async (collection, search) => {
    const answer = await api.json('GET', path(collection, search));
    expect(answer.status, answer.text).toBe(400);
    expect(answer.json()['detail']).toMatch(/^Cannot parse the search: .*\(character \d+\)/);
    const quiet = await ovirt.json('GET', path(collection, search));
    expect(quiet.status, quiet.text).toBe(200);
    const lists = Object.values(quiet.json()).filter(Array.isArray);
    expect(lists.flat()).toEqual([]);
  });

  it('refuses page 0 in each dialect', async () => {
    for (const speaker of [api, ovirt]) {
      const answer = await speaker.json('GET', path('vms', 'page 0'));
      expect(answer.status, answer.text).toBe(400);
      expect(answer.json()['detail']).toMatch(/^Cannot parse the search: .*\(character \d+\)/);
    }
  });
});

describe('order and pages', () => {
  it('are the requested ones, then the default', async () => {
    const all = await names('vms', '');
    expect(all).toEqual([...all].sort());
    expect(await names('vms', 'sortby name desc')).toEqual([...all].reverse());
    expect(await names('vms', 'sortby cluster')).toEqual(all);
    const byLoad = await names('vms', 'sortby mem_usage');
    expect(byLoad[0]).toBe('vm-02');
    expect([...byLoad.slice(1)].sort()).toEqual(['vm-01', 'vm-03']);
    expect(await names('vms', 'sortby memory desc page 1', '&max=1')).toHaveLength(1);
  });

  it('apply max to pages', async () => {
    const all = await names('vms', 'sortby name asc');
    const second = await names('vms', 'sortby name asc page 2', '&max=1');
    expect(second).toEqual(all.slice(1, 2));
    expect(await names('vms', 'sortby name page 2', '&max=1')).toEqual(second);
    expect(await names('vms', 'page 2')).toEqual([]);
    expect(await names('vms', '', '&max=0')).toEqual([]);
    const negative = await api.json('GET', path('vms', 'name=*', '&max=-1'));
    expect(negative.status).toBe(400);
  });

  it('are newest first for events, and by alias for disks', async () => {
    const events = (await listed('events', '')).map(({ id }) => Number(id));
    expect(events).toEqual([...events].sort((a, b) => b - a));
    const disks = (await listed('disks', '')).map(({ alias }) => alias ?? '');
    expect(disks).toEqual([...disks].sort());
    expect(await names('networks', '')).toEqual(['mgmt', 'net1']);
  });
});

describe('events', () => {
  it('are found by code, user, severity and time', async () => {
    const found = await listed('events', 'type=30 and usrname=admin@internal');
    expect(found.length).toBeGreaterThan(0);
    expect(await listed('events', 'severity > alert')).toEqual([]);
    const today = await listed('events', 'time > yesterday');
    expect(today.length).toBe((await listed('events', '')).length);
    expect(await listed('events', 'time < yesterday')).toEqual([]);
    expect(await listed('events', 'deleted=true')).toEqual([]);
  });

  it('begin at an id; the dialects differ in whether it is included', async () => {
    const ids = (await listed('events', '', '&from=2')).map(({ id }) => Number(id));
    expect(Math.min(...ids)).toBe(2);
    const answer = await ovirt.json('GET', path('events', 'sortby time desc', '&from=2&max=1'));
    expect(answer.status).toBe(200);
    const list = answer.json<{ event?: { id: string }[] }>().event ?? [];
    for (const { id } of list) expect(Number(id)).toBeGreaterThan(2);
  });
});
