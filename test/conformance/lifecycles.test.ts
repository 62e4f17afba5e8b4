/** Hosts, storage domains and data centers through their states, with refused transitions. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RawAnswer, RawApi } from '../support/raw.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

let server: TestServer;
let api: RawApi;

beforeAll(async () => {
  server = await startTestServer(['--speed', '0', '--inventory', 'empty']);
  api = await RawApi.signIn(server);
});

afterAll(async () => {
  await server.stop();
});

async function ok(answer: Promise<RawAnswer>, status = 200): Promise<Record<string, unknown>> {
  const { status: got, text } = await answer;
  expect(got, text).toBe(status);
  return text === '' ? {} : (JSON.parse(text) as Record<string, unknown>);
}

async function refused(answer: Promise<RawAnswer>, status: number, words: string): Promise<void> {
  const got = await answer;
  expect(got.status, got.text).toBe(status);
  expect(got.json<Faulty>().fault?.detail).toContain(words);
}

/** A refusal of an action or of another operation. */
interface Faulty {
  readonly fault?: { readonly detail?: string };
}

const act = (path: string, body: unknown = {}) => api.json('POST', path, body);
const state = async (path: string, name = 'status') => (await ok(api.json('GET', path)))[name];

describe('a site from an empty service', () => {
  let dataCenter: string;
  let cluster: string;
  let host: string;
  let domain: string;

  it('begins with an uninitialized data center and a cluster', async () => {
    const added = await ok(act('/datacenters', { name: 'site', local: false }), 201);
    dataCenter = `/datacenters/${String(added['id'])}`;
    expect(await state(dataCenter)).toBe('uninitialized');
    const made = await ok(
      act('/clusters', {
        name: 'lab',
        cpu: { type: 'Intel Nehalem Family' },
        data_center: { name: 'site' },
      }),
      201,
    );
    cluster = String(made['id']);
    const networks = await ok(api.json('GET', `/clusters/${cluster}/networks`));
    expect(networks).toMatchObject({ network: [{ name: 'mgmt', required: true }] });
  });

  it('refuses VMs while the data center is not up', async () => {
    await refused(
      act('/vms', { name: 'early', cluster: { id: cluster }, template: { name: 'Blank' } }),
      409,
      'Data center site is uninitialized',
    );
  });

  it('installs a host, which must be in maintenance to be removed', async () => {
    await refused(
      act('/hosts', { name: 'h1', address: 'h1.example.com', cluster: { name: 'lab' } }),
      400,
      'rootPassword',
    );
    const added = await ok(
      act('/hosts', {
        name: 'h1',
        address: 'h1.example.com',
        root_password: 'secret',
        cluster: { name: 'lab' },
      }),
      201,
    );
    host = `/hosts/${String(added['id'])}`;
    expect(added).not.toHaveProperty('root_password');
    expect(await state(host)).toBe('up');
    await refused(api.json('DELETE', host), 409, 'move it to maintenance first');
    await refused(act(`${host}/activate`), 409, 'already up');
  });

  it('attaches a storage domain, which starts the data center', async () => {
    const added = await ok(
      act('/storagedomains', {
        name: 'data',
        type: 'data',
        storage: { type: 'nfs', address: 'nfs.example.com', path: '/data' },
        host: { name: 'h1' },
      }),
      201,
    );
    expect(added['status']).toBe('unattached');
    expect(added).not.toHaveProperty('host');
    domain = String(added['id']);
    const attached = await ok(act(`${dataCenter}/storagedomains`, { id: domain }), 201);
    expect(attached['status']).toBe('active');
    expect(await state(dataCenter)).toBe('up');
    // In the top-level list, an attached domain has no status.
    expect(await state(`/storagedomains/${domain}`)).toBeUndefined();
    expect((await ok(api.json('GET', host)))['spm']).toMatchObject({ status: 'spm' });
    await refused(act(`${dataCenter}/storagedomains`, { id: domain }), 409, 'status active');
    await refused(api.json('DELETE', `/storagedomains/${domain}?host=h1`), 409, 'detach it first');
  });

  it('starts and stops a VM, and refuses operations that its state forbids', async () => {
    const added = await ok(
      act('/vms', {
        name: 'web',
        cluster: { name: 'lab' },
        template: { name: 'Blank' },
        os: { boot: { devices: { device: ['cdrom'] } } },
      }),
      201,
    );
    const vm = `/vms/${String(added['id'])}`;
    await refused(act(`${vm}/suspend`), 409, 'not up');
    await ok(act(`${vm}/start`));
    expect(await state(vm)).toBe('up');
    await refused(act(`${vm}/start`), 409, 'VM is running');
    await refused(api.json('DELETE', vm), 409, 'VM is running');
    const waiting = await ok(api.json('PUT', vm, { cpu: { topology: { cores: 2 } } }));
    expect(waiting).toMatchObject({
      next_run_configuration_exists: true,
      cpu: { topology: { cores: 1 } },
    });
    await ok(api.json('PUT', vm, { description: 'changed while up' }));
    await ok(act(`${vm}/suspend`));
    expect(await state(vm)).toBe('suspended');
    await ok(act(`${vm}/start`));
    expect(await state(vm)).toBe('up');
    await ok(act(`${vm}/reboot`));
    await refused(act(`${host}/deactivate`), 409, 'no other host of the cluster is up: web');
    await ok(act(`${vm}/shutdown`, { reason: 'night' }));
    expect(await state(vm)).toBe('down');
    expect(await state(vm, 'stop_reason')).toBe('night');
    await ok(act(`${vm}/stop`));
    await ok(api.json('PUT', vm, { delete_protected: true }));
    await refused(api.json('DELETE', vm), 409, 'Delete protection');
    await ok(api.json('PUT', vm, { delete_protected: false }));
    await ok(api.json('DELETE', vm));
    expect((await api.json('GET', vm)).status).toBe(404);
  });

  it('migrates VMs away from a host that switches to maintenance', async () => {
    const second = await ok(
      act('/hosts', {
        name: 'h2',
        address: 'h2.example.com',
        root_password: 'secret',
        cluster: { name: 'lab' },
      }),
      201,
    );
    const added = await ok(
      act('/vms', {
        name: 'moves',
        cluster: { name: 'lab' },
        template: { name: 'Blank' },
        os: { boot: { devices: { device: ['cdrom'] } } },
        placement_policy: { hosts: { host: [{ name: 'h1' }, { name: 'h2' }] } },
      }),
      201,
    );
    const vm = `/vms/${String(added['id'])}`;
    await ok(act(`${vm}/start`));
    const where = (await ok(api.json('GET', vm)))['host'] as { id: string };
    await ok(act(`/hosts/${where.id}/deactivate`, { reason: 'memory' }));
    expect(await state(`/hosts/${where.id}`)).toBe('maintenance');
    const now = (await ok(api.json('GET', vm)))['host'] as { id: string };
    expect(now.id).not.toBe(where.id);
    expect(await state(dataCenter)).toBe('up');
    await ok(act(`/hosts/${where.id}/activate`));
    await ok(act(`${vm}/stop`));
    await ok(api.json('DELETE', vm));
    await ok(act(`/hosts/${String(second['id'])}/deactivate`));
    await ok(api.json('DELETE', `/hosts/${String(second['id'])}`));
  });

  it('is removed completely', async () => {
    const attached = `${dataCenter}/storagedomains/${domain}`;
    await refused(api.json('DELETE', dataCenter), 409, 'It is up');
    await refused(api.json('DELETE', attached), 409, 'status active');
    await ok(act(`${attached}/deactivate`));
    expect(await state(attached)).toBe('maintenance');
    expect(await state(dataCenter)).toBe('maintenance');
    await ok(act(`${attached}/activate`));
    expect(await state(dataCenter)).toBe('up');
    await ok(act(`${attached}/deactivate`));
    await ok(api.json('DELETE', attached));
    expect(await state(`/storagedomains/${domain}`)).toBe('unattached');
    await refused(api.json('DELETE', `/storagedomains/${domain}`), 400, 'parameter host');
    await ok(api.json('DELETE', `/storagedomains/${domain}?host=h1`));
    await refused(api.json('DELETE', `/clusters/${cluster}`), 409, '1 host');
    await ok(act(`${host}/deactivate`));
    await ok(api.json('DELETE', host));
    await ok(api.json('DELETE', `/clusters/${cluster}`));
    await ok(api.json('DELETE', dataCenter));
  });
});

describe('disks', () => {
  it('refuse invalid settings', async () => {
    const site = await startTestServer(['--speed', '0', '--inventory', 'small']);
    const other = await RawApi.signIn(site);
    const post = (body: unknown) => other.json('POST', '/disks', body);
    const storage = { storage_domains: { storage_domain: [{ name: 'data1' }] } };
    await refused(post({ name: 'd', ...storage }), 400, 'Disk [provisionedSize, format] required');
    await refused(
      post({ format: 'raw', provisioned_size: 0, ...storage }),
      400,
      'must not be zero',
    );
    await refused(post({ format: 'raw', provisioned_size: 1024 }), 400, 'storage domain was not');
    await refused(
      post({ format: 'raw', sparse: false, provisioned_size: '1125899906842624', ...storage }),
      409,
      'Low disk space',
    );
    await refused(
      post({ format: 'raw', sparse: false, provisioned_size: '9223372036854775807', ...storage }),
      409,
      'Low disk space',
    );
    await refused(
      post({ format: 'cow', sparse: false, provisioned_size: 1024, ...storage }),
      409,
      'Disk configuration (cow preallocated) is incompatible with the storage domain type.',
    );
    const disk = await (
      await post({ name: 'd', format: 'raw', provisioned_size: 4096, ...storage })
    ).json();
    await refused(
      other.json('PUT', `/disks/${String(disk['id'])}`, { name: 'e' }),
      400,
      'Only qcow_version',
    );
    expect((await other.json('DELETE', `/disks/${String(disk['id'])}`)).status).toBe(200);
    expect((await other.json('GET', `/disks/${String(disk['id'])}`)).status).toBe(404);
    await site.stop();
  });
});
