/** Gluster: volumes and their options, bricks, hooks; on clusters with the Gluster service. */
import { describe, expect } from 'vitest';
import { addCluster, addHost } from './support/hosts.ts';
import { pathsOf, row } from './support/rows.ts';
import { type People, useSite } from './support/site.ts';
import { at, itemsOf, type Thing } from './support/speaker.ts';

const site = useSite();
/** Work on volumes does not end by itself here. */
const slow = useSite(['--speed', '100000']);
const ovirt = useSite(['--dialect', 'ovirt', '--scope', 'virt-app-api']);

type Found = Thing & { readonly id: string };

interface Servers {
  readonly cluster: string;
  readonly hosts: readonly Found[];
}

/** A cluster with the Gluster service, and servers. */
async function servers(people: People, count = 2, more: Thing = {}): Promise<Servers> {
  const cluster = await addCluster(people, { gluster_service: true, virt_service: false, ...more });
  const hosts: Found[] = [];
  for (let number = 0; number < count; number++) {
    hosts.push(await addHost(people, { cluster: cluster.id }));
  }
  return { cluster: cluster.id, hosts };
}

let directories = 0;

/** Bricks in directories that no other has, one to each server in turn. */
function bricksOn({ hosts }: Servers, count: number): Thing[] {
  return Array.from({ length: count }, (_, index) => {
    directories += 1;
    return {
      server_id: hosts[index % hosts.length]?.id,
      brick_dir: `/export/brick${directories}`,
    };
  });
}

function volumeOf({ name }: People, bricks: readonly Thing[], more: Thing = {}) {
  return {
    gluster_volume: {
      name: name('vol'),
      volume_type: 'distribute',
      bricks: { brick: bricks },
      ...more,
    },
  };
}

/** A volume on servers of its own. */
async function addVolume(people: People, count = 2, more: Thing = {}) {
  const own = await servers(people);
  const path = `/clusters/${own.cluster}/glustervolumes`;
  const volume = await people.admin.add(path, volumeOf(people, bricksOn(own, count), more));
  return { ...own, volume, path: `${path}/${volume.id}`, all: path };
}

const copies = (replica_count: number): Thing => ({ volume_type: 'replicate', replica_count });

async function bricksIn({ admin }: People, path: string): Promise<readonly Found[]> {
  const { list } = await admin.get(`${path}/glusterbricks`);
  return list.map((brick) => ({ ...brick, id: String(brick['id']) }));
}

const named = (...bricks: readonly Thing[]) => ({
  bricks: { brick: bricks.map((brick) => ({ name: brick['name'] })) },
});

async function refused(
  answer: ReturnType<People['admin']['post']>,
  status: number,
  words: string,
): Promise<void> {
  const got = await answer;
  expect(got.status, got.text).toBe(status);
  expect(`${got.fault?.reason} ${got.fault?.detail}`).toContain(words);
}

/** Both paths of a service: with and without the data center. */
const both = ({ path }: People, cluster: string) => [
  `/clusters/${cluster}`,
  `/datacenters/${path('{datacenter}')}/clusters/${cluster}`,
];

describe(row(42), () => {
  site.both('makes a volume of bricks, which is down', async (people) => {
    const { admin } = people;
    const own = await servers(people);
    for (const base of both(people, own.cluster)) {
      const body = volumeOf(people, bricksOn(own, 2), copies(2));
      const { status, object, headers, text } = await admin.post(`${base}/glustervolumes`, body);
      expect(status, text).toBe(201);
      expect(headers['location']).toBe(object['href']);
      expect(object).toMatchObject({
        name: body.gluster_volume.name,
        volume_type: 'replicate',
        replica_count: '2',
        status: 'down',
        cluster: { id: own.cluster },
      });
      const options = itemsOf(object, 'options', 'option');
      expect(options).toContainEqual({ name: 'auth.allow', value: '*' });
      expect(itemsOf(object, 'bricks', 'brick')).toHaveLength(2);
      const bricks = await bricksIn(people, `${base}/glustervolumes/${String(object['id'])}`);
      expect(bricks.map((brick) => brick['status'])).toEqual(['down', 'down']);
      expect(bricks[0]?.['name']).toMatch(/example\.com:\/export/);
    }
  });
  site.both('takes the numbers of bricks that a type is made of', async (people) => {
    const { admin } = people;
    const own = await servers(people);
    const post = async (count: number, more: Thing) => {
      const body = volumeOf(people, bricksOn(own, count), more);
      return (await admin.post(`/clusters/${own.cluster}/glustervolumes`, body)).status;
    };
    const of = (volume_type: string, more: Thing = {}) => ({ volume_type, ...more });
    const copied = of('distributed_replicate', { replica_count: 2 });
    expect(await post(1, of('distribute'))).toBe(201);
    expect(await post(3, copies(2))).toBe(400);
    expect(await post(2, copies(1))).toBe(409);
    expect(await post(4, copied)).toBe(201);
    expect(await post(2, copied)).toBe(201);
    expect(await post(3, copied)).toBe(400);
    expect(await post(4, of('stripe', { stripe_count: 4 }))).toBe(201);
    expect(await post(3, of('stripe', { stripe_count: 3 }))).toBe(400);
    expect(await post(5, of('stripe', { stripe_count: 4 }))).toBe(400);
    expect(await post(4, of('distributed_stripe', { stripe_count: 4 }))).toBe(400);
    expect(await post(8, of('distributed_stripe', { stripe_count: 4 }))).toBe(201);
    const striped = { stripe_count: 4, replica_count: 2 };
    expect(await post(8, of('striped_replicate', striped))).toBe(201);
    expect(await post(8, of('distributed_striped_replicate', striped))).toBe(400);
    expect(await post(3, of('disperse'))).toBe(400);
  });
  site.both('refuses what no volume can be', async (people) => {
    const { admin, path } = people;
    const own = await addVolume(people);
    const [first] = await bricksIn(people, own.path);
    const post = (bricks: readonly Thing[], more: Thing = {}) =>
      admin.post(own.all, volumeOf(people, bricks, more));
    const fresh = bricksOn(own, 1);
    await refused(post(fresh, { name: own.volume['name'] }), 409, String(own.volume['name']));
    await refused(post([...fresh, ...fresh]), 409, 'twice');
    const taken = { server_id: first?.['server_id'], brick_dir: first?.['brick_dir'] };
    await refused(post([taken]), 409, String(own.volume['name']));
    await refused(post([{ ...fresh[0], server_id: path('{host}') }]), 400, 'not the id of a host');
    await refused(post([{ server_id: own.hosts[0]?.id }]), 400, 'brickDir');
    const plain = `/clusters/${(await addCluster(people)).id}/glustervolumes`;
    await refused(admin.post(plain, volumeOf(people, fresh)), 409, 'does not support Gluster');
    for (const { id } of own.hosts) await admin.must(`/hosts/${id}/deactivate`);
    await refused(post(fresh), 409, 'No up server');
  });
  site.both('keeps copies apart on hosts that run machines', async (people) => {
    const { admin } = people;
    const own = await servers(people, 1, { virt_service: true });
    const path = `/clusters/${own.cluster}/glustervolumes`;
    const body = volumeOf(people, bricksOn(own, 2), copies(2));
    await refused(admin.post(path, body), 409, 'one host');
    expect((await admin.post(`${path}?force=true`, body)).status).toBe(201);
  });
  const path = '/clusters/{cluster}/glustervolumes';
  const empty = { gluster_volume: { name: 'v', volume_type: 'distribute' } };
  site.incomplete('POST', path, empty, 'bricks');
  site.incomplete('POST', path, { gluster_volume: { name: 'v' } }, 'volumeType');
  site.unknown('POST', '/clusters/{unknown}/glustervolumes', empty);
  site.forbidden('POST', path, empty);
});

describe(row(43), () => {
  site.both('lists volumes, and those that are looked for', async (people) => {
    const { admin } = people;
    const own = await addVolume(people);
    await admin.add(own.all, volumeOf(people, bricksOn(own, 1)));
    for (const base of both(people, own.cluster)) {
      const path = `${base}/glustervolumes`;
      expect((await admin.get(path)).list).toHaveLength(2);
      expect((await admin.get(`${path}?max=1`)).list).toHaveLength(1);
      const search = `name%3D${String(own.volume['name'])}`;
      const { list } = await admin.get(`${path}?search=${search}`);
      expect(list.map((one) => one['id'])).toEqual([own.volume.id]);
    }
  });
  site.unknown('GET', '/clusters/{unknown}/glustervolumes');
});

describe(row(44), () => {
  site.both('gets a volume', async (people) => {
    const own = await addVolume(people);
    const { status, object } = await people.admin.get(own.path);
    expect(status).toBe(200);
    expect(object).toMatchObject({
      id: own.volume.id,
      transport_types: { transport_type: expect.anything() },
    });
  });
  site.unknown('GET', '/clusters/{cluster}/glustervolumes/{unknown}');
});

describe(row(45), () => {
  site.both('removes a volume that is down', async (people) => {
    const { admin, name, path } = people;
    const own = await addVolume(people);
    await admin.must(`${own.path}/start`);
    await refused(admin.delete(own.path), 409, 'stop it first');
    await admin.must(`${own.path}/stop`);
    const server = String(own.hosts[0]?.['address']);
    const domain = await admin.add('/storagedomains', {
      storage_domain: {
        name: name('gfs'),
        type: 'data',
        host: { id: path('{host}') },
        storage: {
          type: 'glusterfs',
          vfs_type: 'glusterfs',
          path: `${server}:/${String(own.volume['name'])}`,
        },
      },
    });
    await refused(admin.delete(own.path), 409, String(domain['name']));
    await admin.delete(`/storagedomains/${domain.id}?host=host1`);
    const { status, object } = await admin.delete(own.path);
    expect([status, object['status']]).toEqual([200, 'complete']);
    expect((await admin.get(own.path)).status).toBe(404);
    expect((await admin.get(own.all)).list).toEqual([]);
  });
  site.unknown('DELETE', '/clusters/{cluster}/glustervolumes/{unknown}');
});

describe(row(46), () => {
  site.both('tells what the bricks of a profiled volume do', async (people) => {
    const { admin } = people;
    const own = await addVolume(people);
    const action = `${own.path}/getprofilestatistics`;
    await refused(admin.post(action), 409, 'not started');
    await admin.must(`${own.path}/startprofile`);
    const { object } = await admin.must(action);
    const details = object['details'] as Thing;
    const bricks = itemsOf(details, 'brick_profile_details', 'brick_profile_detail');
    expect(bricks).toHaveLength(2);
    expect(at(bricks[0], 'brick.id')).toBeTruthy();
    const profiles = itemsOf(bricks[0] ?? {}, 'profile_details', 'profile_detail');
    expect(profiles.map((one) => one['profile_type'])).toEqual(['cumulative', 'interval']);
    const nfs = await admin.must(`${action}?nfsStatistics=true`);
    const served = nfs.object['details'] as Thing;
    expect(itemsOf(served, 'nfs_profile_details', 'nfs_profile_detail')).toHaveLength(2);
  });
  site.unknown('POST', '/clusters/{cluster}/glustervolumes/{unknown}/getprofilestatistics', {
    action: {},
  });
});

describe(row(47), () => {
  slow.both('spreads the data anew; the volume is busy meanwhile', async (people) => {
    const { admin } = people;
    const own = await startedSlowly(people, 2);
    const { status, object } = await admin.post(`${own.path}/rebalance`, {
      action: { fix_layout: false, force: true },
    });
    expect([status, object['status']]).toEqual([200, 'complete']);
    const job = String(at(object, 'job.id'));
    expect((await admin.get(`/jobs/${job}`)).object['status']).toBe('started');
    await refused(admin.post(`${own.path}/rebalance`), 409, 'in progress');
    await refused(admin.post(`${own.path}/stop`), 409, 'rebalance is in progress');
    const more = bricksOn(own, 1)[0] as Thing;
    await refused(admin.post(`${own.path}/glusterbricks`, { brick: more }), 409, 'in progress');
    await admin.must(`${own.path}/stoprebalance`);
    expect((await admin.get(`/jobs/${job}`)).object['status']).toBe('aborted');
    await admin.must(`${own.path}/stop`);
  });
  site.both('needs a started volume whose data is distributed', async (people) => {
    const { admin } = people;
    const own = await addVolume(people);
    await refused(admin.post(`${own.path}/rebalance`), 409, 'started first');
    await admin.must(`${own.path}/start`);
    await admin.must(`${own.path}/rebalance`);
    const copied = await addVolume(people, 2, copies(2));
    await admin.must(`${copied.path}/start`);
    await refused(admin.post(`${copied.path}/rebalance`), 400, 'not distributed');
    const alone = await addVolume(people, 1);
    await admin.must(`${alone.path}/start`);
    await refused(admin.post(`${alone.path}/rebalance`), 400, 'single brick');
    await admin.must(`/hosts/${String(own.hosts[0]?.id)}/deactivate`);
    await refused(admin.post(`${own.path}/rebalance`), 409, 'down');
  });
  site.unknown('POST', '/clusters/{cluster}/glustervolumes/{unknown}/rebalance', { action: {} });
});

/** A started volume on a site where hosts take for ever to come up: those of the inventory do. */
async function startedSlowly(people: People, count: number, more: Thing = {}) {
  const { admin, path } = people;
  const cluster = path('{cluster}');
  await admin.put(`/clusters/${cluster}`, { cluster: { gluster_service: true } });
  const hosts = (await admin.get('/hosts')).list.map((one) => ({ ...one, id: String(one['id']) }));
  const own: Servers = { cluster, hosts };
  const all = `/clusters/${cluster}/glustervolumes`;
  const volume = await admin.add(all, volumeOf(people, bricksOn(own, count), more));
  await admin.must(`${all}/${volume.id}/start`);
  return { ...own, volume, all, path: `${all}/${volume.id}` };
}

describe(row(50), () => {
  site.both('sets options, each once', async (people) => {
    const { admin } = people;
    const own = await addVolume(people);
    const set = (name: string, value: string) =>
      admin.must(`${own.path}/setoption`, { option: { name, value } });
    await set('nfs.disable', 'on');
    await set('auth.allow', '192.0.2.*');
    await set('nfs.disable', 'off');
    const options = itemsOf((await admin.get(own.path)).object, 'options', 'option');
    expect(options).toEqual([
      { name: 'auth.allow', value: '192.0.2.*' },
      { name: 'nfs.disable', value: 'off' },
    ]);
  });
  const path = '/clusters/{cluster}/glustervolumes/{unknown}/setoption';
  site.unknown('POST', path, { action: { option: { name: 'a', value: 'b' } } });
});

describe(row(49), () => {
  site.both('takes an option back', async (people) => {
    const { admin } = people;
    const option = [
      { name: 'nfs.disable', value: 'on' },
      { name: 'user.cifs', value: 'off' },
    ];
    const own = await addVolume(people, 1, { options: { option } });
    await admin.must(`${own.path}/resetoption`, { option: { name: 'user.cifs' }, force: true });
    const options = itemsOf((await admin.get(own.path)).object, 'options', 'option');
    expect(options.map((one) => one['name'])).toEqual(['nfs.disable', 'auth.allow']);
    await refused(admin.post(`${own.path}/resetoption`), 400, 'option.name');
    await refused(
      admin.post(`${own.path}/setoption`, { action: { option: { name: 'a' } } }),
      400,
      'option.value',
    );
  });
});

describe(row(48), () => {
  site.both('takes all options back', async (people) => {
    const { admin } = people;
    const own = await addVolume(people);
    await admin.must(`${own.path}/resetalloptions`);
    expect(itemsOf((await admin.get(own.path)).object, 'options', 'option')).toEqual([]);
  });
  site.unknown('POST', '/clusters/{cluster}/glustervolumes/{unknown}/resetalloptions', {
    action: {},
  });
});

describe(row(51), () => {
  site.both('starts a volume with its bricks, by force a second time', async (people) => {
    const { admin } = people;
    const own = await addVolume(people);
    const { status, object } = await admin.post(`${own.path}/start`);
    expect([status, object['status']]).toEqual([200, 'complete']);
    expect((await admin.get(own.path)).object['status']).toBe('up');
    const bricks = await bricksIn(people, own.path);
    expect(bricks.map((brick) => brick['status'])).toEqual(['up', 'up']);
    await refused(admin.post(`${own.path}/start`), 409, 'already started');
    await admin.must(`${own.path}/start`, { force: true });
  });
  site.both('leaves bricks of servers that are not up', async (people) => {
    const { admin } = people;
    const own = await addVolume(people);
    const [first] = await bricksIn(people, own.path);
    await admin.must(`/hosts/${String(first?.['server_id'])}/deactivate`);
    await admin.must(`${own.path}/start`);
    const states = async () => (await bricksIn(people, own.path)).map((brick) => brick['status']);
    expect(await states()).toEqual(['unknown', 'up']);
    await admin.must(`/hosts/${String(first?.['server_id'])}/activate`);
    expect(await states()).toEqual(['up', 'up']);
  });
  site.unknown('POST', '/clusters/{cluster}/glustervolumes/{unknown}/start', { action: {} });
});

describe(row(52), () => {
  site.both('stops a volume', async (people) => {
    const { admin } = people;
    const own = await addVolume(people);
    await refused(admin.post(`${own.path}/stop`), 409, 'already stopped');
    await admin.must(`${own.path}/start`);
    await admin.must(`${own.path}/stop`, { force: true });
    expect((await admin.get(own.path)).object['status']).toBe('down');
    const bricks = await bricksIn(people, own.path);
    expect(bricks.map((brick) => brick['status'])).toEqual(['down', 'down']);
  });
  site.unknown('POST', '/clusters/{cluster}/glustervolumes/{unknown}/stop', { action: {} });
});

describe(`${row(53)}; ${row(54)}`, () => {
  site.both('begins and ends to profile', async (people) => {
    const { admin } = people;
    const own = await addVolume(people);
    await admin.must(`${own.path}/startprofile`);
    await admin.must(`${own.path}/getprofilestatistics`);
    await admin.must(`${own.path}/stopprofile`);
    await refused(admin.post(`${own.path}/getprofilestatistics`), 409, 'not started');
  });
  for (const action of ['startprofile', 'stopprofile']) {
    site.unknown('POST', `/clusters/{cluster}/glustervolumes/{unknown}/${action}`, { action: {} });
  }
});

describe(row(54), () => {
  site.both('needs a server that is up', async (people) => {
    const { admin } = people;
    const own = await addVolume(people);
    for (const { id } of own.hosts) await admin.must(`/hosts/${id}/deactivate`);
    await refused(admin.post(`${own.path}/stopprofile`), 409, 'No up server');
  });
});

describe(row(55), () => {
  site.both('stops only what was begun', async (people) => {
    const { admin } = people;
    const own = await addVolume(people);
    await refused(admin.post(`${own.path}/stoprebalance`), 409, 'started first');
    await admin.must(`${own.path}/start`);
    await refused(admin.post(`${own.path}/stoprebalance`), 409, 'No rebalance');
  });
  site.unknown('POST', '/clusters/{cluster}/glustervolumes/{unknown}/stoprebalance', {
    action: {},
  });
});

for (const [list, get, below] of [
  [56, 57, ''],
  [67, 68, '/glusterbricks/{brick}'],
] as const) {
  describe(`${row(list)}; ${row(get)}`, () => {
    site.both('measures room that adds up', async (people) => {
      const { admin } = people;
      const own = await addVolume(people, 2, copies(2));
      const [brick] = await bricksIn(people, own.path);
      const path = `${own.path}${below.replace('{brick}', String(brick?.id))}/statistics`;
      const { status, list: rows } = await admin.get(path);
      expect(status).toBe(200);
      const value = (name: string) => {
        const found = rows.find((one) => one['name'] === name) ?? {};
        return Number(at(itemsOf(found, 'values', 'value')[0], 'datum'));
      };
      const total = value('memory.total.size');
      expect(total).toBeGreaterThan(0);
      if (below === '') {
        expect(value('memory.used.size') + value('memory.free.size')).toBe(total);
      } else {
        expect(value('memory.free.size')).toBeLessThan(total);
        expect(rows.map((one) => one['name'])).toContain('malloc.arena');
      }
      const id = String(rows[0]?.['id']);
      expect((await admin.get(`${path}/${id}`)).object['name']).toBe(rows[0]?.['name']);
      expect((await admin.get(`${path}/${people.path('{vm}')}`)).status).toBe(404);
    });
  });
}

describe(row(57), () => {
  site.unknown('GET', '/clusters/{cluster}/glustervolumes/{unknown}/statistics/{unknown}');
});

describe(row(68), () => {
  const brick = '/clusters/{cluster}/glustervolumes/{unknown}/glusterbricks/{unknown}';
  site.unknown('GET', `${brick}/statistics/{unknown}`);
});

describe(row(58), () => {
  site.both('adds bricks, several or one', async (people) => {
    const { admin } = people;
    const own = await addVolume(people);
    for (const base of both(people, own.cluster)) {
      const path = `${base}/glustervolumes/${own.volume.id}/glusterbricks`;
      const several = await admin.post(path, { bricks: { brick: bricksOn(own, 2) } });
      expect(several.status, several.text).toBe(201);
      expect(several.list).toHaveLength(2);
      expect(several.headers['location']).toContain('/glusterbricks');
    }
    expect(await bricksIn(people, own.path)).toHaveLength(6);
  });
  site.both('adds a copy to each set, and further sets', async (people) => {
    const { admin } = people;
    const own = await addVolume(people, 2, copies(2));
    const post = (count: number, query: string) =>
      admin.post(`${own.path}/glusterbricks${query}`, { bricks: { brick: bricksOn(own, count) } });
    await refused(post(1, ''), 409, 'cannot be reduced');
    await refused(post(1, '?replica_count=1'), 409, 'cannot be reduced');
    await refused(post(2, '?replica_count=4'), 409, 'cannot be raised');
    await refused(post(1, '?replica_count=2'), 400, 'replica count 2');
    expect((await post(1, '?replica_count=3')).status).toBe(201);
    expect((await admin.get(own.path)).object).toMatchObject({
      volume_type: 'replicate',
      replica_count: '3',
    });
    expect((await post(3, '?replica_count=3')).status).toBe(201);
    expect((await admin.get(own.path)).object['volume_type']).toBe('distributed_replicate');
    const before = await bricksIn(people, own.path);
    expect((await post(2, '?replica_count=4')).status).toBe(201);
    const after = await bricksIn(people, own.path);
    const places = before.map(({ id }) => after.findIndex((brick) => brick.id === id));
    expect(places).toEqual([0, 1, 2, 4, 5, 6]);
  });
  site.both('refuses bricks that cannot be', async (people) => {
    const { admin, path } = people;
    const own = await addVolume(people);
    const [taken] = await bricksIn(people, own.path);
    const post = (...brick: Thing[]) =>
      admin.post(`${own.path}/glusterbricks`, { bricks: { brick } });
    const place = (one: Thing | undefined) => ({
      server_id: one?.['server_id'],
      brick_dir: one?.['brick_dir'],
    });
    await refused(post(place(taken)), 409, 'already');
    await refused(post({ server_id: path('{host}'), brick_dir: '/x' }), 400, 'not the id');
    await refused(post({ server_id: own.hosts[0]?.id }), 400, 'brickDir');
    await refused(post({ server_id: own.hosts[0]?.id, brick_dir: 'x' }), 400, 'absolute');
  });
  site.unknown('POST', '/clusters/{cluster}/glustervolumes/{unknown}/glusterbricks', {
    bricks: { brick: [{ server_id: 'a', brick_dir: '/b' }] },
  });
});

describe(row(59), () => {
  site.both('lists bricks without what only one alone tells', async (people) => {
    const own = await addVolume(people);
    await people.admin.must(`${own.path}/start`);
    const bricks = await bricksIn(people, own.path);
    expect(bricks).toHaveLength(2);
    expect(bricks[0]).toMatchObject({ server_id: own.hosts[0]?.id, status: 'up' });
    expect(bricks[0]).not.toHaveProperty('memory_pools');
    const { list } = await people.admin.get(`${own.path}/glusterbricks?max=1`);
    expect(list).toHaveLength(1);
  });
  site.unknown('GET', '/clusters/{cluster}/glustervolumes/{unknown}/glusterbricks');
});

describe(row(64), () => {
  site.both('gets a brick with all that its server tells', async (people) => {
    const { admin } = people;
    const own = await addVolume(people);
    await admin.must(`${own.path}/start`);
    const [brick] = await bricksIn(people, own.path);
    const { status, object } = await admin.get(`${own.path}/glusterbricks/${String(brick?.id)}`);
    expect(status).toBe(200);
    expect(object).toMatchObject({ id: brick?.id, fs_name: 'xfs', status: 'up' });
    expect(Number(object['port'])).toBeGreaterThan(0);
    expect(itemsOf(object, 'memory_pools', 'memory_pool').length).toBeGreaterThan(0);
    expect(itemsOf(object, 'gluster_clients', 'gluster_client')[0]).toHaveProperty('bytes_read');
  });
  site.unknown('GET', '/clusters/{cluster}/glustervolumes/{unknown}/glusterbricks/{unknown}');
});

describe(row(60), () => {
  site.both('removes bricks at once, named either way', async (people) => {
    const { admin } = people;
    const own = await addVolume(people, 4);
    const [a, b, c, d] = await bricksIn(people, own.path);
    const path = `${own.path}/glusterbricks`;
    const bare = await admin.delete(path, { bricks: { brick: [{ name: a?.['name'] }] } });
    expect(bare.status, bare.text).toBe(200);
    const action = { action: { bricks: { brick: [{ id: b?.id }] } } };
    expect((await admin.delete(path, action)).status).toBe(200);
    expect((await bricksIn(people, own.path)).map(({ id }) => id)).toEqual([c?.id, d?.id]);
    const all = { action: named(c as Thing, d as Thing) };
    await refused(admin.delete(path, all), 409, 'All bricks');
    await refused(admin.delete(path, action), 400, String(b?.id));
    await refused(admin.delete(path, { action: { bricks: { brick: [{}] } } }), 400, 'id|name');
  });
  site.both('removes copies, one from each set', async (people) => {
    const { admin } = people;
    const more = { volume_type: 'distributed_replicate', replica_count: 3 };
    const own = await addVolume(people, 6, more);
    const bricks = await bricksIn(people, own.path);
    const remove = (indices: readonly number[], query = '') =>
      admin.delete(`${own.path}/glusterbricks${query}`, {
        action: named(...indices.map((index) => bricks[index] as Thing)),
      });
    await refused(remove([0], ''), 400, 'whole sets');
    await refused(remove([2, 5], '?replica_count=1'), 409, 'cannot be reduced');
    await refused(remove([2, 5], '?replica_count=4'), 409, 'cannot be raised');
    expect((await remove([2, 5], '?replica_count=2')).status).toBe(200);
    expect((await admin.get(own.path)).object['replica_count']).toBe('2');
    expect((await remove([0, 1])).status).toBe(200);
    expect(await bricksIn(people, own.path)).toHaveLength(2);
  });
  site.unknown('DELETE', '/clusters/{cluster}/glustervolumes/{unknown}/glusterbricks', {
    action: named({ name: 'a:/b' }),
  });
});

describe(row(62), () => {
  site.both('empties bricks first, which are removed afterwards', async (people) => {
    const { admin } = people;
    const own = await addVolume(people, 3);
    const [first, second] = await bricksIn(people, own.path);
    const path = `${own.path}/glusterbricks`;
    const migrate = (brick: Thing | undefined) =>
      admin.post(`${path}/migrate`, { action: named(brick as Thing) });
    await refused(migrate(first), 409, 'started first');
    await admin.must(`${own.path}/start`);
    const { status, object } = await migrate(first);
    expect([status, object['status']]).toEqual([200, 'complete']);
    const job = (await admin.get(`/jobs/${String(at(object, 'job.id'))}`)).object;
    expect(job['status']).toBe('finished');
    expect(await bricksIn(people, own.path)).toHaveLength(3);
    await refused(migrate(second), 409, 'in progress');
    await refused(
      admin.delete(path, { action: named(second as Thing) }),
      400,
      String(first?.['name']),
    );
    expect((await admin.delete(path, { action: named(first as Thing) })).status).toBe(200);
    expect((await bricksIn(people, own.path)).map(({ id }) => id)).not.toContain(first?.id);
    expect((await migrate(second)).status).toBe(200);
  });
  slow.both('takes its time: nothing is removed before it is done', async (people) => {
    const { admin } = people;
    const own = await startedSlowly(people, 3);
    const [first] = await bricksIn(people, own.path);
    const action = named(first as Thing);
    const path = `${own.path}/glusterbricks`;
    const begun = await admin.must(`${path}/migrate`, action);
    const job = `/jobs/${String(at(begun.object, 'job.id'))}`;
    expect((await admin.get(job)).object['status']).toBe('started');
    await refused(admin.delete(path, { action }), 409, 'still being migrated');
    await refused(admin.post(`${path}/activate`, { action }), 409, 'not complete');
    await refused(admin.post(`${own.path}/stop`), 409, 'being removed');
    await admin.must(`${path}/stopmigrate`, action);
    expect((await admin.get(job)).object['status']).toBe('aborted');
    expect(await bricksIn(people, own.path)).toHaveLength(3);
    expect((await admin.delete(path, { action })).status).toBe(200);
  });
  site.both('refuses bricks that others need', async (people) => {
    const { admin } = people;
    const own = await addVolume(people);
    await admin.must(`${own.path}/start`);
    const bricks = await bricksIn(people, own.path);
    const path = `${own.path}/glusterbricks/migrate`;
    await refused(admin.post(path, { action: named(...bricks) }), 409, 'All bricks');
    await refused(admin.post(path, { action: named({ name: 'a:/b' }) }), 400, 'a:/b');
    await refused(admin.post(path), 400, 'bricks');
  });
  const path = '/clusters/{cluster}/glustervolumes/{unknown}/glusterbricks/migrate';
  site.unknown('POST', path, { action: named({ name: 'a:/b' }) });
});

describe(row(61), () => {
  site.both('keeps bricks after all', async (people) => {
    const { admin } = people;
    const own = await addVolume(people, 3);
    await admin.must(`${own.path}/start`);
    const [first, second] = await bricksIn(people, own.path);
    const path = `${own.path}/glusterbricks`;
    await refused(
      admin.post(`${path}/activate`, { action: named(first as Thing) }),
      409,
      'complete',
    );
    await admin.must(`${path}/migrate`, named(first as Thing));
    const other = { action: named(second as Thing) };
    await refused(admin.post(`${path}/activate`, other), 400, String(first?.['name']));
    await admin.must(`${path}/activate`, named(first as Thing));
    expect(await bricksIn(people, own.path)).toHaveLength(3);
    await admin.must(`${own.path}/rebalance`);
  });
  const path = '/clusters/{cluster}/glustervolumes/{unknown}/glusterbricks/activate';
  site.unknown('POST', path, { action: named({ name: 'a:/b' }) });
});

describe(row(63), () => {
  site.both('gives a removal up', async (people) => {
    const { admin } = people;
    const own = await addVolume(people, 3);
    await admin.must(`${own.path}/start`);
    const [first, second] = await bricksIn(people, own.path);
    const path = `${own.path}/glusterbricks`;
    const stop = (brick: Thing | undefined) =>
      admin.post(`${path}/stopmigrate`, { action: named(brick as Thing) });
    await refused(stop(first), 409, 'No removal');
    await admin.must(`${path}/migrate`, named(first as Thing));
    await refused(stop(second), 400, String(first?.['name']));
    expect((await stop(first)).status).toBe(200);
    expect(await bricksIn(people, own.path)).toHaveLength(3);
    await refused(stop(first), 409, 'No removal');
  });
  const path = '/clusters/{cluster}/glustervolumes/{unknown}/glusterbricks/stopmigrate';
  site.unknown('POST', path, { action: named({ name: 'a:/b' }) });
});

describe(row(65), () => {
  site.both('removes one brick', async (people) => {
    const { admin } = people;
    const own = await addVolume(people);
    const [first, second] = await bricksIn(people, own.path);
    const path = `${own.path}/glusterbricks`;
    const { status, object } = await admin.delete(`${path}/${String(first?.id)}`);
    expect([status, object['status']]).toEqual([200, 'complete']);
    await refused(admin.delete(`${path}/${String(second?.id)}`), 409, 'All bricks');
  });
  site.unknown('DELETE', '/clusters/{cluster}/glustervolumes/{unknown}/glusterbricks/{unknown}');
});

describe(row(66), () => {
  const replace = async (people: People) => {
    const { admin } = people;
    const own = await addVolume(people, 2, copies(2));
    await admin.must(`${own.path}/start`);
    const [brick] = await bricksIn(people, own.path);
    const path = `${own.path}/glusterbricks/${String(brick?.id)}`;
    const before = (await admin.get(path)).object;
    const answer = await admin.post(`${path}/replace`, { action: { force: true } });
    return { answer, before, after: (await admin.get(path)).object };
  };
  site.both('makes a brick anew', async (people) => {
    const { answer, before, after } = await replace(people);
    expect(answer.status, answer.text).toBe(200);
    expect(after).toMatchObject({ name: before['name'], status: 'up' });
    expect(after['pid']).not.toBe(before['pid']);
  });
  ovirt.both('is not offered in the other dialect', async (people) => {
    const { answer } = await replace(people);
    expect(answer.status).toBe(503);
    expect(answer.fault?.detail).toContain('not supported');
  });
  const brick = '/clusters/{cluster}/glustervolumes/{unknown}/glusterbricks/{unknown}';
  site.unknown('POST', `${brick}/replace`, { action: {} });
});

/** A hook of a cluster with two servers. */
async function hookOf(people: People, name: string) {
  const own = await servers(people);
  const path = `/clusters/${own.cluster}/glusterhooks`;
  const hook = await people.admin.find(path, name);
  return { ...own, hook, all: path, path: `${path}/${hook.id}` };
}

const plainHook = 'S10selinux-label-brick.sh';
const lacking = 'S30samba-stop.sh';
const differing = 'S29CTDBsetup.sh';

describe(row(69), () => {
  site.both('lists the hooks of a cluster', async (people) => {
    const { admin } = people;
    const own = await servers(people);
    for (const base of both(people, own.cluster)) {
      const { list } = await admin.get(`${base}/glusterhooks`);
      expect(list.length).toBeGreaterThan(0);
      expect(list[0]).toMatchObject({ status: 'enabled', content_type: 'text' });
      expect(list[0]).not.toHaveProperty('content');
      expect((await admin.get(`${base}/glusterhooks?max=1`)).list).toHaveLength(1);
    }
    const plain = await addCluster(people);
    expect((await admin.get(`/clusters/${plain.id}/glusterhooks`)).list).toEqual([]);
  });
  site.unknown('GET', '/clusters/{unknown}/glusterhooks');
});

describe(row(70), () => {
  site.both('gets a hook with its text', async (people) => {
    const own = await hookOf(people, plainHook);
    const { object } = await people.admin.get(own.path);
    expect(object).toMatchObject({ name: plainHook, gluster_command: 'create', stage: 'post' });
    expect(object['content']).toContain('#!/bin/bash');
    expect(object['conflict_status']).toBe('0');
  });
  site.unknown('GET', '/clusters/{cluster}/glusterhooks/{unknown}');
});

describe(`${row(71)}; ${row(72)}`, () => {
  site.both('switches a hook off and on', async (people) => {
    const { admin } = people;
    const own = await hookOf(people, plainHook);
    const status = async () => (await admin.get(own.path)).object['status'];
    await admin.must(`${own.path}/disable`);
    expect(await status()).toBe('disabled');
    await admin.must(`${own.path}/enable`);
    expect(await status()).toBe('enabled');
    await admin.must(`/hosts/${String(own.hosts[0]?.id)}/deactivate`);
    await refused(admin.post(`${own.path}/disable`), 409, 'not up');
    await admin.must(`/hosts/${String(own.hosts[1]?.id)}/deactivate`);
    await refused(admin.post(`${own.path}/enable`), 409, 'No up server');
  });
  site.unknown('POST', '/clusters/{cluster}/glusterhooks/{unknown}/disable', { action: {} });
});

describe(row(72), () => {
  site.unknown('POST', '/clusters/{cluster}/glusterhooks/{unknown}/enable', { action: {} });
});

describe(row(73), () => {
  site.both('brings a hook to servers that lack it', async (people) => {
    const { admin } = people;
    const own = await hookOf(people, lacking);
    const before = (await admin.get(own.path)).object;
    expect(before).toMatchObject({ conflicts: 'MISSING_HOOK', conflict_status: '4' });
    const resolve = (action: Thing) => admin.post(`${own.path}/resolve`, { action });
    await refused(resolve({ resolution_type: 'copy' }), 409, 'such a conflict');
    await refused(resolve({ resolution_type: 'wish' }), 400, 'add, copy');
    await refused(resolve({}), 400, 'resolutionType');
    expect((await resolve({ resolution_type: 'add' })).status).toBe(200);
    expect((await admin.get(own.path)).object['conflict_status']).toBe('0');
    await refused(resolve({ resolution_type: 'add' }), 409, 'such a conflict');
  });
  site.both('copies the text of a server to all', async (people) => {
    const { admin, path } = people;
    const own = await hookOf(people, differing);
    const before = (await admin.get(own.path)).object;
    expect(before['conflicts']).toBe('CONTENT_CONFLICT');
    const resolve = (host: Thing) =>
      admin.post(`${own.path}/resolve`, { action: { resolution_type: 'COPY', host } });
    await refused(resolve({ id: path('{host}') }), 409, 'does not have it');
    expect((await resolve({ id: own.hosts[1]?.id })).status).toBe(200);
    const after = (await admin.get(own.path)).object;
    expect(after['conflict_status']).toBe('0');
    expect(after['checksum']).not.toBe(before['checksum']);
  });
  site.unknown('POST', '/clusters/{cluster}/glusterhooks/{unknown}/resolve', {
    action: { resolution_type: 'add' },
  });
});

describe(row(74), () => {
  site.both('removes a hook from all servers', async (people) => {
    const { admin } = people;
    const own = await hookOf(people, plainHook);
    const [first] = own.hosts;
    await admin.must(`/hosts/${String(first?.id)}/deactivate`);
    await refused(admin.delete(own.path), 409, String(first?.['name']));
    await admin.must(`/hosts/${String(first?.id)}/activate`);
    expect((await admin.delete(own.path)).status).toBe(200);
    expect((await admin.get(own.path)).status).toBe(404);
  });
  site.unknown('DELETE', '/clusters/{cluster}/glusterhooks/{unknown}');
});

describe('who may not manage Gluster', () => {
  for (const number of [45, 47, 48, 51, 52, 53, 54, 55] as const) {
    const [template = ''] = pathsOf(number);
    site.both(`is refused: ${row(number)}`, async (people) => {
      const { admin, jane } = people;
      const own = await startedOnInventory(people);
      const path = template.replace('{cluster}', own.cluster).replace('{volume}', own.volume.id);
      const answer = number === 45 ? await jane.delete(path) : await jane.post(path);
      expect([403, 404], answer.text).toContain(answer.status);
      await admin.delete(own.path);
    });
  }
});

/** A volume of the cluster in which a machine of a user runs, so that the user sees the cluster. */
async function startedOnInventory(people: People) {
  const { admin, path } = people;
  const cluster = path('{cluster}');
  await admin.put(`/clusters/${cluster}`, { cluster: { gluster_service: true } });
  const own: Servers = { cluster, hosts: [{ id: path('{host}') }] };
  const all = `/clusters/${cluster}/glustervolumes`;
  const volume = await admin.add(all, volumeOf(people, bricksOn(own, 1)));
  return { ...own, volume, path: `${all}/${volume.id}` };
}

describe('servers with bricks', () => {
  site.both('are not removed, unless by force', async (people) => {
    const { admin } = people;
    const own = await addVolume(people);
    const path = `/hosts/${String(own.hosts[0]?.id)}`;
    await admin.must(`${path}/deactivate`);
    await refused(admin.delete(path), 409, 'Bricks');
    expect((await admin.delete(`${path}?force=true`)).status).toBe(200);
  });
  site.both('do not stop their service when a volume would lose its quorum', async (people) => {
    const { admin } = people;
    const own = await addVolume(people, 2, copies(2));
    await admin.must(`${own.path}/setoption`, {
      option: { name: 'cluster.quorum-type', value: 'auto' },
    });
    await admin.must(`${own.path}/start`);
    const path = `/hosts/${String(own.hosts[0]?.id)}`;
    const action = { stop_gluster_service: true };
    await refused(admin.post(`${path}/deactivate`, { action }), 409, String(own.volume['name']));
    await admin.must(`${path}/deactivate`);
  });
});

describe('clusters with Gluster', () => {
  site.both('look at the health of their volumes, and synchronize networks', async (people) => {
    const { admin } = people;
    const own = await servers(people);
    await admin.must(`/clusters/${own.cluster}/refreshglusterhealstatus`);
    await admin.must(`/clusters/${own.cluster}/syncallnetworks`);
    const plain = await addCluster(people);
    const { status } = await admin.post(`/clusters/${plain.id}/refreshglusterhealstatus`);
    expect(status).toBe(409);
  });
});
