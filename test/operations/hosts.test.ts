/** Hosts: added, changed and removed; up, in maintenance, installed and upgraded. */
import { describe, expect } from 'vitest';
import { addCluster, addHost, addRunningVm, forbidden, hostIn } from './support/hosts.ts';
import { row } from './support/rows.ts';
import { type People, useSite } from './support/site.ts';
import { at } from './support/speaker.ts';

const site = useSite();

const state = async ({ admin }: People, path: string) =>
  (await admin.get(path)).object['status'] as string;

async function codes({ admin }: People, host: string): Promise<string[]> {
  const { list } = await admin.get('/events');
  return list.filter((one) => at(one, 'host.id') === host).map((one) => String(one['code']));
}

describe(row(125), () => {
  site.both('adds a host, which comes up', async (people) => {
    const { admin } = people;
    const cluster = await addCluster(people);
    const body = hostIn(people, cluster.id, { comment: 'rack 4' });
    const { status, object, headers, text } = await admin.post('/hosts', body);
    expect([201, 202], text).toContain(status);
    expect(headers['location']).toBe(object['href']);
    expect(object).not.toHaveProperty('root_password');
    const found = (await admin.get(`/hosts/${String(object['id'])}`)).object;
    expect(found).toMatchObject({
      status: 'up',
      port: '54321',
      comment: 'rack 4',
      protocol: 'stomp',
      vgpu_placement: 'consolidated',
      spm: { priority: '5', status: 'none' },
      ssh: { port: '22', user: { user_name: 'root' } },
      power_management: { enabled: 'false', automatic_pm_enabled: 'true', kdump_detection: 'true' },
    });
    expect(Number(found['memory'])).toBeGreaterThan(0);
    expect(await codes(people, String(object['id']))).toEqual(
      expect.arrayContaining(['42', '504', '13']),
    );
  });
  site.both('takes a public key instead of a password', async (people) => {
    const { admin } = people;
    const body = hostIn(people, (await addCluster(people)).id);
    const { root_password: _none, ...host } = body.host;
    const ssh = { authentication_method: 'publickey', user: { user_name: 'installer' } };
    const answer = await admin.post('/hosts', { host: { ...host, ssh } });
    expect([201, 202], answer.text).toContain(answer.status);
    expect(at(answer.object, 'ssh.user.user_name')).toBe('installer');
    expect(at(answer.object, 'ssh.authentication_method')).toBeUndefined();
  });
  site.both('stays in maintenance where it is not to be activated', async (people) => {
    const host = await addHost(people, { query: '?activate=false&reboot=false' });
    expect(await state(people, host.path)).toBe('maintenance');
  });
  site.both('can run the self-hosted engine', async (people) => {
    const { admin } = people;
    const host = await addHost(people, { query: '?deploy_hosted_engine=true' });
    const { object } = await admin.get(`${host.path}?all_content=true`);
    expect(at(object, 'hosted_engine.configured')).toBe('true');
    expect((await admin.get(host.path)).object['hosted_engine']).toBeUndefined();
    const both = '/hosts?deploy_hosted_engine=true&undeploy_hosted_engine=true';
    const { status } = await admin.post(both, hostIn(people, host.cluster));
    expect(status).toBe(400);
  });
  site.both('goes to the cluster named Default when none is given', async (people) => {
    const { host } = hostIn(people, '');
    const { cluster: _none, ...rest } = host;
    const added = await people.admin.add('/hosts', { host: rest });
    expect(at(added, 'cluster.id')).toBe(people.path('{cluster}'));
    await people.admin.must(`/hosts/${added.id}/deactivate`);
    await people.admin.delete(`/hosts/${added.id}`);
  });
  site.both('refuses what no host can be', async (people) => {
    const { admin } = people;
    const host = await addHost(people);
    const refused = async (more: object, status: number) => {
      const answer = await admin.post('/hosts', hostIn(people, host.cluster, more as never));
      expect(answer.status, answer.text).toBe(status);
      expect(answer.fault?.detail).toBeTruthy();
    };
    await refused({ name: host['name'] }, 409);
    await refused({ address: host['address'] }, 409);
    await refused({ address: 'no host!' }, 400);
    await refused({ name: 'no name!' }, 400);
    await refused({ ssh: { port: 70000 } }, 400);
    await refused({ spm: { priority: 11 } }, 400);
    await refused({ power_management: { enabled: true } }, 400);
    await refused({ cluster: { name: 'nowhere' } }, 404);
  });
  site.incomplete('POST', '/hosts', { host: { address: 'h', root_password: 'x' } }, 'name');
  site.incomplete('POST', '/hosts', { host: { name: 'h', root_password: 'x' } }, 'address');
  site.incomplete('POST', '/hosts', { host: { name: 'h', address: 'h' } }, 'rootPassword');
  site.incomplete(
    'POST',
    '/hosts',
    { host: { name: 'h', address: 'h', ssh: { authentication_method: 'password' } } },
    'rootPassword',
  );
  site.forbidden('POST', '/hosts', {
    host: { name: 'h', address: 'h.example.com', root_password: 'x', cluster: { id: '{cluster}' } },
  });
});

describe(row(126), () => {
  site.both('lists hosts, those that are looked for, no more than asked for', async (people) => {
    const { admin } = people;
    const host = await addHost(people);
    const names = async (query: string) =>
      (await admin.get(`/hosts?${query}`)).list.map((one) => one['name']);
    expect(await names('')).toContain(host['name']);
    expect(await names(`search=name%3D${String(host['name'])}`)).toEqual([host['name']]);
    expect(await names('search=status%3Dmaintenance%20and%20name%3Dhost1')).toEqual([]);
    expect(await names('search=sortby%20name&max=1')).toHaveLength(1);
  });
  site.both('shows a user without permissions nothing', async ({ jane }) => {
    const { status, list } = await jane.get('/hosts?filter=true');
    expect(status).toBe(200);
    expect(list.length).toBeLessThan(2);
  });
});

describe(row(127), () => {
  site.both('gets a host with what it reports', async ({ admin, path }) => {
    const { status, object } = await admin.get(path('/hosts/{host}'));
    expect(status).toBe(200);
    expect(object).toMatchObject({ id: path('{host}'), name: 'host1', type: 'rhel', status: 'up' });
    expect(at(object, 'cpu.topology.cores')).toBe('8');
    expect(at(object, 'summary.total')).toBeTruthy();
  });
  site.unknown('GET', '/hosts/{unknown}');
});

describe(row(128), () => {
  site.both('changes what was sent, and nothing else', async (people) => {
    const { admin, name } = people;
    const host = await addHost(people);
    const wanted = name('renamed');
    const changed = await admin.put(host.path, {
      host: { name: wanted, comment: 'moved', spm: { priority: 9 } },
    });
    expect(changed.status, changed.text).toBe(200);
    expect(changed.object).toMatchObject({
      name: wanted,
      comment: 'moved',
      address: host['address'],
      spm: { priority: '9', status: 'none' },
    });
  });
  site.both('moves a host in maintenance to another cluster', async (people) => {
    const { admin } = people;
    const host = await addHost(people);
    const other = await addCluster(people);
    const body = { host: { cluster: { id: other.id } } };
    const early = await admin.put(host.path, body);
    expect(early.status).toBe(409);
    expect(early.fault?.detail).toContain('maintenance');
    await admin.must(`${host.path}/deactivate`);
    const moved = await admin.put(host.path, body);
    expect(moved.status, moved.text).toBe(200);
    expect(at(moved.object, 'cluster.id')).toBe(other.id);
    await admin.must(`${host.path}/activate`);
    expect(await state(people, host.path)).toBe('up');
  });
  site.both('refuses what cannot be changed now', async (people) => {
    const { admin } = people;
    const host = await addHost(people);
    const put = async (more: object) =>
      (await admin.put(host.path, { host: more as never })).status;
    expect(await put({ address: 'elsewhere.example.com' })).toBe(409);
    expect(await put({ port: 12345 })).toBe(400);
    expect(await put({ spm: { priority: -2 } })).toBe(400);
    expect(await put({ name: 'host1' })).toBe(409);
    expect(await put({ power_management: { enabled: true } })).toBe(400);
    await admin.must(`${host.path}/deactivate`);
    expect(await put({ address: 'elsewhere.example.com' })).toBe(400);
  });
  site.unknown('PUT', '/hosts/{unknown}', { host: { comment: 'x' } });
  forbidden(site, 'PUT', '/hosts/{host}', { host: { comment: 'x' } });
});

describe(row(129), () => {
  site.both('removes a host in maintenance, with all that belongs to it', async (people) => {
    const { admin } = people;
    const host = await addHost(people);
    const early = await admin.delete(host.path);
    expect(early.status).toBe(409);
    expect(early.fault?.detail).toContain('maintenance');
    await admin.must(`${host.path}/deactivate`);
    const { status, object } = await admin.delete(host.path);
    expect([status, object['status']]).toEqual([200, 'complete']);
    expect((await admin.get(host.path)).status).toBe(404);
    expect((await admin.get(`${host.path}/nics`)).status).toBe(404);
  });
  site.both('keeps a host to which machines are pinned', async (people) => {
    const { admin, name } = people;
    const host = await addHost(people);
    const pinned = await admin.add('/vms', {
      vm: {
        name: name('pinned'),
        cluster: { id: host.cluster },
        template: { name: 'Blank' },
        placement_policy: { affinity: 'pinned', hosts: { host: [{ id: host.id }] } },
      },
    });
    await admin.must(`${host.path}/deactivate`);
    const { status, fault } = await admin.delete(host.path);
    expect(status).toBe(409);
    expect(fault?.detail).toContain(String(pinned['name']));
  });
  site.unknown('DELETE', '/hosts/{unknown}');
  forbidden(site, 'DELETE', '/hosts/{host}');
});

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
  site.both('stops Gluster only where the cluster has it', async (people) => {
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
    expect(early.fault?.detail).toContain('no updates');
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
    expect((await admin.get(host.path)).object['update_available']).toBe('true');
    expect(await codes(people, host.id)).toEqual(expect.arrayContaining(['844', '885']));
  });
  site.unknown('POST', '/hosts/{unknown}/upgradecheck', { action: {} });
  forbidden(site, 'POST', '/hosts/{host}/upgradecheck', { action: {} });
});
