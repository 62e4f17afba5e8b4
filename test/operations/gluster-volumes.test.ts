/** Gluster volumes: made of bricks, started and stopped, removed. */
import { describe, expect } from 'vitest';
import {
  addVolume,
  both,
  bricksIn,
  bricksOn,
  copies,
  createVolume,
  refused,
  type Servers,
  servers,
} from './support/gluster.ts';
import { addCluster, hostIn } from './support/hosts.ts';
import { listPaths, row } from './support/rows.ts';
import { type People, useSite } from './support/site.ts';
import { listItems, type Thing } from './support/speaker.ts';

const site = useSite();

describe(row(42), () => {
  site.both('makes a volume of bricks, which is down', async (people) => {
    const { admin } = people;
    const own = await servers(people);
    for (const base of both(people, own.cluster)) {
      const body = createVolume(people, bricksOn(own, 2), copies(2));
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
      const options = listItems(object, 'options', 'option');
      expect(options).toContainEqual({ name: 'auth.allow', value: '*' });
      expect(listItems(object, 'bricks', 'brick')).toHaveLength(2);
      const bricks = await bricksIn(people, `${base}/glustervolumes/${String(object['id'])}`);
      expect(bricks.map((brick) => brick['status'])).toEqual(['down', 'down']);
      expect(bricks[0]?.['name']).toMatch(/example\.com:\/export/);
    }
  });
  site.both('accepts the numbers of bricks that a type supports', async (people) => {
    const { admin } = people;
    const own = await servers(people);
    const post = async (count: number, more: Thing) => {
      const body = createVolume(people, bricksOn(own, count), more);
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
      admin.post(own.all, createVolume(people, bricks, more));
    const fresh = bricksOn(own, 1);
    await refused(post(fresh, { name: own.volume['name'] }), 409, String(own.volume['name']));
    await refused(post([...fresh, ...fresh]), 409, 'twice');
    const taken = { server_id: first?.['server_id'], brick_dir: first?.['brick_dir'] };
    await refused(post([taken]), 409, String(own.volume['name']));
    await refused(post([{ ...fresh[0], server_id: path('{host}') }]), 400, 'not the id of a host');
    await refused(post([{ server_id: own.hosts[0]?.id }]), 400, 'brickDir');
    const plain = `/clusters/${(await addCluster(people)).id}/glustervolumes`;
    await refused(admin.post(plain, createVolume(people, fresh)), 409, 'does not support Gluster');
    for (const { id } of own.hosts) await admin.must(`/hosts/${id}/deactivate`);
    await refused(post(fresh), 409, 'No up server');
  });
  site.both('keeps copies apart on hosts that run machines', async (people) => {
    const { admin } = people;
    const own = await servers(people, 1, { virt_service: true });
    const path = `/clusters/${own.cluster}/glustervolumes`;
    const body = createVolume(people, bricksOn(own, 2), copies(2));
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
  site.both('lists volumes, and those of a search', async (people) => {
    const { admin } = people;
    const own = await addVolume(people);
    await admin.add(own.all, createVolume(people, bricksOn(own, 1)));
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

describe('who may not manage Gluster', () => {
  for (const number of [45, 47, 48, 51, 52, 53, 54, 55] as const) {
    const [template = ''] = listPaths(number);
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
  const volume = await admin.add(all, createVolume(people, bricksOn(own, 1)));
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
  site.both('take a further server only through one that is up', async (people) => {
    const { admin } = people;
    const own = await servers(people, 1);
    await admin.must(`/hosts/${String(own.hosts[0]?.id)}/deactivate`);
    await refused(admin.post('/hosts', hostIn(people, own.cluster)), 409, 'No up server');
  });
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
