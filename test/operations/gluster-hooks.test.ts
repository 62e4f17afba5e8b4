/** Gluster hooks: switched off and on, their conflicts resolved, removed. */
import { describe, expect } from 'vitest';
import { both, refused, servers } from './support/gluster.ts';
import { addCluster } from './support/hosts.ts';
import { row } from './support/rows.ts';
import { type People, useSite } from './support/site.ts';
import type { Thing } from './support/speaker.ts';

const site = useSite();

/** A hook of a cluster with two servers. */
async function findHook(people: People, name: string) {
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
    const own = await findHook(people, plainHook);
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
    const own = await findHook(people, plainHook);
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
    const own = await findHook(people, lacking);
    const before = (await admin.get(own.path)).object;
    expect(before).toMatchObject({ conflicts: 'MISSING_HOOK', conflict_status: '4' });
    const resolve = (action: Thing) => admin.post(`${own.path}/resolve`, { action });
    await refused(resolve({ resolution_type: 'copy' }), 409, 'No server has this conflict.');
    await refused(resolve({ resolution_type: 'wish' }), 400, 'add, copy');
    await refused(resolve({}), 400, 'resolutionType');
    expect((await resolve({ resolution_type: 'add' })).status).toBe(200);
    expect((await admin.get(own.path)).object['conflict_status']).toBe('0');
    await refused(resolve({ resolution_type: 'add' }), 409, 'No server has this conflict.');
  });
  site.both('copies the text of a server to all', async (people) => {
    const { admin, path } = people;
    const own = await findHook(people, differing);
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
    const own = await findHook(people, plainHook);
    const [first] = own.hosts;
    await admin.must(`/hosts/${String(first?.id)}/deactivate`);
    await refused(admin.delete(own.path), 409, String(first?.['name']));
    await admin.must(`/hosts/${String(first?.id)}/activate`);
    expect((await admin.delete(own.path)).status).toBe(200);
    expect((await admin.get(own.path)).status).toBe(404);
  });
  site.unknown('DELETE', '/clusters/{cluster}/glusterhooks/{unknown}');
});
