/** Changes of the networks of a host as a whole: made, refused, undone and saved. */
import { describe, expect } from 'vitest';
import {
  addNetwork,
  attached,
  bond,
  bonded,
  fixed,
  hostAndNetwork,
  nics,
  refusedSetup,
} from './support/host-networks.ts';
import { addHost, addRunningVm, forbidden } from './support/hosts.ts';
import { row } from './support/rows.ts';
import { useSite } from './support/site.ts';
import { at, listItems, type Thing } from './support/speaker.ts';

const site = useSite();

describe(row(142), () => {
  site.both('attaches a network with a static address', async (people) => {
    const { admin } = people;
    const { host, network } = await hostAndNetwork(people);
    const { status, object } = await admin.post(`${host.path}/setupnetworks`, {
      action: {
        ...attached({
          network: { name: network['name'] },
          host_nic: { name: 'eth1' },
          ...fixed('192.0.2.7'),
          dns_resolver_configuration: { name_servers: { name_server: ['192.0.2.53'] } },
        }),
        check_connectivity: true,
        connectivity_timeout: 60,
      },
    });
    expect([status, object['status']]).toEqual([200, 'complete']);
    const eth1 = (await nics(people, host.path)).get('eth1');
    expect(eth1).toMatchObject({
      boot_protocol: 'static',
      bridged: 'true',
      mtu: '1500',
      network: { id: network.id },
      ip: { address: '192.0.2.7', netmask: '255.255.255.0' },
    });
  });
  site.both('makes a bond with tagged networks, and takes it apart', async (people) => {
    const { admin } = people;
    const { host, network } = await hostAndNetwork(people, { vlan: { id: 42 }, mtu: 9000 });
    await admin.must(`${host.path}/setupnetworks`, {
      ...bonded(bond('bond0', ['eth1', 'eth2'])),
      ...attached({ network: { id: network.id }, host_nic: { name: 'bond0' } }),
      commit_on_success: true,
    });
    const found = await nics(people, host.path);
    const slaves = listItems(found.get('bond0')?.['bonding'] as Thing, 'slaves', 'host_nic');
    const names = ['eth1', 'eth2'].map((name) => found.get(name)?.['id']);
    expect(slaves.map((one) => one['id'])).toEqual(names);
    expect(found.get('bond0.42')).toMatchObject({
      base_interface: 'bond0',
      vlan: { id: '42' },
      mtu: '9000',
      network: { id: network.id },
    });
    const [one] = (await admin.get(`${host.path}/networkattachments`)).list.filter(
      (attachment) => at(attachment, 'network.id') === network.id,
    );
    await admin.must(`${host.path}/setupnetworks`, {
      removed_network_attachments: { network_attachment: [{ id: one?.['id'] }] },
      removed_bonds: { host_nic: [{ name: 'bond0' }] },
    });
    expect([...(await nics(people, host.path)).keys()]).toEqual(['eth0', 'eth1', 'eth2', 'eth3']);
  });
  site.both('changes the address of an attachment, and its interface', async (people) => {
    const { admin } = people;
    const { host, network } = await hostAndNetwork(people);
    const nic = { host_nic: { name: 'eth1' } };
    await admin.must(
      `${host.path}/setupnetworks`,
      attached({ network: { id: network.id }, ...nic }),
    );
    const [id] = (await admin.get(`${host.path}/networkattachments`)).list
      .filter((one) => at(one, 'network.id') === network.id)
      .map((one) => one['id']);
    const moved = { id, host_nic: { name: 'eth2' }, ...fixed('192.0.2.8') };
    await admin.must(`${host.path}/setupnetworks`, attached(moved));
    const found = await nics(people, host.path);
    expect(at(found.get('eth2'), 'ip.address')).toBe('192.0.2.8');
    expect(found.get('eth1')?.['network']).toBeUndefined();
    const other = await addNetwork(people, host.cluster);
    const change = attached({ id, network: { id: other.id } });
    expect(await refusedSetup(people, host.path, change, 400)).toContain('another network');
  });
  site.both('refuses what a host cannot carry out', async (people) => {
    const { path } = people;
    const { host, network } = await hostAndNetwork(people);
    const second = await addNetwork(people, host.cluster);
    const refused = (action: Thing, status: number) =>
      refusedSetup(people, host.path, action, status);
    const eth1 = { host_nic: { name: 'eth1' } };
    const one = { network: { id: network.id }, ...eth1 };
    expect(await refused(attached({ ...one, host_nic: { name: 'eth9' } }), 400)).toContain('eth9');
    const both = attached(one, { network: { id: second.id }, ...eth1 });
    expect(await refused(both, 409)).toContain('untagged');
    const twice = attached(one, { ...one, host_nic: { name: 'eth2' } });
    expect(await refused(twice, 409)).toContain('attached to it already');
    const outside = attached({ network: { id: path('{network}') }, ...eth1 });
    await refused(outside, 409);
    expect(await refused(bonded(bond('bond0', ['eth1'])), 400)).toContain('two slaves');
    expect(await refused(bonded(bond('team0', ['eth1', 'eth2'])), 400)).toContain('team0');
    const shared = bonded(bond('bond0', ['eth1', 'eth2']), bond('bond1', ['eth2', 'eth3']));
    expect(await refused(shared, 409)).toContain('two bonds');
    expect(await refused(bonded(bond('bond0', ['eth0', 'eth1'])), 409)).toContain('eth0');
    const modes = {
      ...bonded(bond('bond0', ['eth1', 'eth2'], '0')),
      ...attached({ network: { id: network.id }, host_nic: { name: 'bond0' } }),
    };
    expect(await refused(modes, 400)).toContain('in mode 0 cannot carry VM network');
    const half = {
      ip_address_assignments: { ip_address_assignment: [{ assignment_method: 'static' }] },
    };
    expect(await refused(attached({ ...one, ...half }), 400)).toContain('netmask');
    expect(await refused(attached({ ...one, ...fixed('300.1.1.1') }), 400)).toContain('300.1.1.1');
    expect(await refused({ ...attached(one), connectivity_timeout: 121 }, 400)).toContain('120');
    const unknown = { removed_network_attachments: { network_attachment: [{ id: path('{vm}') }] } };
    expect(await refused(unknown, 400)).toContain(path('{vm}'));
    expect(await refused({ removed_labels: { network_label: [{ id: 'red' }] } }, 409)).toContain(
      'red',
    );
    expect((await nics(people, host.path)).size).toBe(4);
  });
  site.both('keeps the management network, and networks of running VMs', async (people) => {
    const { admin, name } = people;
    const { host, network } = await hostAndNetwork(people);
    await admin.must(
      `${host.path}/setupnetworks`,
      attached({ network: { id: network.id }, host_nic: { name: 'eth1' } }),
    );
    const vm = await addRunningVm(people, host.cluster);
    const profile = await admin.find('/vnicprofiles', String(network['name']));
    await admin.add(`${vm.path}/nics`, {
      nic: { name: name('nic'), vnic_profile: { id: profile.id } },
    });
    const { list } = await admin.get(`${host.path}/networkattachments`);
    for (const one of list) {
      const action = { removed_network_attachments: { network_attachment: [{ id: one['id'] }] } };
      const used = at(one, 'network.id') === network.id;
      const detail = await refusedSetup(people, host.path, action, used ? 409 : 400);
      expect(detail).toContain(used ? String(vm['name']) : 'management network');
    }
  });
  site.both('makes a host useless that loses a required network', async (people) => {
    const { admin } = people;
    const { host, network } = await hostAndNetwork(people);
    await admin.must(
      `${host.path}/setupnetworks`,
      attached({ network: { id: network.id }, host_nic: { name: 'eth1' } }),
    );
    const own = `/clusters/${host.cluster}/networks/${network.id}`;
    await admin.put(own, { network: { required: true } });
    expect((await admin.get(own)).object['status']).toBe('operational');
    const { list } = await admin.get(`${host.path}/networkattachments`);
    const one = list.find((attachment) => at(attachment, 'network.id') === network.id);
    await admin.must(`${host.path}/setupnetworks`, {
      removed_network_attachments: { network_attachment: [{ id: one?.['id'] }] },
    });
    expect((await admin.get(host.path)).object).toMatchObject({
      status: 'non_operational',
      status_detail: 'network_unreachable',
    });
  });
  site.both('puts labels on interfaces: networks come and go with them', async (people) => {
    const { admin, name } = people;
    const { host, network } = await hostAndNetwork(people);
    const label = name('red');
    await admin.add(`/networks/${network.id}/networklabels`, { network_label: { id: label } });
    await admin.must(`${host.path}/setupnetworks`, {
      modified_labels: { network_label: [{ id: label, host_nic: { name: 'eth2' } }] },
    });
    const eth2 = (await nics(people, host.path)).get('eth2');
    expect(at(eth2, 'network.id')).toBe(network.id);
    const again = {
      modified_labels: { network_label: [{ id: label, host_nic: { name: 'eth1' } }] },
    };
    expect(await refusedSetup(people, host.path, again, 409)).toContain('eth2');
    await admin.must(`${host.path}/setupnetworks`, {
      removed_labels: { network_label: [{ id: label }] },
    });
    expect((await nics(people, host.path)).get('eth2')?.['network']).toBeUndefined();
  });
  site.both('is reverted without a commit in time', async (people) => {
    const { admin } = people;
    const { host, network } = await hostAndNetwork(people);
    await admin.must(`${host.path}/setupnetworks`, {
      ...attached({ network: { id: network.id }, host_nic: { name: 'eth1' } }),
      check_connectivity: true,
      connectivity_timeout: 1,
    });
    const has = async () => (await nics(people, host.path)).get('eth1')?.['network'] !== undefined;
    expect(await has()).toBe(true);
    while (await has()) await new Promise(setImmediate);
    expect((await admin.get(`${host.path}/networkattachments`)).list).toHaveLength(1);
  });
  site.both('waits for a host that can take it', async (people) => {
    const host = await addHost(people);
    const { admin } = people;
    await admin.add(`${host.path}/fenceagents`, {
      agent: { type: 'ilo4', address: 'ilo', username: 'a', password: 'b', order: 1 },
    });
    await addHost(people, { cluster: host.cluster });
    await admin.put(host.path, { host: { power_management: { enabled: true } } });
    await admin.must(`${host.path}/deactivate`);
    await admin.must(`${host.path}/fence`, { fence_type: 'stop' });
    const detail = await refusedSetup(people, host.path, {}, 409);
    expect(detail).toContain('up, maintenance, non_operational');
  });
  site.unknown('POST', '/hosts/{unknown}/setupnetworks', { action: {} });
  forbidden(site, 'POST', '/hosts/{host}/setupnetworks', { action: {} });
});

describe(row(136), () => {
  site.both('keeps a committed change after a reboot, which reverts others', async (people) => {
    const { admin } = people;
    const { host, network } = await hostAndNetwork(people);
    const setup = attached({ network: { id: network.id }, host_nic: { name: 'eth1' } });
    const restart = async () => {
      await admin.must(`${host.path}/deactivate`);
      await admin.must(`${host.path}/install`, { root_password: 'x', activate: true });
    };
    const has = async () => (await nics(people, host.path)).get('eth1')?.['network'] !== undefined;
    await admin.must(`${host.path}/setupnetworks`, setup);
    await restart();
    expect(await has()).toBe(false);
    await admin.must(`${host.path}/setupnetworks`, setup);
    const { status, object } = await admin.post(`${host.path}/commitnetconfig`);
    expect([status, object['status']]).toEqual([200, 'complete']);
    await restart();
    expect(await has()).toBe(true);
  });
  site.unknown('POST', '/hosts/{unknown}/commitnetconfig', { action: {} });
  forbidden(site, 'POST', '/hosts/{host}/commitnetconfig', { action: {} });
});
