/** Disk attachments: disks as a virtual machine has them, plugged in and out; images of snapshots. */
import { describe, expect } from 'vitest';
import { listPaths, row } from './support/rows.ts';
import { type People, useSite } from './support/site.ts';
import { at } from './support/speaker.ts';
import { addDisk, events, gibibyte, ownDomain, settled } from './support/storage.ts';

const site = useSite();

const on = (name: string) => ({ storage_domains: { storage_domain: [{ name }] } });
const newDisk = (more: object = {}) => ({
  provisioned_size: gibibyte,
  format: 'cow',
  ...on('data1'),
  ...more,
});

/** Separate VM without disks; down. */
async function ownVm({
  admin,
  name,
  path,
}: People): Promise<{ id: string; name: string; path: string }> {
  const own = name('vm');
  const { id } = await admin.add('/vms', {
    vm: {
      name: own,
      cluster: { id: path('{cluster}') },
      template: { name: 'Blank' },
      os: { boot: { devices: { device: ['cdrom'] } } },
    },
  });
  return { id, name: own, path: `/vms/${id}/diskattachments` };
}

async function attachedDisk(people: People, vm: { path: string }, more: object = {}) {
  const { admin } = people;
  const attachment = await admin.add(vm.path, {
    disk_attachment: { interface: 'virtio_scsi', active: true, disk: newDisk(), ...more },
  });
  await settled(admin, `/disks/${attachment.id}`);
  return attachment.id;
}

describe(row(94), () => {
  site.both('makes a disk and attaches it', async (people) => {
    const { admin } = people;
    const vm = await ownVm(people);
    const disk_attachment = {
      interface: 'virtio_scsi',
      bootable: true,
      active: true,
      disk: newDisk(),
    };
    const { status, object, headers, text } = await admin.post(vm.path, { disk_attachment });
    expect([201, 202], text).toContain(status);
    expect(headers['location']).toBe(object['href']);
    expect(object).toMatchObject({
      interface: 'virtio_scsi',
      bootable: 'true',
      active: 'true',
      read_only: 'false',
      pass_discard: 'false',
      uses_scsi_reservation: 'false',
    });
    expect(at(object, 'disk.id')).toBe(object['id']);
    const disk = await settled(admin, `/disks/${String(object['id'])}`);
    expect(disk).toMatchObject({ name: `${vm.name}_Disk1`, status: 'ok' });
  });

  site.both('attaches a disk that exists', async (people) => {
    const { admin } = people;
    const domain = await admin.find('/storagedomains', 'data1');
    const vm = await ownVm(people);
    const disk = await addDisk(admin, domain.id);
    const { object, text } = await admin.post(vm.path, {
      disk_attachment: { interface: 'virtio', disk: { id: disk.id } },
    });
    expect(object['id'], text).toBe(disk.id);
    expect(object['active']).toBe('false');
    expect(await events(admin)).toEqual(
      expect.arrayContaining([expect.stringContaining(`attached to VM ${vm.name}`)]),
    );
    const again = await admin.post(vm.path, {
      disk_attachment: { interface: 'virtio', disk: { id: disk.id } },
    });
    expect([again.status, again.fault?.detail]).toEqual([409, expect.stringContaining(vm.name)]);
    const other = await ownVm(people);
    const taken = await admin.post(other.path, {
      disk_attachment: { interface: 'virtio', disk: { id: disk.id } },
    });
    expect([taken.status, taken.fault?.detail]).toEqual([409, expect.stringContaining(vm.name)]);
  });

  site.both('makes a disk of a logical unit', async (people) => {
    const { admin, name } = people;
    const vm = await ownVm(people);
    const unit = { id: name('lun'), address: 'san.example.com', target: 'iqn.e', port: 3260 };
    const lun_storage = { type: 'iscsi', logical_units: { logical_unit: [unit] } };
    const { id } = await admin.add(vm.path, {
      disk_attachment: { interface: 'virtio_scsi', active: true, disk: { lun_storage } },
    });
    const { object } = await admin.get(`/disks/${id}`);
    expect(object).toMatchObject({ storage_type: 'lun', name: `${vm.name}_Disk1` });
    await admin.must(`/vms/${vm.id}/start`);
    const connection = (await admin.get('/storageconnections')).list.find(
      (one) => one['target'] === 'iqn.e',
    );
    const busy = await admin.put(`/storageconnections/${String(connection?.['id'])}`, {
      storage_connection: { address: 'other.example.com' },
    });
    expect([busy.status, busy.fault?.detail]).toEqual([400, expect.stringContaining('run')]);
    await admin.must(`/vms/${vm.id}/stop`);
    expect((await admin.delete(`${vm.path}/${id}?detach_only=false`)).status).toBe(200);
    expect((await admin.get(`/disks/${id}`)).status).toBe(404);
  });

  site.both('shares a disk that is shareable', async (people) => {
    const { admin } = people;
    const domain = await admin.find('/storagedomains', 'data1');
    const disk = await addDisk(admin, domain.id, { shareable: true });
    for (const vm of [await ownVm(people), await ownVm(people)]) {
      await admin.add(vm.path, {
        disk_attachment: { interface: 'virtio', active: true, disk: { id: disk.id } },
      });
    }
    expect((await admin.get(`/disks/${disk.id}`)).object['shareable']).toBe('true');
  });

  site.both('refuses what the machine has no place for', async (people) => {
    const { admin } = people;
    const vm = await ownVm(people);
    await attachedDisk(people, vm, { bootable: true });
    const refused = async (status: number, words: string, more: object) => {
      const answer = await admin.post(vm.path, {
        disk_attachment: { interface: 'virtio', active: true, disk: newDisk(), ...more },
      });
      expect([answer.status, answer.fault?.detail], answer.text).toEqual([
        status,
        expect.stringContaining(words),
      ]);
    };
    await refused(409, 'bootable already', { bootable: true });
    await refused(400, 'read-only', { interface: 'ide', read_only: true });
    for (let n = 0; n < 3; n++) await attachedDisk(people, vm, { interface: 'ide' });
    await refused(409, '3 devices on ide', { interface: 'ide' });
    await refused(400, 'must not be zero', { disk: newDisk({ provisioned_size: 0 }) });
  });

  site.both('plugs a disk into a running machine', async (people) => {
    const { admin } = people;
    const vm = await ownVm(people);
    await admin.must(`/vms/${vm.id}/start`);
    const id = await attachedDisk(people, vm);
    expect((await admin.get(`${vm.path}/${id}`)).object['active']).toBe('true');
    const ide = await admin.post(vm.path, {
      disk_attachment: { interface: 'ide', active: true, disk: newDisk() },
    });
    expect([ide.status, ide.fault?.detail]).toEqual([
      400,
      expect.stringContaining('while the VM runs'),
    ]);
    await admin.must(`/vms/${vm.id}/stop`);
  });

  site.incomplete(
    'POST',
    '/vms/{vm}/diskattachments',
    {
      disk_attachment: { interface: 'virtio', disk: { format: 'raw' } },
    },
    'provisionedSize',
  );
  site.unknown('POST', '/vms/{unknown}/diskattachments', {
    disk_attachment: { interface: 'virtio', disk: { id: '{disk}' } },
  });
  site.unknown('POST', '/vms/{vm}/diskattachments', {
    disk_attachment: { interface: 'virtio', disk: { id: '{unknown}' } },
  });
});

describe(row(95), () => {
  site.both('lists the attachments of a machine', async (people) => {
    const { admin } = people;
    const vm = await ownVm(people);
    const ids = [await attachedDisk(people, vm), await attachedDisk(people, vm)];
    const { list } = await admin.get(vm.path);
    expect(list.map((one) => one['id'])).toEqual(ids);
    const followed = await admin.get(`${vm.path}?follow=disk`);
    expect(followed.list.map((one) => at(one, 'disk.status'))).toEqual(['ok', 'ok']);
  });
  site.unknown('GET', '/vms/{unknown}/diskattachments');
});

describe(row(96), () => {
  site.both('gets one', async (people) => {
    const { admin } = people;
    const vm = await ownVm(people);
    const id = await attachedDisk(people, vm);
    const { status, object } = await admin.get(`${vm.path}/${id}`);
    expect(status).toBe(200);
    expect(object).toMatchObject({ id, interface: 'virtio_scsi' });
    expect(String(object['href'])).toMatch(new RegExp(`/vms/${vm.id}/diskattachments/${id}$`));
  });
  site.unknown('GET', '/vms/{vm}/diskattachments/{unknown}');
});

describe(row(97), () => {
  site.both('changes how the machine sees the disk', async (people) => {
    const { admin } = people;
    const vm = await ownVm(people);
    const id = await attachedDisk(people, vm);
    const answer = await admin.put(`${vm.path}/${id}`, {
      disk_attachment: { interface: 'virtio', bootable: true, pass_discard: true },
    });
    expect(answer.status, answer.text).toBe(200);
    expect(answer.object).toMatchObject({
      interface: 'virtio',
      bootable: 'true',
      pass_discard: 'true',
      active: 'true',
    });
  });

  site.both('changes the disk, which only grows', async (people) => {
    const { admin, name } = people;
    const vm = await ownVm(people);
    const id = await attachedDisk(people, vm, { disk: newDisk({ format: 'raw' }) });
    const alias = name('renamed');
    const set = (disk: object) => admin.put(`${vm.path}/${id}`, { disk_attachment: { disk } });
    const grown = await set({ alias, description: 'd', provisioned_size: 2 * gibibyte });
    expect(grown.status, grown.text).toBe(200);
    expect(await settled(admin, `/disks/${id}`)).toMatchObject({
      name: alias,
      description: 'd',
      provisioned_size: String(2 * gibibyte),
    });
    expect(await events(admin)).toEqual(
      expect.arrayContaining([
        expect.stringContaining(`${alias} was successfully extended to 2 GB`),
      ]),
    );
    const smaller = await set({ provisioned_size: gibibyte });
    expect([smaller.status, smaller.fault?.detail]).toEqual([
      400,
      expect.stringContaining('smaller'),
    ]);
    const shared = await set({ shareable: true });
    expect(shared.status, shared.text).toBe(200);
  });

  site.both('plugs in and out, also while the machine runs', async (people) => {
    const { admin } = people;
    const vm = await ownVm(people);
    const id = await attachedDisk(people, vm);
    const ide = await attachedDisk(people, vm, { interface: 'ide' });
    await admin.must(`/vms/${vm.id}/start`);
    const set = (one: string, change: object) =>
      admin.put(`${vm.path}/${one}`, { disk_attachment: change });
    expect((await set(id, { active: false })).object['active']).toBe('false');
    expect((await set(id, { active: true })).object['active']).toBe('true');
    expect(await events(admin)).toEqual(expect.arrayContaining([expect.stringContaining('plug')]));
    const slow = await set(ide, { active: false });
    expect([slow.status, slow.fault?.detail]).toEqual([400, expect.stringContaining('ide')]);
    const other = await set(id, { interface: 'virtio' });
    expect([other.status, other.fault?.detail]).toEqual([
      409,
      expect.stringContaining('must be down'),
    ]);
    await admin.must(`/vms/${vm.id}/suspend`);
    const asleep = await set(id, { active: false });
    expect([asleep.status, asleep.fault?.detail]).toEqual([
      409,
      expect.stringContaining('suspended'),
    ]);
    await admin.must(`/vms/${vm.id}/stop`);
  });

  site.both('is nothing to boot from while it is unplugged', async (people) => {
    const { admin } = people;
    const vm = await ownVm(people);
    const boot = (device: string) => ({ os: { boot: { devices: { device: [device] } } } });
    await admin.put(`/vms/${vm.id}`, { vm: boot('hd') });
    const id = await attachedDisk(people, vm, { active: false, bootable: true });
    const refused = await admin.post(`/vms/${vm.id}/start`);
    expect([refused.status, refused.fault?.detail]).toEqual([
      409,
      expect.stringContaining('without at least one bootable disk'),
    ]);
    await admin.put(`${vm.path}/${id}`, { disk_attachment: { active: true } });
    await admin.must(`/vms/${vm.id}/start`);
    await admin.must(`/vms/${vm.id}/stop`);
  });

  site.both('holds no machine back where its storage is away, once unplugged', async (people) => {
    const { admin, path } = people;
    const domain = await ownDomain(people);
    const vm = await ownVm(people);
    const disk = newDisk({ storage_domains: { storage_domain: [{ id: domain }] } });
    const id = await attachedDisk(people, vm, { disk });
    await admin.must(path(`/datacenters/{datacenter}/storagedomains/${domain}/deactivate`));
    const refused = await admin.post(`/vms/${vm.id}/start`);
    expect([refused.status, refused.fault?.detail]).toEqual([
      409,
      expect.stringContaining('Storage domains of its disks are not active'),
    ]);
    await admin.put(`${vm.path}/${id}`, { disk_attachment: { active: false } });
    await admin.must(`/vms/${vm.id}/start`);
    await admin.must(`/vms/${vm.id}/stop`);
  });
  site.unknown('PUT', '/vms/{vm}/diskattachments/{unknown}', {
    disk_attachment: { bootable: true },
  });
});

describe(row(98), () => {
  site.both('detaches a disk, and keeps it unless told otherwise', async (people) => {
    const { admin } = people;
    const vm = await ownVm(people);
    const kept = await attachedDisk(people, vm);
    const answer = await admin.delete(`${vm.path}/${kept}`);
    expect([answer.status, answer.object['status']]).toEqual([200, 'complete']);
    expect((await admin.get(`/disks/${kept}`)).status).toBe(200);
    const gone = await attachedDisk(people, vm);
    expect((await admin.delete(`${vm.path}/${gone}?detach_only=false`)).status).toBe(200);
    expect((await admin.get(`/disks/${gone}`)).status).toBe(404);
    expect((await admin.get(vm.path)).list).toEqual([]);
  });
  site.both('refuses it if the VM cannot release the disk', async (people) => {
    const { admin } = people;
    const vm = await ownVm(people);
    const scsi = await attachedDisk(people, vm);
    const ide = await attachedDisk(people, vm, { interface: 'ide' });
    await admin.must(`/vms/${vm.id}/start`);
    const fixed = await admin.delete(`${vm.path}/${ide}`);
    expect([fixed.status, fixed.fault?.detail]).toEqual([400, expect.stringContaining('ide')]);
    const used = await admin.delete(`${vm.path}/${scsi}?detach_only=false`);
    expect([used.status, used.fault?.detail]).toEqual([409, expect.stringContaining(vm.name)]);
    expect((await admin.delete(`${vm.path}/${scsi}`)).status).toBe(200);
    await admin.must(`/vms/${vm.id}/suspend`);
    const asleep = await admin.delete(`${vm.path}/${ide}`);
    expect([asleep.status, asleep.fault?.detail]).toEqual([
      409,
      expect.stringContaining('suspended'),
    ]);
  });
  site.unknown('DELETE', '/vms/{vm}/diskattachments/{unknown}');
});

describe(row(109), () => {
  site.both('lists the images of a disk; the active one when asked', async (people) => {
    const { admin } = people;
    const domain = await admin.find('/storagedomains', 'data1');
    const disk = await addDisk(admin, domain.id, { format: 'cow' });
    for (const path of listPaths(109)) {
      const list = path.replace('{disk}', disk.id);
      expect((await admin.get(list)).list).toEqual([]);
      const active = (await admin.get(`${list}?include_active=true`)).list;
      expect(active).toMatchObject([{ id: disk['image_id'], disk: { id: disk.id }, status: 'ok' }]);
      expect((await admin.get(`${list}?include_active=true&max=0`)).list).toHaveLength(0);
    }
  });
  site.unknown('GET', '/disks/{unknown}/disksnapshots');
});

describe(row(110), () => {
  site.both('gets an image', async (people) => {
    const { admin } = people;
    const domain = await admin.find('/storagedomains', 'data1');
    const disk = await addDisk(admin, domain.id, { format: 'cow' });
    const { status, object } = await admin.get(
      `/disks/${disk.id}/disksnapshots/${String(disk['image_id'])}`,
    );
    expect(status).toBe(200);
    expect(object).toMatchObject({ id: disk['image_id'], format: 'cow' });
  });
  site.unknown('GET', '/disks/{disk}/disksnapshots/{unknown}');
});

describe(row(111), () => {
  site.both('does not remove the active image', async (people) => {
    const { admin } = people;
    const domain = await admin.find('/storagedomains', 'data1');
    const disk = await addDisk(admin, domain.id, { format: 'cow' });
    const answer = await admin.delete(
      `/disks/${disk.id}/disksnapshots/${String(disk['image_id'])}`,
    );
    expect([answer.status, answer.fault?.detail]).toEqual([409, expect.stringContaining('active')]);
  });
  site.unknown('DELETE', '/disks/{disk}/disksnapshots/{unknown}');
});

describe(row(112), () => {
  site.both('lists the images on a storage domain', async (people) => {
    const { admin } = people;
    const domain = await admin.find('/storagedomains', 'data1');
    const disk = await addDisk(admin, domain.id, { format: 'cow' });
    for (const path of listPaths(112)) {
      const list = path.replace('{storagedomain}', domain.id);
      const kept = (await admin.get(list)).list.map((one) => one['id']);
      expect(kept).not.toContain(disk['image_id']);
      const all = (await admin.get(`${list}?include_active=true`)).list.map((one) => one['id']);
      expect(all).toContain(disk['image_id']);
      expect((await admin.get(`${list}?include_active=true&max=1`)).list).toHaveLength(1);
    }
  });
  site.unknown('GET', '/storagedomains/{unknown}/disksnapshots');
});

describe(row(113), () => {
  site.both('gets one of them', async (people) => {
    const { admin } = people;
    const domain = await admin.find('/storagedomains', 'data1');
    const disk = await addDisk(admin, domain.id);
    const { status, object } = await admin.get(
      `/storagedomains/${domain.id}/disksnapshots/${String(disk['image_id'])}`,
    );
    expect(status).toBe(200);
    expect(at(object, 'disk.id')).toBe(disk.id);
  });
  site.unknown('GET', '/storagedomains/{storagedomain}/disksnapshots/{unknown}');
});

describe(row(114), () => {
  site.both('does not remove the active one', async (people) => {
    const { admin } = people;
    const domain = await admin.find('/storagedomains', 'data1');
    const disk = await addDisk(admin, domain.id);
    const answer = await admin.delete(
      `/storagedomains/${domain.id}/disksnapshots/${String(disk['image_id'])}`,
    );
    expect([answer.status, answer.fault?.detail]).toEqual([409, expect.stringContaining('active')]);
  });
  site.unknown('DELETE', '/storagedomains/{storagedomain}/disksnapshots/{unknown}');
});
