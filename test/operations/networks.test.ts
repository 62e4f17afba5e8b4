/** Networks of data centers and clusters: attributes and roles. */
import { describe, expect } from 'vitest';
import { addCluster, addHost } from './support/hosts.ts';
import { addNetwork, plugIn } from './support/networks.ts';
import { row } from './support/rows.ts';
import { type People, useSite } from './support/site.ts';
import { at, listItems, type Thing } from './support/speaker.ts';

const site = useSite();

for (const base of ['/networks', '/datacenters/{datacenter}/networks']) {
  describe(base === '/networks' ? 'networks at the top' : row('G2'), () => {
    const body = (people: People, more: Thing = {}) => ({
      network: {
        name: people.name('net'),
        ...(base === '/networks' ? { data_center: { id: people.path('{datacenter}') } } : {}),
        ...more,
      },
    });
    site.both('adds a network, with a profile of its name', async (people) => {
      const { admin, path } = people;
      const sent = body(people, { vlan: { id: 7 }, mtu: 9000, description: 'storage' });
      const { status, object, headers, text } = await admin.post(path(base), sent);
      expect(status, text).toBe(201);
      expect(headers['location']).toBe(object['href']);
      expect(object).toMatchObject({
        name: sent.network['name' as never],
        vlan: { id: '7' },
        mtu: '9000',
        stp: 'false',
        usages: { usage: expect.anything() },
        data_center: { id: path('{datacenter}') },
      });
      const profiles = `/networks/${String(object['id'])}/vnicprofiles`;
      expect((await admin.get(profiles)).list).toMatchObject([{ name: object['name'] }]);
      const without = await admin.add(path(base), body(people, { profile_required: false }));
      expect((await admin.get(`/networks/${without.id}/vnicprofiles`)).list).toEqual([]);
    });
    site.both('names a network for hosts that is long', async (people) => {
      const { admin, path, name } = people;
      const long = await admin.add(path(base), body(people, { name: name('a-rather-long-name') }));
      expect(long['vdsm_name']).toMatch(/^on[0-9a-f]{13}$/);
    });
    site.both('lists, gets, changes and removes', async (people) => {
      const { admin, path, name } = people;
      const { id, ...network } = await admin.add(path(base), body(people));
      const own = `${path(base)}/${id}`;
      expect((await admin.get(path(base))).list.map((one) => one['id'])).toContain(id);
      expect((await admin.get(`${path(base)}?max=1`)).list).toHaveLength(1);
      expect((await admin.get(own)).object['name']).toBe(network['name']);
      const renamed = name('renamed');
      const changed = await admin.put(own, { network: { name: renamed, vlan: { id: 9 } } });
      expect(changed.status, changed.text).toBe(200);
      expect(changed.object).toMatchObject({ name: renamed, vlan: { id: '9' } });
      expect((await admin.delete(own)).status).toBe(200);
      expect((await admin.get(own)).status).toBe(404);
    });
    site.both('refuses what no network can be', async (people) => {
      const { admin, path } = people;
      const taken = await admin.add(path(base), body(people));
      const refused = async (more: Thing, status: number) => {
        const answer = await admin.post(path(base), body(people, more));
        expect(answer.status, answer.text).toBe(status);
        expect(answer.fault?.detail).toBeTruthy();
      };
      await refused({ name: taken['name'] }, 409);
      await refused({ name: 'bond5' }, 400);
      await refused({ name: 'x'.repeat(257) }, 400);
      await refused({ vlan: { id: 4095 } }, 400);
      await refused({ mtu: 67 }, 400);
      await refused({ usages: { usage: [] }, stp: true }, 409);
      await refused({ usages: { usage: [] }, port_isolation: true }, 409);
      if (base === '/networks') await refused({ data_center: { name: 'nowhere' } }, 404);
    });
    site.both('keeps a network in use, and the management network', async (people) => {
      const { admin, path } = people;
      const network = await admin.add(path(base), body(people));
      const [profile] = (await admin.get(`/networks/${network.id}/vnicprofiles`)).list;
      const vm = await plugIn(people, path('{cluster}'), String(profile?.['id']));
      const { status, fault } = await admin.delete(`${path(base)}/${network.id}`);
      expect(status).toBe(409);
      expect(fault?.detail).toContain(String(network['name']));
      await admin.delete(`/vms/${vm.id}`);
      expect((await admin.delete(`${path(base)}/${network.id}`)).status).toBe(200);
      const management = await admin.find(path(base), 'mgmt');
      expect((await admin.delete(`${path(base)}/${management.id}`)).status).toBe(400);
    });
    site.incomplete('POST', base, { network: { description: 'nameless' } }, 'name');
    site.unknown('GET', `${base}/{unknown}`);
    site.unknown('PUT', `${base}/{unknown}`, { network: { mtu: 1500 } });
    site.unknown('DELETE', `${base}/{unknown}`);
    site.forbidden('POST', base, {
      network: { name: 'notmine', data_center: { id: '{datacenter}' } },
    });
  });
}

describe('a network that VMs use', () => {
  site.both('keeps its tag while they run, and its data center for ever', async (people) => {
    const { admin, path, name } = people;
    const network = await addNetwork(people, { vlan: { id: 3 } });
    await admin.add(path('/clusters/{cluster}/networks'), {
      network: { id: network.id, required: false },
    });
    const [profile] = (await admin.get(`/networks/${network.id}/vnicprofiles`)).list;
    const vm = path('/vms/{vm}');
    const nic = { name: name('nic'), plugged: true, vnic_profile: { id: profile?.['id'] } };
    const added = await admin.add(`${vm}/nics`, { nic });
    const own = `/networks/${network.id}`;
    const busy = await admin.put(own, { network: { vlan: { id: 4 } } });
    expect(busy.status).toBe(409);
    expect(busy.fault?.detail).toContain('vm-01');
    await admin.must(`${vm}/nics/${added.id}/deactivate`);
    await admin.delete(`${vm}/nics/${added.id}`);
    expect((await admin.put(own, { network: { vlan: { id: 4 } } })).status).toBe(200);
    const other = await admin.add('/datacenters', {
      data_center: { name: name('dc'), local: false },
    });
    const moved = await admin.put(own, { network: { data_center: { id: other.id } } });
    expect(moved.status).toBe(400);
  });
});

describe('labels of a network', () => {
  site.both('are added once, listed and removed', async (people) => {
    const { admin, name } = people;
    const network = await addNetwork(people);
    const path = `/networks/${network.id}/networklabels`;
    const label = name('green');
    const added = await admin.post(path, { network_label: { id: label } });
    expect(added.status, added.text).toBe(201);
    expect(added.object).toMatchObject({ id: label });
    expect((await admin.post(path, { network_label: { id: 'second' } })).status).toBe(400);
    expect((await admin.get(path)).list.map((one) => one['id'])).toEqual([label]);
    expect((await admin.get(`${path}/${label}`)).status).toBe(200);
    expect((await admin.delete(`${path}/${label}`)).status).toBe(200);
    expect((await admin.get(path)).list).toEqual([]);
    expect((await admin.post(path, { network_label: {} })).status).toBe(400);
  });
});

describe(row('G21'), () => {
  const paths = (people: People, cluster: string) => [
    `/clusters/${cluster}/networks`,
    `/datacenters/${people.path('{datacenter}')}/clusters/${cluster}/networks`,
  ];
  site.both('attaches a network to a cluster, and takes it away', async (people) => {
    const { admin } = people;
    const cluster = await addCluster(people);
    for (const path of paths(people, cluster.id)) {
      const network = await addNetwork(people);
      const { status, object, text } = await admin.post(path, {
        network: { name: network['name'] },
      });
      expect(status, text).toBe(201);
      expect(object).toMatchObject({
        id: network.id,
        required: 'true',
        display: 'false',
        status: 'operational',
        cluster: { id: cluster.id },
      });
      expect((await admin.post(path, { network: { id: network.id } })).status).toBe(409);
      expect((await admin.get(path)).list.map((one) => one['name'])).toContain(network['name']);
      const own = `${path}/${network.id}`;
      const changed = await admin.put(own, { network: { required: false } });
      expect(changed.status, changed.text).toBe(200);
      expect((await admin.get(own)).object['required']).toBe('false');
      expect((await admin.delete(own)).status).toBe(200);
      expect((await admin.get(own)).status).toBe(404);
      expect((await admin.get(`/networks/${network.id}`)).status).toBe(200);
    }
  });
  site.both('gives each role to one network', async (people) => {
    const { admin } = people;
    const cluster = await addCluster(people);
    const [path = ''] = paths(people, cluster.id);
    const roles = async (id: string) =>
      listItems((await admin.get(`${path}/${id}`)).object, 'usages', 'usage') as never as string[];
    const management = await admin.find(path, 'mgmt');
    expect(await roles(management.id)).toEqual(
      expect.arrayContaining(['management', 'display', 'migration', 'default_route']),
    );
    const one = await addNetwork(people);
    const two = await addNetwork(people);
    const usages = { usage: ['vm', 'display', 'migration', 'gluster'] };
    await admin.add(path, { network: { id: one.id, required: false, usages } });
    expect(await roles(one.id)).toEqual(
      expect.arrayContaining(['vm', 'display', 'migration', 'gluster']),
    );
    expect(await roles(management.id)).not.toContain('display');
    await admin.add(path, { network: { id: two.id, required: false } });
    const shown = await admin.put(`${path}/${two.id}`, { network: { display: true } });
    expect(shown.object).toMatchObject({ display: 'true' });
    expect(await roles(one.id)).not.toContain('display');
    await admin.put(`${path}/${one.id}`, { network: { usages: { usage: ['vm'] } } });
    expect(await roles(management.id)).toContain('migration');
    await admin.delete(`${path}/${two.id}`);
    expect(await roles(management.id)).toContain('display');
  });
  site.both('watches over the management network', async (people) => {
    const { admin } = people;
    const cluster = await addCluster(people);
    const [path = ''] = paths(people, cluster.id);
    const management = await admin.find(path, 'mgmt');
    const own = `${path}/${management.id}`;
    const put = async (id: string, network: Thing) =>
      (await admin.put(`${path}/${id}`, { network })).status;
    expect(await put(management.id, { required: false })).toBe(400);
    expect(await put(management.id, { usages: { usage: ['vm', 'display'] } })).toBe(400);
    expect((await admin.delete(own)).status).toBe(400);
    const other = await addNetwork(people);
    await admin.add(path, { network: { id: other.id } });
    const usages = { usage: ['vm', 'management'] };
    expect(await put(other.id, { usages })).toBe(200);
    expect((await admin.delete(own)).status).toBe(200);
    await addHost(people, { cluster: cluster.id });
    await admin.add(path, { network: { id: management.id, required: false } });
    expect(await put(management.id, { required: true, usages })).toBe(400);
  });
  site.both('manages hosts over the network that the cluster asks for', async (people) => {
    const { admin } = people;
    const network = await addNetwork(people);
    const cluster = await addCluster(people, { management_network: { name: network['name'] } });
    const [path = ''] = paths(people, cluster.id);
    expect((await admin.get(path)).list).toMatchObject([{ id: network.id, required: 'true' }]);
    const host = await addHost(people, { cluster: cluster.id });
    const { list } = await admin.get(`${host.path}/networkattachments`);
    expect(list.map((one) => at(one, 'network.id'))).toEqual([network.id]);
  });
  site.both('tells whether every host has a required network', async (people) => {
    const { admin } = people;
    const host = await addHost(people);
    const network = await addNetwork(people);
    const [path = ''] = paths(people, host.cluster);
    const added = await admin.add(path, { network: { id: network.id } });
    expect(added['status']).toBe('non_operational');
    await admin.must(`${host.path}/setupnetworks`, {
      modified_network_attachments: {
        network_attachment: [{ network: { id: network.id }, host_nic: { name: 'eth2' } }],
      },
    });
    expect((await admin.get(`${path}/${network.id}`)).object['status']).toBe('operational');
  });
  site.both('refuses networks of other data centers, and to lose those in use', async (people) => {
    const { admin, name } = people;
    const cluster = await addCluster(people);
    const [path = ''] = paths(people, cluster.id);
    const elsewhere = await admin.add('/datacenters', {
      data_center: { name: name('dc'), local: false },
    });
    const foreign = await addNetwork(people, { data_center: { id: elsewhere.id } });
    expect((await admin.post(path, { network: { id: foreign.id } })).status).toBe(400);
    const network = await addNetwork(people);
    await admin.add(path, { network: { id: network.id, required: false } });
    const [profile] = (await admin.get(`/networks/${network.id}/vnicprofiles`)).list;
    const vm = await plugIn(people, cluster.id, String(profile?.['id']));
    const { status, fault } = await admin.delete(`${path}/${network.id}`);
    expect(status).toBe(409);
    expect(fault?.detail).toContain(String(vm['name']));
  });
  site.incomplete('POST', '/clusters/{cluster}/networks', { network: {} }, 'id|name');
  site.unknown('GET', '/clusters/{cluster}/networks/{unknown}');
  site.unknown('PUT', '/clusters/{cluster}/networks/{unknown}', { network: { required: true } });
  site.unknown('DELETE', '/clusters/{cluster}/networks/{unknown}');
  site.forbidden('POST', '/clusters/{cluster}/networks', { network: { id: '{network}' } });
});
