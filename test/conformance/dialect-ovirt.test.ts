/**
 * Differences in the dialect of deployed engines: absent objects, unauthenticated callers, disks.
 */
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

describe('a disk without a VM', () => {
  it('may be added as active, without effect', async () => {
    const added = await api.json('POST', '/disks', {
      ...{ name: 'active-alone', active: true, format: 'raw', provisioned_size: 2 ** 20 },
      storage_domains: { storage_domain: [{ name: 'data1' }] },
    });
    expect([201, 202], added.text).toContain(added.status);
  });
});

describe('an absent object', () => {
  const body = { name: 'x' };
  const findRoot = (path: string) =>
    path.endsWith('/resetemulatedmachine')
      ? 'action'
      : path.startsWith('/clusters')
        ? 'cluster'
        : 'vm';

  it.each([
    ['GET', `/vms/${nowhere}`, undefined],
    ['GET', `/vms/${nowhere}/sessions`, undefined],
    ['GET', '/vms/nonsense/nics', undefined],
    ['POST', `/clusters/${nowhere}/resetemulatedmachine`, {}],
    ['PUT', `/vms/${nowhere}`, body],
    ['PUT', `/clusters/${nowhere}`, body],
    ['DELETE', `/disks/${nowhere}`, undefined],
  ])('is an empty 404: %s %s', async (method, path, sent) => {
    for (const format of ['xml', 'json'] as const) {
      const answer =
        format === 'json'
          ? await api.json(method, path, sent)
          : await api.xml(method, path, sent && `<${findRoot(path)}/>`);
      expect(answer.status).toBe(404);
      expect(answer.text).toBe('');
      expect(answer.headers['content-type']).toBeUndefined();
      expect(answer.headers['content-length']).toBe('0');
      expect(answer.headers['correlation-id']).toMatch(/\S/);
    }
  });

  it('is a fault with status 400 for an action, and 404 for a reference in a body', async () => {
    const posted = await api.json('POST', `/vms/${nowhere}/start`, {});
    expect(posted.status).toBe(400);
    expect(posted.json()).toMatchObject({
      status: 'failed',
      fault: { reason: 'Operation Failed' },
    });
    const vm = { name: 'x', cluster: { id: nowhere }, template: { name: 'Blank' } };
    const named = await api.json('POST', '/vms', vm);
    expect(named.status).toBe(404);
    expect(named.json()['detail']).toContain('Entity not found');
  });

  it('has the same message in the command line as in other dialects', async () => {
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

describe('responses of a deployed engine', () => {
  const status = async (method: string, path: string, body?: string, type = 'application/xml') => {
    const headers = { 'Content-Type': type };
    const answer = await api.call(method, path, {
      ...(body === undefined ? {} : { body, headers }),
    });
    return answer.status;
  };

  it.each([
    [`/vms/${nowhere}/nics`, '<nics/>'],
    [`/hosts/${nowhere}/fenceagents`, '<agents/>'],
  ])('a list below an unknown id is empty: %s', async (path, list) => {
    const answer = await api.xml('GET', path);
    expect([answer.status, answer.text.trim().split('\n').at(-1)]).toEqual([200, list]);
  });

  it('permissions below an unknown id are the system-wide ones', async () => {
    const answer = await api.json('GET', `/clusters/${nowhere}/permissions`);
    const all = await api.json('GET', '/permissions');
    expect(answer.status).toBe(200);
    expect(answer.json()['permission']).toHaveLength((all.json()['permission'] as []).length);
  });

  it('permissions of an object include those on its ancestors', async () => {
    const { cluster } = (await api.json('GET', '/clusters?max=1')).json<{
      cluster: { id: string }[];
    }>();
    const path = `/clusters/${cluster[0]?.id}`;
    const { permission } = (await api.json('GET', `${path}/permissions`)).json<{
      permission: {
        cluster?: { id: string };
        href?: string;
        group?: unknown;
        role: { id: string };
      }[];
    }>();
    const superUser = permission.find(({ role }) => role.id.startsWith('00000000-0000-0000-0000'));
    expect(superUser?.cluster?.id).toBe(cluster[0]?.id);
    expect(superUser?.href).toContain(`${path}/permissions/`);
  });

  it('a missing mandatory attribute is invalid input, an empty one is incomplete', async () => {
    const reason = async (body: string) => {
      const answer = await api.xml('POST', '/tags', body);
      return [answer.status, answer.text.match(/<reason>([^<]*)/)?.[1]];
    };
    expect(await reason('<tag/>')).toEqual([400, 'Input validation failed.']);
    expect(await reason('<tag><name/></tag>')).toEqual([400, 'Incomplete parameters']);
    // An action is refused with a bare fault before the object is resolved.
    const fence = await api.xml('POST', `/hosts/${nowhere}/fence`, '<action/>');
    expect(fence.text).toContain('<fault>');
    expect(fence.text).not.toContain('<action>');
  });

  it.each([
    ['405 without a body', 'PUT', '/tags', '<tag/>', 'application/xml', 405],
    ['415 for an action without a body', 'POST', `/vms/${nowhere}/start`, undefined, '', 415],
    ['415 for text/xml', 'POST', '/tags', '<tag/>', 'text/xml', 415],
    ['400 for a URL that is not encoded', 'GET', '/tags/%zz', undefined, '', 400],
  ])('%s', async (_, method, path, body, type, expected) => {
    const headers = type === '' ? {} : { 'Content-Type': type };
    const answer = await api.call(method, path, { headers, ...(body ? { body } : {}) });
    expect([answer.status, answer.text]).toEqual([expected, '']);
  });

  it('an invalid path or version returns a page', async () => {
    for (const path of ['/nothing', '/v5/vms']) {
      const answer = await api.xml('GET', path);
      expect([400, 404]).toContain(answer.status);
      expect(answer.headers['content-type']).toContain('text/html');
    }
  });

  it('unknown elements are ignored, unknown members of JSON are not', async () => {
    const body = '<tag><nonsense>x</nonsense>text<name>passed-over</name></tag>';
    expect(await status('POST', '/tags', body)).toBe(201);
    const json = '{"name":"passed-over-2","nonsense":"x"}';
    expect(await status('POST', '/tags', json, 'application/json')).toBe(400);
  });

  it('empty segments and dots of a path are ignored', async () => {
    for (const path of ['//tags', '/./tags', '/vms/../tags//']) {
      expect(await status('GET', path), path).toBe(200);
    }
  });

  it('an empty list is an empty object in JSON, and dates end in Z in XML', async () => {
    expect((await api.json('GET', `/vms/${nowhere}/nics`)).text).toBe('{}');
    expect((await api.xml('GET', '')).text).toMatch(/<time>[^<]*Z<\/time>/);
  });

  it('objects are shown below their parents in the same cases as in engines', async () => {
    const name = { name: 'below-its-data-center', data_center: { name: 'Default' } };
    const added = (await api.json('POST', '/clusters', name)).json<{ href: string; id: string }>();
    expect(added.href).toMatch(/\/datacenters\/[^/]+\/clusters\/[^/]+$/);
    const read = await api.json('GET', `/clusters/${added.id}`);
    expect(read.json()['href']).toMatch(/\/api\/clusters\/[^/]+$/);
  });

  it('an action returns its object: address, actions and links', async () => {
    const { host } = (await api.json('GET', '/hosts?max=1')).json<{ host: { id: string }[] }>();
    const answer = await api.json('POST', `/hosts/${host[0]?.id}/refresh`, {});
    const shown = answer.json()['host'];
    expect(shown).toMatchObject({ id: host[0]?.id });
    expect(Object.keys(shown as object).sort()).toEqual(['actions', 'href', 'id', 'link']);
  });
});

describe('an unauthenticated caller', () => {
  it('gets a small page and a challenge', async () => {
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

  it('can change its name, description, size and other attributes', async () => {
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

  it('can change its quota and profile, and never shrinks', async () => {
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

  it('accepts an empty storage domain in an update', async () => {
    const id = await newDisk();
    const xml =
      '<disk><alias>again</alias><storage_domains><storage_domain/></storage_domains></disk>';
    const answer = await api.xml('PUT', `/disks/${id}`, xml);
    expect(answer.status, answer.text).toBe(200);
    expect((await api.json('GET', `/disks/${id}`)).json()['alias']).toBe('again');
  });
});
