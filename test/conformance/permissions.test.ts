/** Who may do what, and who sees what (specification 5.5). */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RawApi, requestToken } from '../support/raw.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

let server: TestServer;
let admin: RawApi;
/** Owns vm-01. */
let jane: RawApi;
/** Administrator of the cluster. */
let olaf: RawApi;

beforeAll(async () => {
  server = await startTestServer(['--speed', '0', '--inventory', 'small']);
  admin = await RawApi.signIn(server);
  const signIn = async (username: string) => {
    const other = { ...server, ready: { ...server.ready, username } };
    return new RawApi(server, String((await requestToken(other)).json()['access_token']));
  };
  jane = await signIn('jane@internal');
  olaf = await signIn('olaf@internal');
});

afterAll(async () => {
  await server.stop();
});

async function names(api: RawApi, path: string): Promise<string[]> {
  const answer = await api.json('GET', path);
  expect(answer.status, answer.text).toBe(200);
  const [list] = Object.values(answer.json<Record<string, { name: string }[]>>());
  return (list ?? []).map(({ name }) => name);
}

async function idOf(collection: string, name: string): Promise<string> {
  const answer = await admin.json('GET', `/${collection}?search=name%3D${name}`);
  const [list] = Object.values(answer.json<Record<string, { id: string }[]>>());
  return list?.[0]?.id ?? '';
}

describe('a plain user', () => {
  it('sees what she has permissions on, and what contains it', async () => {
    expect(await names(jane, '/vms')).toEqual(['vm-01']);
    expect(await names(jane, '/clusters')).toEqual(['Default']);
    expect(await names(jane, '/datacenters')).toEqual(['Default']);
    expect(await names(jane, '/hosts')).toEqual([]);
    expect(await names(jane, '/storagedomains')).toEqual([]);
    const other = await idOf('vms', 'vm-02');
    expect((await jane.json('GET', `/vms/${other}`)).status).toBe(404);
    expect((await jane.json('GET', `/vms/${other}/nics`)).status).toBe(404);
  });

  it('searches within that', async () => {
    expect(await names(jane, '/vms?search=name%3Dvm-*')).toEqual(['vm-01']);
  });

  it('gets no summary, and may not ask for everything', async () => {
    expect((await jane.json('GET', '/')).json()).not.toHaveProperty('summary');
    expect((await jane.json('GET', '/vms?filter=false')).status).toBe(400);
  });

  it('does with her machine what her role permits', async () => {
    const mine = await idOf('vms', 'vm-01');
    expect((await jane.json('POST', `/vms/${mine}/stop`, {})).status).toBe(200);
    expect((await jane.json('POST', `/vms/${mine}/start`, {})).status).toBe(200);
    expect((await jane.json('PUT', `/vms/${mine}`, { description: 'mine' })).status).toBe(200);
    expect((await jane.json('POST', `/vms/${mine}/nics`, { name: 'nic2' })).status).toBe(201);
    const migrate = await jane.json('POST', `/vms/${mine}/migrate`, {});
    expect(migrate.status).toBe(403);
    expect(migrate.json()['fault']).toMatchObject({
      detail: expect.stringContaining('migrate_vm'),
    });
  });

  it('is refused everything else with 403', async () => {
    const refused = [
      ['POST', '/bookmarks', { name: 'b', value: 'x' }],
      ['POST', '/datacenters', { name: 'x', local: false }],
      ['POST', '/roles', { name: 'x', permits: { permit: [{ id: '1' }] } }],
      ['POST', '/permissions', { role: { name: 'SuperUser' }, user: { id: 'x' } }],
      ['DELETE', `/tags/${'0'.repeat(8)}-0000-0000-0000-${'0'.repeat(12)}`, undefined],
    ] as const;
    for (const [method, path, body] of refused) {
      expect((await jane.json(method, path, body)).status, `${method} ${path}`).toBe(403);
    }
  });
});

describe('the administrator of a cluster', () => {
  it('sees everything, and changes what is in the cluster', async () => {
    expect(await names(olaf, '/vms')).toEqual(['vm-01', 'vm-02', 'vm-03']);
    expect(await names(olaf, '/vms?filter=true')).toEqual(['vm-01', 'vm-02', 'vm-03']);
    const host = await idOf('hosts', 'host2');
    expect((await olaf.json('PUT', `/hosts/${host}`, { comment: 'rack 3' })).status).toBe(200);
    const cluster = await idOf('clusters', 'Default');
    expect((await olaf.json('PUT', `/clusters/${cluster}`, { comment: 'x' })).status).toBe(200);
  });

  it('is refused what is outside of it', async () => {
    const dataCenter = await idOf('datacenters', 'Default');
    expect((await olaf.json('PUT', `/datacenters/${dataCenter}`, { comment: 'x' })).status).toBe(
      403,
    );
    expect((await olaf.json('DELETE', `/datacenters/${dataCenter}`)).status).toBe(403);
  });
});

it('a permission that is given works at once, and so does taking it away', async () => {
  const vm = await idOf('vms', 'vm-02');
  const users = await admin.json('GET', '/users?search=usrname%3Djane');
  const user = users.json<{ user: { id: string }[] }>().user[0]?.id;
  expect((await jane.json('POST', `/vms/${vm}/start`, {})).status).toBe(404);
  const granted = await admin.json('POST', `/vms/${vm}/permissions`, {
    role: { name: 'UserRole' },
    user: { id: user },
  });
  expect(granted.status, granted.text).toBe(201);
  expect((await jane.json('POST', `/vms/${vm}/start`, {})).status).toBe(200);
  expect((await jane.json('DELETE', `/vms/${vm}`)).status).toBe(403);
  await admin.json('DELETE', `/vms/${vm}/permissions/${String(granted.json()['id'])}`);
  expect(await names(jane, '/vms')).toEqual(['vm-01']);
});
