/** Gluster below a data center: volumes, bricks and hooks do there what they do below their cluster. */
import { describe, expect } from 'vitest';
import {
  addVolume,
  both,
  bricksIn,
  bricksOn,
  named,
  servers,
  startedSlowly,
} from './support/gluster.ts';
import { foundAlone } from './support/lives.ts';
import { type People, useSite } from './support/site.ts';
import { at, listItems, type Thing } from './support/speaker.ts';

const site = useSite();
/** Operations on volumes do not end automatically here. */
const slow = useSite(['--speed', '100000']);

/** The path below the data center. */
function below(people: People, cluster: string): string {
  const [, path = ''] = both(people, cluster);
  return people.path(path);
}

/** Creates a volume with a number of bricks, with its path below the data center. */
async function volumeBelow(people: People, bricks = 2, more: Thing = {}) {
  const own = await addVolume(people, bricks, more);
  return { ...own, path: `${below(people, own.cluster)}/glustervolumes/${own.volume.id}` };
}

describe('a Gluster volume below a data center', () => {
  site.both('is started, stopped and removed', async (people) => {
    const { admin } = people;
    const { path } = await volumeBelow(people);
    const status = async () => (await admin.get(path)).object['status'];
    expect(await status()).toBe('down');
    await admin.must(`${path}/start`);
    expect(await status()).toBe('up');
    await admin.must(`${path}/stop`);
    expect(await status()).toBe('down');
    expect((await admin.delete(path)).status).toBe(200);
    expect((await admin.get(path)).status).toBe(404);
  });
  site.both('has options', async (people) => {
    const { admin } = people;
    const { path } = await volumeBelow(people);
    const options = async () =>
      listItems((await admin.get(path)).object, 'options', 'option').map((one) => one['name']);
    await admin.must(`${path}/setoption`, { option: { name: 'auth.allow', value: '10.*' } });
    await admin.must(`${path}/setoption`, { option: { name: 'user.cifs', value: 'off' } });
    expect(await options()).toEqual(expect.arrayContaining(['auth.allow', 'user.cifs']));
    await admin.must(`${path}/resetoption`, { option: { name: 'user.cifs' } });
    expect(await options()).not.toContain('user.cifs');
    await admin.must(`${path}/resetalloptions`);
    expect(await options()).not.toContain('auth.allow');
  });
  site.both('is profiled', async (people) => {
    const { admin } = people;
    const { path } = await volumeBelow(people);
    await admin.must(`${path}/startprofile`);
    const { object } = await admin.must(`${path}/getprofilestatistics`);
    const details = object['details'] as Thing;
    expect(listItems(details, 'brick_profile_details', 'brick_profile_detail')).toHaveLength(2);
    await admin.must(`${path}/stopprofile`);
    expect((await admin.post(`${path}/getprofilestatistics`)).status).toBe(409);
  });
  site.both('has statistics, and so have its bricks', async (people) => {
    const { path } = await volumeBelow(people);
    const [brick] = await bricksIn(people, path);
    await foundAlone(
      people,
      `${path}/statistics`,
      `${path}/glusterbricks`,
      `${path}/glusterbricks/${brick?.id}/statistics`,
    );
  });
  slow.both('is rebalanced until a client stops it', async (people) => {
    const { admin } = people;
    const own = await startedSlowly(people, 2);
    const path = `${below(people, own.cluster)}/glustervolumes/${own.volume.id}`;
    const { object } = await admin.must(`${path}/rebalance`);
    const job = `/jobs/${String(at(object, 'job.id'))}`;
    expect((await admin.get(job)).object['status']).toBe('started');
    const [step] = (await admin.get(`${job}/steps`)).list.filter(
      (one) => one['type'] === 'rebalancing_volume',
    );
    await foundAlone(people, `${job}/steps/${step?.['id']}/statistics`);
    await admin.must(`${path}/stoprebalance`);
    expect((await admin.get(job)).object['status']).toBe('aborted');
  });
});

describe('Gluster bricks below a data center', () => {
  slow.both('are emptied, kept after all, and removed', async (people) => {
    const { admin } = people;
    const own = await startedSlowly(people, 3);
    const path = `${below(people, own.cluster)}/glustervolumes/${own.volume.id}`;
    const bricks = `${path}/glusterbricks`;
    const [first] = await bricksIn(people, path);
    const { object } = await admin.must(`${bricks}/migrate`, named(first as Thing));
    const job = `/jobs/${String(at(object, 'job.id'))}`;
    await admin.must(`${bricks}/stopmigrate`, named(first as Thing));
    expect((await admin.get(job)).object['status']).toBe('aborted');
    expect((await admin.delete(bricks, { action: named(first as Thing) })).status).toBe(200);
    expect((await bricksIn(people, path)).map(({ id }) => id)).not.toContain(first?.id);
  });
  site.both('are used again after they were emptied, replaced, and removed', async (people) => {
    const { admin } = people;
    const { path } = await volumeBelow(people, 3);
    await admin.must(`${path}/start`);
    const bricks = `${path}/glusterbricks`;
    const [first] = await bricksIn(people, path);
    await admin.must(`${bricks}/migrate`, named(first as Thing));
    await admin.must(`${bricks}/activate`, named(first as Thing));
    expect(await bricksIn(people, path)).toHaveLength(3);
    const own = `${bricks}/${first?.id}`;
    expect((await admin.delete(own)).status).toBe(200);
    expect((await admin.get(own)).status).toBe(404);
    const copied = await volumeBelow(people, 2, { volume_type: 'replicate', replica_count: 2 });
    await admin.must(`${copied.path}/start`);
    const [brick] = await bricksIn(people, copied.path);
    const replaced = `${copied.path}/glusterbricks/${brick?.id}`;
    const before = (await admin.get(replaced)).object['pid'];
    await admin.must(`${replaced}/replace`);
    expect((await admin.get(replaced)).object['pid']).not.toBe(before);
  });
  site.both('are added to stripes with the requested count', async (people) => {
    const { admin } = people;
    const striped = { volume_type: 'stripe', stripe_count: 4 };
    const own = await volumeBelow(people, 4, striped);
    const answer = await admin.post(`${own.path}/glusterbricks?stripe_count=5`, {
      bricks: { brick: bricksOn(own, 1) },
    });
    expect(answer.status, answer.text).toBe(201);
    expect((await admin.get(own.path)).object['stripe_count']).toBe('5');
  });
});

describe('Gluster hooks below a data center', () => {
  site.both('are switched, resolved and removed', async (people) => {
    const { admin } = people;
    const { cluster } = await servers(people);
    const list = `${below(people, cluster)}/glusterhooks`;
    await foundAlone(people, list);
    const hooks = (await admin.get(list)).list;
    const plain = hooks.find((one) => one['conflict_status'] === '0');
    const own = `${list}/${plain?.['id']}`;
    const status = async () => (await admin.get(own)).object['status'];
    await admin.must(`${own}/disable`);
    expect(await status()).toBe('disabled');
    await admin.must(`${own}/enable`);
    expect(await status()).toBe('enabled');
    const lacking = hooks.find((one) => one['conflict_status'] === '4');
    await admin.must(`${list}/${lacking?.['id']}/resolve`, { resolution_type: 'add' });
    const { object } = await admin.get(`${list}/${lacking?.['id']}`);
    expect(object['conflict_status']).toBe('0');
    expect((await admin.delete(own)).status).toBe(200);
    expect((await admin.get(own)).status).toBe(404);
  });
});

describe('a cluster with Gluster below a data center', () => {
  site.both('has its heal status read again; one without is refused', async (people) => {
    const { admin, path } = people;
    const { cluster } = await servers(people);
    await admin.must(`${below(people, cluster)}/refreshglusterhealstatus`);
    const plain = below(people, path('{cluster}'));
    expect((await admin.post(`${plain}/refreshglusterhealstatus`)).status).toBe(409);
  });
});
