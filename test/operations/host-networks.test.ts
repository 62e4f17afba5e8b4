/** Interfaces of hosts, with attachments, labels and virtual functions. */
import { describe, expect } from 'vitest';
import {
  attached,
  bond,
  bonded,
  fixed,
  hostAndNetwork,
  nics,
  refusedSetup,
} from './support/host-networks.ts';
import { addHost, forbidden } from './support/hosts.ts';
import { row } from './support/rows.ts';
import { useSite } from './support/site.ts';
import { at, listItems, type Thing } from './support/speaker.ts';

const site = useSite();

describe(row(148), () => {
  site.both('lists the interfaces of a host', async (people) => {
    const { admin, path } = people;
    const { status, list } = await admin.get(path('/hosts/{host}/nics'));
    expect(status).toBe(200);
    const first = list.find((one) => one['name'] === 'eth0');
    expect(first).toMatchObject({
      status: 'up',
      boot_protocol: 'dhcp',
      host: { id: path('{host}') },
    });
    expect(at(first, 'mac.address')).toMatch(/^([0-9a-f]{2}:){5}[0-9a-f]{2}$/);
    expect((await admin.get(path('/hosts/{host}/nics?max=2'))).list).toHaveLength(2);
    const followed = await admin.get(path('/hosts/{host}?follow=nics'));
    expect(listItems(followed.object, 'nics', 'host_nic')).toHaveLength(list.length);
  });
  site.unknown('GET', '/hosts/{unknown}/nics');
});

describe(row('G7'), () => {
  site.both('gets an interface, its statistics, and who is at the other end', async (people) => {
    const { admin, path } = people;
    const base = path('/hosts/{host}/nics');
    const [nic] = (await admin.get(base)).list;
    const own = `${base}/${String(nic?.['id'])}`;
    expect((await admin.get(own)).object).toMatchObject({ id: nic?.['id'], name: nic?.['name'] });
    const measured = (await admin.get(`${own}/statistics`)).list;
    expect(measured.map((one) => one['name'])).toContain('data.current.rx.bps');
    const neighbour = (await admin.get(`${own}/linklayerdiscoveryprotocolelements`)).list;
    expect(neighbour.map((one) => one['name'])).toContain('System Name');
  });
  site.unknown('GET', '/hosts/{host}/nics/{unknown}');
  site.unknown('GET', '/hosts/{host}/permissions/{unknown}');
  site.unknown('GET', '/hosts/{host}/tags/{unknown}');
  site.unknown('DELETE', '/hosts/{host}/tags/{unknown}');
});

describe(row(153), () => {
  const action = (virtual_functions_configuration: Thing) => ({
    action: { virtual_functions_configuration },
  });
  const update = 'updatevirtualfunctionsconfiguration';
  site.both('divides an interface', async (people) => {
    const { admin } = people;
    const host = await addHost(people);
    const eth3 = String((await nics(people, host.path)).get('eth3')?.['id']);
    const path = `${host.path}/nics/${eth3}/${update}`;
    const changed = await admin.post(path, action({ number_of_virtual_functions: 2 }));
    expect(changed.status, changed.text).toBe(200);
    const found = await nics(people, host.path);
    expect(at(found.get('eth3v1'), 'physical_function.id')).toBe(eth3);
    expect(at(found.get('eth3'), 'virtual_functions_configuration')).toMatchObject({
      number_of_virtual_functions: '2',
      all_networks_allowed: 'true',
      max_number_of_virtual_functions: '7',
    });
    expect((await admin.post(path, action({ number_of_virtual_functions: 8 }))).status).toBe(400);
    expect((await admin.post(path, action({ number_of_virtual_functions: 0 }))).status).toBe(200);
    expect((await nics(people, host.path)).size).toBe(4);
  });
  site.both('says which networks and labels its functions may have', async (people) => {
    const { admin } = people;
    const { host, network } = await hostAndNetwork(people);
    const eth3 = String((await nics(people, host.path)).get('eth3')?.['id']);
    const base = `${host.path}/nics/${eth3}`;
    const networks = `${base}/virtualfunctionallowednetworks`;
    const labels = `${base}/virtualfunctionallowedlabels`;
    expect((await admin.post(networks, { network: { id: network.id } })).status).toBe(409);
    await admin.must(`${base}/${update}`, action({ all_networks_allowed: false }).action);
    const added = await admin.post(networks, { network: { id: network.id } });
    expect(added.status, added.text).toBe(201);
    expect((await admin.get(networks)).list.map((one) => one['id'])).toEqual([network.id]);
    expect((await admin.get(`${networks}/${network.id}`)).object['name']).toBe(network['name']);
    expect(
      (await admin.get('/networks')).list.filter((one) => one['id'] === network.id),
    ).toHaveLength(1);
    expect((await admin.delete(`${networks}/${network.id}`)).status).toBe(200);
    expect((await admin.get(`/networks/${network.id}`)).status).toBe(200);
    expect((await admin.post(labels, { network_label: { id: 'blue' } })).status).toBe(201);
    expect((await admin.get(`${labels}/blue`)).status).toBe(200);
    expect((await admin.delete(`${labels}/blue`)).status).toBe(200);
    expect((await admin.get(labels)).list).toEqual([]);
  });
  site.both('does not divide every interface', async (people) => {
    const { admin, path } = people;
    const [nic] = (await admin.get(path('/hosts/{host}/nics'))).list;
    const own = path(`/hosts/{host}/nics/${String(nic?.['id'])}/${update}`);
    const { status, fault } = await admin.post(own, action({ number_of_virtual_functions: 1 }));
    expect(status).toBe(405);
    expect(fault?.reason).toContain('SR-IOV');
    const empty = await admin.post(own, action({}));
    expect(empty.status).toBe(400);
  });
  site.unknown(
    'POST',
    `/hosts/{host}/nics/{unknown}/${update}`,
    action({ all_networks_allowed: true }),
  );
});

describe(row('G11'), () => {
  site.both('adds, changes and removes an attachment, on host and interface', async (people) => {
    const { admin } = people;
    const { host, network } = await hostAndNetwork(people);
    const path = `${host.path}/networkattachments`;
    const body = {
      network_attachment: { network: { id: network.id }, host_nic: { name: 'eth1' } },
    };
    const added = await admin.post(path, body);
    expect(added.status, added.text).toBe(201);
    expect(added.object).toMatchObject({ in_sync: 'true', host: { id: host.id } });
    expect((await admin.post(path, body)).status).toBe(409);
    const own = `${path}/${String(added.object['id'])}`;
    const eth1 = String(at(added.object, 'host_nic.id'));
    const onNic = `${host.path}/nics/${eth1}/networkattachments`;
    expect((await admin.get(onNic)).list).toMatchObject([{ id: added.object['id'] }]);
    const changed = await admin.put(own, { network_attachment: fixed('192.0.2.9') });
    expect(changed.status, changed.text).toBe(200);
    expect(at((await nics(people, host.path)).get('eth1'), 'ip.address')).toBe('192.0.2.9');
    expect((await admin.get(own)).status).toBe(200);
    const removed = await admin.delete(`${onNic}/${String(added.object['id'])}`);
    expect(removed.status).toBe(200);
    expect((await admin.get(own)).status).toBe(404);
    const { network: only } = body.network_attachment;
    const again = await admin.post(onNic, { network_attachment: { network: only } });
    expect(again.status, again.text).toBe(201);
    expect(at(again.object, 'host_nic.id')).toBe(eth1);
  });
  site.both('refuses slaves of bonds', async (people) => {
    const { admin } = people;
    const { host, network } = await hostAndNetwork(people);
    await admin.must(`${host.path}/setupnetworks`, bonded(bond('bond7', ['eth1', 'eth2'])));
    const eth1 = (await nics(people, host.path)).get('eth1')?.['id'];
    const { status } = await admin.post(`${host.path}/networkattachments`, {
      network_attachment: { network: { id: network.id }, host_nic: { id: eth1 } },
    });
    expect(status).toBe(400);
  });
  const path = '/hosts/{host}/networkattachments';
  site.incomplete('POST', path, { network_attachment: {} }, 'network.id|name');
  site.incomplete(
    'POST',
    path,
    { network_attachment: { network: { id: '{network}' } } },
    'hostNic.id|name',
  );
  site.unknown('GET', `${path}/{unknown}`);
  site.unknown('PUT', `${path}/{unknown}`, { network_attachment: {} });
  site.unknown('DELETE', `${path}/{unknown}`);
  forbidden(site, 'POST', path, { network_attachment: { network: { id: '{network}' } } });
});

describe('labels of an interface', () => {
  site.both('are added, listed and removed', async (people) => {
    const { admin, name } = people;
    const { host, network } = await hostAndNetwork(people);
    const label = name('blue');
    const eth2 = String((await nics(people, host.path)).get('eth2')?.['id']);
    const path = `${host.path}/nics/${eth2}/networklabels`;
    expect((await admin.post(path, { network_label: { id: 'no label!' } })).status).toBe(400);
    const added = await admin.post(path, { network_label: { id: label } });
    expect(added.status, added.text).toBe(201);
    expect((await admin.post(path, { network_label: { id: label } })).status).toBe(409);
    // A network that gets the label afterwards comes to the interface, too.
    await admin.add(`/networks/${network.id}/networklabels`, { network_label: { id: label } });
    expect(at((await nics(people, host.path)).get('eth2'), 'network.id')).toBe(network.id);
    expect((await admin.get(path)).list.map((one) => one['id'])).toEqual([label]);
    expect((await admin.delete(`${path}/${label}`)).status).toBe(200);
    expect((await nics(people, host.path)).get('eth2')?.['network']).toBeUndefined();
  });
});

describe(row('G14'), () => {
  site.both(
    'shows networks that the cluster no longer has, until they are removed',
    async (people) => {
      const { admin } = people;
      const { host, network } = await hostAndNetwork(people);
      const body = {
        network_attachment: { network: { id: network.id }, host_nic: { name: 'eth1' } },
      };
      await admin.add(`${host.path}/networkattachments`, body);
      expect((await admin.get(`${host.path}/unmanagednetworks`)).list).toEqual([]);
      await admin.delete(`/clusters/${host.cluster}/networks/${network.id}`);
      const { list } = await admin.get(`${host.path}/unmanagednetworks`);
      expect(list).toMatchObject([{ name: network['name'], host: { id: host.id } }]);
      const own = `${host.path}/unmanagednetworks/${String(list[0]?.['id'])}`;
      expect((await admin.get(own)).object['name']).toBe(network['name']);
      expect((await admin.delete(own)).status).toBe(200);
      expect((await admin.get(own)).status).toBe(404);
    },
  );
  site.unknown('GET', '/hosts/{host}/unmanagednetworks/{unknown}');
  site.unknown('DELETE', '/hosts/{host}/unmanagednetworks/{unknown}');
});

describe('networks that change while a host does not answer', () => {
  site.both('are out of sync, until they are synchronized', async (people) => {
    const { admin } = people;
    const { host, network } = await hostAndNetwork(people);
    const other = await addHost(people, { cluster: host.cluster });
    await admin.add(`${host.path}/fenceagents`, {
      agent: { type: 'ilo4', address: 'ilo', username: 'a', password: 'b', order: 1 },
    });
    await admin.put(host.path, { host: { power_management: { enabled: true } } });
    const added = await admin.add(`${host.path}/networkattachments`, {
      network_attachment: { network: { id: network.id }, host_nic: { name: 'eth1' } },
    });
    await admin.must(`${host.path}/commitnetconfig`);
    const own = `${host.path}/networkattachments/${added.id}`;
    const change = (mtu: number) => admin.put(`/networks/${network.id}`, { network: { mtu } });
    await change(2000);
    expect((await admin.get(own)).object['in_sync']).toBe('true');
    expect((await nics(people, host.path)).get('eth1')?.['mtu']).toBe('2000');
    await admin.must(`${host.path}/deactivate`);
    await admin.must(`${host.path}/fence`, { fence_type: 'stop' });
    await change(3000);
    await admin.must(`${host.path}/fence`, { fence_type: 'start' });
    const { object } = await admin.get(own);
    expect(object['in_sync']).toBe('false');
    const reported = listItems(object, 'reported_configurations', 'reported_configuration');
    expect(reported.find((one) => one['name'] === 'mtu')).toMatchObject({
      expected_value: '3000',
      actual_value: '2000',
      in_sync: 'false',
    });
    const late = attached({ id: added.id, ...fixed('192.0.2.3') });
    expect(await refusedSetup(people, host.path, late, 409)).toContain('out of sync');
    await admin.must(`${host.path}/setupnetworks`, {
      ...late,
      synchronized_network_attachments: { network_attachment: [{ id: added.id }] },
    });
    expect((await admin.get(own)).object['in_sync']).toBe('true');
    await admin.must(`${host.path}/syncallnetworks`);
    expect((await nics(people, host.path)).get('eth1')?.['mtu']).toBe('3000');
    await admin.must(`${other.path}/copyhostnetworks`, { source_host: { id: host.id } });
    const copied = (await nics(people, other.path)).get('eth1');
    expect(at(copied, 'network.id')).toBe(network.id);
  });
});
