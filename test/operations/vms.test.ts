/** Virtual machines: made, read, changed, started, stopped, moved, removed. */
import { describe, expect } from 'vitest';
import { row } from './support/rows.ts';
import { type People, useSite } from './support/site.ts';
import { at, itemsOf } from './support/speaker.ts';
import { mebibyte, newVm, settled } from './support/vms.ts';

const site = useSite();
const nowhere = 'ffffffff-0000-0000-0000-000000000000';

describe(row(89), () => {
  site.both('adds a machine of nothing, with what the service fills in', async (people) => {
    const { admin, path, name } = people;
    const vm = {
      name: name('web'),
      cluster: { id: path('{cluster}') },
      template: { name: 'Blank' },
    };
    const { status, object, headers, text } = await admin.post('/vms', { vm });
    expect(status, text).toBe(201);
    expect(headers['location']).toBe(object['href']);
    expect(object).toMatchObject({
      name: vm.name,
      status: 'down',
      memory: String(1024 * mebibyte),
      cpu: { architecture: 'x86_64', topology: { sockets: '1', cores: '1', threads: '1' } },
      os: { type: 'other' },
      memory_policy: { guaranteed: String(1024 * mebibyte), max: String(4096 * mebibyte) },
      high_availability: { enabled: 'false', priority: '0' },
      placement_policy: { affinity: 'migratable' },
      soundcard_enabled: 'false',
      stateless: 'false',
    });
    const here = `/vms/${String(object['id'])}`;
    expect((await admin.get(`${here}/cdroms`)).list).toHaveLength(1);
    expect((await admin.get(`${here}/graphicsconsoles`)).list).toMatchObject([{ protocol: 'vnc' }]);
    expect((await admin.get(`${here}/snapshots`)).list).toMatchObject([
      { snapshot_type: 'active' },
    ]);
  });
  site.both('keeps what is sent', async (people) => {
    const { path } = people;
    const sent = {
      description: 'a test',
      memory: 512 * mebibyte,
      cpu: { topology: { sockets: 2, cores: 2, threads: 1 } },
      os: { type: 'rhel_9x64', boot: { devices: { device: ['cdrom', 'hd'] } } },
      high_availability: { enabled: true, priority: 50 },
      initialization: { host_name: 'web.example.com', dns_servers: '10.0.0.1' },
      instance_type: { name: 'Small' },
    };
    const vm = await newVm(people, sent);
    expect(vm).toMatchObject({
      description: 'a test',
      memory: String(512 * mebibyte),
      cpu: { topology: { sockets: '2', cores: '2', threads: '1' } },
      os: { type: 'rhel_9x64' },
      high_availability: { enabled: 'true', priority: '50' },
      initialization: { host_name: 'web.example.com' },
      cluster: { id: path('{cluster}') },
    });
    const small = await newVm(people, { instance_type: { name: 'Small' } });
    expect(small['memory']).toBe(String(2048 * mebibyte));
  });
  site.both('refuses what no machine can be', async (people) => {
    const { admin, path, name } = people;
    const refused = async (more: object, status: number, detail: RegExp) => {
      const cluster = { id: path('{cluster}') };
      const vm = { name: name('no'), cluster, template: { name: 'Blank' }, ...more };
      const answer = await admin.post('/vms', { vm });
      expect(answer.status, answer.text).toBe(status);
      expect(answer.fault?.detail).toMatch(detail);
    };
    await refused({ name: 'vm-01' }, 409, /already used/);
    await refused({ name: 'no spaces' }, 400, /not valid/);
    await refused({ name: 'x'.repeat(65) }, 400, /at most 64/);
    await refused({ cluster: { id: nowhere } }, 404, /Cluster/);
    await refused({ template: { name: 'nowhere' } }, 404, /Template/);
    await refused({ cpu: { topology: { sockets: 0 } } }, 409, /sockets is 0/);
    await refused({ cpu: { topology: { threads: 9 } } }, 409, /threads is 9/);
    await refused({ cpu: { topology: { sockets: 100, cores: 100 } } }, 409, /10000/);
    await refused({ memory: 1024 }, 400, /memory is 1024/);
    await refused(
      { memory: 512 * mebibyte, memory_policy: { guaranteed: 1024 * mebibyte } },
      400,
      /Physical Memory Guaranteed cannot exceed Memory Size/,
    );
    await refused(
      { memory: 512 * mebibyte, memory_policy: { max: 256 * mebibyte } },
      409,
      /maximum memory/,
    );
    await refused({ os: { type: 'toaster' } }, 400, /toaster/);
    await refused({ os: { type: 'other_s390x' } }, 400, /x86_64/);
    await refused({ high_availability: { enabled: true, priority: 101 } }, 400, /priority/);
    await refused({ io: { threads: 128 } }, 400, /threads/);
    await refused({ display: { type: 'vnc', monitors: 2 } }, 400, /monitors/);
    await refused({ placement_policy: { hosts: { host: [{ id: nowhere }] } } }, 404, /Host/);
    await refused({ lease: { storage_domain: { name: 'data1' } } }, 409, /lease/i);
    await refused({ virtio_scsi_multi_queues: 4 }, 400, /virtio_scsi_multi_queues_enabled/);
  });
  const [cluster, template] = [{ id: '{cluster}' }, { name: 'Blank' }];
  site.incomplete('POST', '/vms', { vm: { cluster, template } }, 'name');
  site.incomplete('POST', '/vms', { vm: { name: 'x', template } }, 'cluster.id|name');
  site.incomplete('POST', '/vms', { vm: { name: 'x', cluster } }, 'template.id|name');
  site.forbidden('POST', '/vms', { vm: { name: 'x', cluster, template } });
});

describe(row(90), () => {
  site.both('finds machines, in order and in parts, with what follows', async (people) => {
    const { admin, name } = people;
    const stem = name('list');
    for (const one of ['b', 'a']) await newVm(people, { name: `${stem}-${one}` });
    const search = encodeURIComponent(`name=${stem}-* sortby name asc`);
    const { status, list } = await admin.get(`/vms?search=${search}&case_sensitive=true`);
    expect(status).toBe(200);
    expect(list.map((vm) => vm['name'])).toEqual([`${stem}-a`, `${stem}-b`]);
    const followed = await admin.get(`/vms?search=${search}&max=1&follow=disk_attachments,nics`);
    expect(followed.list).toHaveLength(1);
    const up = await admin.get(`/vms?search=${encodeURIComponent('status=up')}`);
    expect(up.list.every((vm) => vm['status'] === 'up')).toBe(true);
  });
});

describe(row(91), () => {
  site.both('reads a machine that runs, with what its guest reports', async (people) => {
    const { admin, path } = people;
    const { status, object } = await admin.get(
      `${path('/vms/{vm}')}?follow=nics,disk_attachments.disk`,
    );
    expect(status).toBe(200);
    expect(object).toMatchObject({ name: 'vm-01', status: 'up' });
    expect(object['fqdn']).toBe('vm-01.example.com');
    expect(at(object, 'host.id')).toBeTruthy();
    expect(at(object, 'guest_operating_system.family')).toBe('Linux');
    expect(itemsOf(object, 'nics', 'nic')[0]).toMatchObject({ name: 'nic1' });
    expect(object['console']).toBeUndefined();
    const all = await admin.get(`${path('/vms/{vm}')}?all_content=true`);
    expect(at(all.object, 'console.enabled')).toBe('false');
  });
  site.unknown('GET', '/vms/{nothing}');
});

describe('PUT /vms/{vm}', () => {
  site.both('changes a machine that is down, only what is sent', async (people) => {
    const { admin } = people;
    const { id } = await newVm(people, { description: 'kept' });
    const changes = { memory: 2048 * mebibyte, cpu: { topology: { cores: 2 } } };
    const { status, object, text } = await admin.put(`/vms/${id}`, { vm: changes });
    expect(status, text).toBe(200);
    expect(object).toMatchObject({
      description: 'kept',
      memory: String(2048 * mebibyte),
      memory_policy: { guaranteed: String(2048 * mebibyte), max: String(8192 * mebibyte) },
      cpu: { topology: { sockets: '1', cores: '2' } },
      next_run_configuration_exists: 'false',
    });
  });
  site.both('puts aside for the next start what cannot change while it runs', async (people) => {
    const { admin } = people;
    const { id } = await newVm(people, { os: { boot: { devices: { device: ['cdrom'] } } } });
    const here = `/vms/${id}`;
    await admin.must(`${here}/start`);
    const changes = { description: 'now', cpu: { topology: { cores: 4 } }, type: 'desktop' };
    const { object } = await admin.put(here, { vm: changes });
    expect(object).toMatchObject({
      description: 'now',
      type: 'server',
      cpu: { topology: { cores: '1' } },
      next_run_configuration_exists: 'true',
    });
    const later = (await admin.get(`${here}?next_run=true`)).object;
    expect(later).toMatchObject({ type: 'desktop', cpu: { topology: { cores: '4' } } });
    // A second change comes on top of what waits already; what can change now does in both.
    await admin.put(here, { vm: { description: 'again', usb: { enabled: true } } });
    const both = (await admin.get(`${here}?next_run=true`)).object;
    expect(both).toMatchObject({
      description: 'again',
      usb: { enabled: 'true' },
      cpu: { topology: { cores: '4' } },
    });
    await admin.must(`${here}/stop`);
    await admin.must(`${here}/start`);
    expect((await admin.get(here)).object).toMatchObject({
      description: 'again',
      type: 'desktop',
      usb: { enabled: 'true' },
      cpu: { topology: { cores: '4' } },
      next_run_configuration_exists: 'false',
      status: 'up',
    });
  });
  site.both('plugs memory and processors, and refuses a wrong step', async (people) => {
    const { admin } = people;
    const { id } = await newVm(people, { os: { boot: { devices: { device: ['cdrom'] } } } });
    await admin.must(`/vms/${id}/start`);
    const memory = (1024 + 256) * mebibyte;
    const changes = { memory, cpu: { topology: { sockets: 2 } } };
    const { object } = await admin.put(`/vms/${id}`, { vm: changes });
    expect(object).toMatchObject({
      memory: String(memory),
      cpu: { topology: { sockets: '2' } },
    });
    const odd = await admin.put(`/vms/${id}`, { vm: { memory: memory + 100 * mebibyte } });
    expect(odd.status).toBe(400);
    expect(odd.fault?.detail).toContain('128');
  });
  site.both('refuses what stays as it is', async (people) => {
    const { admin } = people;
    const { id } = await newVm(people);
    const refused = async (vm: object, status: number) => {
      const answer = await admin.put(`/vms/${id}`, { vm });
      expect(answer.status, answer.text).toBe(status);
    };
    await refused({ id: nowhere }, 409);
    await refused({ creation_time: '2001-01-01T00:00:00Z' }, 400);
    await refused({ name: 'vm-01' }, 409);
    await refused({ memory: 1 }, 400);
  });
  site.unknown('PUT', '/vms/{nothing}', { vm: { comment: '-' } });
});

describe('DELETE /vms/{vm}', () => {
  site.both('removes a machine with its disks, or keeps them', async (people) => {
    const { admin, name } = people;
    for (const keeps of [false, true]) {
      const { id } = await newVm(people);
      const disk = {
        name: name('d'),
        format: 'raw',
        provisioned_size: mebibyte,
        storage_domains: { storage_domain: [{ name: 'data1' }] },
      };
      const attachment = await admin.add(`/vms/${id}/diskattachments`, {
        disk_attachment: { interface: 'virtio', bootable: true, disk },
      });
      const { status, object } = await admin.delete(
        `/vms/${id}${keeps ? '?detach_only=true' : ''}`,
      );
      expect(status).toBe(200);
      expect(object).toMatchObject({ status: 'complete' });
      expect((await admin.get(`/vms/${id}`)).status).toBe(404);
      expect((await admin.get(`/disks/${attachment.id}`)).status).toBe(keeps ? 200 : 404);
    }
  });
  site.both('refuses while it runs, is suspended or protected', async (people) => {
    const { admin } = people;
    const { id } = await newVm(people, { os: { boot: { devices: { device: ['cdrom'] } } } });
    const refused = async (detail: RegExp) => {
      const answer = await admin.delete(`/vms/${id}`);
      expect(answer.status).toBe(409);
      expect(answer.fault?.detail).toMatch(detail);
    };
    await admin.must(`/vms/${id}/start`);
    await refused(/VM is running/);
    await admin.must(`/vms/${id}/suspend`);
    await refused(/suspended/);
    await admin.must(`/vms/${id}/stop`);
    await admin.put(`/vms/${id}`, { vm: { delete_protected: true } });
    await refused(/Delete protection/);
  });
  site.both('leaves the drives and tags of other machines alone', async (people) => {
    const { admin, path, name } = people;
    const tag = await admin.add('/tags', { tag: { name: name('t') } });
    const { id } = await newVm(people);
    for (const vm of [id, path('{vm}')])
      await admin.add(`/vms/${vm}/tags`, { tag: { id: tag.id } });
    await admin.delete(`/vms/${id}`);
    expect((await admin.get(path('/vms/{vm}/cdroms'))).list).toHaveLength(1);
    const tags = (await admin.get(path('/vms/{vm}/tags'))).list;
    expect(tags.map((one) => one['id'])).toContain(tag.id);
    await admin.delete(`${path('/vms/{vm}/tags')}/${tag.id}`);
  });
  site.unknown('DELETE', '/vms/{nothing}');
});

describe(row(92), () => {
  const bootsFromDisc = { os: { boot: { devices: { device: ['cdrom'] } } } };
  site.both('starts a machine', async (people) => {
    const { admin } = people;
    const { id } = await newVm(people, bootsFromDisc);
    const { object } = await admin.must(`/vms/${id}/start`);
    expect(object).toMatchObject({ status: 'complete' });
    const vm = await settled(people, id);
    expect(vm).toMatchObject({ status: 'up' });
    expect(at(vm, 'host.id')).toBeTruthy();
    expect(vm['start_time']).toBeTruthy();
  });
  site.both('starts it once with other settings, which are not kept', async (people) => {
    const { admin } = people;
    const { id } = await newVm(people);
    const without = await admin.post(`/vms/${id}/start`);
    expect(without.status).toBe(409);
    expect(without.fault?.detail).toContain('Cannot run VM without at least one bootable disk.');
    await admin.must(`/vms/${id}/start`, { vm: bootsFromDisc });
    const vm = await settled(people, id);
    expect(vm).toMatchObject({ run_once: 'true' });
    expect(itemsOf(at(vm, 'os.boot') as object as never, 'devices', 'device')).toEqual(['hd']);
    await admin.must(`/vms/${id}/stop`);
    expect((await settled(people, id))['run_once']).toBeUndefined();
  });
  site.both('starts it on the host that is named, paused where that is asked', async (people) => {
    const { admin, path } = people;
    const { id } = await newVm(people, bootsFromDisc);
    const placement_policy = { hosts: { host: [{ id: path('{host}') }] } };
    await admin.must(`/vms/${id}/start`, { pause: true, vm: { placement_policy } });
    const vm = await settled(people, id);
    expect(vm).toMatchObject({ status: 'paused', host: { id: path('{host}') } });
    await admin.must(`/vms/${id}/start`);
    expect(await settled(people, id)).toMatchObject({ status: 'up', host: { id: path('{host}') } });
  });
  site.both('refuses what cannot start', async (people) => {
    const { admin, path } = people;
    const refused = async (id: string, body: object, status: number, detail: RegExp) => {
      const answer = await admin.post(`/vms/${id}/start`, { action: body });
      expect(answer.status, answer.text).toBe(status);
      expect(answer.fault?.detail).toMatch(detail);
    };
    await refused(path('{vm}'), {}, 409, /VM is running/);
    const network = { os: { boot: { devices: { device: ['network'] } } } };
    const bare = await newVm(people, network);
    await refused(bare.id, {}, 409, /network interface/);
    const big = await newVm(people, { ...bootsFromDisc, memory: 5 * 2 ** 40 });
    await refused(big.id, {}, 409, /host1: not enough memory/);
    const two = { use_cloud_init: true, use_sysprep: true };
    await refused(bare.id, two, 409, /Choose one/);
    const stateless = { ...bootsFromDisc, stateless: true, high_availability: { enabled: true } };
    await refused((await newVm(people, stateless)).id, {}, 409, /stateless/);
  });
  site.unknown('POST', '/vms/{nothing}/start', { action: {} });
  site.both('is allowed to who manages the machine, and to nobody else', async (people) => {
    const { jane, admin, path } = people;
    const { id } = await newVm(people, bootsFromDisc);
    expect([403, 404]).toContain((await jane.post(`/vms/${id}/start`)).status);
    expect((await jane.post(path('/vms/{vm}/start'))).status).toBe(409);
    expect((await admin.get(`/vms/${id}`)).object['status']).toBe('down');
  });
});

describe('the life of a machine', () => {
  const bootsFromDisc = { os: { boot: { devices: { device: ['cdrom'] } } } };
  async function walk(people: People, id: string, action: string, status: string, body = {}) {
    await people.admin.must(`/vms/${id}/${action}`, body);
    expect(await settled(people, id), action).toMatchObject({ status });
  }
  async function refuse(people: People, id: string, action: string, detail: RegExp, body = {}) {
    const answer = await people.admin.post(`/vms/${id}/${action}`, { action: body });
    expect(answer.status, `${action}: ${answer.text}`).toBe(409);
    expect(answer.fault?.detail, action).toMatch(detail);
  }
  site.both('goes its way, and forbids the rest', async (people) => {
    const { admin } = people;
    const { id, name } = await newVm(people, bootsFromDisc);
    // Down: nothing runs that could be asked for anything.
    await walk(people, id, 'stop', 'down');
    await refuse(people, id, 'shutdown', /not running/);
    await refuse(people, id, 'reboot', /status down/);
    await refuse(people, id, 'reset', /status down/);
    await refuse(people, id, 'suspend', /not up/);
    await refuse(people, id, 'migrate', /not running/);
    await refuse(people, id, 'cancelmigration', /not migrating/);
    await refuse(people, id, 'freezefilesystems', /status down/);
    await refuse(people, id, 'ticket', /status down/);
    await refuse(people, id, 'commitsnapshot', /previews none/);
    await refuse(people, id, 'undosnapshot', /previews none/);
    await refuse(people, id, 'detach', /no VM pool/);
    await walk(people, id, 'reordermacaddresses', 'down');
    // Up.
    await walk(people, id, 'start', 'up');
    await refuse(people, id, 'start', /VM is running/);
    await refuse(people, id, 'cancelmigration', /not migrating/);
    await refuse(people, id, 'reordermacaddresses', /must be down/);
    await refuse(people, id, 'export', /must be down/, { storage_domain: { name: 'data1' } });
    for (const action of ['freezefilesystems', 'thawfilesystems', 'logon', 'reset', 'screenshot']) {
      await walk(people, id, action, 'up');
    }
    await walk(people, id, 'reboot', 'up');
    // Suspended, and on again.
    await walk(people, id, 'suspend', 'suspended');
    expect((await admin.get(`/vms/${id}`)).object['host']).toBeUndefined();
    await refuse(people, id, 'suspend', /not up/);
    await refuse(people, id, 'reboot', /status suspended/);
    await refuse(people, id, 'migrate', /not running/);
    await walk(people, id, 'start', 'up');
    // Off, with a reason; off from suspended.
    await walk(people, id, 'shutdown', 'down', { reason: 'enough' });
    expect((await admin.get(`/vms/${id}`)).object).toMatchObject({ stop_reason: 'enough' });
    await walk(people, id, 'start', 'up');
    await walk(people, id, 'suspend', 'suspended');
    await walk(people, id, 'stop', 'down');
    const codes = await codesOf(people, name);
    expect(codes).toEqual(expect.arrayContaining(['34', '153', '32', '157', '221', '501', '503']));
    expect(codes).toEqual(expect.arrayContaining(['40', '73', '61', '111', '254']));
  });
  site.both('moves it to another host, by choice or by name', async (people) => {
    const { admin, path } = people;
    const { id } = await newVm(people, bootsFromDisc);
    await walk(people, id, 'start', 'up');
    const hostOf = async () => String(at((await admin.get(`/vms/${id}`)).object, 'host.id'));
    const first = await hostOf();
    await walk(people, id, 'migrate', 'up');
    const second = await hostOf();
    expect(second).not.toBe(first);
    await walk(people, id, 'migrate', 'up', { host: { id: first } });
    expect(await hostOf()).toBe(first);
    await refuse(people, id, 'migrate', /on host .* already/, { host: { id: first } });
    await admin.put(`/vms/${id}`, { vm: { placement_policy: { affinity: 'user_migratable' } } });
    await refuse(people, id, 'migrate', /force/);
    await walk(people, id, 'migrate', 'up', { force: true });
    const pinned = { affinity: 'pinned', hosts: { host: [{ id: second }] } };
    await admin.put(`/vms/${id}`, { vm: { placement_policy: pinned } });
    await refuse(people, id, 'migrate', /pinned/);
    expect(path('{host}')).toBeTruthy();
  });
  site.both('gives tickets for its console', async (people) => {
    const { id } = await newVm(people, bootsFromDisc);
    await walk(people, id, 'start', 'up');
    const { object } = await people.admin.must(`/vms/${id}/ticket`, {
      ticket: { value: 'secret', expiry: 60 },
    });
    expect(object).toMatchObject({ ticket: { value: 'secret', expiry: '60' } });
    const made = (await people.admin.must(`/vms/${id}/ticket`)).object;
    expect(at(made, 'ticket.value')).toMatch(/^\S{8,}$/);
    expect(at(made, 'ticket.expiry')).toBe('7200');
    const answer = await people.admin.post(`/vms/${id}/maintenance`, {
      action: { maintenance_enabled: true },
    });
    expect(answer.status).toBe(400);
  });
  site.both('pins its processors to those of its host', async (people) => {
    const { admin, path } = people;
    const hosts = { host: [{ id: path('{host}') }] };
    const { id } = await newVm(people, { placement_policy: { affinity: 'pinned', hosts } });
    await admin.must(`/vms/${id}/autopincpuandnumanodes`, { optimize_cpu_settings: true });
    const { object } = await admin.get(`/vms/${id}`);
    expect(itemsOf(at(object, 'cpu.cpu_tune') as never, 'vcpu_pins', 'vcpu_pin').length).toBe(32);
  });
});

async function codesOf({ admin }: People, vm: unknown): Promise<string[]> {
  const search = encodeURIComponent(`vm.name=${String(vm)}`);
  const { list } = await admin.get(`/events?search=${search}&max=200`);
  return list.map((event) => String(event['code']));
}
