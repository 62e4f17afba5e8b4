/** Network interfaces of machines: their addresses, networks and plugs. */
import { describe, expect } from 'vitest';
import { row } from './support/rows.ts';
import { type People, useSite } from './support/site.ts';
import { at } from './support/speaker.ts';
import { newVm, until } from './support/vms.ts';

const site = useSite();
const bootsFromDisc = { os: { boot: { devices: { device: ['cdrom'] } } } };

async function running(people: People, more: object = {}) {
  const vm = await newVm(people, { ...bootsFromDisc, ...more });
  await people.admin.must(`/vms/${vm.id}/start`);
  return vm;
}

describe(row(93), () => {
  site.both('adds an interface with an address of the pool', async (people) => {
    const { admin } = people;
    const { id } = await newVm(people);
    const { status, object, headers, text } = await admin.post(`/vms/${id}/nics`, {
      nic: { name: 'nic1' },
    });
    expect(status, text).toBe(201);
    expect(headers['location']).toBe(object['href']);
    expect(object).toMatchObject({
      name: 'nic1',
      interface: 'virtio',
      linked: 'true',
      plugged: 'true',
      vm: { id },
    });
    expect(at(object, 'mac.address')).toMatch(/^56:6f:1a:16:/);
    expect(object['vnic_profile']).toBeUndefined();
    const second = await admin.add(`/vms/${id}/nics`, { nic: { name: 'nic2' } });
    expect(at(second, 'mac.address')).not.toBe(at(object, 'mac.address'));
  });
  site.both('keeps a given address, unless another NIC has it', async (people) => {
    const { admin } = people;
    const { id } = await newVm(people);
    const end = people.format === 'XML' ? '01' : '02';
    const mac = { address: `00:1A:4A:00:00:${end}` };
    const nic = await admin.add(`/vms/${id}/nics`, { nic: { name: 'nic1', mac } });
    expect(at(nic, 'mac.address')).toBe(mac.address.toLowerCase());
    const refused = async (more: object, status: number, detail: RegExp) => {
      const answer = await admin.post(`/vms/${id}/nics`, { nic: { name: 'nic9', ...more } });
      expect(answer.status, answer.text).toBe(status);
      expect(answer.fault?.detail).toMatch(detail);
    };
    await refused({ mac }, 409, /already used/);
    await refused({ mac: { address: 'nonsense' } }, 400, /not a MAC address/);
    await refused({ mac: { address: '01:00:5e:00:00:01' } }, 400, /multicast/);
    await refused({ name: 'nic1' }, 409, /nic1/);
    await refused({ name: 'x'.repeat(51) }, 400, /at most 50/);
    await refused({ interface: 'pci_passthrough' }, 409, /passthrough/);
    const nowhere = { id: 'ffffffff-0000-0000-0000-000000000000' };
    await refused({ vnic_profile: nowhere }, 400, /VnicProfile/);
  });
  site.both('allows duplicates if the pool does', async (people) => {
    const { admin, path, name } = people;
    const ranges = { range: [{ from: '00:1a:4a:aa:00:00', to: '00:1a:4a:aa:00:ff' }] };
    const mac_pool = { name: name('pool'), allow_duplicates: true, ranges };
    const pool = await admin.add('/macpools', { mac_pool });
    const cluster = {
      name: name('c'),
      cpu: { type: 'Intel Nehalem Family' },
      data_center: { id: path('{datacenter}') },
      mac_pool: { id: pool.id },
    };
    const { id: other } = await admin.add('/clusters', { cluster });
    const { id } = await newVm(people, { cluster: { id: other } });
    const first = await admin.add(`/vms/${id}/nics`, { nic: { name: 'a' } });
    expect(at(first, 'mac.address')).toBe('00:1a:4a:aa:00:00');
    const same = { name: 'b', mac: { address: '00:1a:4a:aa:00:00' } };
    expect((await admin.post(`/vms/${id}/nics`, { nic: same })).status).toBe(201);
    await admin.delete(`/vms/${id}`);
    await admin.delete(`/clusters/${other}`);
    await admin.delete(`/macpools/${pool.id}`);
  });
  site.both('takes no address that an interface of a snapshot has', async (people) => {
    const { admin, path, name } = people;
    const ranges = { range: [{ from: '00:1a:4a:cc:00:00', to: '00:1a:4a:cc:00:01' }] };
    const pool = await admin.add('/macpools', { mac_pool: { name: name('pool'), ranges } });
    const cluster = {
      name: name('c'),
      cpu: { type: 'Intel Nehalem Family' },
      data_center: { id: path('{datacenter}') },
      mac_pool: { id: pool.id },
    };
    const { id: other } = await admin.add('/clusters', { cluster });
    const { id } = await newVm(people, { cluster: { id: other } });
    const add = (nic: string) => admin.post(`/vms/${id}/nics`, { nic: { name: nic } });
    const first = (await add('a')).object;
    const snapshot = await admin.add(`/vms/${id}/snapshots`, { snapshot: { description: 's' } });
    await until(people, `/vms/${id}/snapshots/${snapshot.id}`, (one) => {
      return one['snapshot_status'] === 'ok';
    });
    await admin.delete(`/vms/${id}/nics/${String(first['id'])}`);
    expect(at((await add('b')).object, 'mac.address')).toBe('00:1a:4a:cc:00:01');
    const refused = await add('c');
    expect([refused.status, refused.fault?.detail]).toEqual([
      409,
      expect.stringContaining('The MAC pool is exhausted'),
    ]);
    expect((await admin.delete(`/vms/${id}/snapshots/${snapshot.id}`)).status).toBe(200);
    await until(people, `/vms/${id}`, (one) => one['status'] === 'down');
    expect(at((await add('c')).object, 'mac.address')).toBe('00:1a:4a:cc:00:00');
    await admin.delete(`/vms/${id}`);
    await admin.delete(`/clusters/${other}`);
    await admin.delete(`/macpools/${pool.id}`);
  });
  site.both('gives them their addresses in the order of their names', async (people) => {
    const { admin, format } = people;
    const { id } = await newVm(people);
    const address = (end: number) => `00:1a:4a:dd:${format === 'XML' ? '01' : '02'}:0${end}`;
    const given = { nic2: 3, nic10: 1, nic1: 4, eth: 2 };
    for (const [name, end] of Object.entries(given)) {
      await admin.add(`/vms/${id}/nics`, { nic: { name, mac: { address: address(end) } } });
    }
    await admin.must(`/vms/${id}/reordermacaddresses`);
    const { list } = await admin.get(`/vms/${id}/nics`);
    const found = Object.fromEntries(list.map((one) => [one['name'], at(one, 'mac.address')]));
    expect(found).toEqual({
      eth: address(1),
      nic1: address(2),
      nic10: address(3),
      nic2: address(4),
    });
  });
  site.both('refuses networks that the cluster does not have', async (people) => {
    const { admin, path, name } = people;
    const network = { name: name('net'), data_center: { id: path('{datacenter}') } };
    const added = await admin.add('/networks', { network });
    const profiles = (await admin.get(`/networks/${added.id}/vnicprofiles`)).list;
    const { id } = await newVm(people);
    const nic = { name: 'nic1', vnic_profile: { id: profiles[0]?.['id'] } };
    const answer = await admin.post(`/vms/${id}/nics`, { nic });
    expect(answer.status, answer.text).toBe(409);
    expect(answer.fault?.detail).toContain(network.name);
  });
  site.incomplete('POST', '/vms/{vm}/nics', { nic: {} }, 'name');
  site.unknown('POST', '/vms/{nothing}/nics', { nic: { name: 'x' } });
});

describe('/vms/{vm}/nics/{nic}', () => {
  site.both('reads, changes, plugs and removes an interface', async (people) => {
    const { admin } = people;
    const { id } = await running(people);
    const nic = await admin.add(`/vms/${id}/nics`, { nic: { name: 'nic1' } });
    const here = `/vms/${id}/nics/${nic.id}`;
    expect((await admin.get(here)).status).toBe(200);
    expect((await admin.put(here, { nic: { linked: false } })).object).toMatchObject({
      linked: 'false',
    });
    const other = { mac: { address: '00:1a:4a:bb:00:01' } };
    expect((await admin.put(here, { nic: other })).status).toBe(409);
    const active = await admin.delete(here);
    expect(active.status).toBe(409);
    expect(active.fault?.detail).toContain('unplug');
    await admin.must(`${here}/deactivate`);
    expect((await admin.get(here)).object).toMatchObject({ plugged: 'false' });
    await admin.must(`${here}/activate`);
    await admin.put(here, { nic: { plugged: false } });
    expect((await admin.delete(here)).status).toBe(200);
    expect((await admin.get(here)).status).toBe(404);
  });
  site.both('loses its profile with an empty one in the request', async (people) => {
    const { admin } = people;
    const { id } = await newVm(people);
    const nic = await admin.add(`/vms/${id}/nics`, { nic: { name: 'nic1' } });
    const changed = await admin.put(`/vms/${id}/nics/${nic.id}`, { nic: { vnic_profile: {} } });
    expect(changed.object['vnic_profile']).toBeUndefined();
  });
  site.both('is not for machines in between', async (people) => {
    const { admin } = people;
    const { id } = await running(people);
    await admin.must(`/vms/${id}/suspend`);
    const answer = await admin.post(`/vms/${id}/nics`, { nic: { name: 'nic1' } });
    expect(answer.status).toBe(409);
    expect(answer.fault?.detail).toContain('suspended');
  });
  site.both('has parameters of its filter', async (people) => {
    const { admin } = people;
    const { id } = await newVm(people);
    const nic = await admin.add(`/vms/${id}/nics`, { nic: { name: 'nic1' } });
    const at = `/vms/${id}/nics/${nic.id}/networkfilterparameters`;
    const parameter = await admin.add(at, {
      network_filter_parameter: { name: 'IP', value: '10.0.0.1' },
    });
    const value = '10.0.0.2';
    const { object } = await admin.put(`${at}/${parameter.id}`, {
      network_filter_parameter: { value },
    });
    expect(object).toMatchObject({ name: 'IP', value });
    expect((await admin.get(at)).list).toHaveLength(1);
    expect((await admin.delete(`${at}/${parameter.id}`)).status).toBe(200);
    expect((await admin.get(at)).list).toHaveLength(0);
  });
  site.unknown('GET', '/vms/{vm}/nics/{nothing}');
  site.unknown('DELETE', '/vms/{vm}/nics/{nothing}');
});
