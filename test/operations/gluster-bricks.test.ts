/** Bricks of Gluster volumes: addition, removal in one or two steps, replacement. */
import { describe, expect } from 'vitest';
import {
  addVolume,
  both,
  bricksIn,
  bricksOn,
  copies,
  named,
  refused,
  startedSlowly,
} from './support/gluster.ts';
import { row } from './support/rows.ts';
import { type People, useSite } from './support/site.ts';
import { at, listItems, type Thing } from './support/speaker.ts';

const site = useSite();
/** Operations on volumes do not end automatically here. */
const slow = useSite(['--speed', '100000']);
const ovirt = useSite(['--dialect', 'ovirt', '--scope', 'virt-app-api']);

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
    expect(listItems(object, 'memory_pools', 'memory_pool').length).toBeGreaterThan(0);
    expect(listItems(object, 'gluster_clients', 'gluster_client')[0]).toHaveProperty('bytes_read');
  });
  site.unknown('GET', '/clusters/{cluster}/glustervolumes/{unknown}/glusterbricks/{unknown}');
});

describe(row(60), () => {
  site.both('removes bricks in one step, by either identifier', async (people) => {
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
