/** Ordinary collections: added objects can be read, changed, found in their list, and removed. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { specifiedOperations } from '../../src/specification/operations.ts';
import { readFirstIds } from '../support/firsts.ts';
import { RawApi } from '../support/raw.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

let server: TestServer;
let api: RawApi;
/** Ids of objects of the inventory, by path parameter. */
let ids: Record<string, string> = {};

beforeAll(async () => {
  server = await startTestServer(['--speed', '0', '--inventory', 'small']);
  api = await RawApi.signIn(server);
  ids = await readFirstIds(api);
});

afterAll(async () => {
  await server.stop();
});

const fill = (text: string) => text.replace(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? name);
const fillAll = <T>(value: T): T => JSON.parse(fill(JSON.stringify(value))) as T;

describe.each([
  ['/bookmarks', { name: 'b', value: 'status=up' }, { value: 'status=down' }],
  ['/tags', { name: 't', description: 'd' }, { description: 'e' }],
  [
    '/roles',
    { name: 'r', administrative: false, permits: { permit: [{ id: '1' }] } },
    { description: 'e' },
  ],
  [
    '/macpools',
    { name: 'm', ranges: { range: [{ from: '02:00:00:00:00:00', to: '02:00:00:00:00:0f' }] } },
    { description: 'e' },
  ],
  ['/cpuprofiles', { name: 'c', cluster: { id: '{cluster}' } }, { description: 'e' }],
  ['/diskprofiles', { name: 'd', storage_domain: { id: '{storagedomain}' } }, { description: 'e' }],
  ['/networks', { name: 'n', data_center: { id: '{datacenter}' }, mtu: 9000 }, { mtu: 1500 }],
  ['/datacenters/{datacenter}/networks', { name: 'n2' }, { description: 'e' }],
  ['/networks/{network}/vnicprofiles', { name: 'v' }, undefined],
  ['/vnicprofiles', { name: 'v2', network: { id: '{network}' } }, { port_mirroring: true }],
  ['/datacenters', { name: 'dc', local: false }, { description: 'e' }],
  [
    '/clusters',
    { name: 'cl', cpu: { type: 'Intel Nehalem Family' }, data_center: { id: '{datacenter}' } },
    { description: 'e' },
  ],
  [
    '/datacenters/{datacenter}/clusters',
    { name: 'cl2', cpu: { type: 'Intel Nehalem Family' } },
    { description: 'e' },
  ],
  ['/datacenters/{datacenter}/quotas', { name: 'q' }, { cluster_soft_limit_pct: 70 }],
  [
    '/datacenters/{datacenter}/qoss',
    { name: 's', type: 'storage', max_iops: 100 },
    { max_iops: 200 },
  ],
  ['/datacenters/{datacenter}/iscsibonds', { name: 'i' }, { description: 'e' }],
  [
    '/clusters/{cluster}/affinitygroups',
    { name: 'a', positive: true, enforcing: false },
    { enforcing: true },
  ],
  ['/affinitylabels', { name: 'l', vms: { vm: [{ id: '{vm}' }] } }, { name: 'l2' }],
  ['/permissions', { role: { name: 'UserRole' }, user: { id: '{user}' } }, undefined],
  ['/vms/{vm}/permissions', { role: { name: 'UserVmManager' }, user: { id: '{user}' } }, undefined],
  [
    '/hosts/{host}/fenceagents',
    { address: '10.0.0.9', order: 1, type: 'ipmilan', username: 'u', password: 'p' },
    { username: 'v' },
  ],
  ['/storageconnections', { type: 'nfs', address: 'a', path: '/b' }, { path: '/c' }],
  [
    '/externalhostproviders',
    { name: 'p', url: 'https://example.com', username: 'u' },
    { description: 'e' },
  ],
  ['/schedulingpolicies', { name: 'mine' }, { description: 'e' }],
  ['/instancetypes', { name: 'Huge', memory: 2 ** 36 }, { memory: 2 ** 35 }],
  ['/users', { user_name: 'lena@internal-authz', domain: { id: '{domain}' } }, undefined],
  ['/groups', { name: 'admins', domain: { id: '{domain}' } }, undefined],
] as const)('%s', (template, body, change) => {
  it('adds, lists, gets, changes and removes', async () => {
    const path = fill(template);
    const added = await api.json('POST', path, fillAll(body));
    expect(added.status, added.text).toBe(201);
    const object = added.json();
    const id = String(object['id']);
    expect(added.headers['location']).toBe(object['href']);
    for (const secret of ['password', 'root_password']) expect(object).not.toHaveProperty(secret);
    if ('name' in body && 'name' in object) expect(object['name']).toBe(body.name);

    const [list] = Object.values(
      (await api.json('GET', path)).json<Record<string, { id: string }[]>>(),
    );
    expect(list?.map((one) => one.id)).toContain(id);
    const xml = await api.xml('GET', `${path}/${id}`);
    expect(xml.status, xml.text).toBe(200);
    expect(xml.attribute('id')).toBe(id);

    if (change) {
      const changed = await api.json('PUT', `${path}/${id}`, change);
      expect(changed.status, changed.text).toBe(200);
      expect(changed.json()).toMatchObject(change);
      const other = await api.json('PUT', `${path}/${id}`, { id: ids['vm'] });
      expect(other.status).toBe(409);
    }
    if (template === '/datacenters' || template === '/clusters') {
      const twice = await api.json('POST', path, fillAll(body));
      expect(twice.status).toBe(409);
      expect(twice.json()['reason']).toBe('Operation Failed');
    }
    const removed = await api.json('DELETE', `${path}/${id}`);
    expect(removed.status, removed.text).toBe(200);
    expect(removed.json()['status']).toBe('complete');
    expect((await api.json('GET', `${path}/${id}`)).status).toBe(404);
  });
});

describe('membership', () => {
  it('of labels is the same from both sides', async () => {
    const label = (await api.json('POST', '/affinitylabels', { name: 'both' })).json();
    const attached = await api.json('POST', fill('/vms/{vm}/affinitylabels'), { id: label['id'] });
    expect(attached.status, attached.text).toBe(201);
    const vms = await api.json('GET', `/affinitylabels/${label['id']}/vms`);
    expect(vms.json<{ vm: { id: string }[] }>().vm.map(({ id }) => id)).toEqual([ids['vm']]);
    const hosts = await api.json('POST', `/affinitylabels/${label['id']}/hosts`, {
      id: ids['host'],
    });
    expect(hosts.status).toBe(200);
    expect(
      (await api.json('DELETE', `/affinitylabels/${label['id']}/vms/${ids['vm']}`)).status,
    ).toBe(200);
    const left = await api.json('GET', fill('/vms/{vm}/affinitylabels'));
    expect(left.json<{ affinity_label: unknown[] }>().affinity_label).toEqual([]);
    expect((await api.json('GET', fill('/vms/{vm}'))).status).toBe(200);
  });

  it('of tags is by name or id', async () => {
    await api.json('POST', '/tags', { name: 'production' });
    const assigned = await api.xml(
      'POST',
      fill('/vms/{vm}/tags'),
      '<tag><name>production</name></tag>',
    );
    expect(assigned.status, assigned.text).toBe(201);
    const found = await api.json('GET', '/vms?search=tag%3Dproduction');
    expect(found.json<{ vm: { id: string }[] }>().vm.map(({ id }) => id)).toEqual([ids['vm']]);
    const tag = (await api.json('GET', fill('/vms/{vm}/tags'))).json<{ tag: { id: string }[] }>()
      .tag[0];
    expect((await api.json('DELETE', fill(`/vms/{vm}/tags/${tag?.id}`))).status).toBe(200);
    expect((await api.json('GET', `/tags/${tag?.id}`)).status).toBe(200);
  });

  it('of affinity groups accepts VMs by id', async () => {
    const path = fill('/clusters/{cluster}/affinitygroups');
    const group = (await api.json('POST', path, { name: 'together' })).json();
    const added = await api.json('POST', `${path}/${group['id']}/vms`, { id: ids['vm'] });
    expect(added.status, added.text).toBe(200);
    const unknown = await api.json('POST', `${path}/${group['id']}/vms`, { id: ids['host'] });
    expect(unknown.status).toBe(400);
    const below = fill(`/datacenters/{datacenter}${path}/${group['id']}/vms`);
    expect((await api.json('GET', below)).json<{ vm: unknown[] }>().vm).toHaveLength(1);
  });
});

describe('every operation of the specification', () => {
  const reads = specifiedOperations.filter(
    ({ http, tier }) => http === 'GET' && tier !== 'beyond' && tier !== 'daemon',
  );

  it('that reads a collection returns it', async () => {
    const domains = (await api.json('GET', '/storagedomains')).json<{
      storage_domain: { id: string; type: string }[];
    }>().storage_domain;
    const iso = domains.find(({ type }) => type === 'iso')?.id ?? 'no ISO domain';
    for (const { path } of reads.filter((one) => !one.path.endsWith('}'))) {
      // The first storage domain is a data domain; only ISO domains have files.
      const answer = await api.json(
        'GET',
        fill(path.replace(/\{storagedomain\}(?=\/files$)/, iso)),
      );
      const parameters = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
      // Disk profiles and CPU profiles share a path parameter with vNIC profiles.
      const there = !/^.(cpu|disk)profiles/.test(path);
      const known = there && parameters.length < 2 && parameters.every((name) => ids[name]);
      const expected = known ? [200] : [200, 404];
      expect(expected, `${path}: ${answer.status} ${answer.text.slice(0, 200)}`).toContain(
        answer.status,
      );
    }
  });

  it('that addresses an unknown object returns 404', async () => {
    const unknown = '11111111-2222-3333-4444-555555555555';
    for (const { path } of reads.filter((one) => one.path.endsWith('}'))) {
      const answer = await api.json('GET', fill(path).replace(/[^/]+$/, unknown));
      expect(answer.status, path).toBe(404);
    }
  });
});
