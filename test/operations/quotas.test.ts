/** Quotas and their limits, QoS and iSCSI bonds of a data center. */
import { describe, expect } from 'vitest';
import { row } from './support/rows.ts';
import { type People, useSite } from './support/site.ts';
import { at } from './support/speaker.ts';
import { addDomain, attach, events, gibibyte, ownSite, settled } from './support/storage.ts';

const site = useSite();

const on = (id: string) => ({ storage_domains: { storage_domain: [{ id }] } });

/** A data center that looks at quotas, with a storage domain and a quota of 10 GiB. */
async function limited(people: People, mode: 'enabled' | 'audit') {
  const { admin, name } = people;
  const own = await ownSite(people);
  const domain = await addDomain(admin, own.own, name('data'));
  await attach(admin, own.path, domain.id);
  const quota = await admin.add(`${own.path}/quotas`, { quota: { name: name('quota') } });
  const path = `${own.path}/quotas/${quota.id}`;
  await admin.add(`${path}/quotastoragelimits`, { quota_storage_limit: { limit: 10 } });
  await admin.put(own.path, { data_center: { quota_mode: mode } });
  const disk = (gib: number) =>
    admin.post('/disks', {
      disk: {
        name: name('disk'),
        format: 'raw',
        provisioned_size: gib * gibibyte,
        quota: { id: quota.id },
        ...on(domain.id),
      },
    });
  return { ...own, domain: domain.id, quota: quota.id, quotaPath: path, disk };
}

describe(row('G4'), () => {
  site.both('adds, lists, gets, changes and removes quotas', async ({ admin, name, path }) => {
    const list = path('/datacenters/{datacenter}/quotas');
    const quota = { name: name('quota'), description: 'd', storage_hard_limit_pct: 30 };
    const { status, object, text } = await admin.post(list, { quota });
    expect(status, text).toBe(201);
    expect(object).toMatchObject({
      name: quota.name,
      cluster_soft_limit_pct: '80',
      cluster_hard_limit_pct: '20',
      storage_soft_limit_pct: '80',
      storage_hard_limit_pct: '30',
    });
    const own = `${list}/${String(object['id'])}`;
    expect((await admin.get(list)).list.map((one) => one['name'])).toContain(quota.name);
    expect((await admin.get(own)).object['description']).toBe('d');
    const changed = await admin.put(own, { quota: { description: 'e' } });
    expect(changed.object).toMatchObject({ name: quota.name, description: 'e' });
    expect((await admin.post(list, { quota })).status).toBe(409);
    expect((await admin.delete(own)).status).toBe(200);
    expect((await admin.get(own)).status).toBe(404);
  });
  site.both('does not change the default quota', async ({ admin, path }) => {
    const list = path('/datacenters/{datacenter}/quotas');
    const { id } = await admin.find(list, 'Default');
    for (const answer of [
      await admin.put(`${list}/${id}`, { quota: { description: 'x' } }),
      await admin.delete(`${list}/${id}`),
      await admin.post(`${list}/${id}/quotastoragelimits`, { quota_storage_limit: { limit: 1 } }),
    ]) {
      expect([answer.status, answer.fault?.detail]).toEqual([
        400,
        expect.stringContaining('default quota'),
      ]);
    }
  });
  site.both('refuses storage over the limit plus grace', async (people) => {
    const { admin, disk, quotaPath } = await withAdmin(people, 'enabled');
    const made = await disk(7);
    expect([201, 202], made.text).toContain(made.status);
    expect((await disk(2)).status).toBeLessThan(300);
    expect(await events(admin)).toContainEqual(expect.stringContaining('above its threshold'));
    expect((await disk(2)).status).toBeLessThan(300);
    expect(await events(admin)).toContainEqual(expect.stringContaining('within the grace'));
    const refused = await disk(2);
    expect([refused.status, refused.fault?.detail]).toEqual([
      409,
      expect.stringContaining('allows 10 GiB of storage'),
    ]);
    const [limit] = (await admin.get(`${quotaPath}/quotastoragelimits`)).list;
    expect(limit).toMatchObject({ limit: '10', usage: '11' });
    const used = await admin.delete(quotaPath);
    expect([used.status, used.fault?.detail]).toEqual([409, expect.stringContaining('in use')]);
    const id = String(made.object['id']);
    await settled(admin, `/disks/${id}`);
    await admin.delete(`/disks/${id}`);
    expect((await disk(2)).status).toBeLessThan(300);
  });
  site.both('allows usage up to a limit, not over it', async (people) => {
    const { admin, disk, quotaPath } = await withAdmin(people, 'enabled');
    const quota = String((await admin.get(quotaPath)).object['name']);
    const about = async () =>
      (await events(admin)).flatMap(
        (text) => new RegExp(`^Quota ${quota} is .*(threshold|grace)`).exec(text)?.[1] ?? [],
      );
    const takes = async (gib: number) => expect((await disk(gib)).status).toBeLessThan(300);
    await takes(8);
    expect(await about()).toEqual([]);
    await takes(1 / 1024);
    await takes(2 - 1 / 1024);
    expect(await about()).toEqual(['threshold', 'threshold']);
    await takes(1 / 1024);
    await takes(2 - 1 / 1024);
    expect(await about()).toEqual(['grace', 'grace', 'threshold', 'threshold']);
    const refused = await disk(1 / 1024);
    expect([refused.status, refused.fault?.detail]).toEqual([
      409,
      expect.stringContaining('allows 10 GiB of storage'),
    ]);
  });
  site.both('only warns in audit mode', async (people) => {
    const { admin, disk } = await withAdmin(people, 'audit');
    expect((await disk(20)).status).toBeLessThan(300);
    expect(await events(admin)).toContainEqual(
      expect.stringContaining('over its limit and the grace'),
    );
  });
  site.both('limits single domains or all of them, not both', async (people) => {
    const { admin, quotaPath, domain } = await withAdmin(people, 'enabled');
    const limits = `${quotaPath}/quotastoragelimits`;
    const mixed = await admin.post(limits, {
      quota_storage_limit: { limit: 5, storage_domain: { id: domain } },
    });
    expect([mixed.status, mixed.fault?.detail]).toEqual([
      409,
      expect.stringContaining('one limit'),
    ]);
    const [first] = (await admin.get(limits)).list;
    expect((await admin.get(`${limits}/${String(first?.['id'])}`)).status).toBe(200);
    expect((await admin.delete(`${limits}/${String(first?.['id'])}`)).status).toBe(200);
    const own = await admin.post(limits, {
      quota_storage_limit: { limit: 5, storage_domain: { id: domain } },
    });
    expect(own.status, own.text).toBe(201);
    expect(at(own.object, 'storage_domain.id')).toBe(domain);
  });
  site.both('limits processors and memory of clusters', async (people) => {
    const { admin, quotaPath, cluster, quota, own } = await withAdmin(people, 'enabled');
    const limits = `${quotaPath}/quotaclusterlimits`;
    const limit = await admin.add(limits, {
      quota_cluster_limit: { vcpu_limit: 1, memory_limit: 4, cluster: { id: cluster } },
    });
    expect(limit).toMatchObject({ vcpu_limit: '1', vcpu_usage: '0', memory_usage: '0' });
    const ids: string[] = [];
    for (const stem of ['a', 'b']) {
      const { id } = await admin.add('/vms', {
        vm: {
          name: `${own}-${stem}`,
          cluster: { id: cluster },
          template: { name: 'Blank' },
          quota: { id: quota },
          os: { boot: { devices: { device: ['cdrom'] } } },
        },
      });
      ids.push(id);
    }
    await admin.must(`/vms/${ids[0]}/start`);
    expect((await admin.get(`${limits}/${limit.id}`)).object).toMatchObject({
      vcpu_usage: '1',
      memory_usage: '1',
    });
    const refused = await admin.post(`/vms/${ids[1]}/start`);
    expect([refused.status, refused.fault?.detail]).toEqual([
      409,
      expect.stringContaining('virtual CPUs'),
    ]);
    await admin.must(`/vms/${ids[0]}/stop`);
    await admin.must(`/vms/${ids[1]}/start`);
    await admin.must(`/vms/${ids[1]}/stop`);
    expect((await admin.delete(`${limits}/${limit.id}`)).status).toBe(200);
  });
  site.both('is consumed only with a permission', async (people) => {
    const { admin, jane, path } = people;
    const dataCenter = path('/datacenters/{datacenter}');
    const vm = await admin.find('/vms', 'vm-01');
    await admin.must(`/vms/${vm.id}/stop`);
    await admin.put(dataCenter, { data_center: { quota_mode: 'enabled' } });
    const refused = await jane.post(`/vms/${vm.id}/start`);
    expect([refused.status, refused.fault?.detail]).toEqual([
      403,
      expect.stringContaining('quota Default'),
    ]);
    const quota = await admin.find(`${dataCenter}/quotas`, 'Default');
    const user = (await admin.get('/users')).list.find((one) =>
      String(one['user_name']).startsWith('jane@'),
    );
    const role = await admin.find('/roles', 'QuotaConsumer');
    const list = `${dataCenter}/quotas/${quota.id}/permissions`;
    const permission = await admin.add(list, {
      permission: { role: { id: role.id }, user: { id: user?.['id'] } },
    });
    await jane.must(`/vms/${vm.id}/start`);
    await admin.delete(`${list}/${permission.id}`);
    await admin.put(dataCenter, { data_center: { quota_mode: 'disabled' } });
  });
  site.incomplete('POST', '/datacenters/{datacenter}/quotas', { quota: {} }, 'name');
  site.unknown('GET', '/datacenters/{datacenter}/quotas/{unknown}');
  site.unknown('PUT', '/datacenters/{datacenter}/quotas/{unknown}', { quota: { name: 'x' } });
  site.unknown('DELETE', '/datacenters/{datacenter}/quotas/{unknown}');
  site.forbidden('POST', '/datacenters/{datacenter}/quotas', { quota: { name: 'mine' } });
});

async function withAdmin(people: People, mode: 'enabled' | 'audit') {
  return { ...(await limited(people, mode)), admin: people.admin };
}

describe(row('G5'), () => {
  const list = '/datacenters/{datacenter}/qoss';
  site.both('adds, lists, gets, changes and removes QoS of each type', async (people) => {
    const { admin, name, path } = people;
    const types = [
      { type: 'storage', max_throughput: 100, max_iops: 1_000 },
      { type: 'cpu', cpu_limit: 50 },
      { type: 'network', inbound_average: 10, inbound_peak: 20, inbound_burst: 100 },
      { type: 'hostnetwork', outbound_average_linkshare: 50 },
    ];
    for (const limits of types) {
      const qos = { name: name('qos'), description: 'd', ...limits };
      const { status, object, text } = await admin.post(path(list), { qos });
      expect(status, text).toBe(201);
      const shown = Object.fromEntries(
        Object.entries(qos).map(([key, value]) => [key, String(value)]),
      );
      expect(object).toMatchObject(shown);
      const own = path(`${list}/${String(object['id'])}`);
      expect((await admin.get(own)).object).toMatchObject(shown);
      expect((await admin.get(path(list))).list.map((one) => one['name'])).toContain(qos.name);
      const changed = await admin.put(own, { qos: { description: 'e' } });
      expect(changed.object).toMatchObject({ ...shown, description: 'e' });
      expect((await admin.post(path(list), { qos })).status).toBe(400);
      expect((await admin.delete(own)).status).toBe(200);
      expect((await admin.get(own)).status).toBe(404);
    }
  });
  site.both('refuses limits that make no sense', async ({ admin, name, path }) => {
    const cases = [
      ['must not be negative', { type: 'storage', max_iops: -2 }],
      ['must be from 1 to 100', { type: 'cpu', cpu_limit: 101 }],
      ['cpu_limit', { type: 'cpu' }],
      ['together', { type: 'storage', max_throughput: 10, max_read_throughput: 5 }],
      ['go together', { type: 'network', inbound_average: 10 }],
      ['below', { type: 'network', inbound_average: 10, inbound_peak: 5, inbound_burst: 1 }],
      ['linkshare', { type: 'hostnetwork', outbound_average_upperlimit: 5 }],
    ] as const;
    for (const [words, limits] of cases) {
      const answer = await admin.post(path(list), { qos: { name: name('qos'), ...limits } });
      expect([answer.status, answer.fault?.detail], answer.text).toEqual([
        400,
        expect.stringContaining(words),
      ]);
    }
  });
  site.both('is removed from profiles when it is deleted', async ({ admin, name, path }) => {
    const qos = await admin.add(path(list), {
      qos: { name: name('qos'), type: 'storage', max_iops: 10 },
    });
    const profile = await admin.add('/diskprofiles', {
      disk_profile: {
        name: name('p'),
        storage_domain: { id: path('{storagedomain}') },
        qos: { id: qos.id },
      },
    });
    await admin.delete(path(`${list}/${qos.id}`));
    expect((await admin.get(`/diskprofiles/${profile.id}`)).object).not.toHaveProperty('qos');
  });
  site.incomplete('POST', list, { qos: { type: 'cpu', cpu_limit: 5 } }, 'name');
  site.incomplete('POST', list, { qos: { name: 'x' } }, 'type');
  site.unknown('GET', `${list}/{unknown}`);
  site.unknown('DELETE', `${list}/{unknown}`);
  site.forbidden('POST', list, { qos: { name: 'mine', type: 'cpu', cpu_limit: 5 } });
});

describe(row('G6'), () => {
  const list = '/datacenters/{datacenter}/iscsibonds';
  site.both('adds, lists, gets, changes and removes bonds', async ({ admin, name, path }) => {
    const connection = await admin.add('/storageconnections', {
      storage_connection: {
        type: 'iscsi',
        address: `${name('san')}.example.com`,
        port: 3260,
        target: 'iqn.c',
      },
    });
    const network = await admin.find(path('/datacenters/{datacenter}/networks'), 'net1');
    const iscsi_bond = {
      name: name('bond'),
      description: 'd',
      networks: { network: [{ id: network.id }] },
      storage_connections: { storage_connection: [{ id: connection.id }] },
    };
    const { status, object, text } = await admin.post(path(list), { iscsi_bond });
    expect(status, text).toBe(201);
    const own = path(`${list}/${String(object['id'])}`);
    expect((await admin.get(path(list))).list.map((one) => one['name'])).toContain(iscsi_bond.name);
    expect((await admin.get(own)).object).toMatchObject({ name: iscsi_bond.name });
    expect((await admin.get(`${own}/networks`)).list).toMatchObject([{ id: network.id }]);
    const connections = `${own}/storageserverconnections`;
    expect((await admin.get(connections)).list).toMatchObject([{ id: connection.id }]);
    expect((await admin.delete(`${connections}/${connection.id}`)).status).toBe(200);
    expect((await admin.get(connections)).list).toEqual([]);
    await admin.add(connections, { storage_connection: { id: connection.id } });
    expect((await admin.get(connections)).list).toHaveLength(1);
    expect((await admin.get(`/storageconnections/${connection.id}`)).status).toBe(200);
    expect((await admin.delete(`${own}/networks/${network.id}`)).status).toBe(200);
    expect((await admin.get(`/networks/${network.id}`)).status).toBe(200);
    const changed = await admin.put(own, { iscsi_bond: { description: 'e' } });
    expect(changed.object).toMatchObject({ name: iscsi_bond.name, description: 'e' });
    expect((await admin.post(path(list), { iscsi_bond })).status).toBe(409);
    expect((await admin.delete(own)).status).toBe(200);
    expect((await admin.get(own)).status).toBe(404);
  });
  site.both('refuses connections that are not iSCSI', async ({ admin, name, path }) => {
    const connection = await admin.add('/storageconnections', {
      storage_connection: { type: 'nfs', address: 'nfs.example.com', path: `/${name('bond')}` },
    });
    const answer = await admin.post(path(list), {
      iscsi_bond: {
        name: name('bond'),
        storage_connections: { storage_connection: [{ id: connection.id }] },
      },
    });
    expect([answer.status, answer.fault?.detail]).toEqual([400, expect.stringContaining('iscsi')]);
  });
  site.incomplete('POST', list, { iscsi_bond: {} }, 'name');
  site.unknown('GET', `${list}/{unknown}`);
  site.unknown('DELETE', `${list}/{unknown}`);
  site.forbidden('POST', list, { iscsi_bond: { name: 'mine' } });
});
