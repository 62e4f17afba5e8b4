/** Reports of hosts about themselves and their storage. */
import { describe, expect } from 'vitest';
import { addHost, forbidden } from './support/hosts.ts';
import { row } from './support/rows.ts';
import { useSite } from './support/site.ts';
import { at, listItems } from './support/speaker.ts';

const site = useSite();
const address = 'iscsi.example.com';

/** A collection that a host computes: the same twice, and each object by its id. */
function reports(number: Parameters<typeof row>[0], noun: string, member: string): void {
  describe(row(number), () => {
    site.both(`lists and gets ${noun}`, async ({ admin, path }) => {
      const base = path(`/hosts/{host}/${noun}`);
      const { status, list, text } = await admin.get(base);
      expect(status, text).toBe(200);
      expect(list.length).toBeGreaterThan(0);
      expect((await admin.get(base)).list).toEqual(list);
      expect((await admin.get(`${base}?max=1`)).list).toHaveLength(1);
      for (const one of list) {
        expect(one[member]).toBeTruthy();
        const { object } = await admin.get(`${base}/${String(one['id'])}`);
        expect(object).toMatchObject({ id: one['id'], [member]: one[member] });
      }
    });
    site.unknown('GET', `/hosts/{host}/${noun}/{unknown}`);
    site.unknown('GET', `/hosts/{unknown}/${noun}`);
  });
}

describe(row(140), () => {
  site.both('finds the targets of an iSCSI server', async ({ admin, path }) => {
    const base = path('/hosts/{host}');
    const { object } = await admin.must(`${base}/iscsidiscover`, { iscsi: { address } });
    const targets = listItems(object, 'iscsi_targets', 'iscsi_target');
    expect(targets.length).toBeGreaterThan(0);
    const newer = await admin.must(`${base}/discoveriscsi`, { iscsi: { address, port: 3261 } });
    const found = listItems(newer.object, 'discovered_targets', 'iscsi_details');
    expect(found.map((one) => one['target'])).toEqual(targets);
    expect(found[0]).toMatchObject({ address, port: '3261' });
  });
  site.both('needs a host that is up', async (people) => {
    const host = await addHost(people);
    await people.admin.must(`${host.path}/deactivate`);
    const action = { iscsi: { address } };
    expect((await people.admin.post(`${host.path}/iscsidiscover`, { action })).status).toBe(409);
  });
  site.incomplete('POST', '/hosts/{host}/iscsidiscover', { action: {} }, 'iscsi.address');
  site.unknown('POST', '/hosts/{unknown}/iscsidiscover', { action: { iscsi: { address } } });
  forbidden(site, 'POST', '/hosts/{host}/iscsidiscover', { action: { iscsi: { address } } });
});

describe(row(141), () => {
  site.both('signs in to a target, whose logical units the host sees then', async (people) => {
    const { admin } = people;
    const host = await addHost(people);
    const { object } = await admin.must(`${host.path}/discoveriscsi`, { iscsi: { address } });
    const target = at(listItems(object, 'discovered_targets', 'iscsi_details')[0], 'target');
    const seen = async () =>
      (await admin.get(`${host.path}/storage`)).list.filter((one) => one['type'] === 'iscsi');
    expect(await seen()).toHaveLength(0);
    await admin.must(`${host.path}/iscsilogin`, { iscsi: { address, target } });
    await admin.must(`${host.path}/iscsilogin`, { iscsi: { address, target } });
    const units = (await seen()).flatMap((one) => listItems(one, 'logical_units', 'logical_unit'));
    expect(units.length).toBeGreaterThan(0);
    expect(units[0]).toMatchObject({ address, target, port: '3260' });
  });
  site.both('signs in to any target, whose units follow from its name', async (people) => {
    const { admin } = people;
    const target = 'iqn.2026-01.example:of-my-own';
    const seen: unknown[][] = [];
    for (const host of [await addHost(people), await addHost(people)]) {
      await admin.must(`${host.path}/iscsilogin`, { iscsi: { address, target } });
      const { list } = await admin.get(`${host.path}/storage`);
      const units = list.flatMap((one) => listItems(one, 'logical_units', 'logical_unit'));
      seen.push(units.filter((one) => one['target'] === target).map((one) => one['id']));
    }
    expect(seen[0]).toHaveLength(2);
    expect(seen[1]).toEqual(seen[0]);
  });
  const action = { iscsi: { address } };
  site.incomplete('POST', '/hosts/{host}/iscsilogin', { action }, 'iscsi.target');
  site.unknown('POST', '/hosts/{unknown}/iscsilogin', {
    action: { iscsi: { address, target: 'x' } },
  });
  forbidden(site, 'POST', '/hosts/{host}/iscsilogin', {
    action: { iscsi: { address, target: 'x' } },
  });
});

describe(row(143), () => {
  const discover = '/hosts/{host}/unregisteredstoragedomainsdiscover';
  site.both('finds storage domains that were forgotten', async (people) => {
    const { admin, name, path } = people;
    const own = `${name('lun')}.example.com`;
    const host = path('/hosts/{host}');
    const targets = await admin.must(`${host}/discoveriscsi`, { iscsi: { address: own } });
    const target = at(
      listItems(targets.object, 'discovered_targets', 'iscsi_details')[0],
      'target',
    );
    await admin.must(`${host}/iscsilogin`, { iscsi: { address: own, target } });
    const unit = (await admin.get(`${host}/storage`)).list
      .flatMap((one) => listItems(one, 'logical_units', 'logical_unit'))
      .find((one) => one['address'] === own);
    const domain = await admin.add('/storagedomains', {
      storage_domain: {
        name: name('block'),
        type: 'data',
        host: { id: path('{host}') },
        storage: {
          type: 'iscsi',
          logical_units: {
            logical_unit: [{ id: unit?.['id'], address: own, target, port: 3260 }],
          },
        },
      },
    });
    const find = async () => {
      const { object } = await admin.must(path(discover), { iscsi: { address: own } });
      return listItems(object, 'storage_domains', 'storage_domain').map((one) => one['id']);
    };
    expect(await find()).toEqual([]);
    const used = (await admin.get(`${host}/storage/${String(unit?.['id'])}`)).object;
    const [inside] = listItems(used, 'logical_units', 'logical_unit');
    expect(inside).toMatchObject({ status: 'used', storage_domain_id: domain.id });
    await admin.delete(`/storagedomains/${domain.id}?destroy=true`);
    expect(await find()).toEqual([domain.id]);
  });
  site.both('looks at Fibre Channel without an address', async ({ admin, path }) => {
    const { status } = await admin.post(path(discover));
    expect(status).toBe(200);
  });
  site.unknown('POST', discover.replace('{host}', '{unknown}'), { action: {} });
  forbidden(site, 'POST', discover, { action: {} });
});

reports(145, 'devices', 'capability');
reports(146, 'devices', 'name');

describe(`${row(146)} and its parents`, () => {
  site.both('says what a device is part of', async ({ admin, path }) => {
    const { list } = await admin.get(path('/hosts/{host}/devices'));
    const root = list.find((one) => one['capability'] === 'system');
    const card = list.find((one) => one['capability'] === 'pci');
    expect(at(card, 'parent_device.id')).toBe(root?.['id']);
    expect(at(card, 'vendor.id')).toMatch(/^0x/);
    expect(at(card, 'host.id')).toBe(path('{host}'));
  });
});

describe(row(147), () => {
  site.both('lists logical units, with their status unless it is not asked for', async (people) => {
    const { admin, path } = people;
    const base = path('/hosts/{host}/storage');
    const { list } = await admin.get(base);
    expect(list.length).toBeGreaterThan(0);
    for (const one of list) {
      const [unit] = listItems(one, 'logical_units', 'logical_unit');
      expect(one).toMatchObject({ host: { id: path('{host}') } });
      expect(['free', 'used']).toContain(unit?.['status']);
      expect(Number(unit?.['size'])).toBeGreaterThan(0);
      const { object } = await admin.get(`${base}/${String(one['id'])}`);
      expect(object['id']).toBe(one['id']);
    }
    const silent = await admin.get(`${base}?report_status=false`);
    for (const one of silent.list) {
      expect(listItems(one, 'logical_units', 'logical_unit')[0]).not.toHaveProperty('status');
    }
  });
  site.unknown('GET', '/hosts/{host}/storage/{unknown}');
  site.unknown('GET', '/hosts/{unknown}/storage');
});

reports('G9', 'hooks', 'event_name');
reports('G32', 'hooks', 'md5');
reports('G10', 'katelloerrata', 'title');
reports('G12', 'numanodes', 'node_distance');
reports('G33', 'numanodes', 'memory');
reports('G16', 'statistics', 'kind');

describe(`${row('G16')}, in numbers`, () => {
  site.both('adds up', async ({ admin, path }) => {
    const { list } = await admin.get(path('/hosts/{host}/statistics'));
    const value = (name: string) => {
      const found = list.find((one) => one['name'] === name);
      return Number(at(listItems(found ?? {}, 'values', 'value')[0], 'datum'));
    };
    expect(value('memory.used') + value('memory.free')).toBeCloseTo(value('memory.total'), -1);
    const cpu = ['user', 'system', 'idle'].map((part) => value(`cpu.current.${part}`));
    expect(cpu.reduce((sum, part) => sum + part)).toBeCloseTo(100, 0);
  });
});

describe('NUMA nodes and processors of a host', () => {
  site.both('share its memory, and are measured', async ({ admin, path }) => {
    const { list } = await admin.get(path('/hosts/{host}/numanodes'));
    const [node] = list;
    const base = path(`/hosts/{host}/numanodes/${String(node?.['id'])}/statistics`);
    const measured = (await admin.get(base)).list;
    expect(measured.map((one) => one['name'])).toContain('memory.total');
    const total = measured.find((one) => one['name'] === 'memory.total');
    expect((await admin.get(`${base}/${String(total?.['id'])}`)).status).toBe(200);
    const units = (await admin.get(path('/hosts/{host}/cpuunits'))).list;
    expect(units).toHaveLength(32);
    expect(units[3]).toMatchObject({ cpu_id: '3', core_id: '1', socket_id: '0' });
  });
});

describe(row('G34'), () => {
  site.both('lists the errata of all hosts', async ({ admin }) => {
    const { status, list } = await admin.get('/katelloerrata');
    expect(status).toBe(200);
    expect(list.length).toBeGreaterThan(0);
    const { object } = await admin.get(`/katelloerrata/${String(list[0]?.['id'])}`);
    expect(object['title']).toBe(list[0]?.['title']);
    expect(listItems(object, 'packages', 'package').length).toBeGreaterThan(0);
  });
  site.unknown('GET', '/katelloerrata/{unknown}');
});

describe(row('G13'), () => {
  site.both('keeps how a host signs in to a target', async (people) => {
    const { admin } = people;
    const host = await addHost(people);
    const path = `${host.path}/storageconnectionextensions`;
    const storage_connection_extension = { target: 'iqn.a', username: 'joe', password: 'secret' };
    const { status, object, text } = await admin.post(path, { storage_connection_extension });
    expect(status, text).toBe(201);
    expect(object).toMatchObject({ target: 'iqn.a', username: 'joe', host: { id: host.id } });
    expect(object).not.toHaveProperty('password');
    const own = `${path}/${String(object['id'])}`;
    expect((await admin.get(path)).list).toHaveLength(1);
    const change = { storage_connection_extension: { username: 'ann' } };
    expect((await admin.put(own, change)).object).toMatchObject({ username: 'ann' });
    expect((await admin.get(own)).object).toMatchObject({ target: 'iqn.a', username: 'ann' });
    expect((await admin.delete(own)).status).toBe(200);
    expect((await admin.get(own)).status).toBe(404);
  });
  const body = { storage_connection_extension: { username: 'joe', password: 'x' } };
  const path = '/hosts/{host}/storageconnectionextensions';
  site.incomplete('POST', path, body, 'target');
  site.unknown('GET', `${path}/{unknown}`);
  forbidden(site, 'POST', path, body);
});

describe(row('G15'), () => {
  site.both('puts affinity labels on a host', async (people) => {
    const { admin, name } = people;
    const host = await addHost(people);
    const label = await admin.add('/affinitylabels', { affinity_label: { name: name('label') } });
    const path = `${host.path}/affinitylabels`;
    const { status, text } = await admin.post(path, { affinity_label: { id: label.id } });
    expect([200, 201], text).toContain(status);
    expect((await admin.get(path)).list).toMatchObject([{ id: label.id }]);
    expect((await admin.get(`${path}/${label.id}`)).object['name']).toBe(label['name']);
    const hosts = (await admin.get(`/affinitylabels/${label.id}/hosts`)).list;
    expect(hosts.map((one) => one['id'])).toEqual([host.id]);
    expect((await admin.delete(`${path}/${label.id}`)).status).toBe(200);
    expect((await admin.get(path)).list).toEqual([]);
    expect((await admin.get(`/affinitylabels/${label.id}`)).status).toBe(200);
  });
  site.unknown('GET', '/hosts/{host}/affinitylabels/{unknown}');
});

describe('external network providers of a host', () => {
  site.both('are those it was added with', async (people) => {
    const { admin, name } = people;
    const provider = await admin.add('/openstacknetworkproviders', {
      openstack_network_provider: { name: name('ovn'), url: 'https://ovn.example.com' },
    });
    const host = await addHost(people, {
      external_network_provider_configurations: {
        external_network_provider_configuration: [
          { external_network_provider: { id: provider.id } },
        ],
      },
    });
    const path = `${host.path}/externalnetworkproviderconfigurations`;
    const { list } = await admin.get(path);
    expect(list).toMatchObject([{ external_network_provider: { id: provider.id } }]);
    expect((await admin.get(`${path}/${String(list[0]?.['id'])}`)).status).toBe(200);
  });
});

describe(row(149), () => {
  site.both('lists who may do what with a host', async ({ admin, path }) => {
    const { status } = await admin.get(path('/hosts/{host}/permissions'));
    expect(status).toBe(200);
  });
  site.unknown('GET', '/hosts/{unknown}/permissions');
});

describe(row(150), () => {
  site.both('gives a user more permissions', async (people) => {
    const { admin, olaf } = people;
    const host = await addHost(people);
    const user = (await admin.get('/users')).list.find((one) =>
      String(one['user_name']).startsWith('jane'),
    );
    const permission = { role: { name: 'HostAdmin' }, user: { id: user?.['id'] } };
    const path = `${host.path}/permissions`;
    expect((await olaf.post(path, { permission })).status).not.toBe(201);
    const { status, object, text } = await admin.post(path, { permission });
    expect(status, text).toBe(201);
    const own = `${path}/${String(object['id'])}`;
    expect((await admin.get(own)).object).toMatchObject({ host: { id: host.id } });
    await people.jane.must(`${host.path}/deactivate`);
    expect((await admin.delete(own)).status).toBe(200);
    expect((await people.jane.post(`${host.path}/activate`)).status).not.toBe(200);
  });
  site.incomplete('POST', '/hosts/{host}/permissions', { permission: {} }, 'role.id|name');
});

describe(row(151), () => {
  site.both('lists the tags of a host', async ({ admin, path }) => {
    const { status } = await admin.get(path('/hosts/{host}/tags'));
    expect(status).toBe(200);
  });
});

describe(row(152), () => {
  site.both('tags a host', async (people) => {
    const { admin, name } = people;
    const host = await addHost(people);
    const tag = await admin.add('/tags', { tag: { name: name('tag') } });
    const path = `${host.path}/tags`;
    const { status, text } = await admin.post(path, { tag: { name: tag['name'] } });
    expect([200, 201], text).toContain(status);
    expect((await admin.get(path)).list.map((one) => one['name'])).toContain(tag['name']);
    expect((await admin.get(`${path}/${tag.id}`)).object['name']).toBe(tag['name']);
    const found = await admin.get(`/hosts?search=tag%3D${String(tag['name'])}`);
    expect(found.list.map((one) => one['id'])).toEqual([host.id]);
    expect((await admin.delete(`${path}/${tag.id}`)).status).toBe(200);
    expect((await admin.get(path)).list).toEqual([]);
  });
  site.incomplete('POST', '/hosts/{host}/tags', { tag: {} }, 'id|name');
  forbidden(site, 'POST', '/hosts/{host}/tags', { tag: { name: 'root' } });
});
