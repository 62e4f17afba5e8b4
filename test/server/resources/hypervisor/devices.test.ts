/** Devices of VMs that a hypervisor runs. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type RawAnswer, RawApi } from '../../../support/raw.ts';
import { startTestServer, type TestServer } from '../../../support/server.ts';
import { FakeHypervisor } from '../../support/fake-hypervisor.ts';

let hypervisor: FakeHypervisor;
let server: TestServer;
let api: RawApi;
let vm: string;

beforeEach(async () => {
  hypervisor = new FakeHypervisor();
  server = await startTestServer(['--speed', '0'], { hypervisor: () => hypervisor });
  api = await RawApi.signIn(server);
  vm = await add('/vms', {
    name: 'real',
    cluster: { name: 'Default' },
    template: { name: 'Blank' },
    // With a second device, the VM starts without disks.
    os: { boot: { devices: { device: ['hd', 'cdrom'] } } },
  });
});
afterEach(() => server.stop());

async function send(method: string, path: string, body?: object): Promise<RawAnswer> {
  return api.json(method, path, body);
}

async function add(path: string, body: object): Promise<string> {
  const answer = await send('POST', path, body);
  expect(answer.status, answer.text).toBeLessThan(300);
  return answer.json<{ id: string }>().id;
}

async function start(): Promise<void> {
  expect((await send('POST', `/vms/${vm}/start`, {})).status).toBe(200);
  await waitForStatus('up');
}

async function waitForStatus(status: string): Promise<void> {
  await api.until(`/vms/${vm}`, (answer) => answer.json()['status'] === status);
}

async function read(path: string) {
  return (await send('GET', `/vms/${vm}/${path}`)).json();
}

async function listEvents(): Promise<string[]> {
  const found = await send('GET', `/events?search=${encodeURIComponent(`vm.id=${vm}`)}`);
  return (
    found.json<{ event?: { description: string }[] }>().event?.map((one) => one.description) ?? []
  );
}

/** A disk of the VM: its members, and those of its attachment. */
function addDisk(members: object = {}, attached: object = {}): Promise<string> {
  return add(`/vms/${vm}/diskattachments`, {
    ...{ interface: 'virtio', active: true },
    ...attached,
    disk: {
      ...{ name: 'root', format: 'raw', provisioned_size: 2 ** 20 },
      storage_domains: { storage_domain: [{ name: 'data1' }] },
      ...members,
    },
  });
}

async function waitForDisk(id: string): Promise<void> {
  await api.until(`/disks/${id}`, (answer) => answer.json()['status'] === 'ok');
}

async function addProfiledNic(): Promise<string> {
  const profiles = (await send('GET', '/vnicprofiles')).json<{
    vnic_profile: { id: string; name: string }[];
  }>();
  const profile = profiles.vnic_profile.find(({ name }) => name === 'mgmt');
  return add(`/vms/${vm}/nics`, { name: 'nic1', vnic_profile: { id: profile?.id } });
}

describe('a NIC of a running VM', () => {
  it('is plugged in, loses its link, and is unplugged', async () => {
    await start();
    const nic = await addProfiledNic();
    expect((await send('PUT', `/vms/${vm}/nics/${nic}`, { linked: false })).status).toBe(200);
    expect((await send('PUT', `/vms/${vm}/nics/${nic}`, { name: 'other' })).status).toBe(200);
    expect((await send('POST', `/vms/${vm}/nics/${nic}/deactivate`, {})).status).toBe(200);
    expect(hypervisor.deviceChanges).toMatchObject([
      { vm, change: 'plug_nic', nic: { id: nic, model: 'virtio', linked: true } },
      { vm, change: 'link', nic, linked: false },
      { vm, change: 'unplug_nic', nic },
    ]);
    expect((await read(`nics/${nic}`))['plugged']).toBe(false);
    expect((await listEvents())[0]).toMatch(/^Interface other was unplugged from VM real/);
    expect((await send('DELETE', `/vms/${vm}/nics/${nic}`)).status).toBe(200);
    expect(hypervisor.deviceChanges).toHaveLength(3);
  });

  it('is not added if the hypervisor cannot plug it in', async () => {
    await start();
    hypervisor.deviceFailures.set('plug_nic', 'no slot is free');
    const answer = await send('POST', `/vms/${vm}/nics`, { name: 'nic1' });
    expect(answer.status).toBe(409);
    expect(answer.text).toContain('Its hypervisor reports: no slot is free.');
    expect(await read('nics')).toEqual({ nic: [] });
    const events = await listEvents();
    expect(events[0]).toMatch(/^Failed to plug interface nic1 into VM real.*: no slot is free\.$/);
    expect(events.join()).not.toContain('was added');
  });

  it('remains plugged if the guest does not release it', async () => {
    const nic = await addProfiledNic();
    await start();
    hypervisor.deviceFailures.set('unplug_nic', 'the guest does not release the device');
    const answer = await send('POST', `/vms/${vm}/nics/${nic}/deactivate`, {});
    expect(answer.status).toBe(409);
    expect((await read(`nics/${nic}`))['plugged']).toBe(true);
    expect((await listEvents())[0]).toContain('Failed to unplug interface nic1');
  });

  it('is unplugged when the guest releases it later', async () => {
    const nic = await addProfiledNic();
    await start();
    await hypervisor.unplug(vm, { kind: 'nic', id: nic });
    expect((await read(`nics/${nic}`))['plugged']).toBe(false);
    expect((await listEvents())[0]).toMatch(/^Interface nic1 was unplugged/);
  });

  it('has one change at a time', async () => {
    const nic = await addProfiledNic();
    await start();
    let open = () => {};
    hypervisor.gate = new Promise((resolve) => {
      open = resolve;
    });
    const path = `/vms/${vm}/nics/${nic}`;
    const first = send('POST', `${path}/deactivate`, {});
    await api.until(path, (answer) => answer.json()['plugged'] === false);
    for (const refused of [
      await send('POST', `${path}/activate`, {}),
      await send('PUT', path, { name: 'other' }),
      await send('DELETE', path),
    ]) {
      expect(refused.status, refused.text).toBe(409);
      expect(refused.text).toContain('Another change of it is in progress.');
    }
    open();
    expect((await first).status).toBe(200);
  });

  it('keeps a failed change if the VM ends, because it applies at the next start', async () => {
    const nic = await addProfiledNic();
    await start();
    let open = () => {};
    hypervisor.gate = new Promise((resolve) => {
      open = resolve;
    });
    hypervisor.deviceFailures.set('unplug_nic', 'the QEMU process has ended');
    const first = send('POST', `/vms/${vm}/nics/${nic}/deactivate`, {});
    await api.until(`/vms/${vm}/nics/${nic}`, (answer) => answer.json()['plugged'] === false);
    await send('POST', `/vms/${vm}/stop`, {});
    await waitForStatus('down');
    open();
    expect((await first).status).toBe(409);
    expect((await read(`nics/${nic}`))['plugged']).toBe(false);
  });

  it('is refused if the hypervisor has no such NIC', async () => {
    await start();
    const answer = await send('POST', `/vms/${vm}/nics`, { name: 'a', interface: 'spapr_vlan' });
    expect(answer.status).toBe(409);
    expect(answer.text).toContain('does not support the interface spapr_vlan of NIC a');
    expect(await read('nics')).toEqual({ nic: [] });
  });
});

describe('a disk of a running VM', () => {
  it('is plugged in, unplugged and detached', async () => {
    await start();
    const disk = await addDisk();
    await waitForDisk(disk);
    const path = `/vms/${vm}/diskattachments/${disk}`;
    expect((await send('PUT', path, { active: false })).status).toBe(200);
    expect((await listEvents())[0]).toMatch(/^VM real disk root was unplugged/);
    await waitForDisk(disk);
    expect((await send('PUT', path, { active: true })).status).toBe(200);
    expect((await send('DELETE', `${path}?detach_only=true`)).status).toBe(200);
    expect(hypervisor.deviceChanges).toMatchObject([
      { vm, change: 'plug_disk', disk: { id: disk, interface: 'virtio', size: 2 ** 20 } },
      { change: 'unplug_disk', disk },
      { change: 'plug_disk', disk: { id: disk } },
      { change: 'unplug_disk', disk },
    ]);
    await waitForDisk(disk);
    expect(await read('diskattachments')).toEqual({ disk_attachment: [] });
  });

  it('is attached but not active if the hypervisor cannot plug it in', async () => {
    await start();
    hypervisor.deviceFailures.set('plug_disk', 'no slot is free');
    const answer = await send('POST', `/vms/${vm}/diskattachments`, {
      ...{ interface: 'virtio', active: true },
      disk: {
        ...{ name: 'root', format: 'raw', provisioned_size: 2 ** 20 },
        storage_domains: { storage_domain: [{ name: 'data1' }] },
      },
    });
    expect(answer.status).toBe(409);
    expect(await read('diskattachments')).toMatchObject({
      disk_attachment: [{ active: false }],
    });
  });

  it('is locked until the guest releases it, and remains attached if it does not', async () => {
    const disk = await addDisk();
    await waitForDisk(disk);
    await start();
    let open = () => {};
    hypervisor.gate = new Promise((resolve) => {
      open = resolve;
    });
    hypervisor.deviceFailures.set('unplug_disk', 'the guest does not release the device');
    const path = `/vms/${vm}/diskattachments/${disk}`;
    const first = send('DELETE', `${path}?detach_only=true`);
    await api.until(`/disks/${disk}`, (answer) => answer.json()['status'] === 'locked');
    open();
    expect((await first).status).toBe(409);
    await waitForDisk(disk);
    expect((await send('GET', path)).json()).toMatchObject({ active: true });
  });

  it('is refused on an interface without hot plug', async () => {
    await start();
    const answer = await send('POST', `/vms/${vm}/diskattachments`, {
      ...{ interface: 'sata', active: true },
      disk: {
        ...{ name: 'root', format: 'raw', provisioned_size: 2 ** 20 },
        storage_domains: { storage_domain: [{ name: 'data1' }] },
      },
    });
    expect(answer.status, answer.text).toBe(400);
    expect(answer.text).toContain('sata');
    expect(hypervisor.deviceChanges).toEqual([]);
  });

  it('is extended, and keeps its size after a failure', async () => {
    const disk = await addDisk({ format: 'cow' });
    await waitForDisk(disk);
    await start();
    const path = `/vms/${vm}/diskattachments/${disk}`;
    const extend = (size: number) => send('PUT', path, { disk: { provisioned_size: size } });
    expect((await extend(2 ** 21)).status).toBe(200);
    await waitForDisk(disk);
    hypervisor.deviceFailures.set('extend_disk', 'storage is full');
    expect((await extend(2 ** 22)).status).toBe(200);
    await waitForDisk(disk);
    expect(hypervisor.deviceChanges).toMatchObject([
      { vm, change: 'extend_disk', disk, size: 2 ** 21 },
      { vm, change: 'extend_disk', disk, size: 2 ** 22 },
    ]);
    const found = (await send('GET', `/disks/${disk}`)).json();
    expect(found['provisioned_size']).toBe(2 ** 21);
  });
});

describe('a snapshot of a running VM', () => {
  it('copies the plugged disks in the hypervisor, and others as files', async () => {
    const [plugged, other] = [await addDisk(), await addDisk({ name: 'b' }, { active: false })];
    for (const disk of [plugged, other]) await waitForDisk(disk);
    await start();
    const body = { description: 'live', persist_memorystate: false };
    const snapshot = await add(`/vms/${vm}/snapshots`, body);
    const path = `/vms/${vm}/snapshots/${snapshot}`;
    const settled = await api.until(path, (one) => one.json()['snapshot_status'] === 'ok');
    expect(settled.json()['persist_memorystate']).toBe(false);
    const [change] = hypervisor.deviceChanges;
    expect(change).toMatchObject({ vm, change: 'copy_disks', copies: [{ disk: { id: plugged } }] });
    expect(change).not.toHaveProperty('memory');
    const found = (await send('GET', `${path}/disks`)).json<{ disk: { id: string }[] }>();
    expect(found.disk.map(({ id }) => id).sort()).toEqual([plugged, other].sort());
    for (const disk of [plugged, other]) await waitForDisk(disk);
  });

  it('does not exist after a failure', async () => {
    const disk = await addDisk();
    await waitForDisk(disk);
    await start();
    hypervisor.deviceFailures.set('copy_disks', 'storage is full');
    await add(`/vms/${vm}/snapshots`, { description: 'live' });
    await waitForDisk(disk);
    const events = await api.until(
      `/events?search=${encodeURIComponent(`vm.id=${vm}`)}`,
      (answer) => answer.text.includes('Failed to complete snapshot'),
    );
    expect(events.text).toContain('storage is full');
    expect(JSON.stringify(await read('snapshots'))).not.toContain('live');
  });
});

describe('the disc of a running VM', () => {
  const drive = '00000000-0000-0000-0000-000000000000';

  async function addDisc(name: string): Promise<string> {
    const disc = await add('/disks', {
      ...{ name, format: 'raw', provisioned_size: 2 ** 20, content_type: 'iso' },
      storage_domains: { storage_domain: [{ name: 'data1' }] },
    });
    await waitForDisk(disc);
    return disc;
  }

  function change(id: string, query = '?current=true'): Promise<RawAnswer> {
    return send('PUT', `/vms/${vm}/cdroms/${drive}${query}`, { file: { id } });
  }

  it('is changed and ejected', async () => {
    const disc = await addDisc('a');
    await start();
    expect((await change(disc)).status).toBe(200);
    expect((await change('')).status).toBe(200);
    expect(hypervisor.deviceChanges).toEqual([
      { vm, change: 'disc', disc: { disk: disc } },
      { vm, change: 'disc' },
    ]);
    expect((await listEvents())[0]).toMatch(/^The CD was ejected/);
  });

  it('is the former one after a failure', async () => {
    const [first, second] = [await addDisc('a'), await addDisc('b')];
    await start();
    await change(first);
    hypervisor.deviceFailures.set('disc', 'the file is missing');
    const answer = await change(second);
    expect(answer.status).toBe(409);
    expect(await read(`cdroms/${drive}?current=true`)).toMatchObject({ file: { id: first } });
    expect((await listEvents())[0]).toMatch(/^Failed to change the CD.*: the file is missing\.$/);
  });

  it('remains when the configuration gets another one', async () => {
    const [first, second] = [await addDisc('a'), await addDisc('b')];
    await change(first, '');
    await start();
    await change(second, '');
    expect(hypervisor.deviceChanges).toEqual([]);
    expect(await read(`cdroms/${drive}?current=true`)).toMatchObject({ file: { id: first } });
    expect(await read(`cdroms/${drive}`)).toMatchObject({ file: { id: second } });
  });
});
