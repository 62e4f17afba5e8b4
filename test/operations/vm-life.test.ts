/** Machines are started, stopped, suspended, rebooted and moved to other hosts. */
import { describe, expect } from 'vitest';
import { row } from './support/rows.ts';
import { type People, useSite } from './support/site.ts';
import { at, listItems } from './support/speaker.ts';
import { newVm, settled } from './support/vms.ts';

const site = useSite();

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
    expect(listItems(at(vm, 'os.boot') as object as never, 'devices', 'device')).toEqual(['hd']);
    await admin.must(`/vms/${id}/stop`);
    expect((await settled(people, id))['run_once']).toBeUndefined();
  });
  site.both('starts it on the requested host, paused on request', async (people) => {
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
    await refused(bare.id, {}, 409, /NIC/);
    const big = await newVm(people, { ...bootsFromDisc, memory: 5 * 2 ** 40 });
    await refused(big.id, {}, 409, /host1: not enough memory/);
    const two = { use_cloud_init: true, use_sysprep: true };
    await refused(bare.id, two, 409, /Choose one/);
    const stateless = { ...bootsFromDisc, stateless: true, high_availability: { enabled: true } };
    await refused((await newVm(people, stateless)).id, {}, 409, /stateless/);
  });
  site.unknown('POST', '/vms/{nothing}/start', { action: {} });
  site.both('requires the permission to manage the VM', async (people) => {
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
  async function refuse(
    people: People,
    id: string,
    action: string,
    detail: RegExp,
    body = {},
    status = 409,
  ) {
    const answer = await people.admin.post(`/vms/${id}/${action}`, { action: body });
    expect(answer.status, `${action}: ${answer.text}`).toBe(status);
    expect(answer.fault?.detail, action).toMatch(detail);
  }
  site.both('goes its way, and forbids the rest', async (people) => {
    const { admin } = people;
    const { id, name } = await newVm(people, bootsFromDisc);
    // Down: no guest responds.
    await walk(people, id, 'stop', 'down');
    await walk(people, id, 'shutdown', 'down');
    await refuse(people, id, 'reboot', /status down/);
    await refuse(people, id, 'reset', /status down/);
    await refuse(people, id, 'suspend', /not up/);
    await refuse(people, id, 'migrate', /not running/);
    await refuse(people, id, 'cancelmigration', /not migrating/);
    await refuse(people, id, 'freezefilesystems', /status down/);
    await refuse(people, id, 'ticket', /status down/);
    await refuse(people, id, 'commitsnapshot', /previews none/, {}, 400);
    await refuse(people, id, 'undosnapshot', /previews none/, {}, 400);
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
    const codes = await listEventCodes(people, name);
    expect(codes).toEqual(expect.arrayContaining(['34', '153', '32', '157', '221', '501', '503']));
    expect(codes).toEqual(expect.arrayContaining(['40', '73', '61', '111', '254']));
  });
  site.both('moves it to another host, by choice or by name', async (people) => {
    const { admin, path } = people;
    const { id } = await newVm(people, bootsFromDisc);
    await walk(people, id, 'start', 'up');
    const fetchHost = async () => String(at((await admin.get(`/vms/${id}`)).object, 'host.id'));
    const first = await fetchHost();
    await walk(people, id, 'migrate', 'up');
    const second = await fetchHost();
    expect(second).not.toBe(first);
    await walk(people, id, 'migrate', 'up', { host: { id: first } });
    expect(await fetchHost()).toBe(first);
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
    expect(listItems(at(object, 'cpu.cpu_tune') as never, 'vcpu_pins', 'vcpu_pin').length).toBe(32);
  });
});

async function listEventCodes({ admin }: People, vm: unknown): Promise<string[]> {
  const search = encodeURIComponent(`vm.name=${String(vm)}`);
  const { list } = await admin.get(`/events?search=${search}&max=200`);
  return list.map((event) => String(event['code']));
}
