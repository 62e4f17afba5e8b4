/** Hosts come up, go to maintenance, are approved, installed and upgraded. */
import { describe, expect } from 'vitest';
import { addCluster, addHost, addRunningVm, forbidden } from './support/hosts.ts';
import { row } from './support/rows.ts';
import { type People, useSite } from './support/site.ts';
import { at } from './support/speaker.ts';
import { until } from './support/vms.ts';

const site = useSite();

const state = async ({ admin }: People, path: string) =>
  (await admin.get(path)).object['status'] as string;

async function codes({ admin }: People, host: string): Promise<string[]> {
  const { list } = await admin.get('/events');
  return list.filter((one) => at(one, 'host.id') === host).map((one) => String(one['code']));
}

describe(row(130), () => {
  site.both('brings a host back from maintenance', async (people) => {
    const { admin } = people;
    const host = await addHost(people);
    await admin.must(`${host.path}/deactivate`, { reason: 'memory' });
    const { status, object } = await admin.post(`${host.path}/activate`);
    expect([status, object['status']]).toEqual([200, 'complete']);
    const found = (await admin.get(host.path)).object;
    expect(found).toMatchObject({ status: 'up' });
    expect(found['status_detail']).toBeUndefined();
    expect(await codes(people, host.id)).toContain('16');
  });
  site.both('refuses a host that is up', async ({ admin, path }) => {
    const { status, fault } = await admin.post(path('/hosts/{host}/activate'));
    expect(status).toBe(409);
    expect(fault?.detail).toContain('already up');
  });
  site.unknown('POST', '/hosts/{unknown}/activate', { action: {} });
  forbidden(site, 'POST', '/hosts/{host}/activate', { action: {} });
});

describe(row(131), () => {
  site.both('approves a host that a provider sets up', async (people) => {
    const { admin, name } = people;
    const provider = await admin.add('/externalhostproviders', {
      external_host_provider: { name: name('foreman'), url: 'https://foreman.example.com' },
    });
    const host = await addHost(people, { external_host_provider: { id: provider.id } });
    expect(await state(people, host.path)).toBe('installing_os');
    const other = await addCluster(people);
    const { status, text } = await admin.post(`${host.path}/approve`, {
      action: { cluster: { id: other.id } },
    });
    expect(status, text).toBe(200);
    const { object } = await admin.get(host.path);
    expect(object).toMatchObject({ status: 'up', cluster: { id: other.id } });
    expect(await codes(people, host.id)).toContain('498');
    const again = await admin.post(`${host.path}/approve`);
    expect(again.status).toBe(409);
    expect(again.fault?.detail).toContain('awaits approval');
  });
  site.unknown('POST', '/hosts/{unknown}/approve', { action: {} });
  forbidden(site, 'POST', '/hosts/{host}/approve', { action: {} });
});

describe(row(132), () => {
  site.both('moves the machines away, and keeps the reason', async (people) => {
    const { admin } = people;
    const one = await addHost(people);
    const two = await addHost(people, { cluster: one.cluster });
    const vm = await addRunningVm(people, one.cluster);
    const from = vm.host === one.id ? one : two;
    await admin.must(`${from.path}/deactivate`, { reason: 'new memory' });
    const { object } = await admin.get(from.path);
    expect(object).toMatchObject({ status: 'maintenance', status_detail: 'new memory' });
    const moved = (await admin.get(vm.path)).object;
    expect(moved['status']).toBe('up');
    expect(at(moved, 'host.id')).toBe(from === one ? two.id : one.id);
    expect(await codes(people, from.id)).toEqual(expect.arrayContaining(['600', '15']));
    const again = await admin.post(`${from.path}/deactivate`);
    expect(again.status).toBe(409);
    expect(again.fault?.detail).toContain('already in maintenance');
  });
  site.both('refuses while machines have nowhere to go', async (people) => {
    const { admin } = people;
    const host = await addHost(people);
    const vm = await addRunningVm(people, host.cluster);
    const { status, fault } = await admin.post(`${host.path}/deactivate`);
    expect(status).toBe(409);
    expect(fault?.detail).toContain(String(vm['name']));
    expect(await state(people, host.path)).toBe('up');
  });
  site.both('refuses while pinned machines run', async (people) => {
    const { admin } = people;
    const host = await addHost(people);
    await addHost(people, { cluster: host.cluster });
    const vm = await addRunningVm(people, host.cluster, {
      placement_policy: { affinity: 'pinned', hosts: { host: [{ id: host.id }] } },
    });
    const { status, fault } = await admin.post(`${host.path}/deactivate`);
    expect(status).toBe(409);
    expect(fault?.detail).toContain(String(vm['name']));
  });
  site.both('waits for machines that no other host can take', async (people) => {
    const { admin } = people;
    const host = await addHost(people);
    const memory = 40 * 2 ** 30;
    const vm = await addRunningVm(people, host.cluster, { memory });
    await addHost(people, { cluster: host.cluster });
    // Each host has room for one of the two.
    await addRunningVm(people, host.cluster, { memory });
    await admin.must(`${host.path}/deactivate`);
    expect(await state(people, host.path)).toBe('preparing_for_maintenance');
    expect(await codes(people, host.id)).toContain('17');
    await admin.must(`${vm.path}/stop`);
    while ((await state(people, host.path)) !== 'maintenance') await new Promise(setImmediate);
  });
  site.both('stops Gluster only in clusters with Gluster', async (people) => {
    const { admin } = people;
    const host = await addHost(people);
    const action = { stop_gluster_service: true };
    const { status } = await admin.post(`${host.path}/deactivate`, { action });
    expect(status).toBe(400);
    const gluster = await addHost(people, {
      cluster: (await addCluster(people, { gluster_service: true })).id,
    });
    await admin.must(`${gluster.path}/deactivate`, action);
    expect(await codes(people, gluster.id)).toContain('4069');
  });
  site.unknown('POST', '/hosts/{unknown}/deactivate', { action: {} });
  forbidden(site, 'POST', '/hosts/{host}/deactivate', { action: {} });
});

describe(row(133), () => {
  site.both('enrolls a certificate for a host in maintenance', async (people) => {
    const { admin } = people;
    const host = await addHost(people);
    const early = await admin.post(`${host.path}/enrollcertificate`);
    expect(early.status).toBe(409);
    await admin.must(`${host.path}/deactivate`);
    await admin.must(`${host.path}/enrollcertificate`);
    const { object } = await admin.get(host.path);
    expect(object['status']).toBe('maintenance');
    expect(at(object, 'certificate.subject')).toContain(String(host['address']));
    expect(await codes(people, host.id)).toEqual(expect.arrayContaining(['880', '881']));
  });
  site.unknown('POST', '/hosts/{unknown}/enrollcertificate', { action: {} });
  forbidden(site, 'POST', '/hosts/{host}/enrollcertificate', { action: {} });
});

describe(row(134), () => {
  site.both('asks a host what it can do', async (people) => {
    const { admin } = people;
    const host = await addHost(people);
    const { status, object } = await admin.post(`${host.path}/refresh`);
    expect([status, object['status']]).toEqual([200, 'complete']);
    expect(await codes(people, host.id)).toContain('606');
  });
  site.both('finds a host of no use without a required network', async (people) => {
    const { admin, name, path } = people;
    const host = await addHost(people);
    const network = await admin.add('/networks', {
      network: { name: name('net'), data_center: { id: path('{datacenter}') } },
    });
    await admin.add(`/clusters/${host.cluster}/networks`, { network: { id: network.id } });
    await admin.must(`${host.path}/refresh`);
    const { object } = await admin.get(host.path);
    expect(object).toMatchObject({
      status: 'non_operational',
      status_detail: 'network_unreachable',
    });
    await admin.must(`${host.path}/setupnetworks`, {
      modified_network_attachments: {
        network_attachment: [{ network: { id: network.id }, host_nic: { name: 'eth1' } }],
      },
      commit_on_success: true,
    });
    await admin.must(`${host.path}/activate`);
    expect(await state(people, host.path)).toBe('up');
  });
  site.unknown('POST', '/hosts/{unknown}/refresh', { action: {} });
  forbidden(site, 'POST', '/hosts/{host}/refresh', { action: {} });
});

describe(row(135), () => {
  site.both('upgrades a host that has updates, and brings it up again', async (people) => {
    const { admin } = people;
    const host = await addHost(people);
    const early = await admin.post(`${host.path}/upgrade`);
    expect(early.status).toBe(409);
    expect(early.fault?.detail).toContain('No updates are available');
    await admin.must(`${host.path}/upgradecheck`);
    const before = (await admin.get(host.path)).object;
    await admin.must(`${host.path}/upgrade`, { reboot: true, timeout: 10 });
    const now = (await admin.get(host.path)).object;
    expect(now).toMatchObject({ status: 'up', update_available: 'false' });
    expect(at(now, 'version.full_version')).not.toBe(at(before, 'version.full_version'));
    expect(await codes(people, host.id)).toEqual(expect.arrayContaining(['840', '842']));
    expect((await admin.get(`${host.path}/katelloerrata`)).list).toEqual([]);
  });
  site.both(
    'moves the machines away first, and leaves a host in maintenance there',
    async (people) => {
      const { admin } = people;
      const host = await addHost(people);
      const vm = await addRunningVm(people, host.cluster);
      await admin.must(`${host.path}/upgradecheck`);
      expect((await admin.post(`${host.path}/upgrade`)).status).toBe(409);
      await admin.must(`${vm.path}/stop`);
      await admin.must(`${host.path}/deactivate`);
      await admin.must(`${host.path}/upgrade`);
      expect(await state(people, host.path)).toBe('maintenance');
    },
  );
  site.unknown('POST', '/hosts/{unknown}/upgrade', { action: {} });
  forbidden(site, 'POST', '/hosts/{host}/upgrade', { action: {} });
});

describe(row(137), () => {
  site.both('makes a host the storage pool manager', async (people) => {
    const { admin } = people;
    const host = await addHost(people);
    await admin.must(`${host.path}/forceselectspm`);
    const { object } = await admin.get(host.path);
    expect(at(object, 'spm.status')).toBe('spm');
    const { list } = await admin.get('/hosts');
    expect(list.filter((one) => at(one, 'spm.status') === 'spm')).toHaveLength(1);
    const again = await admin.post(`${host.path}/forceselectspm`);
    expect(again.status).toBe(409);
    await admin.must(`${host.path}/deactivate`);
    expect(at((await admin.get(host.path)).object, 'spm.status')).toBe('none');
    const off = await admin.post(`${host.path}/forceselectspm`);
    expect(off.status).toBe(409);
    expect(off.fault?.detail).toContain('must be up');
  });
  site.both('leaves a host alone that says never', async (people) => {
    const host = await addHost(people, { spm: { priority: -1 } });
    expect((await people.admin.post(`${host.path}/forceselectspm`)).status).toBe(400);
  });
  site.unknown('POST', '/hosts/{unknown}/forceselectspm', { action: {} });
  forbidden(site, 'POST', '/hosts/{host}/forceselectspm', { action: {} });
});

describe(row(139), () => {
  site.both('installs a host in maintenance again', async (people) => {
    const { admin } = people;
    const host = await addHost(people);
    const action = { root_password: 'secret' };
    const early = await admin.post(`${host.path}/install`, { action });
    expect(early.status).toBe(409);
    expect(early.fault?.detail).toContain('maintenance');
    await admin.must(`${host.path}/deactivate`);
    const { status, object } = await admin.post(`${host.path}/install`, { action });
    expect([status, object['status']]).toEqual([200, 'complete']);
    expect(await state(people, host.path)).toBe('maintenance');
    expect((await admin.post(`${host.path}/install`)).status).toBe(400);
    const key = { ssh: { authentication_method: 'publickey' }, activate: true, reboot: false };
    await admin.must(`${host.path}/install`, key);
    expect(await state(people, host.path)).toBe('up');
  });
  site.unknown('POST', '/hosts/{unknown}/install', { action: { root_password: 'x' } });
  forbidden(site, 'POST', '/hosts/{host}/install', { action: { root_password: 'x' } });
});

describe(row(144), () => {
  site.both('looks for updates, which errata describe', async (people) => {
    const { admin } = people;
    const host = await addHost(people);
    expect((await admin.get(host.path)).object['update_available']).toBe('false');
    await admin.must(`${host.path}/upgradecheck`);
    await until(people, host.path, (one) => one['update_available'] === 'true');
    expect(await codes(people, host.id)).toEqual(expect.arrayContaining(['884', '844', '885']));
  });
  site.unknown('POST', '/hosts/{unknown}/upgradecheck', { action: {} });
  forbidden(site, 'POST', '/hosts/{host}/upgradecheck', { action: {} });
});
