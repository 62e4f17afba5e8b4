/**
 * Features that only the reference server has: written inventories, saved states, resets, faults,
 * metrics.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { builtVmctl } from '../support/in-process.ts';
import { type RawAnswer, RawApi, requestToken, send } from '../support/raw.ts';
import { startServerProcess, startTestServer, type TestServer } from '../support/server.ts';

let folder: string;
const servers: TestServer[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'vmctl-stand-in-'));
});
afterEach(async () => {
  for (const server of servers.splice(0)) await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Starts a server in this process, or as a separate one for options that only the command has. */
async function start(...options: string[]): Promise<TestServer> {
  const isPlain = options.every((one) => !/^--(?!inventory$|seed$)/.test(one));
  const server = await (isPlain ? startTestServer : startServerProcess)([
    '--speed',
    '0',
    ...options,
  ]);
  servers.push(server);
  return server;
}

function admin(
  server: TestServer,
  method: string,
  path: string,
  body?: string,
  user = `admin@internal:${server.password}`,
): Promise<RawAnswer> {
  const origin = new URL(server.ready.base_url).origin;
  return send(`${origin}/_vmctl/${path}`, {
    method,
    ca: server.ca,
    headers: { Authorization: `Basic ${Buffer.from(user).toString('base64')}` },
    ...(body === undefined ? {} : { body }),
  });
}

type Named = Record<string, { id: string; name: string }[]>;

const site = `
datacenters:
  - name: north
    local: false
    storagedomains: [nfs1]
clusters:
  - { name: web, data_center: north, cpu: { type: Intel Nehalem Family } }
networks:
  - { name: green, data_center: north, mtu: 9000 }
hosts:
  - { name: h1, address: h1.example.com, cluster: web, root_password: secret }
storagedomains:
  - { name: nfs1, type: data, host: h1, storage: { type: nfs, address: filer, path: /exports/1 } }
users:
  - { user_name: kim@internal, password: sesame }
vms:
  - name: web01
    cluster: web
    memory: 4 GiB
    nics: [{ name: nic1 }]
    status: up
    os: { boot: { devices: [network] } }
  - { name: web02, cluster: web, description: spare }
`;

async function list(api: RawApi, path: string): Promise<Record<string, unknown>[]> {
  const answer = await api.json('GET', path);
  expect(answer.status, answer.text).toBe(200);
  return (Object.values(answer.json<Record<string, Record<string, unknown>[]>>())[0] ?? []).map(
    (one) => one,
  );
}

describe('a written inventory', () => {
  it('has the objects of the file, in the attributes of the API', async () => {
    const file = join(folder, 'site.yaml');
    writeFileSync(
      file,
      site.replace(
        'os: { boot: { devices: { device: [network] } } }',
        'os: { boot: { devices: [network] } }',
      ),
    );
    const server = await start('--inventory', file);
    const api = await RawApi.signIn(server);
    expect((await list(api, '/datacenters?search=name%3Dnorth'))[0]).toMatchObject({
      status: 'up',
    });
    expect((await list(api, '/hosts'))[0]).toMatchObject({ name: 'h1', status: 'up' });
    const vms = await list(api, '/vms?search=sortby%20name');
    expect(vms.map(({ name, status, memory }) => [name, status, memory])).toEqual([
      ['web01', 'up', 4 * 2 ** 30],
      ['web02', 'down', 2 ** 30],
    ]);
    expect(await list(api, `/vms/${String(vms[0]?.['id'])}/nics`)).toHaveLength(1);
    const kim = { ...server, ready: { ...server.ready, username: 'kim@internal' } };
    expect((await requestToken(kim, 'virt-app-api', 'sesame')).status).toBe(200);
  });

  it.each([
    ['vms: [{ name: a, cluster: nowhere }]', 'vms[0]'],
    ['vms: [{ name: a, colour: red }]', 'colour'],
    ['boats: [{ name: a }]', 'boats'],
    ['vms: 3\nhosts: []', 'vms must be a list'],
    ['vms: [{ name: a, cluster: Default, memory: 4 XB }]', '4 XB'],
  ])('is refused if invalid: %s', async (text, reason) => {
    const file = join(folder, 'site.yaml');
    writeFileSync(file, text);
    await expect(start('--inventory', file)).rejects.toThrow(reason);
  });
});

describe('objects that no request can add', () => {
  it('come from a file: a directory, ISO files, images of a repository', async () => {
    const file = join(folder, 'given.yaml');
    writeFileSync(
      file,
      `
domains:
  - { name: corp-authz, users: [alice], groups: [pilots] }
users:
  - { user_name: alice@corp, password: sesame }
  - { user_name: zoe@internal, password: sesame }
groups: [{ name: pilots, domain: corp-authz }]
datacenters: [{ name: Default, storagedomains: [data, isos] }]
hosts: [{ name: h1, address: h1, cluster: Default }]
storagedomains:
  - { name: data, storage: { type: nfs, address: filer, path: /data } }
  - { name: isos, type: iso, storage: { type: nfs, address: filer, path: /isos }, files: [mine.iso, boot.vfd] }
openstackimageproviders:
  - { name: repo, url: 'https://images.example.com', images: [{ name: golden, size: 2 GiB }] }
`,
    );
    const server = await start('--inventory', file);
    const api = await RawApi.signIn(server);
    const findId = async (path: string, name: string) => {
      const [list] = Object.values((await api.json('GET', path)).json<Named>());
      return list?.find((one) => one.name === name)?.id;
    };
    const domain = await findId('/domains', 'corp-authz');
    expect(await findId(`/domains/${domain}/users`, 'alice')).toBeTruthy();
    expect(await findId(`/domains/${domain}/groups`, 'pilots')).toBeTruthy();
    expect(await findId('/groups', 'pilots')).toBeTruthy();
    for (const username of ['alice@corp', 'zoe@internal']) {
      const as = { ...server, ready: { ...server.ready, username }, password: 'sesame' };
      expect((await requestToken(as)).status, username).toBe(200);
    }
    const isos = await findId('/storagedomains', 'isos');
    for (const query of ['', '?refresh=true']) {
      const files = await api.json('GET', `/storagedomains/${isos}/files${query}`);
      const types = new Map(
        files
          .json<{ file: { name: string; type: string }[] }>()
          .file.map((one) => [one.name, one.type]),
      );
      expect([types.get('mine.iso'), types.get('boot.vfd')]).toEqual(['iso', 'floppy']);
    }
    const provider = await findId('/openstackimageproviders', 'repo');
    expect(await findId(`/openstackimageproviders/${provider}/images`, 'golden')).toBeTruthy();
    const repo = await findId('/storagedomains', 'repo');
    const images = await api.json('GET', `/storagedomains/${repo}/images`);
    expect(images.json<{ image: object[] }>().image).toContainEqual(
      expect.objectContaining({ name: 'golden', size: 2 * 2 ** 30 }),
    );
  });
});

describe('the small inventory', () => {
  it('has the sources for VM installations', async () => {
    const api = await RawApi.signIn(await start('--inventory', 'small'));
    const domains = await list(api, '/storagedomains');
    const findId = (name: string) => String(domains.find((one) => one['name'] === name)?.['id']);
    const files = await list(api, `/storagedomains/${findId('iso1')}/files`);
    const [iso] = files.filter(({ type }) => type === 'iso');
    const [vm] = await list(api, '/vms');
    const [drive] = await list(api, `/vms/${String(vm?.['id'])}/cdroms`);
    const file = { file: { id: iso?.['id'] } };
    const inserted = await api.json('PUT', String(drive?.['href']).replace(/^.*?\/api/, ''), file);
    expect(inserted.status, inserted.text).toBe(200);
    expect(inserted.json()).toMatchObject(file);

    const [image] = await list(api, `/storagedomains/${findId('repository')}/images`);
    const path = `/storagedomains/${findId('repository')}/images/${String(image?.['id'])}/import`;
    const target = { storage_domain: { name: 'data1' }, disk: { alias: 'imported' } };
    const imported = await api.json('POST', path, target);
    expect(imported.status, imported.text).toBe(200);
    const disk = async () => (await list(api, '/disks?search=alias%3Dimported'))[0];
    await expect.poll(async () => (await disk())?.['status'], { timeout: 10_000 }).toBe('ok');
    expect(await disk()).toMatchObject({ provisioned_size: image?.['size'] });
  });
});

function isOfEvents(line: string): boolean {
  return /"kind":"event"|"counter":"event"/.test(line);
}

describe('a state', () => {
  it('is saved and loaded, and saved again unchanged', async () => {
    const first = await start('--inventory', 'small');
    const api = await RawApi.signIn(first);
    expect((await api.json('POST', '/tags', { name: 'kept' })).status).toBe(201);
    const saved = await admin(first, 'GET', 'state');
    expect(saved.status).toBe(200);
    const file = join(folder, 'state');
    const env = {
      XDG_STATE_HOME: folder,
      XDG_CONFIG_HOME: folder,
      VMCTL_URL: first.ready.base_url,
      VMCTL_USERNAME: first.ready.username,
      VMCTL_PASSWORD: first.password,
      VMCTL_CA_FILE: first.ready.ca_file,
    };
    const save = (path: string) => builtVmctl(['serve', '--save', path], { env });
    expect((await save(file)).code).toBe(0);
    const nowhere = join(folder, 'nowhere/state');
    const { code, stderr } = await save(nowhere);
    expect([code, stderr]).toEqual([
      2,
      `vmctl: --save: cannot write "${nowhere}": no such file or folder\n`,
    ]);
    // Saving requires a sign-in, which adds an event.
    const quiet = (text: string) => text.split('\n').filter((line) => !isOfEvents(line));
    expect(quiet(readFileSync(file, 'utf8'))).toEqual(quiet(saved.text));

    const second = await start('--load', file);
    const other = await RawApi.signIn(second);
    for (const path of ['/vms', '/hosts', '/tags', '/disks', '/permissions', '/storagedomains']) {
      const [before, after] = [await api.json('GET', path), await other.json('GET', path)];
      expect(after.text, path).toBe(before.text);
    }
    // Only the event of the start is new.
    const again = (await admin(second, 'GET', 'state')).text;
    const strange = again.split('\n').filter((line) => !saved.text.includes(line));
    expect(strange.filter((line) => !isOfEvents(line))).toEqual([]);
  });

  it('changes nothing if it is damaged', async () => {
    const server = await start('--inventory', 'small');
    const api = await RawApi.signIn(server);
    const saved = (await admin(server, 'GET', 'state')).text;
    for (const text of ['', 'x', '{"format":"other"}\n', `${saved}{"kind":"boat"}\n`]) {
      const answer = await admin(server, 'PUT', 'state', text);
      expect(answer.status, text.slice(-40)).toBe(400);
    }
    expect(await list(api, '/vms')).toHaveLength(3);
    expect((await admin(server, 'PUT', 'state', saved)).status).toBe(200);
    expect((await admin(server, 'GET', 'state')).text).toBe(saved);
  });

  it('returns to the initial state', async () => {
    const server = await start('--inventory', 'small', '--seed', '7');
    const api = await RawApi.signIn(server);
    const before = (await list(api, '/vms')).map(({ id }) => id);
    for (const id of before) await api.json('DELETE', `/vms/${String(id)}?force=true`);
    expect((await admin(server, 'POST', 'reset')).status).toBe(200);
    expect((await list(api, '/vms')).map(({ id }) => id)).toEqual(before);
  });

  it('new objects on a saved state get ids of the seed that no object has', async () => {
    const server = await start('--inventory', 'small', '--seed', '7');
    const api = await RawApi.signIn(server);
    const add = (name: string) => api.json('POST', '/bookmarks', { name, value: 'x' });
    for (const name of ['one', 'two', 'three']) expect((await add(name)).status).toBe(201);
    const saved = (await admin(server, 'GET', 'state')).text;
    const ids: unknown[] = [];
    for (let turn = 0; turn < 2; turn++) {
      expect((await admin(server, 'PUT', 'state', saved)).status).toBe(200);
      const added = await add('four');
      expect(added.status, added.text).toBe(201);
      expect(saved).not.toContain(added.json()['id']);
      ids.push(added.json()['id']);
    }
    expect(ids[0]).toBe(ids[1]);
  });

  it('new objects on a folder served with the seed before get unused ids of the seed', async () => {
    const parent = mkdtempSync(join(tmpdir(), 'vmctl-seeded-'));
    try {
      const flags = ['--data', join(parent, 'data'), '--inventory', 'empty', '--seed', '7'];
      const statuses: number[] = [];
      for (let turn = 0; turn < 3; turn++) {
        const server = await start(...flags);
        const api = await RawApi.signIn(server);
        const body = { name: `turn-${turn}`, value: 'x' };
        statuses.push((await api.json('POST', '/bookmarks', body)).status);
        await server.stop();
      }
      expect(statuses).toEqual([201, 201, 201]);
    } finally {
      rmSync(parent, { recursive: true, force: true });
    }
  });
});

describe('faults', () => {
  it('from a flag affect the named operations', async () => {
    const server = await start(
      '--inventory',
      'small',
      '--fault',
      'operation=stop,vm=vm-0*,times=2',
    );
    const api = await RawApi.signIn(server);
    const [vm] = await list(api, '/vms');
    const stop = () => api.json('POST', `/vms/${String(vm?.['id'])}/stop`, {});
    for (const status of [409, 409, 200]) expect((await stop()).status).toBe(status);
  });

  it('are managed at run time', async () => {
    const server = await start('--inventory', 'small');
    const api = await RawApi.signIn(server);
    const rule = { type: 'tag', operation: 'add', status: 503, detail: 'busy', rate: 1 };
    const added = await admin(server, 'POST', 'faults', JSON.stringify(rule));
    expect([added.status, added.json()['id']]).toEqual([201, 'fault-1']);
    const failed = await api.json('POST', '/tags', { name: 'a' });
    expect([failed.status, failed.json<{ fault?: object }>().fault]).toMatchObject([
      503,
      { detail: '[busy]' },
    ]);
    expect((await api.json('POST', '/bookmarks', { name: 'a', value: '*' })).status).toBe(201);
    expect((await admin(server, 'DELETE', 'faults/fault-1')).status).toBe(200);
    expect((await api.json('POST', '/tags', { name: 'a' })).status).toBe(201);

    await admin(server, 'POST', 'faults', JSON.stringify({ operation: 'list', drop: true }));
    await expect(api.json('GET', '/tags')).rejects.toThrow();
    await admin(server, 'DELETE', 'faults');
    const late = { operation: 'list', delay: 30 };
    await admin(server, 'POST', 'faults', JSON.stringify(late));
    expect((await api.json('GET', '/tags')).status).toBe(200);
    expect((await admin(server, 'GET', 'faults')).json()['faults']).toEqual([
      { ...late, id: 'fault-3', rate: 1 },
    ]);
    for (const wrong of ['{', '{"rate":2}', '{"colour":"red"}', '{"type":"boat"}']) {
      expect((await admin(server, 'POST', 'faults', wrong)).status, wrong).toBe(400);
    }
  });

  it('with an invalid rule prevent the start', async () => {
    await expect(start('--fault', 'opration=start')).rejects.toThrow('opration');
  });
});

describe('the administration endpoints', () => {
  it('require the administrator', async () => {
    const server = await start('--inventory', 'small');
    for (const path of ['ready', 'live', 'metrics', 'state', 'faults']) {
      expect((await admin(server, 'GET', path)).status, path).toBe(200);
      const wrong = await admin(server, 'GET', path, undefined, 'admin@internal:wrong');
      expect(wrong.status, path).toBe(401);
      const plain = await admin(server, 'GET', path, undefined, `jane@internal:${server.password}`);
      expect(plain.status, path).toBe(403);
    }
    expect((await admin(server, 'GET', 'nothing')).status).toBe(404);
    expect((await admin(server, 'GET', 'reset')).status).toBe(405);
  });

  it('count responses', async () => {
    const server = await start('--inventory', 'small');
    const api = await RawApi.signIn(server);
    await list(api, '/vms');
    await api.json('GET', '/vms/nobody');
    const { text } = await admin(server, 'GET', 'metrics');
    expect(text).toMatch(/^vmctl_requests_total\{method="GET",code="200"\} [1-9]/m);
    expect(text).toMatch(/^vmctl_requests_total\{method="GET",code="404"\} 1$/m);
    expect(text).toMatch(/^vmctl_objects\{kind="vm"\} 3$/m);
    expect(text).toMatch(/^vmctl_request_duration_seconds_count [1-9]/m);
  });
});

describe('failed hosts', () => {
  it('do not respond, and the state of their VMs is unknown', async () => {
    const server = await start('--inventory', 'small');
    const api = await RawApi.signIn(server);
    const lost = await admin(server, 'POST', 'lose/host1');
    expect(lost.status, lost.text).toBe(200);
    const { host } = (await api.json('GET', '/hosts?search=name%3Dhost1')).json<{
      host: { status: string }[];
    }>();
    expect(host[0]?.status).toBe('non_responsive');
    const { vm } = (await api.json('GET', '/vms?search=name%3Dvm-01')).json<{
      vm: { status: string }[];
    }>();
    expect(vm[0]?.status).toBe('unknown');
    expect((await admin(server, 'POST', 'lose/nobody')).status).toBe(404);
  });
});
