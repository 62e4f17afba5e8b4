/** Hosts: added, looked for, changed and removed. */
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
  site.both('stays in maintenance without activation', async (people) => {
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
  site.both('joins the cluster Default without a given cluster', async (people) => {
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
    await refused({ cluster: { id: '00000000-0000-4000-8000-000000000000' } }, 400);
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
  site.both('lists hosts, those of a search, and at most the requested number', async (people) => {
    const { admin } = people;
    const host = await addHost(people);
    const names = async (query: string) =>
      (await admin.get(`/hosts?${query}`)).list.map((one) => one['name']);
    expect(await names('')).toContain(host['name']);
    expect(await names(`search=name%3D${String(host['name'])}`)).toEqual([host['name']]);
    expect(await names('search=status%3Dmaintenance%20and%20name%3Dhost1')).toEqual([]);
    expect(await names('search=sortby%20name&max=1')).toHaveLength(1);
  });
  site.both('tells which hosts a machine can migrate to', async (people) => {
    const { admin } = people;
    const one = await addHost(people);
    const two = await addHost(people, { cluster: one.cluster });
    await addHost(people);
    const vm = await addRunningVm(people, one.cluster);
    const other = vm.host === one.id ? two.id : one.id;
    const targets = async (ids: string) =>
      (await admin.get(`/hosts?migration_target_of=${ids}`)).list.map((host) => host['id']);
    expect(await targets(vm.id)).toEqual([other]);
    const closure = `${vm.id}&check_vms_in_affinity_closure=true`;
    expect(await targets(closure)).toEqual([other]);
    await admin.must(`/hosts/${other}/deactivate`);
    expect(await targets(vm.id)).toEqual([]);
  });
  site.both('shows a user without permissions nothing', async ({ jane }) => {
    const { status, list } = await jane.get('/hosts?filter=true');
    expect(status).toBe(200);
    expect(list.length).toBeLessThan(2);
  });
});

describe(row(127), () => {
  site.both('gets a host with its reported attributes', async ({ admin, path }) => {
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
  site.both('asks to install a host again whose kernel starts in another way', async (people) => {
    const { admin } = people;
    const host = await addHost(people);
    const os = { custom_kernel_cmdline: 'intel_iommu=on' };
    const { object } = await admin.put(host.path, { host: { os } });
    expect(object).toMatchObject({ reinstallation_required: 'true', os: { type: 'RHEL', ...os } });
    await admin.must(`${host.path}/deactivate`);
    await admin.must(`${host.path}/install`, { root_password: 'secret' });
    const after = (await admin.get(host.path)).object;
    expect(after).toMatchObject({ reinstallation_required: 'false', os });
    expect(at(after, 'ssh.fingerprint')).toMatch(/^SHA256:/);
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
