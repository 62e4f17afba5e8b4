/** Actions on Gluster volumes: options, profiles, rebalances; and their capacity. */
import { describe, expect } from 'vitest';
import {
  addVolume,
  bricksIn,
  bricksOn,
  copies,
  refused,
  startedSlowly,
} from './support/gluster.ts';
import { row } from './support/rows.ts';
import { useSite } from './support/site.ts';
import { at, listItems, type Thing } from './support/speaker.ts';

const site = useSite();
/** Operations on volumes do not end automatically here. */
const slow = useSite(['--speed', '100000']);

describe(row(46), () => {
  site.both('tells what the bricks of a profiled volume do', async (people) => {
    const { admin } = people;
    const own = await addVolume(people);
    const action = `${own.path}/getprofilestatistics`;
    await refused(admin.post(action), 409, 'not started');
    await admin.must(`${own.path}/startprofile`);
    const { object } = await admin.must(action);
    const details = object['details'] as Thing;
    const bricks = listItems(details, 'brick_profile_details', 'brick_profile_detail');
    expect(bricks).toHaveLength(2);
    expect(at(bricks[0], 'brick.id')).toBeTruthy();
    const profiles = listItems(bricks[0] ?? {}, 'profile_details', 'profile_detail');
    expect(profiles.map((one) => one['profile_type'])).toEqual(['cumulative', 'interval']);
    const nfs = await admin.must(`${action}?nfsStatistics=true`);
    const served = nfs.object['details'] as Thing;
    expect(listItems(served, 'nfs_profile_details', 'nfs_profile_detail')).toHaveLength(2);
  });
  site.unknown('POST', '/clusters/{cluster}/glustervolumes/{unknown}/getprofilestatistics', {
    action: {},
  });
});

describe(row(47), () => {
  slow.both('redistributes the data; the volume is busy during the operation', async (people) => {
    const { admin } = people;
    const own = await startedSlowly(people, 2);
    const begun = await admin.post(`${own.path}/rebalance`, {
      action: { fix_layout: false, force: true },
    });
    const { object } = begun;
    expect([begun.status, object['status']]).toEqual([200, 'complete']);
    const job = String(at(object, 'job.id'));
    expect((await admin.get(`/jobs/${job}`)).object['status']).toBe('started');
    const { list: steps } = await admin.get(`/jobs/${job}/steps`);
    const step = steps.find((one) => one['type'] === 'rebalancing_volume');
    expect(step).toMatchObject({ status: 'started', external_type: 'gluster' });
    const statistics = `/jobs/${job}/steps/${String(step?.['id'])}/statistics`;
    const measured = (await admin.get(statistics)).list;
    const status = measured.find((one) => one['name'] === 'status');
    expect(at(listItems(status ?? {}, 'values', 'value')[0], 'detail')).toBe('migrating');
    expect((await admin.get(`/jobs/${job}/steps/${own.cluster}/statistics`)).status).toBe(404);
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

describe(row(50), () => {
  site.both('sets options, each once', async (people) => {
    const { admin } = people;
    const own = await addVolume(people);
    const set = (name: string, value: string) =>
      admin.must(`${own.path}/setoption`, { option: { name, value } });
    await set('nfs.disable', 'on');
    await set('auth.allow', '192.0.2.*');
    await set('nfs.disable', 'off');
    const options = listItems((await admin.get(own.path)).object, 'options', 'option');
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
    const options = listItems((await admin.get(own.path)).object, 'options', 'option');
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
    expect(listItems((await admin.get(own.path)).object, 'options', 'option')).toEqual([]);
  });
  site.unknown('POST', '/clusters/{cluster}/glustervolumes/{unknown}/resetalloptions', {
    action: {},
  });
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
        return Number(at(listItems(found, 'values', 'value')[0], 'datum'));
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
