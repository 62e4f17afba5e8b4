/** Data centers: creation, changes and removal; status; master domain. */
import { describe, expect } from 'vitest';
import { row } from './support/rows.ts';
import { useSite } from './support/site.ts';
import { at, listItems } from './support/speaker.ts';
import { addDomain, attach, fetchStatus, ownSite } from './support/storage.ts';

const site = useSite();

describe(row(75), () => {
  site.both('adds a data center, which waits for its first storage domain', async (people) => {
    const { admin, name } = people;
    const data_center = { name: name('dc'), description: 'new', local: false };
    const answer = await admin.post('/datacenters', { data_center });
    expect(answer.status, answer.text).toBe(201);
    expect(answer.object).toMatchObject({
      name: data_center.name,
      local: 'false',
      status: 'uninitialized',
      quota_mode: 'disabled',
      version: { major: '4', minor: '8' },
    });
    expect(answer.headers['location']).toBe(answer.object['href']);
  });
  site.both('makes a management network and a default quota with it', async ({ admin, name }) => {
    const { id } = await admin.add('/datacenters', {
      data_center: { name: name('dc'), local: false },
    });
    expect((await admin.get(`/datacenters/${id}/networks`)).list).toHaveLength(1);
    expect((await admin.get(`/datacenters/${id}/quotas`)).list).toHaveLength(1);
  });
  site.both('refuses a name in use or invalid, and an unknown level', async (people) => {
    const { admin, name } = people;
    const data_center = { name: name('dc'), local: false };
    await admin.add('/datacenters', { data_center });
    expect((await admin.post('/datacenters', { data_center })).status).toBe(409);
    const long = { data_center: { name: 'x'.repeat(41), local: false } };
    expect((await admin.post('/datacenters', long)).status).toBe(400);
    const blank = { data_center: { name: 'a b', local: false } };
    expect((await admin.post('/datacenters', blank)).status).toBe(400);
    const level = await admin.post('/datacenters', {
      data_center: { name: name('dc'), local: false, version: { major: 3, minor: 1 } },
    });
    expect(level.status).toBe(400);
    expect(level.fault?.detail).toContain('level 3.1');
  });
  site.incomplete('POST', '/datacenters', { data_center: { name: 'nolocal' } }, 'local');
  site.incomplete('POST', '/datacenters', { data_center: { local: false } }, 'name');
  site.forbidden('POST', '/datacenters', { data_center: { name: 'mine', local: false } });
});

describe(row(76), () => {
  site.both('lists, searches and bounds the list', async ({ admin, name }) => {
    const one = name('listed');
    await admin.add('/datacenters', { data_center: { name: one, local: false } });
    expect((await admin.get('/datacenters')).list.map((dc) => dc['name'])).toContain(one);
    const { list } = await admin.get(`/datacenters?search=name%3D${one}`);
    expect(list.map((dc) => dc['name'])).toEqual([one]);
    const sensitive = `/datacenters?search=name%3D${one.toUpperCase()}&case_sensitive=true`;
    expect((await admin.get(sensitive)).list).toHaveLength(0);
    expect((await admin.get('/datacenters?max=1')).list).toHaveLength(1);
  });
});

describe(row(77), () => {
  site.both('gets a data center with its links', async ({ admin, path }) => {
    const { object, status: code } = await admin.get(path('/datacenters/{datacenter}'));
    expect(code).toBe(200);
    const rels = listItems({ all: { link: object['link'] } }, 'all', 'link').map(
      (one) => one['rel'],
    );
    for (const rel of ['clusters', 'storagedomains', 'permissions', 'networks', 'quotas']) {
      expect(rels).toContain(rel);
    }
    expect(object['status']).toBe('up');
  });
  site.unknown('GET', '/datacenters/{unknown}');
});

describe(row(78), () => {
  site.both('changes what was sent', async ({ admin, name }) => {
    const { id } = await admin.add('/datacenters', {
      data_center: { name: name('dc'), local: false, description: 'old' },
    });
    const renamed = name('renamed');
    const answer = await admin.put(`/datacenters/${id}`, {
      data_center: { name: renamed, quota_mode: 'audit' },
    });
    expect(answer.status, answer.text).toBe(200);
    expect(answer.object).toMatchObject({
      name: renamed,
      description: 'old',
      quota_mode: 'audit',
    });
  });
  site.both('refuses levels that are lower, or above a cluster', async ({ admin, name }) => {
    const { id } = await admin.add('/datacenters', {
      data_center: { name: name('dc'), local: false, version: { major: 4, minor: 6 } },
    });
    const cluster = {
      name: name('c'),
      cpu: { type: 'Intel Nehalem Family' },
      data_center: { id },
      version: { major: 4, minor: 6 },
    };
    await admin.add('/clusters', { cluster });
    const set = (minor: number) =>
      admin.put(`/datacenters/${id}`, { data_center: { version: { major: 4, minor } } });
    const lower = await set(5);
    expect([lower.status, lower.fault?.detail]).toEqual([400, expect.stringContaining('lowered')]);
    const higher = await set(7);
    expect([higher.status, higher.fault?.detail]).toEqual([
      400,
      expect.stringContaining(cluster.name),
    ]);
  });
  site.unknown('PUT', '/datacenters/{unknown}', { data_center: { description: 'x' } });
  site.forbidden('PUT', '/datacenters/{datacenter}', { data_center: { description: 'x' } });
});

describe(row(79), () => {
  site.both('removes one without storage domains; its clusters stay', async (people) => {
    const { admin, name } = people;
    const { id } = await admin.add('/datacenters', {
      data_center: { name: name('dc'), local: false },
    });
    const cluster = await admin.add('/clusters', {
      cluster: { name: name('c'), cpu: { type: 'Intel Nehalem Family' }, data_center: { id } },
    });
    const answer = await admin.delete(`/datacenters/${id}`);
    expect([answer.status, answer.object['status']]).toEqual([200, 'complete']);
    expect((await admin.get(`/datacenters/${id}`)).status).toBe(404);
    expect((await admin.get(`/clusters/${cluster.id}`)).object).not.toHaveProperty('data_center');
  });
  site.both('refuses one that is up or has several domains, but not by force', async (people) => {
    const { admin } = people;
    const { path, own, host } = await ownSite(people);
    const ids: string[] = [];
    for (const one of ['a', 'b']) {
      const { id } = await addDomain(admin, own, `${own}${one}`);
      await attach(admin, path, id);
      ids.push(id);
    }
    const up = await admin.delete(path);
    expect([up.status, up.fault?.detail]).toEqual([409, expect.stringContaining('up')]);
    for (const id of [...ids].reverse()) {
      await admin.must(`${path}/storagedomains/${id}/deactivate`);
    }
    const two = await admin.delete(path);
    expect([two.status, two.fault?.detail]).toEqual([409, expect.stringContaining(`${own}a`)]);
    const busy = await admin.delete(`${path}?force=true`);
    expect([busy.status, busy.fault?.detail]).toEqual([409, expect.stringContaining(own)]);
    await admin.must(`/hosts/${host}/deactivate`);
    expect((await admin.delete(`${path}?force=true`)).status).toBe(200);
    expect((await admin.get(path)).status).toBe(404);
    // The storage domains leave the service with it.
    expect((await admin.get(`/storagedomains/${ids[0]}`)).status).toBe(404);
  });
  site.unknown('DELETE', '/datacenters/{unknown}');
  site.forbidden('DELETE', '/datacenters/{datacenter}');
});

describe('the status of a data center', () => {
  site.both('follows its master domain and its hosts', async (people) => {
    const { admin } = people;
    const { path, own, host } = await ownSite(people);
    expect(await fetchStatus(admin, path)).toBe('uninitialized');
    const { id } = await addDomain(admin, own, own);
    await attach(admin, path, id);
    expect(await fetchStatus(admin, path)).toBe('up');
    expect((await admin.get(path)).object['storage_format']).toBe('v5');
    expect(at((await admin.get(`/hosts/${host}`)).object, 'spm.status')).toBe('spm');
    await admin.must(`${path}/storagedomains/${id}/deactivate`);
    expect(await fetchStatus(admin, path)).toBe('maintenance');
    expect(at((await admin.get(`/hosts/${host}`)).object, 'spm.status')).toBe('none');
    await admin.must(`${path}/storagedomains/${id}/activate`);
    expect(await fetchStatus(admin, path)).toBe('up');
    await admin.must(`/hosts/${host}/deactivate`);
    expect(await fetchStatus(admin, path)).toBe('problematic');
    // Without a host, the state of the storage is unknown.
    expect(await fetchStatus(admin, `${path}/storagedomains/${id}`)).toBe('unknown');
    const blind = await admin.post(`${path}/storagedomains/${id}/activate`);
    expect([blind.status, blind.fault?.detail]).toEqual([409, expect.stringContaining('no host')]);
    await admin.must(`/hosts/${host}/activate`);
    expect(await fetchStatus(admin, path)).toBe('up');
    expect(await fetchStatus(admin, `${path}/storagedomains/${id}`)).toBe('active');
    await admin.must(`${path}/storagedomains/${id}/deactivate`);
    expect((await admin.delete(`${path}/storagedomains/${id}`)).status).toBe(200);
    expect(await fetchStatus(admin, path)).toBe('uninitialized');
  });
});

describe('the master domain', () => {
  site.both('moves after a deactivation, and to a requested domain', async (people) => {
    const { admin } = people;
    const { path, own } = await ownSite(people);
    const ids: string[] = [];
    for (const one of ['a', 'b']) {
      const { id } = await addDomain(admin, own, `${own}${one}`);
      await attach(admin, path, id);
      ids.push(id);
    }
    const [a = '', b = ''] = ids;
    const master = async () =>
      (await admin.get(`${path}/storagedomains`)).list
        .filter((one) => one['master'] === 'true')
        .map((one) => one['id']);
    expect(await master()).toEqual([a]);
    await admin.must(`${path}/storagedomains/${a}/deactivate`);
    expect(await master()).toEqual([b]);
    expect(await fetchStatus(admin, path)).toBe('up');
    const refused = await admin.post(`${path}/setmaster`, {
      action: { storage_domain: { id: a } },
    });
    expect([refused.status, refused.fault?.detail]).toEqual([
      409,
      expect.stringContaining('maintenance'),
    ]);
    const again = await admin.post(`${path}/setmaster`, { action: { storage_domain: { id: b } } });
    expect([again.status, again.fault?.detail]).toEqual([
      409,
      expect.stringContaining('master already'),
    ]);
    await admin.must(`${path}/storagedomains/${a}/activate`);
    expect(await master()).toEqual([b]);
    await admin.must(`${path}/setmaster`, { storage_domain: { name: `${own}a` } });
    expect(await master()).toEqual([a]);
    expect((await admin.post(`${path}/setmaster`, { action: {} })).status).toBe(400);
    await admin.must(`${path}/cleanfinishedtasks`);
  });
  site.both('is not lost while other domains need it', async (people) => {
    const { admin } = people;
    const { path, own } = await ownSite(people);
    const { id } = await addDomain(admin, own, own);
    await attach(admin, path, id);
    const iso = await addDomain(admin, own, `${own}iso`, { type: 'iso' });
    await attach(admin, path, iso.id);
    const refused = await admin.post(`${path}/storagedomains/${id}/deactivate`);
    expect([refused.status, refused.fault?.detail]).toEqual([
      409,
      expect.stringContaining('no data domains'),
    ]);
    await admin.must(`${path}/storagedomains/${iso.id}/deactivate`);
    await admin.must(`${path}/storagedomains/${id}/deactivate`);
    const orphan = await admin.post(`${path}/storagedomains/${iso.id}/activate`);
    expect([orphan.status, orphan.fault?.detail]).toEqual([
      409,
      expect.stringContaining('master storage domain'),
    ]);
    const last = await admin.delete(`${path}/storagedomains/${id}`);
    expect([last.status, last.fault?.detail]).toEqual([
      409,
      expect.stringContaining('other storage domains'),
    ]);
  });
});

describe('a local data center', () => {
  site.both(
    'attaches its local storage immediately, and erases it on detaching',
    async (people) => {
      const { admin } = people;
      const { path, own } = await ownSite(people, { local: true });
      const local = { storage: { type: 'localfs', path: `/srv/${own}` } };
      const { id } = await addDomain(admin, own, own, local);
      expect(await fetchStatus(admin, `${path}/storagedomains/${id}`)).toBe('active');
      expect(await fetchStatus(admin, path)).toBe('up');
      await admin.must(`${path}/storagedomains/${id}/deactivate`);
      expect((await admin.delete(`${path}/storagedomains/${id}`)).status).toBe(200);
      expect((await admin.get(`/storagedomains/${id}`)).status).toBe(404);
      const shared = await addDomain(admin, own, own);
      const refused = await admin.post(`${path}/storagedomains`, {
        storage_domain: { id: shared.id },
      });
      expect([refused.status, refused.fault?.detail]).toEqual([
        409,
        expect.stringContaining('Local storage and shared storage'),
      ]);
    },
  );
  site.both('is the only place for local storage', async ({ admin, name }) => {
    const answer = await admin.post('/storagedomains', {
      storage_domain: {
        name: name('local'),
        type: 'data',
        storage: { type: 'localfs', path: '/srv' },
        host: { name: 'host1' },
      },
    });
    expect([answer.status, answer.fault?.detail]).toEqual([
      409,
      expect.stringContaining('local data center'),
    ]);
  });
});
