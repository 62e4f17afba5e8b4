/** Devices of VMs: drive, consoles and others; reports of the guest. */
import { describe, expect } from 'vitest';
import { row } from './support/rows.ts';
import { type People, useSite } from './support/site.ts';
import { at, listItems } from './support/speaker.ts';
import { addDisk, mebibyte, newVm } from './support/vms.ts';

const site = useSite();
const bootsFromDisc = { os: { boot: { devices: { device: ['cdrom'] } } } };
const pattern = /^[0-9a-f]{2}(:[0-9a-f]{2}){5}$/;

async function running(people: People, more: object = {}) {
  const vm = await newVm(people, { ...bootsFromDisc, ...more });
  await people.admin.must(`/vms/${vm.id}/start`);
  return vm;
}

describe(row(99), () => {
  async function drive(people: People, vm: string) {
    const [cdrom] = (await people.admin.get(`/vms/${vm}/cdroms`)).list;
    return `/vms/${vm}/cdroms/${String(cdrom?.['id'])}`;
  }
  /** A disk that holds an ISO image. */
  async function isoDisk({ admin, name }: People): Promise<string> {
    const disk = {
      name: name('iso'),
      format: 'raw',
      content_type: 'iso',
      provisioned_size: mebibyte,
      storage_domains: { storage_domain: [{ name: 'data1' }] },
    };
    return (await admin.add('/disks', { disk })).id;
  }
  site.both('puts a disc in, and takes it out', async (people) => {
    const { admin } = people;
    const { id } = await newVm(people);
    const here = await drive(people, id);
    expect(here).toContain('00000000-0000-0000-0000-000000000000');
    const disc = await isoDisk(people);
    const { status, object } = await admin.put(here, { cdrom: { file: { id: disc } } });
    expect(status).toBe(200);
    expect(at(object, 'file.id')).toBe(disc);
    expect(at((await admin.get(here)).object, 'file.id')).toBe(disc);
    const empty = await admin.put(here, { cdrom: { file: { id: '' } } });
    expect(at(empty.object, 'file.id')).toBeUndefined();
  });
  site.both('with current for this run alone', async (people) => {
    const { admin } = people;
    const { id } = await running(people);
    const here = await drive(people, id);
    const disc = await isoDisk(people);
    const { status } = await admin.put(`${here}?current=true`, { cdrom: { file: { id: disc } } });
    expect(status).toBe(200);
    expect(at((await admin.get(`${here}?current=true`)).object, 'file.id')).toBe(disc);
    expect(at((await admin.get(here)).object, 'file.id')).toBeUndefined();
    await admin.must(`/vms/${id}/stop`);
    expect(at((await admin.get(`${here}?current=true`)).object, 'file.id')).toBeUndefined();
    const down = await admin.put(`${here}?current=true`, { cdrom: { file: { id: disc } } });
    expect(down.status).toBe(409);
    expect(down.fault?.detail).toContain('down');
  });
  site.both('refuses what is no disc', async (people) => {
    const { admin } = people;
    const { id } = await newVm(people);
    const here = await drive(people, id);
    expect((await admin.put(here, { cdrom: { file: { id: 'notes.txt' } } })).status).toBe(400);
    const second = await admin.post(`/vms/${id}/cdroms`, { cdrom: { file: { id: 'a.iso' } } });
    expect(second.status).toBe(400);
  });
  site.unknown('PUT', '/vms/{vm}/cdroms/{nothing}', { cdrom: { file: { id: '' } } });
});

describe('/vms/{vm}/graphicsconsoles', () => {
  site.both('has a console for each protocol, and says how to reach it', async (people) => {
    const { admin } = people;
    const { id } = await running(people);
    const here = `/vms/${id}/graphicsconsoles`;
    const vnc = (await admin.get(here)).list[0];
    expect(vnc).toMatchObject({ id: '766e63', protocol: 'vnc' });
    expect(vnc?.['port']).toBeUndefined();
    const [current] = (await admin.get(`${here}?current=true`)).list;
    expect(current).toMatchObject({ address: expect.stringContaining('host') });
    expect(Number(current?.['port'])).toBeGreaterThan(5899);
    const graphics_console = { protocol: 'spice' };
    const spice = await admin.add(here, { graphics_console });
    expect(spice.id).toBe('7370696365');
    expect((await admin.post(here, { graphics_console })).status).toBe(400);
    expect((await admin.post(here, { graphics_console: {} })).status).toBe(400);
    const ticket = (await admin.must(`${here}/766e63/ticket`, { ticket: { expiry: 30 } })).object;
    expect(at(ticket, 'ticket.expiry')).toBe('30');
    const proxy = (await admin.must(`${here}/766e63/proxyticket`)).object;
    expect(at(proxy, 'proxy_ticket.value')).toBeTruthy();
    const file = (await admin.must(`${here}/766e63/remoteviewerconnectionfile`)).object;
    expect(file['remote_viewer_connection_file']).toContain('[virt-viewer]');
    expect(file['remote_viewer_connection_file']).toContain('type=vnc');
    expect((await admin.delete(`${here}/${spice.id}`)).status).toBe(200);
    await admin.must(`/vms/${id}/stop`);
    expect((await admin.post(`${here}/766e63/ticket`)).status).toBe(409);
  });
});

describe('watchdogs, NUMA nodes and mediated devices', () => {
  site.both('are added, changed and removed while the machine is down', async (people) => {
    const { admin } = people;
    const { id } = await newVm(people, { cpu: { topology: { sockets: 2 } } });
    const dogs = `/vms/${id}/watchdogs`;
    const watchdog = { model: 'i6300esb', action: 'reset' };
    const dog = await admin.add(dogs, { watchdog });
    expect((await admin.post(dogs, { watchdog })).status).toBe(409);
    expect((await admin.post(dogs, { watchdog: { action: 'reset' } })).status).toBe(400);
    const changed = await admin.put(`${dogs}/${dog.id}`, { watchdog: { action: 'pause' } });
    expect(changed.object).toMatchObject({ model: 'i6300esb', action: 'pause' });
    expect((await admin.delete(`${dogs}/${dog.id}`)).status).toBe(200);
    const nodes = `/vms/${id}/numanodes`;
    const node = (index: number, memory = 256) => ({
      vm_numa_node: { index, memory, cpu: { cores: { core: [{ index }] } } },
    });
    const first = await admin.add(nodes, node(0));
    for (const [body, status] of [
      [node(0), 400],
      [node(2), 400],
      [node(1, 2048), 400],
    ] as const) {
      expect((await admin.post(nodes, body)).status).toBe(status);
    }
    const second = await admin.add(nodes, node(1));
    expect((await admin.post(nodes, node(2))).fault?.detail).toContain('2 virtual processors');
    expect((await admin.delete(`${nodes}/${first.id}`)).status).toBe(400);
    const more = await admin.put(`${nodes}/${second.id}`, { vm_numa_node: { memory: 512 } });
    expect(more.object).toMatchObject({ index: '1', memory: '512' });
    expect((await admin.delete(`${nodes}/${second.id}`)).status).toBe(200);
    expect((await admin.delete(`${nodes}/${first.id}`)).status).toBe(200);
    const devices = `/vms/${id}/mediateddevices`;
    const spec_params = { property: [{ name: 'mdevType', value: 'nvidia-11' }] };
    const device = await admin.add(devices, { vm_mediated_device: { spec_params } });
    expect(listItems(device, 'spec_params', 'property')).toMatchObject(spec_params.property);
    expect((await admin.delete(`${devices}/${device.id}`)).status).toBe(200);
  });
});

describe('/vms/{vm}/hostdevices', () => {
  site.both('takes devices of the host that the machine is pinned to', async (people) => {
    const { admin, path } = people;
    const { list } = await admin.get(path('/hosts/{host}/devices'));
    const name = String(list[0]?.['name']);
    const free = await newVm(people);
    const loose = await admin.post(`/vms/${free.id}/hostdevices`, { host_device: { name } });
    expect(loose.status).toBe(409);
    const hosts = { host: [{ id: path('{host}') }] };
    const { id } = await newVm(people, { placement_policy: { affinity: 'pinned', hosts } });
    const here = `/vms/${id}/hostdevices`;
    const device = await admin.add(here, { host_device: { name } });
    expect(device).toMatchObject({ name });
    expect((await admin.get(here)).list).toHaveLength(1);
    expect((await admin.get(`${here}/${device.id}`)).object).toMatchObject({ name });
    expect((await admin.post(here, { host_device: { name: 'nothing' } })).status).toBe(400);
    expect((await admin.post(here, { host_device: {} })).status).toBe(400);
    expect((await admin.delete(`${here}/${device.id}`)).status).toBe(200);
    expect((await admin.get(here)).list).toHaveLength(0);
  });
});

describe('guest reports', () => {
  site.both('exist while the VM runs', async (people) => {
    const { admin } = people;
    const { id } = await running(people);
    const nic = await admin.add(`/vms/${id}/nics`, { nic: { name: 'nic1' } });
    const devices = (await admin.get(`/vms/${id}/reporteddevices`)).list;
    expect(devices).toMatchObject([{ type: 'network', mac: { address: at(nic, 'mac.address') } }]);
    const [device] = devices;
    const ips = listItems(device ?? {}, 'ips', 'ip');
    expect(ips[0]?.['address']).toMatch(/^\d+\.\d+\.\d+\.\d+$/);
    const one = `/vms/${id}/reporteddevices/${String(device?.['id'])}`;
    expect((await admin.get(one)).object).toMatchObject({ mac: device?.['mac'] });
    const ofNic = await admin.get(`/vms/${id}/nics/${nic.id}/reporteddevices`);
    expect(ofNic.list).toHaveLength(1);
    const applications = (await admin.get(`/vms/${id}/applications`)).list;
    expect(applications.length).toBeGreaterThan(0);
    const first = String(applications[0]?.['id']);
    expect((await admin.get(`/vms/${id}/applications/${first}`)).status).toBe(200);
    expect((await admin.get(`/vms/${id}/sessions`)).list).toHaveLength(0);
    await admin.must(`/vms/${id}/logon`);
    const [session] = (await admin.get(`/vms/${id}/sessions`)).list;
    expect(session).toMatchObject({ console_user: 'true' });
    expect((await admin.get(`/vms/${id}/sessions/${String(session?.['id'])}`)).status).toBe(200);
    expect((await admin.get(`/vms/${id}/statistics`)).list.length).toBeGreaterThan(5);
    expect((await admin.get(`/vms/${id}/nics/${nic.id}/statistics`)).list.length).toBe(8);
    await admin.must(`/vms/${id}/stop`);
    for (const what of ['reporteddevices', 'applications', 'sessions']) {
      expect((await admin.get(`/vms/${id}/${what}`)).list).toHaveLength(0);
    }
    expect(at(nic, 'mac.address')).toMatch(pattern);
  });
});

describe('a machine that starts from its disk', () => {
  site.both('needs one, bootable or not', async (people) => {
    const { admin } = people;
    const { id } = await newVm(people);
    expect((await admin.post(`/vms/${id}/start`)).status).toBe(409);
    await addDisk(people, id, { bootable: false });
    await admin.must(`/vms/${id}/start`);
  });
});
