/** Permissions and visibility (specification 5.5). */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RawApi, requestToken } from '../support/raw.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

let server: TestServer;
let admin: RawApi;
/** Owner of vm-01. */
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

async function findId(collection: string, name: string): Promise<string> {
  const answer = await admin.json('GET', `/${collection}?search=name%3D${name}`);
  const [list] = Object.values(answer.json<Record<string, { id: string }[]>>());
  return list?.[0]?.id ?? '';
}

describe('a plain user', () => {
  it('sees objects with permissions, and their ancestors', async () => {
    expect(await names(jane, '/vms')).toEqual(['vm-01']);
    expect(await names(jane, '/clusters')).toEqual(['Default']);
    expect(await names(jane, '/datacenters')).toEqual(['Default']);
    expect(await names(jane, '/hosts')).toEqual([]);
    // It contains her disk.
    expect(await names(jane, '/storagedomains')).toEqual(['data1']);
    const other = await findId('vms', 'vm-02');
    expect((await jane.json('GET', `/vms/${other}`)).status).toBe(404);
    expect((await jane.json('GET', `/vms/${other}/nics`)).status).toBe(404);
  });

  it('searches only visible objects', async () => {
    expect(await names(jane, '/vms?search=name%3Dvm-*')).toEqual(['vm-01']);
  });

  it('gets no summary, and may not request all objects', async () => {
    expect((await jane.json('GET', '/')).json()).not.toHaveProperty('summary');
    expect((await jane.json('GET', '/vms?filter=false')).status).toBe(400);
  });

  it('does with her VM everything that her role permits', async () => {
    const mine = await findId('vms', 'vm-01');
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

  it('is refused all other operations with 403', async () => {
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
  it('sees all objects, and changes those in the cluster', async () => {
    expect(await names(olaf, '/vms')).toEqual(['vm-01', 'vm-02', 'vm-03']);
    expect(await names(olaf, '/vms?filter=true')).toEqual(['vm-01', 'vm-02', 'vm-03']);
    const host = await findId('hosts', 'host2');
    expect((await olaf.json('PUT', `/hosts/${host}`, { comment: 'rack 3' })).status).toBe(200);
    const cluster = await findId('clusters', 'Default');
    expect((await olaf.json('PUT', `/clusters/${cluster}`, { comment: 'x' })).status).toBe(200);
  });

  it('is refused changes outside of the cluster', async () => {
    const dataCenter = await findId('datacenters', 'Default');
    expect((await olaf.json('PUT', `/datacenters/${dataCenter}`, { comment: 'x' })).status).toBe(
      403,
    );
    expect((await olaf.json('DELETE', `/datacenters/${dataCenter}`)).status).toBe(403);
  });
});

it('a permission is effective immediately, and so is its removal', async () => {
  const vm = await findId('vms', 'vm-02');
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

describe('a permission on an object', () => {
  const listIds = async (path: string) => {
    const [list] = Object.values((await admin.json('GET', path)).json<Record<string, Thing[]>>());
    return (list ?? []).map(({ id }) => String(id));
  };
  interface Thing {
    readonly id: string;
  }

  /** Gives Jane a role below a path during the work. */
  async function withRole(path: string, role: string, work: () => Promise<void>): Promise<void> {
    const [user] = await listIds('/users?search=usrname%3Djane');
    const given = await admin.json('POST', `${path}/permissions`, {
      role: { name: role },
      user: { id: user },
    });
    expect(given.status, given.text).toBe(201);
    await work();
    const gone = await admin.json('DELETE', `${path}/permissions/${given.json()['id']}`);
    expect(gone.status, gone.text).toBe(200);
  }

  it.each(['networks', 'vnicprofiles', 'cpuprofiles', 'diskprofiles', 'macpools'])(
    'of /%s applies to that object only, not to the entire system',
    async (collection) => {
      const [first] = await listIds(`/${collection}`);
      await withRole(`/${collection}/${first}`, 'DataCenterAdmin', async () => {
        const network = { name: 'mine', data_center: { id: (await listIds('/datacenters'))[0] } };
        const answer = await jane.json('POST', '/networks', network);
        expect(answer.status, answer.text).toBe(403);
        const other = await findId('vms', 'vm-02');
        expect((await jane.json('POST', `/vms/${other}/start`, {})).status).toBe(403);
      });
    },
  );

  it('grants its permits on that object', async () => {
    const network = await findId('networks', 'net1');
    const other = await findId('networks', 'mgmt');
    await withRole(`/networks/${network}`, 'NetworkAdmin', async () => {
      const mine = await jane.json('PUT', `/networks/${network}`, { comment: 'x' });
      expect(mine.status, mine.text).toBe(200);
      expect((await jane.json('PUT', `/networks/${other}`, { comment: 'x' })).status).toBe(403);
    });
  });

  it('ignores other references in the request', async () => {
    const mine = await findId('vms', 'vm-01');
    const [user] = await listIds('/users?search=usrname%3Djane');
    const given = await jane.json('POST', `/vms/${mine}/permissions`, {
      role: { name: 'UserRole' },
      user: { id: user },
      cluster: { id: await findId('clusters', 'Default') },
    });
    expect(given.status, given.text).toBe(201);
    expect(given.json()).not.toHaveProperty('cluster');
    const other = await findId('vms', 'vm-02');
    expect((await jane.json('POST', `/vms/${other}/start`, {})).status).toBe(404);
    const gone = await jane.json('DELETE', `/vms/${mine}/permissions/${given.json()['id']}`);
    expect(gone.status, gone.text).toBe(200);
  });

  it('with an administrator role requires a super user', async () => {
    const mine = await findId('vms', 'vm-01');
    const [user] = await listIds('/users?search=usrname%3Djane');
    const given = await jane.json('POST', `/vms/${mine}/permissions`, {
      role: { name: 'ClusterAdmin' },
      user: { id: user },
    });
    expect(given.status, given.text).toBe(403);
    expect(given.json()['detail']).toContain('ClusterAdmin');
    expect(await names(jane, '/vms')).toEqual(['vm-01']);
  });
});

describe('visibility for a plain user', () => {
  it('includes the ancestors of her VM, but not their other contents', async () => {
    const cluster = await findId('clusters', 'Default');
    expect((await jane.json('GET', `/clusters/${cluster}`)).status).toBe(200);
    const hidden = ['networks', 'affinitygroups', 'permissions', 'cpuprofiles'];
    for (const below of hidden) {
      const answer = await jane.json('GET', `/clusters/${cluster}/${below}`);
      if (answer.status === 404) continue;
      const [list] = Object.values(answer.json<Record<string, { name?: string }[]>>());
      // All users may use the profiles, and therefore see their networks.
      const shown = below === 'networks' || below === 'cpuprofiles' ? list : [];
      expect(list ?? [], `${below}: ${answer.text}`).toEqual(shown ?? []);
    }
    const center = await findId('datacenters', 'Default');
    const domains = await names(jane, `/datacenters/${center}/storagedomains`);
    expect(domains).toEqual(['data1']);
  });

  it('includes the disks of her VM, and her permissions', async () => {
    expect(await names(jane, '/disks')).toEqual(['vm-01_Disk1']);
    const mine = await findId('vms', 'vm-01');
    const permissions = await jane.json('GET', `/vms/${mine}/permissions`);
    expect(permissions.json<{ permission: unknown[] }>().permission).toHaveLength(1);
  });

  it('includes the jobs that she began', async () => {
    const mine = await findId('vms', 'vm-01');
    const answer = await jane.json('PUT', `/vms/${mine}`, { comment: 'job' });
    expect(answer.status, answer.text).toBe(200);
    const jobs = (await jane.json('GET', '/jobs')).json<{ job: { description: string }[] }>().job;
    expect(jobs.length).toBeGreaterThan(0);
    const all = (await admin.json('GET', '/jobs')).json<{ job: unknown[] }>().job;
    expect(all.length).toBeGreaterThan(jobs.length);
  });

  it('excludes all other objects behind links', async () => {
    const answer = await jane.json(
      'GET',
      '/vms?follow=cluster.data_center.clusters,host,cluster.affinity_groups,disk_attachments.disk',
    );
    expect(answer.status, answer.text).toBe(200);
    const [vm] = answer.json<{ vm: Record<string, unknown>[] }>().vm;
    expect(vm).toMatchObject({
      cluster: { name: 'Default' },
      disk_attachments: { disk_attachment: [{ disk: { name: 'vm-01_Disk1' } }] },
    });
    // The response does not contain the host.
    expect(vm).not.toHaveProperty('host');
  });
});

describe('operations with further permits', () => {
  const ids: Record<string, string> = {};
  beforeAll(async () => {
    ids['mine'] = await findId('vms', 'vm-01');
    ids['disk'] = await findId('disks', 'vm-02_Disk1');
    ids['host'] = await findId('hosts', 'host2');
    ids['data'] = await findId('storagedomains', 'data1');
    ids['cluster'] = await findId('clusters', 'Default');
    const other = await admin.json('POST', '/clusters', {
      name: 'elsewhere',
      cpu: { type: 'Intel Nehalem Family' },
      data_center: { name: 'Default' },
    });
    ids['other'] = String(other.json()['id']);
  });

  const refusedFor: readonly [
    what: string,
    method: string,
    path: string,
    body: object,
    permit: string,
  ][] = [
    [
      'pinning a machine',
      'PUT',
      '/vms/{mine}',
      { placement_policy: { hosts: { host: [{ id: '{host}' }] } } },
      'edit_admin_vm_properties',
    ],
    [
      'taking it to another cluster',
      'PUT',
      '/vms/{mine}',
      { cluster: { id: '{other}' } },
      'create_vm',
    ],
    [
      'hooks of its host',
      'PUT',
      '/vms/{mine}',
      { custom_properties: { custom_property: [{ name: 'a', value: 'b' }] } },
      'change_vm_custom_properties',
    ],
    [
      'a run on a host of choice',
      'POST',
      '/vms/{mine}/start',
      { vm: { placement_policy: { hosts: { host: [{ id: '{host}' }] } } } },
      'edit_admin_vm_properties',
    ],
    [
      "somebody else's disk",
      'POST',
      '/vms/{mine}/diskattachments',
      { interface: 'virtio', disk: { id: '{disk}' } },
      'attach_disk',
    ],
    [
      "somebody else's disk by name",
      'POST',
      '/vms/{mine}/diskattachments',
      { interface: 'virtio', disk: { name: 'vm-02_Disk1' } },
      'attach_disk',
    ],
    [
      'a disk on storage that is not hers',
      'POST',
      '/vms/{mine}/diskattachments',
      {
        interface: 'virtio',
        disk: {
          name: 'x',
          format: 'cow',
          provisioned_size: 4096,
          storage_domains: { storage_domain: [{ id: '{data}' }] },
        },
      },
      'create_disk',
    ],
  ];
  it.each(refusedFor)('refuses %s', async (_what, method, path, body, permit) => {
    const filled = (text: string) =>
      text.replace(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? '');
    const answer = await jane.json(method, filled(path), JSON.parse(filled(JSON.stringify(body))));
    expect(answer.status, answer.text).toBe(403);
    expect(answer.json<{ fault?: { detail?: string } }>().fault?.detail).toContain(permit);
  });

  it('permits an update without a change', async () => {
    const path = `/vms/${ids['mine']}`;
    const { cluster, placement_policy } = (await admin.json('GET', path)).json();
    const answer = await jane.json('PUT', path, { cluster, placement_policy, comment: 'same' });
    expect(answer.status, answer.text).toBe(200);
  });

  it('hides the keys and settings of users from each other', async () => {
    const list = async (name: string) =>
      (await admin.json('GET', `/users?search=usrname%3D${name}`)).json<{
        user: { id: string }[];
      }>();
    const [self] = (await list('jane')).user;
    const [other] = (await list('olaf')).user;
    const key = { name: 'k', content: 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkV jane' };
    const subscription = { event: 'host_failure', notification_method: 'smtp', address: 'a@b.c' };
    for (const [below, body] of [
      ['sshpublickeys', key],
      ['options', { name: 'theme', content: '"dark"' }],
      ['eventsubscriptions', subscription],
    ] as const) {
      const own = await jane.json('POST', `/users/${self?.id}/${below}`, body);
      expect(own.status, own.text).toBe(201);
      const foreign = await jane.json('POST', `/users/${other?.id}/${below}`, body);
      expect(foreign.status, foreign.text).toBe(403);
    }
  });
});
