/**
 * Site with two isolated halves and a user for each: a data center with all kinds of objects per
 * half.
 */
import { expect } from 'vitest';
import { startServer } from '../../../src/testkit/testkit.ts';
import type { TestServer } from '../../../src/testkit/types.ts';
import { RawApi, type RawOptions, requestToken, send } from '../../support/raw.ts';
import type { TestServer as SpawnedServer } from '../../support/server.ts';
import { enrich } from '../../write-back/support/rich-site.ts';
import type { Stored } from './atlas.ts';

export interface SiteHalves {
  readonly admin: RawApi;
  /** User of the second data center. */
  readonly jane: RawApi;
  /** User of the first data center. */
  readonly olaf: RawApi;
  /** Ids of the data centers of Jane and of Olaf. */
  readonly west: string;
  readonly east: string;
  /** All stored objects. */
  state(): Promise<Stored[]>;
  /** The state as lines, for `restore`. */
  saved(): Promise<string>;
  /** Replaces the complete state; sessions stay valid. */
  restore(saved: string): Promise<void>;
  stop(): Promise<void>;
}

const password = 'not-a-secret';

/** Starts an in-process server with both halves; `log` receives its errors. */
export async function createHalves(log: (line: string) => void): Promise<SiteHalves> {
  const server = await startServer({ password, inventory: 'small', seed: 7, log });
  const spoken = spokenTo(server);
  const admin = await RawApi.signIn(spoken);
  await enrich(admin, 'JSON');
  const west = await makeWest(admin);
  const [first] = await all(admin, '/datacenters?search=name%3DDefault');
  await takeFromEveryone(admin, await readState(server, admin));
  const jane = await settle(admin, spoken, 'jane', west);
  const olaf = await settle(admin, spoken, 'olaf', first?.id ?? '');
  return {
    admin,
    jane,
    olaf,
    west,
    east: first?.id ?? '',
    state: () => readState(server, admin),
    saved: () => saveState(server, admin),
    async restore(saved) {
      const answer = await askForState(server, admin, { method: 'PUT', body: saved });
      expect(answer.status, answer.text).toBe(200);
    },
    async stop() {
      for (const { agent } of [admin, jane, olaf]) agent.destroy();
      await server.stop();
    },
  };
}

/** Removes permissions for everyone on the objects of a half. */
async function takeFromEveryone(admin: RawApi, state: readonly Stored[]): Promise<void> {
  for (const { kind, collection, object } of state) {
    if (kind !== 'permission' || collection === '/permissions') continue;
    const gone = await admin.json('DELETE', `${collection}/${object.id}`);
    expect(gone.status, gone.text).toBe(200);
  }
}

/** Creates a user who sees one data center only. */
async function settle(
  admin: RawApi,
  server: SpawnedServer,
  name: string,
  dataCenter: string,
): Promise<RawApi> {
  const [user] = await all(admin, `/users?search=usrname%3D${name}`);
  const before = await all(admin, `/users/${user?.id}/permissions`);
  const mine = { role: { name: 'UserRole' }, user: { id: user?.id } };
  await made(admin, `/datacenters/${dataCenter}/permissions`, mine);
  for (const { id } of before) {
    const gone = await admin.json('DELETE', `/permissions/${id}`);
    expect(gone.status, gone.text).toBe(200);
  }
  const ready = { ...server.ready, username: `${name}@internal` };
  const token = (await requestToken({ ...server, ready })).json()['access_token'];
  return new RawApi(server, String(token));
}

async function made(api: RawApi, path: string, body: unknown): Promise<string> {
  const answer = await api.json('POST', path, body);
  expect([200, 201, 202], `${path}: ${answer.text}`).toContain(answer.status);
  return String(answer.json()['id']);
}

/** Creates a second data center with an object of every owned kind; returns its id. */
async function makeWest(admin: RawApi): Promise<string> {
  const add = (path: string, body: unknown) => made(admin, path, body);
  const west = await add('/datacenters', { name: 'west-center', local: false });
  const cluster = await add('/clusters', {
    name: 'west-cluster',
    data_center: { id: west },
    cpu: { type: 'Intel Nehalem Family', architecture: 'x86_64' },
  });
  const host = await add('/hosts', {
    name: 'west-host',
    address: 'west-host.example.com',
    root_password: 'secret',
    cluster: { id: cluster },
  });
  await admin.until(`/hosts/${host}`, ({ text }) => /"status":"up"/.test(text));
  const domain = await add('/storagedomains', {
    name: 'west-data',
    type: 'data',
    host: { id: host },
    storage: { type: 'nfs', address: 'nfs.example.com', path: '/west' },
  });
  await add(`/datacenters/${west}/storagedomains`, { id: domain });
  const storage = { storage_domains: { storage_domain: [{ id: domain }] } };
  const vm = await add('/vms', {
    name: 'west-vm',
    cluster: { id: cluster },
    template: { name: 'Blank' },
    memory: 2 ** 30,
  });
  const disk = { name: 'west-disk', format: 'cow', provisioned_size: 2 ** 30, ...storage };
  await add(`/vms/${vm}/diskattachments`, { interface: 'virtio', bootable: true, disk });
  await admin.until('/disks', ({ text }) => !/"locked"/.test(text));
  await add(`/vms/${vm}/snapshots`, { description: 'west-snapshot' });
  await admin.until('/disks', ({ text }) => !/"locked"/.test(text));
  await add('/networks', { name: 'west-net', data_center: { id: west } });
  const template = await add('/templates', { name: 'west-template', vm: { id: vm } });
  await admin.until('/disks', ({ text }) => !/"locked"/.test(text));
  const pool = { name: 'west-pool-?', cluster: { id: cluster }, size: 1 };
  await add('/vmpools', { ...pool, template: { id: template } });
  await add(`/clusters/${cluster}/affinitygroups`, {
    name: 'west-group',
    positive: true,
    vms: { vm: [{ id: vm }] },
  });
  await add('/affinitylabels', { name: 'west-label', vms: { vm: [{ id: vm }] } });
  await add(`/datacenters/${west}/quotas`, { name: 'west-quota' });
  const [spare] = await all(admin, '/tags');
  await add(`/vms/${vm}/tags`, { name: spare?.name });
  const started = await admin.json('POST', `/vms/${vm}/start`, {});
  expect(started.status, started.text).toBe(200);
  return west;
}

/** Parts of a spawned server that requests need. */
function spokenTo(server: TestServer): SpawnedServer {
  const ready = {
    base_url: server.url,
    api_url: server.apiUrl,
    auth_url: `${server.url}/sso`,
    upload_url: '',
    ca_file: server.caFile,
    username: server.username,
    password_file: null,
    pid: process.pid,
  };
  return { ready, ca: server.ca, password } as SpawnedServer;
}

interface Named {
  readonly id: string;
  readonly name: string;
}

/** Objects of a collection, as seen by a user. */
export async function all(api: RawApi, path: string): Promise<Named[]> {
  const answer = await api.json('GET', path);
  expect(answer.status, answer.text).toBe(200);
  return Object.values(answer.json<Record<string, Named[]>>())[0] ?? [];
}

function askForState(server: TestServer, admin: RawApi, options: RawOptions) {
  const { ca, url } = server;
  const headers = { Authorization: `Bearer ${admin.token}` };
  return send(`${new URL(url).origin}/_vmctl/state`, { ca, headers, ...options });
}

async function saveState(server: TestServer, admin: RawApi): Promise<string> {
  return (await askForState(server, admin, {})).text;
}

async function readState(server: TestServer, admin: RawApi): Promise<Stored[]> {
  return (await saveState(server, admin))
    .split('\n')
    .filter((line) => line.startsWith('{"kind"'))
    .map((line) => JSON.parse(line) as Stored);
}
