/** What differs in the dialect of deployed services: what is not there, who is not known, disks. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeHome } from '../support/command.ts';
import { RawApi, send } from '../support/raw.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

const nowhere = '11111111-2222-3333-4444-555555555555';
const gibibyte = 2 ** 30;

let server: TestServer;
let api: RawApi;

beforeAll(async () => {
  server = await startTestServer(['--speed', '0', '--inventory', 'small', '--dialect', 'ovirt']);
  api = await RawApi.signIn(server, 'ovirt-app-api');
});

afterAll(async () => {
  await server.stop();
});

describe('a cluster', () => {
  it('can be added without a processor type', async () => {
    const cluster = { name: 'no-processor', data_center: { name: 'Default' } };
    const added = await api.json('POST', '/clusters', cluster);
    expect(added.status, added.text).toBe(201);
    expect(added.json()['cpu']).toMatchObject({ architecture: 'undefined' });
  });
});

describe('a disk without a machine', () => {
  it('may be added as active, which means nothing', async () => {
    const added = await api.json('POST', '/disks', {
      ...{ name: 'active-alone', active: true, format: 'raw', provisioned_size: 2 ** 20 },
      storage_domains: { storage_domain: [{ name: 'data1' }] },
    });
    expect([201, 202], added.text).toContain(added.status);
  });
});

describe('what is absent', () => {
  const body = { name: 'x' };

  it.each([
    ['GET', `/vms/${nowhere}`, undefined],
    ['GET', `/vms/${nowhere}/nics`, undefined],
    ['GET', '/nothing/of/the/sort', undefined],
    ['PUT', `/vms/${nowhere}`, body],
    ['PUT', `/clusters/${nowhere}`, body],
    ['DELETE', `/disks/${nowhere}`, undefined],
    ['DELETE', '/nothing', undefined],
  ])('is answered with an empty 404: %s %s', async (method, path, sent) => {
    for (const format of ['xml', 'json'] as const) {
      const answer =
        format === 'json'
          ? await api.json(method, path, sent)
          : await api.xml(
              method,
              path,
              sent &&
                '<vm><name>x</name></vm>'.replaceAll(
                  'vm',
                  path.startsWith('/clusters') ? 'cluster' : 'vm',
                ),
            );
      expect(answer.status).toBe(404);
      expect(answer.text).toBe('');
      expect(answer.headers['content-type']).toBeUndefined();
      expect(answer.headers['content-length']).toBe('0');
      expect(answer.headers['correlation-id']).toMatch(/\S/);
    }
  });

  it('is told with a fault where something is posted, or named in a body', async () => {
    const posted = await api.json('POST', `/vms/${nowhere}/start`, {});
    expect(posted.status).toBe(404);
    expect(posted.json()).toMatchObject({ status: 'failed', fault: { reason: 'Not Found' } });
    const vm = { name: 'x', cluster: { id: nowhere }, template: { name: 'Blank' } };
    const named = await api.json('POST', '/vms', vm);
    expect(named.status).toBe(404);
    expect(named.json()['detail']).toContain('Entity not found');
  });

  it('is worded by the command line as everywhere', async () => {
    const home = makeHome(server);
    const vm = await home.run(['vms', 'get', nowhere]);
    expect(vm.code).toBe(3);
    expect(vm.stderr).toContain(`vms/${nowhere} not found`);
    const path = await home.run(['api', 'get', '/nothing']);
    home.remove();
    expect(path.code).toBe(3);
    expect(path.stderr).toContain('GET /nothing: not found');
  });
});

describe('who is not signed in', () => {
  it('is answered with a small page, and a challenge', async () => {
    const answer = await send(`${server.ready.api_url}/vms`, {
      ca: server.ca,
      headers: { Accept: 'application/json' },
    });
    expect(answer.status).toBe(401);
    expect(answer.headers['content-type']).toContain('text/html');
    expect(answer.headers['www-authenticate']).toContain('Basic');
    expect(answer.text).toMatch(/^<html>.*Unauthorized.*<\/html>$/);
  });
});

describe('a disk', () => {
  async function newDisk(format = 'raw'): Promise<string> {
    const { storage_domain: domains } = (
      await api.json('GET', '/storagedomains?search=name%3Ddata1')
    ).json<{
      storage_domain: { id: string }[];
    }>();
    const answer = await api.json('POST', '/disks?async=false', {
      name: 'old',
      format,
      provisioned_size: gibibyte,
      storage_domains: { storage_domain: [{ id: domains[0]?.id }] },
    });
    expect([201, 202], answer.text).toContain(answer.status);
    return String(answer.json()['id']);
  }

  it('takes a new name, description, size and the rest', async () => {
    const id = await newDisk();
    const changes = {
      name: 'new',
      description: 'changed',
      provisioned_size: String(2 * gibibyte),
      shareable: 'true',
      wipe_after_delete: 'true',
      propagate_errors: 'true',
    };
    const answer = await api.json('PUT', `/disks/${id}`, changes);
    expect(answer.status, answer.text).toBe(200);
    const { json } = await api.json('GET', `/disks/${id}`);
    expect(json()).toMatchObject({ ...changes, alias: 'new', status: 'ok' });
  });

  it('takes another quota and profile, and never gets smaller', async () => {
    const id = await newDisk('cow');
    const disk = (await api.json('GET', `/disks/${id}`)).json<{ disk_profile: { id: string } }>();
    const answer = await api.json('PUT', `/disks/${id}`, {
      backup: 'incremental',
      disk_profile: disk.disk_profile,
      qcow_version: 'qcow2_v2',
    });
    expect(answer.status, answer.text).toBe(200);
    const changed = (await api.json('GET', `/disks/${id}`)).json();
    expect(changed).toMatchObject({ backup: 'incremental', qcow_version: 'qcow2_v2' });
    const smaller = await api.json('PUT', `/disks/${id}`, { provisioned_size: 1024 });
    expect(smaller.status).toBe(400);
  });

  it('that comes back with an empty storage domain is no error', async () => {
    const id = await newDisk();
    const xml =
      '<disk><alias>again</alias><storage_domains><storage_domain/></storage_domains></disk>';
    const answer = await api.xml('PUT', `/disks/${id}`, xml);
    expect(answer.status, answer.text).toBe(200);
    expect(answer.text).toContain('<alias>again</alias>');
  });
});
