/** Virtual machines: made, read, changed and removed. */
import { describe, expect } from 'vitest';
import { row } from './support/rows.ts';
import { useSite } from './support/site.ts';
import { at, listItems } from './support/speaker.ts';
import { mebibyte, newVm } from './support/vms.ts';

const site = useSite();
const nowhere = 'ffffffff-0000-0000-0000-000000000000';

describe(row(89), () => {
  site.both('adds an empty VM, with defaults of the service', async (people) => {
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
      soundcard_enabled: 'true',
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
  site.both('makes it again of the document that describes it', async (people) => {
    const { admin, path, name } = people;
    const first = await newVm(people, {
      description: 'to <keep> & restore',
      memory: 768 * mebibyte,
      cpu: { topology: { sockets: 2, cores: 3 } },
      os: { type: 'rhel_9x64' },
    });
    const nic = await admin.add(`/vms/${first.id}/nics`, { nic: { name: 'nic1' } });
    const { object } = await admin.get(`/vms/${first.id}?all_content=true`);
    const data = String(at(object, 'initialization.configuration.data'));
    expect(data).toContain('ovf:Envelope');
    expect(at((await admin.get(`/vms/${first.id}`)).object, 'initialization')).toBeUndefined();
    await admin.delete(`/vms/${first.id}`);
    const configuration = { type: 'ovf', data };
    const vm = {
      name: name('again'),
      cluster: { id: path('{cluster}') },
      initialization: { configuration },
    };
    const again = await admin.add('/vms', { vm });
    expect(again).toMatchObject({
      name: vm.name,
      description: 'to <keep> & restore',
      memory: String(768 * mebibyte),
      cpu: { topology: { sockets: '2', cores: '3', threads: '1' } },
      os: { type: 'rhel_9x64' },
    });
    expect((await admin.get(`/vms/${again.id}/nics`)).list).toMatchObject([
      { name: 'nic1', mac: { address: at(nic, 'mac.address') } },
    ]);
    const broken = { configuration: { type: 'ovf', data: '<html/>' } };
    const answer = await admin.post('/vms', {
      vm: { ...vm, name: name('no'), initialization: broken },
    });
    expect(answer.status).toBe(400);
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
    await refused({ memory: 1024 }, 400, /memory is 0/);
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
    await refused({ placement_policy: { hosts: { host: [{ id: nowhere }] } } }, 409, /Host/);
    await refused({ lease: { storage_domain: { name: 'data1' } } }, 409, /lease/i);
    await refused(
      { virtio_scsi_multi_queues: 4, virtio_scsi_multi_queues_enabled: false },
      400,
      /virtio_scsi_multi_queues_enabled/,
    );
  });
  site.both('takes the name of a machine from the document that describes it', async (people) => {
    const { admin, name, path } = people;
    const [own, cluster] = [name('ovf'), { id: path('{cluster}') }];
    const post = (content: string) => {
      const data = `<Envelope><Content>${content}</Content></Envelope>`;
      return admin.post('/vms', {
        vm: { cluster, initialization: { configuration: { type: 'ovf', data } } },
      });
    };
    const { status, object, text } = await post(`<Name>${own}</Name>`);
    expect(status, text).toBe(201);
    expect(object['name']).toBe(own);
    const nameless = await post('');
    expect(nameless.status).toBe(400);
    expect(nameless.fault?.detail).toContain('[name]');
  });
  const [cluster, template] = [{ id: '{cluster}' }, { name: 'Blank' }];
  site.incomplete('POST', '/vms', { vm: { cluster, template } }, 'name');
  site.incomplete('POST', '/vms', { vm: { name: 'x', template } }, 'cluster.id|name');
  site.incomplete('POST', '/vms', { vm: { name: 'x', cluster } }, 'template.id|name');
  site.forbidden('POST', '/vms', { vm: { name: 'x', cluster, template } });
});

describe(row(90), () => {
  site.both('finds VMs, sorted and paged, with followed links', async (people) => {
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
  site.both('reads a running VM, with reports of its guest', async (people) => {
    const { admin, path } = people;
    const { status, object } = await admin.get(
      `${path('/vms/{vm}')}?follow=nics,disk_attachments.disk`,
    );
    expect(status).toBe(200);
    expect(object).toMatchObject({ name: 'vm-01', status: 'up' });
    expect(object['fqdn']).toBe('vm-01.example.com');
    expect(at(object, 'host.id')).toBeTruthy();
    expect(at(object, 'guest_operating_system.family')).toBe('Linux');
    expect(listItems(object, 'nics', 'nic')[0]).toMatchObject({ name: 'nic1' });
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
      // Values derived from the memory do not change at first.
      memory_policy: { guaranteed: String(1024 * mebibyte), max: String(4096 * mebibyte) },
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
    // A second change is added to the pending one; immediate changes apply to both.
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
  site.both('puts back for the next start what it has now', async (people) => {
    const { admin } = people;
    const { id } = await newVm(people, { os: { boot: { devices: { device: ['cdrom'] } } } });
    const here = `/vms/${id}`;
    await admin.must(`${here}/start`);
    const changes = { cpu: { topology: { cores: 4, sockets: 2 } }, type: 'desktop' };
    await admin.put(here, { vm: changes });
    const back = { cpu: { topology: { cores: 1 } } };
    expect((await admin.put(`${here}?next_run=true`, { vm: back })).status).toBe(200);
    expect((await admin.get(`${here}?next_run=true`)).object).toMatchObject({
      type: 'desktop',
      cpu: { topology: { cores: '1', sockets: '2' } },
    });
  });
  site.both('puts it aside while its state is saved, too', async (people) => {
    const { admin } = people;
    const { id } = await newVm(people, { os: { boot: { devices: { device: ['cdrom'] } } } });
    const here = `/vms/${id}`;
    for (const action of ['start', 'suspend']) await admin.must(`${here}/${action}`);
    const { object } = await admin.put(here, { vm: { cpu: { topology: { cores: 2 } } } });
    expect(object).toMatchObject({
      status: 'suspended',
      cpu: { topology: { cores: '1' } },
      next_run_configuration_exists: 'true',
    });
    await admin.must(`${here}/start`);
    expect((await admin.get(here)).object).toMatchObject({ cpu: { topology: { cores: '1' } } });
    // A reboot with something that waits is a stop and a start.
    await admin.must(`${here}/reboot`);
    expect((await admin.get(here)).object).toMatchObject({
      status: 'up',
      cpu: { topology: { cores: '2' } },
      next_run_configuration_exists: 'false',
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
  site.both('refuses changes of unchangeable attributes', async (people) => {
    const { admin } = people;
    const { id } = await newVm(people);
    const refused = async (vm: object, status: number) => {
      const answer = await admin.put(`/vms/${id}`, { vm });
      expect(answer.status, answer.text).toBe(status);
    };
    await refused({ id: nowhere }, 409);
    await refused({ origin: 'vmware' }, 400);
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
