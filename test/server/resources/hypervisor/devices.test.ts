/** Devices of VMs that a hypervisor runs. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RawAnswer } from '../../../support/raw.ts';
import { HypervisorSite } from '../../support/hypervisor-site.ts';

let site: HypervisorSite;

beforeEach(async () => {
  site = await HypervisorSite.create();
});
afterEach(() => site.stopServer());

async function read(path: string) {
  return (await site.send('GET', `/vms/${site.vm}/${path}`)).json();
}

async function addProfiledNic(): Promise<string> {
  const profiles = (await site.send('GET', '/vnicprofiles')).json<{
    vnic_profile: { id: string; name: string }[];
  }>();
  const profile = profiles.vnic_profile.find(({ name }) => name === 'mgmt');
  return site.add(`/vms/${site.vm}/nics`, { name: 'nic1', vnic_profile: { id: profile?.id } });
}

describe('a NIC of a running VM', () => {
  it('is plugged in, loses its link, and is unplugged', async () => {
    await site.start();
    const nic = await addProfiledNic();
    expect((await site.send('PUT', `/vms/${site.vm}/nics/${nic}`, { linked: false })).status).toBe(
      200,
    );
    expect((await site.send('PUT', `/vms/${site.vm}/nics/${nic}`, { name: 'other' })).status).toBe(
      200,
    );
    expect((await site.send('POST', `/vms/${site.vm}/nics/${nic}/deactivate`, {})).status).toBe(
      200,
    );
    expect(site.hypervisor.deviceChanges).toMatchObject([
      { vm: site.vm, change: 'plug_nic', nic: { id: nic, model: 'virtio', linked: true } },
      { vm: site.vm, change: 'link', nic, linked: false },
      { vm: site.vm, change: 'unplug_nic', nic },
    ]);
    expect((await read(`nics/${nic}`))['plugged']).toBe(false);
    expect((await site.listEvents())[0]).toMatch(/^Interface other was unplugged from VM real/);
    expect((await site.send('DELETE', `/vms/${site.vm}/nics/${nic}`)).status).toBe(200);
    expect(site.hypervisor.deviceChanges).toHaveLength(3);
  });

  it('is not added if the hypervisor cannot plug it in', async () => {
    await site.start();
    site.hypervisor.deviceFailures.set('plug_nic', 'no slot is free');
    const answer = await site.send('POST', `/vms/${site.vm}/nics`, { name: 'nic1' });
    expect(answer.status).toBe(409);
    expect(answer.text).toContain('Its hypervisor reports: no slot is free.');
    expect(await read('nics')).toEqual({ nic: [] });
    const events = await site.listEvents();
    expect(events[0]).toMatch(/^Failed to plug interface nic1 into VM real.*: no slot is free\.$/);
    expect(events.join()).not.toContain('was added');
  });

  it('remains plugged if the guest does not release it', async () => {
    const nic = await addProfiledNic();
    await site.start();
    site.hypervisor.deviceFailures.set('unplug_nic', 'the guest does not release the device');
    const answer = await site.send('POST', `/vms/${site.vm}/nics/${nic}/deactivate`, {});
    expect(answer.status).toBe(409);
    expect((await read(`nics/${nic}`))['plugged']).toBe(true);
    expect((await site.listEvents())[0]).toContain('Failed to unplug interface nic1');
  });

  it('is unplugged when the guest releases it later', async () => {
    const nic = await addProfiledNic();
    await site.start();
    await site.hypervisor.unplug(site.vm, { kind: 'nic', id: nic });
    expect((await read(`nics/${nic}`))['plugged']).toBe(false);
    expect((await site.listEvents())[0]).toMatch(/^Interface nic1 was unplugged/);
  });

  it('has one change at a time', async () => {
    const nic = await addProfiledNic();
    await site.start();
    let open = () => {};
    site.hypervisor.gate = new Promise((resolve) => {
      open = resolve;
    });
    const path = `/vms/${site.vm}/nics/${nic}`;
    const first = site.send('POST', `${path}/deactivate`, {});
    await site.api.until(path, (answer) => answer.json()['plugged'] === false);
    for (const refused of [
      await site.send('POST', `${path}/activate`, {}),
      await site.send('PUT', path, { name: 'other' }),
      await site.send('DELETE', path),
    ]) {
      expect(refused.status, refused.text).toBe(409);
      expect(refused.text).toContain('Another change of it is in progress.');
    }
    open();
    expect((await first).status).toBe(200);
  });

  it('keeps a failed change if the VM ends, because it applies at the next start', async () => {
    const nic = await addProfiledNic();
    await site.start();
    let open = () => {};
    site.hypervisor.gate = new Promise((resolve) => {
      open = resolve;
    });
    site.hypervisor.deviceFailures.set('unplug_nic', 'the QEMU process has ended');
    const first = site.send('POST', `/vms/${site.vm}/nics/${nic}/deactivate`, {});
    await site.api.until(
      `/vms/${site.vm}/nics/${nic}`,
      (answer) => answer.json()['plugged'] === false,
    );
    await site.send('POST', `/vms/${site.vm}/stop`, {});
    await site.waitForStatus('down');
    open();
    expect((await first).status).toBe(409);
    expect((await read(`nics/${nic}`))['plugged']).toBe(false);
  });

  it('is refused if the hypervisor has no such NIC', async () => {
    await site.start();
    const answer = await site.send('POST', `/vms/${site.vm}/nics`, {
      name: 'a',
      interface: 'spapr_vlan',
    });
    expect(answer.status).toBe(409);
    expect(answer.text).toContain('does not support the interface spapr_vlan of NIC a');
    expect(await read('nics')).toEqual({ nic: [] });
  });
});

describe('a disk of a running VM', () => {
  it('is plugged in, unplugged and detached', async () => {
    await site.start();
    const disk = await site.addDisk();
    await site.waitForDisk(disk);
    const path = `/vms/${site.vm}/diskattachments/${disk}`;
    expect((await site.send('PUT', path, { active: false })).status).toBe(200);
    expect((await site.listEvents())[0]).toMatch(/^VM real disk root was unplugged/);
    await site.waitForDisk(disk);
    expect((await site.send('PUT', path, { active: true })).status).toBe(200);
    expect((await site.send('DELETE', `${path}?detach_only=true`)).status).toBe(200);
    expect(site.hypervisor.deviceChanges).toMatchObject([
      { vm: site.vm, change: 'plug_disk', disk: { id: disk, interface: 'virtio', size: 2 ** 20 } },
      { change: 'unplug_disk', disk },
      { change: 'plug_disk', disk: { id: disk } },
      { change: 'unplug_disk', disk },
    ]);
    await site.waitForDisk(disk);
    expect(await read('diskattachments')).toEqual({ disk_attachment: [] });
  });

  it('is attached but not active if the hypervisor cannot plug it in', async () => {
    await site.start();
    site.hypervisor.deviceFailures.set('plug_disk', 'no slot is free');
    const answer = await site.send('POST', `/vms/${site.vm}/diskattachments`, {
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
    const disk = await site.addDisk();
    await site.waitForDisk(disk);
    await site.start();
    let open = () => {};
    site.hypervisor.gate = new Promise((resolve) => {
      open = resolve;
    });
    site.hypervisor.deviceFailures.set('unplug_disk', 'the guest does not release the device');
    const path = `/vms/${site.vm}/diskattachments/${disk}`;
    const first = site.send('DELETE', `${path}?detach_only=true`);
    await site.api.until(`/disks/${disk}`, (answer) => answer.json()['status'] === 'locked');
    open();
    expect((await first).status).toBe(409);
    await site.waitForDisk(disk);
    expect((await site.send('GET', path)).json()).toMatchObject({ active: true });
  });

  it('is refused on an interface without hot plug', async () => {
    await site.start();
    const answer = await site.send('POST', `/vms/${site.vm}/diskattachments`, {
      ...{ interface: 'sata', active: true },
      disk: {
        ...{ name: 'root', format: 'raw', provisioned_size: 2 ** 20 },
        storage_domains: { storage_domain: [{ name: 'data1' }] },
      },
    });
    expect(answer.status, answer.text).toBe(400);
    expect(answer.text).toContain('sata');
    expect(site.hypervisor.deviceChanges).toEqual([]);
  });

  it('is extended, and keeps its size after a failure', async () => {
    const disk = await site.addDisk({ format: 'cow' });
    await site.waitForDisk(disk);
    await site.start();
    const path = `/vms/${site.vm}/diskattachments/${disk}`;
    const extend = (size: number) => site.send('PUT', path, { disk: { provisioned_size: size } });
    expect((await extend(2 ** 21)).status).toBe(200);
    await site.waitForDisk(disk);
    site.hypervisor.deviceFailures.set('extend_disk', 'storage is full');
    expect((await extend(2 ** 22)).status).toBe(200);
    await site.waitForDisk(disk);
    expect(site.hypervisor.deviceChanges).toMatchObject([
      { vm: site.vm, change: 'extend_disk', disk, size: 2 ** 21 },
      { vm: site.vm, change: 'extend_disk', disk, size: 2 ** 22 },
    ]);
    const found = (await site.send('GET', `/disks/${disk}`)).json();
    expect(found['provisioned_size']).toBe(2 ** 21);
  });
});

describe('a snapshot of a running VM', () => {
  it('copies the plugged disks in the hypervisor, and others as files', async () => {
    const [plugged, other] = [
      await site.addDisk(),
      await site.addDisk({ name: 'b' }, { active: false }),
    ];
    for (const disk of [plugged, other]) await site.waitForDisk(disk);
    await site.start();
    const body = { description: 'live', persist_memorystate: false };
    const snapshot = await site.add(`/vms/${site.vm}/snapshots`, body);
    const path = `/vms/${site.vm}/snapshots/${snapshot}`;
    const settled = await site.api.until(path, (one) => one.json()['snapshot_status'] === 'ok');
    expect(settled.json()['persist_memorystate']).toBe(false);
    const [change] = site.hypervisor.deviceChanges;
    expect(change).toMatchObject({
      vm: site.vm,
      change: 'copy_disks',
      copies: [{ disk: { id: plugged } }],
    });
    expect(change).not.toHaveProperty('memory');
    const found = (await site.send('GET', `${path}/disks`)).json<{ disk: { id: string }[] }>();
    expect(found.disk.map(({ id }) => id).sort()).toEqual([plugged, other].sort());
    for (const disk of [plugged, other]) await site.waitForDisk(disk);
  });

  it('does not exist after a failure', async () => {
    const disk = await site.addDisk();
    await site.waitForDisk(disk);
    await site.start();
    site.hypervisor.deviceFailures.set('copy_disks', 'storage is full');
    await site.add(`/vms/${site.vm}/snapshots`, { description: 'live' });
    await site.waitForDisk(disk);
    const events = await site.api.until(
      `/events?search=${encodeURIComponent(`vm.id=${site.vm}`)}`,
      (answer) => answer.text.includes('Failed to complete snapshot'),
    );
    expect(events.text).toContain('storage is full');
    expect(JSON.stringify(await read('snapshots'))).not.toContain('live');
  });
});

describe('the disc of a running VM', () => {
  const drive = '00000000-0000-0000-0000-000000000000';

  async function addDisc(name: string): Promise<string> {
    const disc = await site.add('/disks', {
      ...{ name, format: 'raw', provisioned_size: 2 ** 20, content_type: 'iso' },
      storage_domains: { storage_domain: [{ name: 'data1' }] },
    });
    await site.waitForDisk(disc);
    return disc;
  }

  function change(id: string, query = '?current=true'): Promise<RawAnswer> {
    return site.send('PUT', `/vms/${site.vm}/cdroms/${drive}${query}`, { file: { id } });
  }

  it('is changed and ejected', async () => {
    const disc = await addDisc('a');
    await site.start();
    expect((await change(disc)).status).toBe(200);
    expect((await change('')).status).toBe(200);
    expect(site.hypervisor.deviceChanges).toEqual([
      { vm: site.vm, change: 'disc', disc: { disk: disc } },
      { vm: site.vm, change: 'disc' },
    ]);
    expect((await site.listEvents())[0]).toMatch(/^The CD was ejected/);
  });

  it('is the former one after a failure', async () => {
    const [first, second] = [await addDisc('a'), await addDisc('b')];
    await site.start();
    await change(first);
    site.hypervisor.deviceFailures.set('disc', 'the file is missing');
    const answer = await change(second);
    expect(answer.status).toBe(409);
    expect(await read(`cdroms/${drive}?current=true`)).toMatchObject({ file: { id: first } });
    expect((await site.listEvents())[0]).toMatch(
      /^Failed to change the CD.*: the file is missing\.$/,
    );
  });

  it('remains when the configuration gets another one', async () => {
    const [first, second] = [await addDisc('a'), await addDisc('b')];
    await change(first, '');
    await site.start();
    await change(second, '');
    expect(site.hypervisor.deviceChanges).toEqual([]);
    expect(await read(`cdroms/${drive}?current=true`)).toMatchObject({ file: { id: first } });
    expect(await read(`cdroms/${drive}`)).toMatchObject({ file: { id: second } });
  });
});
