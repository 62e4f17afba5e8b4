/** VMs, snapshots, disks and transfers in the dialect of engines. */
import { describe, expect } from 'vitest';
import { type People, useSite } from './support/site.ts';
import { at, type Thing } from './support/speaker.ts';
import { addDisk, mebibyte, newVm, until } from './support/vms.ts';

const site = useSite(['--dialect', 'ovirt', '--scope', 'virt-app-api']);

const gibibyte = 2 ** 30;

function listLinks(object: Thing): readonly string[] {
  const links = [object['link']].flat() as (Thing | undefined)[];
  return links.flatMap((link) => (link ? [String(link['rel'])] : [])).sort();
}

/** A VM with a NIC, a disk and a snapshot. */
async function withSnapshot(people: People) {
  const { admin } = people;
  const { id, name } = await newVm(people);
  const [active] = (await admin.get(`/vms/${id}/snapshots`)).list;
  await admin.add(`/vms/${id}/nics`, { nic: { name: 'nic1' } });
  const disk = await addDisk(people, id);
  const image = (await admin.get(`/disks/${disk}`)).object['image_id'];
  const { object } = await admin.post(`/vms/${id}/snapshots`, { snapshot: { description: 'one' } });
  const path = `/vms/${id}/snapshots/${String(object['id'])}`;
  await until(people, path, (one) => one['snapshot_status'] === 'ok');
  return { id, name, path, disk, image, active: active ?? {}, added: object };
}

describe('snapshots', () => {
  site.both('get the id of the active snapshot, which gets a new one', async (people) => {
    const { id, added, active } = await withSnapshot(people);
    expect(added['id']).toBe(active['id']);
    const list = (await people.admin.get(`/vms/${id}/snapshots`)).list;
    expect(new Set(list.map((one) => one['id'])).size).toBe(2);
    expect(list.find((one) => one['id'] === added['id'])).toMatchObject({
      snapshot_type: 'regular',
    });
  });
  site.both('have a reference to the VM in the response to an add', async (people) => {
    const { id, added, name, path } = await withSnapshot(people);
    expect(added['vm']).toEqual({ id, href: expect.stringMatching(`/vms/${id}$`) });
    expect((await people.admin.get(path)).object['vm']).toMatchObject({ id, name, status: 'down' });
  });
  site.both('show a VM that was up as down, without its run', async (people) => {
    const { admin } = people;
    const { id } = await newVm(people, { os: { boot: { devices: { device: ['cdrom'] } } } });
    await admin.must(`/vms/${id}/start`);
    const { object } = await admin.post(`/vms/${id}/snapshots`, {
      snapshot: { description: 'up' },
    });
    const path = `/vms/${id}/snapshots/${String(object['id'])}`;
    const snapshot = await until(people, path, (one) => one['snapshot_status'] === 'ok');
    const vm = snapshot['vm'] as Thing;
    expect(vm['status']).toBe('down');
    for (const name of ['host', 'fqdn', 'start_time', 'run_once']) expect(vm[name]).toBeUndefined();
  });
  site.both('keep the image of the disk, which gets a new one', async (people) => {
    const { path, disk, image } = await withSnapshot(people);
    const [kept] = (await people.admin.get(`${path}/disks`)).list;
    expect(kept).toMatchObject({ id: disk, image_id: image });
    expect((await people.admin.get(`/disks/${disk}`)).object['image_id']).not.toBe(image);
  });
  site.both('do not store an image with an id in use', async (people) => {
    const { admin } = people;
    const image = '7d1d9d5e-3f0c-4b55-9a3e-5d2c6a7b8c9d';
    for (const _ of [1, 2]) {
      const { id } = await newVm(people);
      const disk = await addDisk(people, id, { disk: { image_id: image } });
      await admin.add(`/vms/${id}/snapshots`, { snapshot: { description: 'one' } });
      await until(people, `/disks/${disk}`, (one) => one['status'] === 'ok');
    }
    const domain = (await admin.get('/storagedomains?search=name%3Ddata1')).list[0]?.['id'];
    const kept = (await admin.get(`/storagedomains/${String(domain)}/disksnapshots`)).list;
    expect(kept.filter((one) => one['id'] === image).length).toBeLessThanOrEqual(1);
  });
  site.both('have parts without addresses', async (people) => {
    const { path } = await withSnapshot(people);
    for (const part of ['cdroms', 'disks', 'nics']) {
      const { list, text } = await people.admin.get(`${path}/${part}`);
      expect(list.length, part).toBe(1);
      expect(text, part).not.toContain('href');
    }
    expect((await people.admin.get(`${path}/cdroms`)).list[0]?.['vm']).toBeUndefined();
  });
  site.both('show the active one with links and VM when it is read alone', async (people) => {
    const { admin } = people;
    const { id } = await newVm(people);
    const [listed = {}] = (await admin.get(`/vms/${id}/snapshots`)).list;
    expect([listLinks(listed), listed['vm']]).toEqual([[], undefined]);
    const { object } = await admin.get(`/vms/${id}/snapshots/${String(listed['id'])}`);
    expect([listLinks(object), at(object, 'vm.id')]).toEqual([['cdroms', 'disks', 'nics'], id]);
    const followed = (await admin.get(`/vms/${id}?follow=snapshots`)).object;
    expect(JSON.stringify(followed['snapshots'])).not.toContain('"vm"');
  });
  site.both('continue after the response to a preview and an undo', async (people) => {
    const { admin } = people;
    const { id, added } = await withSnapshot(people);
    const action = { snapshot: { id: added['id'] } };
    const preview = await admin.post(`/vms/${id}/previewsnapshot`, { action });
    expect([preview.status, preview.object['status']]).toEqual([202, 'pending']);
    await until(people, `/vms/${id}`, (vm) => vm['status'] === 'down');
    const undo = await admin.post(`/vms/${id}/undosnapshot`, { action: { async: false } });
    expect([undo.status, undo.object['status']]).toEqual([200, 'complete']);
  });
});

describe('disk snapshots of a storage domain', () => {
  site.both('name the domain, and have no image id', async (people) => {
    const { disk } = await withSnapshot(people);
    const [snapshot = {}] = (await people.admin.get(`/disks/${disk}/disksnapshots`)).list;
    expect(snapshot['image_id']).toBeUndefined();
    expect(at(snapshot, 'snapshot.href')).toBeUndefined();
    const { text } = await people.admin.get(`/disks/${disk}`);
    const [, domain = ''] = /storagedomains\/([0-9a-f-]{36})/.exec(text) ?? [];
    const list = (
      await people.admin.get(`/storagedomains/${domain}/disksnapshots?include_active=true`)
    ).list;
    expect(list.every((one) => at(one, 'storage_domain.id') === domain)).toBe(true);
    expect(list.every((one) => one['snapshot'] !== undefined)).toBe(true);
  });
});

describe('disks', () => {
  const disk = (more: object = {}) => ({
    format: 'cow',
    provisioned_size: gibibyte,
    storage_domains: { storage_domain: [{ name: 'data1' }] },
    ...more,
  });
  site.both('have a numbered name without one in the request', async (people) => {
    for (const more of [{}, { name: '' }]) {
      const { object } = await people.admin.post('/disks', { disk: disk(more) });
      expect([object['name'], object['alias']]).toEqual(['_Disk1', '_Disk1']);
    }
  });
  site.both('have the old values in the response to an update', async (people) => {
    const { admin, name } = people;
    const [before, after] = [name('disk'), name('disk')];
    const { id } = await admin.add('/disks', { disk: disk({ name: before }) });
    await until(people, `/disks/${id}`, (one) => one['status'] === 'ok');
    const { object } = await admin.put(`/disks/${id}`, { disk: { name: after } });
    expect([object['name'], object['status']]).toEqual([before, 'locked']);
    expect((await admin.get(`/disks/${id}`)).object['name']).toBe(after);
    const same = await admin.put(`/disks/${id}`, { disk: { name: after } });
    expect([same.object['name'], same.object['status']]).toEqual([after, 'ok']);
  });
  site.both('refuse a quota without a limit on storage', async (people) => {
    const { admin, path, name } = people;
    const quotas = `${path('/datacenters/{datacenter}')}/quotas`;
    const { id } = await admin.add(quotas, { quota: { name: name('quota') } });
    const more = { name: name('disk'), quota: { id } };
    expect((await admin.post('/disks', { disk: disk(more) })).status).toBe(400);
    await admin.add(`${quotas}/${id}/quotastoragelimits`, { quota_storage_limit: { limit: 10 } });
    expect((await admin.post('/disks', { disk: disk(more) })).status).toBe(201);
  });
  site.both('without a VM have no list of VMs', async (people) => {
    const { admin, name } = people;
    const { id } = await admin.add('/disks', { disk: disk({ name: name('disk') }) });
    expect((await admin.get(`/disks/${id}?all_content=true`)).object['vms']).toBeUndefined();
  });
  site.both('get a new image when they are converted', async (people) => {
    const { admin, name } = people;
    const { id } = await admin.add('/disks', { disk: disk({ name: name('disk') }) });
    const { object } = await admin.get(`/disks/${id}`);
    await admin.must(`/disks/${id}/convert`, { disk: { format: 'raw', sparse: true } });
    const raw = await until(people, `/disks/${id}`, (one) => one['format'] === 'raw');
    expect(raw['image_id']).not.toBe(object['image_id']);
  });
  site.both('in the format cow are not sparsified', async (people) => {
    const { admin, name } = people;
    const { id } = await admin.add('/disks', { disk: disk({ name: name('disk') }) });
    await until(people, `/disks/${id}`, (one) => one['status'] === 'ok');
    expect((await admin.post(`/disks/${id}/sparsify`)).status).toBe(400);
  });
  site.both('are moved without a job in the response', async (people) => {
    const { admin, name } = people;
    const { id } = await admin.add('/disks', { disk: disk({ name: name('disk') }) });
    await until(people, `/disks/${id}`, (one) => one['status'] === 'ok');
    const action = { storage_domain: { name: 'data2' } };
    const copy = await admin.post(`/disks/${id}/copy`, { action });
    expect([copy.status, copy.object['job'] === undefined]).toEqual([200, false]);
    await until(people, `/disks/${id}`, (one) => one['status'] === 'ok');
    const move = await admin.post(`/disks/${id}/move`, { action });
    expect([move.status, move.object['job']]).toEqual([200, undefined]);
  });
  site.both('are attached by id, and only if VMs can use them', async (people) => {
    const { admin, name } = people;
    const { id: vm } = await newVm(people);
    const iso = {
      name: name('iso'),
      content_type: 'iso',
      format: 'raw',
      provisioned_size: mebibyte,
    };
    const { id } = await admin.add('/disks', { disk: disk(iso) });
    const attach = async (reference: object) => {
      const disk_attachment = { interface: 'virtio', disk: reference };
      const answer = await admin.post(`/vms/${vm}/diskattachments`, { disk_attachment });
      return [answer.status, answer.fault?.reason];
    };
    expect(await attach({ id })).toEqual([409, 'Operation Failed']);
    expect(await attach({ name: iso.name })).toEqual([400, 'Incomplete parameters']);
    const unknown = people.path('{nothing}');
    expect(await attach({ id: unknown })).toEqual([400, 'Operation Failed']);
  });
});

describe('image transfers', () => {
  site.both('are of the disk if the request has a snapshot, too', async (people) => {
    const { admin, name, path } = people;
    const disk = {
      name: name('disk'),
      format: 'raw',
      provisioned_size: mebibyte,
      storage_domains: { storage_domain: [{ name: 'data1' }] },
    };
    const { id } = await admin.add('/disks', { disk });
    await until(people, `/disks/${id}`, (one) => one['status'] === 'ok');
    const image_transfer = { disk: { id }, snapshot: { id: path('{nothing}') } };
    const transfer = await admin.add('/imagetransfers', { image_transfer });
    const at = `/imagetransfers/${transfer.id}`;
    for (const _ of ['finalize', 'finalize again']) {
      await until(people, at, (one) => one['phase'] !== 'initializing');
      expect((await admin.post(`${at}/finalize`)).status).toBe(200);
    }
  });
});

describe('VMs', () => {
  site.both('have each boot device once, and one payload of each type', async (people) => {
    const payload = (file: string) => ({
      type: 'cdrom',
      files: { file: [{ name: file, content: file }] },
    });
    const { id } = await newVm(people, {
      os: { boot: { devices: { device: ['hd', 'network', 'hd'] } } },
      payloads: { payload: [payload('a'), payload('b')] },
    });
    const { object } = await people.admin.get(`/vms/${id}?all_content=true`);
    const devices = [at(object, 'os.boot.devices.device')].flat();
    expect(devices).toEqual(['hd', 'network']);
    const payloads = JSON.stringify(object['payloads']);
    expect([payloads.includes('"a"'), payloads.includes('"b"')]).toEqual([true, false]);
  });
  site.both('have queues if the request has a number of them', async (people) => {
    const add = (more: object) =>
      people.admin.post('/vms', {
        vm: {
          name: people.name('vm'),
          cluster: { id: people.path('{cluster}') },
          template: { name: 'Blank' },
          virtio_scsi_multi_queues: 2,
          ...more,
        },
      });
    expect((await add({})).object).toMatchObject({ virtio_scsi_multi_queues_enabled: 'true' });
    expect((await add({ virtio_scsi_multi_queues_enabled: false })).status).toBe(400);
  });
  site.both('have the icons of their template', async (people) => {
    const blank = (await people.admin.get('/templates?search=name%3DBlank')).list[0] ?? {};
    const { id } = await newVm(people, { os: { type: 'rhel_8x64' } });
    const { object } = await people.admin.get(`/vms/${id}`);
    expect(at(object, 'small_icon.id')).toBe(at(blank, 'small_icon.id'));
  });
  site.both('are shown to users without hosts, and belong to their creator', async (people) => {
    const { admin, name, path } = people;
    const vm = {
      name: name('vm'),
      cluster: { id: path('{cluster}') },
      template: { name: 'Blank' },
    };
    const added = await admin.send('POST', '/vms', { vm }, { filter: 'true' });
    expect(added.object['placement_policy']).toBeUndefined();
    const id = String(added.object['id']);
    expect((await admin.get(`/vms/${id}`)).object['placement_policy']).toBeDefined();
    const { text } = await admin.get(`/vms/${id}/permissions?follow=role`);
    expect(text).toContain('UserVmManager');
  });
  site.both('have consoles and totals of NICs only if they run', async (people) => {
    const { admin } = people;
    const { id } = await newVm(people, { os: { boot: { devices: { device: ['cdrom'] } } } });
    const nic = await admin.add(`/vms/${id}/nics`, { nic: { name: 'nic1' } });
    const consoles = () => admin.get(`/vms/${id}/graphicsconsoles?current=true`);
    const totals = async () =>
      (await admin.get(`/vms/${id}/nics/${nic.id}/statistics`)).list
        .filter((one) => String(one['name']).includes('.total.'))
        .map((one) => JSON.stringify(one['values'] ?? '').includes('datum'));
    expect((await consoles()).list).toEqual([]);
    expect(new Set(await totals())).toEqual(new Set([false]));
    const [stored = {}] = (await admin.get(`/vms/${id}/graphicsconsoles`)).list;
    const ticket = `/vms/${id}/graphicsconsoles/${String(stored['id'])}/proxyticket`;
    expect((await admin.post(ticket)).status).toBe(400);
    await admin.must(`/vms/${id}/start`);
    expect((await consoles()).list.length).toBe(1);
  });
  site.both('get ISO files of a library only', async (people) => {
    const { admin } = people;
    const { id } = await newVm(people);
    const [drive = {}] = (await admin.get(`/vms/${id}/cdroms`)).list;
    const path = `/vms/${id}/cdroms/${String(drive['id'])}`;
    const { status } = await admin.put(path, { cdrom: { file: { id: 'nonsense.iso' } } });
    expect(status).toBe(400);
  });
});

describe('requirements of actions', () => {
  const unknown = '99999999-2222-3333-4444-555555555555';
  site.both('are checked before the id', async ({ admin, path }) => {
    const domain = path('/storagedomains/{storagedomain}');
    const rows = [
      [`${domain}/vms/${unknown}/import`, 'Incomplete parameters'],
      [`${domain}/templates/${unknown}/import`, 'Incomplete parameters'],
      [`${domain}/images/${unknown}/import`, 'Input validation failed.'],
      [`/templates/${unknown}/export`, 'Input validation failed.'],
      [`/vms/${unknown}/export`, 'Input validation failed.'],
    ] as const;
    for (const [action, reason] of rows) {
      const answer = await admin.post(action);
      expect([answer.status, answer.fault?.reason], action).toEqual([400, reason]);
    }
  });
});

describe('VMs and templates on storage domains', () => {
  site.both('are below the domain, as in their OVF documents', async (people) => {
    const { admin } = people;
    const { id } = await newVm(people, { cpu_shares: 512 });
    await addDisk(people, id);
    const [domain = {}] = (await admin.get('/storagedomains?search=name%3Ddata1')).list;
    const list = (await admin.get(`/storagedomains/${String(domain['id'])}/vms`)).list;
    const vm = list.find((one) => one['id'] === id) ?? {};
    expect(vm['href']).toMatch(`/storagedomains/${String(domain['id'])}/vms/${id}`);
    expect(listLinks(vm)).toEqual(['diskattachments', 'disks']);
    expect(at(vm, 'storage_domain.id')).toBe(domain['id']);
    expect([vm['cpu_shares'], vm['status'], at(vm, 'display.type')]).toEqual([
      '0',
      'down',
      undefined,
    ]);
  });
});

describe('searches that a database refuses', () => {
  site.both('are refused with 400', async ({ admin, path }) => {
    for (const search of ['page 0', 'id=x', 'created_by_user_id=x']) {
      const { status } = await admin.get(`/vms?search=${encodeURIComponent(search)}`);
      expect(status, search).toBe(400);
    }
    const own = await admin.get(`/vms?search=${encodeURIComponent(`id=${path('{vm}')}`)}`);
    expect([own.status, own.list.length]).toEqual([200, 1]);
  });
});
