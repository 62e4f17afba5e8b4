/** Templates with their versions, VMs from templates, and instance types. */
import { describe, expect } from 'vitest';
import { useSite } from './support/site.ts';
import { at, listItems, type Thing } from './support/speaker.ts';
import { makeTemplate, mebibyte, newVm, readDisk, settled, writeDisk } from './support/vms.ts';

const site = useSite();

describe('POST /templates', () => {
  site.both('copies the disks of a VM; the VM continues', async (people) => {
    const { admin, path } = people;
    const memory = { memory: 512 * mebibyte };
    const { id, path: here, made, vm, disk } = await makeTemplate(site, people, 'seed', {}, memory);
    expect(made).toMatchObject({
      memory: String(512 * mebibyte),
      version: { version_number: '1' },
      cluster: { id: path('{cluster}') },
    });
    expect((await admin.get(`/vms/${vm}`)).object['status']).toBe('down');
    const [attachment] = (await admin.get(`${here}/diskattachments`)).list;
    const copy = String(attachment?.['id']);
    expect(copy).not.toBe(disk);
    expect((await admin.get(`${here}/diskattachments/${copy}`)).status).toBe(200);
    expect((await admin.get(`/disks/${copy}`)).object).toMatchObject({ status: 'ok' });
    await writeDisk(site, disk, 'weed');
    expect(await readDisk(site, copy, 4)).toBe('seed');
    const [nic] = (await admin.get(`${here}/nics`)).list;
    expect(nic).toMatchObject({ name: 'nic1' });
    expect(nic?.['mac']).toBeUndefined();
    expect((await admin.get(`${here}/cdroms`)).list).toHaveLength(1);
    expect((await admin.get(`${here}/graphicsconsoles`)).list).toHaveLength(1);
    expect(id).toBeTruthy();
  });
  site.both('numbers the versions of a base', async (people) => {
    const { admin, name } = people;
    const base = await makeTemplate(site, people, 'base');
    const { id: vm } = await newVm(people);
    for (const number of [2, 3]) {
      const version = { version_name: `v${number}`, base_template: { id: base.id } };
      const template = { name: name('x'), vm: { id: vm }, version };
      const added = await admin.add('/templates', { template });
      expect(added).toMatchObject({
        name: base.name,
        version: { version_number: String(number), version_name: `v${number}` },
      });
      const below = { ...template, version: { base_template: { id: added.id } } };
      expect((await admin.post('/templates', { template: below })).status).toBe(400);
    }
    const blank = { base_template: { name: 'Blank' } };
    const template = { name: name('x'), vm: { id: vm }, version: blank };
    expect((await admin.post('/templates', { template })).status).toBe(400);
    const kept = await admin.delete(base.path);
    expect(kept.status).toBe(409);
    expect(kept.fault?.detail).toContain('v2');
  });
  site.both('refuses a name in use, and a running VM', async (people) => {
    const { admin, path, name } = people;
    const { name: taken, vm } = await makeTemplate(site, people, 'x');
    const again = await admin.post('/templates', { template: { name: taken, vm: { id: vm } } });
    expect(again.status).toBe(409);
    const running = { name: name('t'), vm: { id: path('{vm}') } };
    const answer = await admin.post('/templates', { template: running });
    expect(answer.status).toBe(409);
    expect(answer.fault?.detail).toContain('locked or still running');
  });
  site.incomplete('POST', '/templates', { template: { name: 'x' } }, 'vm.id|name');
  site.incomplete('POST', '/templates', { template: { vm: { id: '{vm}' } } }, 'name');
});

describe('machines of a template', () => {
  site.both('have its bytes and its hardware, thin or cloned', async (people) => {
    const { admin, path, name } = people;
    const hardware = { cpu: { topology: { sockets: 2 } }, memory: 512 * mebibyte };
    const template = await makeTemplate(site, people, 'golden', {}, hardware);
    for (const clone of [false, true]) {
      const vm = {
        name: name('vm'),
        cluster: { id: path('{cluster}') },
        template: { id: template.id },
      };
      const answer = await admin.post(`/vms?clone=${clone}`, { vm });
      expect(answer.status, answer.text).toBe(201);
      expect(answer.object['status']).toBe('image_locked');
      const id = String(answer.object['id']);
      const made = await settled(people, id);
      expect(made).toMatchObject({
        status: 'down',
        memory: String(512 * mebibyte),
        cpu: { topology: { sockets: '2' } },
        original_template: { id: template.id },
      });
      expect(at(made, 'template.id') === template.id).toBe(!clone);
      const [attachment] = (await admin.get(`/vms/${id}/diskattachments`)).list;
      expect(attachment).toMatchObject({ bootable: 'true', active: 'true' });
      expect(await readDisk(site, String(attachment?.['id']), 6)).toBe('golden');
      const [nic] = (await admin.get(`/vms/${id}/nics`)).list;
      expect(at(nic, 'mac.address')).toMatch(/^[0-9a-f:]{17}$/);
      if (clone) continue;
      const kept = await admin.delete(`/vms/${id}?detach_only=true`);
      expect(kept.status).toBe(409);
      const used = await admin.delete(template.path);
      expect(used.status).toBe(409);
      expect(used.fault?.detail).toContain(vm.name);
      await admin.delete(`/vms/${id}`);
    }
    expect((await admin.delete(template.path)).status).toBe(200);
    expect((await admin.get(template.path)).status).toBe(404);
  });
  site.both('use other storage and names on request', async (people) => {
    const { admin, path, name } = people;
    const template = await makeTemplate(site, people, 'moved');
    const [attachment] = (await admin.get(`${template.path}/diskattachments`)).list;
    const disk = {
      id: attachment?.['id'],
      name: name('mine'),
      storage_domains: { storage_domain: [{ name: 'data2' }] },
    };
    const vm = {
      name: name('vm'),
      cluster: { id: path('{cluster}') },
      template: { id: template.id },
      disk_attachments: { disk_attachment: [{ disk }] },
    };
    const { id } = await admin.add('/vms?clone=true', { vm });
    await settled(people, id);
    const [copy] = (await admin.get(`/vms/${id}/diskattachments?follow=disk`)).list;
    expect(at(copy, 'disk.name')).toBe(disk.name);
    const domain = await admin.find('/storagedomains', 'data2');
    const on = listItems(at(copy, 'disk') as never, 'storage_domains', 'storage_domain');
    expect(on).toMatchObject([{ id: domain.id }]);
  });
});

describe('PUT and DELETE /templates/{template}', () => {
  site.both('change and remove a template', async (people) => {
    const { admin } = people;
    const { path } = await makeTemplate(site, people, 'x');
    const changes = { description: 'new', memory: 2048 * mebibyte };
    const { status, object } = await admin.put(path, { template: changes });
    expect(status).toBe(200);
    expect(object).toMatchObject({ description: 'new', memory: String(2048 * mebibyte) });
    await admin.put(path, { template: { delete_protected: true } });
    expect((await admin.delete(path)).status).toBe(409);
    await admin.put(path, { template: { delete_protected: false } });
    expect((await admin.delete(path)).status).toBe(200);
    const blank = await admin.find('/templates', 'Blank');
    expect((await admin.delete(`/templates/${blank.id}`)).status).toBe(400);
  });
  site.both('change and remove its devices', async (people) => {
    const { admin } = people;
    const { path } = await makeTemplate(site, people, 'x');
    const nic = await admin.add(`${path}/nics`, { nic: { name: 'nic2' } });
    const { object } = await admin.put(`${path}/nics/${nic.id}`, { nic: { linked: false } });
    expect(object).toMatchObject({ name: 'nic2', linked: 'false' });
    expect((await admin.delete(`${path}/nics/${nic.id}`)).status).toBe(200);
    const watchdog = { model: 'i6300esb', action: 'reset' };
    const added = await admin.add(`${path}/watchdogs`, { watchdog });
    expect((await admin.post(`${path}/watchdogs`, { watchdog })).status).toBe(409);
    const changed = await admin.put(`${path}/watchdogs/${added.id}`, {
      watchdog: { action: 'none' },
    });
    expect(changed.object).toMatchObject({ action: 'none' });
    expect((await admin.delete(`${path}/watchdogs/${added.id}`)).status).toBe(200);
    const console = await admin.add(`${path}/graphicsconsoles`, {
      graphics_console: { protocol: 'spice' },
    });
    expect(console.id).toBe('7370696365');
    expect((await admin.delete(`${path}/graphicsconsoles/${console.id}`)).status).toBe(200);
  });
  site.unknown('GET', '/templates/{nothing}');
  site.unknown('PUT', '/templates/{nothing}', { template: { comment: '-' } });
  site.unknown('DELETE', '/templates/{nothing}');
});

describe('/instancetypes', () => {
  site.both('are added, changed and removed with their devices', async (people) => {
    const { admin, name } = people;
    const instance_type = { name: name('size'), memory: 4096 * mebibyte };
    const added = await admin.add('/instancetypes', { instance_type });
    expect(added).toMatchObject({
      memory: String(4096 * mebibyte),
      cpu: { topology: { sockets: '1' } },
    });
    const path = `/instancetypes/${added.id}`;
    expect((await admin.post('/instancetypes', { instance_type })).status).toBe(409);
    const changes = { cpu: { topology: { cores: 4 } } };
    const { object } = await admin.put(path, { instance_type: changes });
    expect(object).toMatchObject({ cpu: { topology: { sockets: '1', cores: '4' } } });
    const nic = await admin.add(`${path}/nics`, { nic: { name: 'nic1' } });
    expect((await admin.get(`${path}/nics/${nic.id}`)).status).toBe(200);
    const watchdog = await admin.add(`${path}/watchdogs`, {
      watchdog: { model: 'i6300esb', action: 'none' },
    });
    expect((await admin.delete(`${path}/watchdogs/${watchdog.id}`)).status).toBe(200);
    await admin.add(`${path}/graphicsconsoles`, { graphics_console: { protocol: 'spice' } });
    const graphics_console = { protocol: 'vnc' };
    expect((await admin.post(`${path}/graphicsconsoles`, { graphics_console })).status).toBe(400);
    const vm = await newVm(people, { instance_type: { id: added.id } });
    expect(vm).toMatchObject({ cpu: { topology: { cores: '4' } } });
    expect((await admin.delete(path)).status).toBe(200);
    expect((await admin.get(path)).status).toBe(404);
    const kept = (await admin.get(`/vms/${vm.id}`)).object;
    expect(kept['instance_type']).toBeUndefined();
    expect(kept).toMatchObject({ cpu: { topology: { cores: '4' } } });
  });
  site.incomplete('POST', '/instancetypes', { instance_type: { memory: mebibyte } }, 'name');
  site.unknown('GET', '/instancetypes/{nothing}');
});

describe('/operatingsystems and /icons', () => {
  site.both('list what machines can be', async ({ admin }) => {
    const { list } = await admin.get('/operatingsystems');
    const system = list.find((one) => one['name'] === 'rhel_9x64');
    expect(system).toMatchObject({ id: '34', architecture: 'x86_64' });
    expect((await admin.get(`/operatingsystems/${String(system?.['id'])}`)).status).toBe(200);
    expect((await admin.get('/operatingsystems/999999')).status).toBe(404);
  });

  site.both('give machines and templates the icons of their systems', async ({ admin, name }) => {
    const { list } = await admin.get('/operatingsystems');
    const icons = (word: string) => {
      const system = list.find((one) => one['name'] === word);
      return { small_icon: system?.['small_icon'], large_icon: system?.['large_icon'] };
    };
    const icon = icons('rhel_9x64').large_icon as Thing;
    const { object, status } = await admin.get(`/icons/${String(icon['id'])}`);
    expect(status).toBe(200);
    expect(object).toMatchObject({ href: icon['href'], media_type: 'image/png' });
    const picture = Buffer.from(String(object['data']), 'base64');
    expect(picture.subarray(1, 4).toString()).toBe('PNG');
    expect([picture.readUInt32BE(16), picture.readUInt32BE(20)]).toEqual([150, 120]);
    expect((await admin.get('/icons')).list).toContainEqual(object);

    const vm = await admin.add('/vms', {
      vm: {
        name: name('iconic'),
        cluster: { name: 'Default' },
        template: { name: 'Blank' },
        os: { type: 'windows_2022' },
      },
    });
    const shown = async () => {
      const { small_icon, large_icon } = (await admin.get(`/vms/${vm.id}`)).object;
      return { small_icon, large_icon };
    };
    expect(await shown()).toEqual(icons('windows_2022'));
    expect((await admin.get('/templates?search=name%3DBlank')).list[0]).toMatchObject(
      icons('other'),
    );
    const linux = { os: { type: 'rhel_9x64' }, time_zone: { name: 'Etc/GMT' } };
    await admin.put(`/vms/${vm.id}`, { vm: linux });
    expect(await shown()).toEqual(icons('rhel_9x64'));

    const own = { media_type: 'image/gif', data: 'R0lGODlhAQABAAAAACwAAAAAAQABAAA=' };
    await admin.put(`/vms/${vm.id}`, { vm: { small_icon: own } });
    const given = (await shown()).small_icon as Thing;
    expect(String(given['href'])).toMatch(new RegExp(`/api/icons/${String(given['id'])}$`));
    expect((await admin.get(`/icons/${String(given['id'])}`)).object).toMatchObject(own);
    expect((await shown()).large_icon).toEqual(icon);
    await admin.put(`/vms/${vm.id}`, { vm: { small_icon: { id: icon['id'] } } });
    expect((await shown()).small_icon).toEqual(icon);
    const unknown = { small_icon: { id: '11111111-2222-3333-4444-555555555555' } };
    expect((await admin.put(`/vms/${vm.id}`, { vm: unknown })).status).toBe(400);
    for (const unfit of [
      { ...own, data: 'no picture' },
      { ...own, media_type: 'text/plain' },
    ]) {
      expect((await admin.put(`/vms/${vm.id}`, { vm: { small_icon: unfit } })).status).toBe(400);
    }
    expect((await admin.delete(`/vms/${vm.id}`)).status).toBe(200);
  });
});
