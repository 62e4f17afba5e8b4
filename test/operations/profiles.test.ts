/** Disk profiles and CPU profiles: limits that disks and machines use, and who may use them. */
import { describe, expect } from 'vitest';
import { listPaths, row } from './support/rows.ts';
import { useSite } from './support/site.ts';
import { at } from './support/speaker.ts';
import { addDisk, ownDomain } from './support/storage.ts';

const site = useSite();
const template = /\{\w+\}/;

const kinds = [
  {
    noun: 'disk_profile',
    path: '/diskprofiles',
    parent: 'storage_domain',
    parentPath: '{storagedomain}',
    rows: { add: 115, list: 116, get: 117, update: 118, remove: 119 },
    qos: { type: 'storage', max_throughput: 100 },
    other: { type: 'cpu', cpu_limit: 50 },
    role: 'DiskProfileUser',
  },
  {
    noun: 'cpu_profile',
    path: '/cpuprofiles',
    parent: 'cluster',
    parentPath: '{cluster}',
    rows: { add: 120, list: 121, get: 122, update: 123, remove: 124 },
    qos: { type: 'cpu', cpu_limit: 50 },
    other: { type: 'storage', max_throughput: 100 },
    role: 'CpuProfileOperator',
  },
] as const;

for (const { noun, path, parent, parentPath, rows, qos, other, role } of kinds) {
  describe(row(rows.add), () => {
    site.both('adds a profile, for everybody', async (people) => {
      const { admin, name } = people;
      const id = people.path(parentPath);
      const profile = { name: name('profile'), description: 'd', [parent]: { id } };
      const { status, object, headers, text } = await admin.post(path, { [noun]: profile });
      expect(status, text).toBe(201);
      expect(headers['location']).toBe(object['href']);
      expect(object).toMatchObject({ name: profile.name, description: 'd', [parent]: { id } });
      const { list } = await admin.get(`${path}/${String(object['id'])}/permissions?follow=role`);
      expect(list.map((one) => at(one, 'role.name'))).toContain(role);
    });
    site.both('with specific limits', async (people) => {
      const { admin, name } = people;
      const id = people.path(parentPath);
      const qoss = people.path('/datacenters/{datacenter}/qoss');
      const right = await admin.add(qoss, { qos: { name: name('qos'), ...qos } });
      const wrong = await admin.add(qoss, { qos: { name: name('qos'), ...other } });
      const add = (limit: string) =>
        admin.post(path, {
          [noun]: { name: name('limited'), [parent]: { id }, qos: { id: limit } },
        });
      expect(at((await add(right.id)).object, 'qos.id')).toBe(right.id);
      const refused = await add(wrong.id);
      expect([refused.status, refused.fault?.detail]).toEqual([
        400,
        expect.stringContaining(qos.type),
      ]);
    });
    site.both('refuses a name in use', async (people) => {
      const { admin, name } = people;
      const profile = { name: name('twice'), [parent]: { id: people.path(parentPath) } };
      await admin.add(path, { [noun]: profile });
      expect((await admin.post(path, { [noun]: profile })).status).toBe(400);
    });
    site.incomplete('POST', path, { [noun]: { [parent]: { id: parentPath } } }, 'name');
    site.incomplete(
      'POST',
      path,
      { [noun]: { name: 'p' } },
      `${parent === 'cluster' ? 'cluster' : 'storageDomain'}.id`,
    );
    site.forbidden('POST', path, { [noun]: { name: 'p', [parent]: { id: parentPath } } });
  });

  describe(row(rows.list), () => {
    site.both('lists profiles', async (people) => {
      const { admin, name } = people;
      const profile = { name: name('listed'), [parent]: { id: people.path(parentPath) } };
      await admin.add(path, { [noun]: profile });
      for (const one of listPaths(rows.list).filter((each) => !template.test(each))) {
        const { list } = await admin.get(one);
        expect(list.map((each) => each['name'])).toContain(profile.name);
        expect((await admin.get(`${one}?max=1`)).list).toHaveLength(1);
      }
    });
  });

  describe(row(rows.get), () => {
    site.both('gets a profile', async (people) => {
      const { admin, name } = people;
      const profile = { name: name('got'), [parent]: { id: people.path(parentPath) } };
      const { id } = await admin.add(path, { [noun]: profile });
      const { status, object } = await admin.get(`${path}/${id}`);
      expect(status).toBe(200);
      expect(object).toMatchObject({ id, name: profile.name });
    });
    site.unknown('GET', `${path}/{unknown}`);
  });

  describe(row(rows.update), () => {
    site.both('changes a profile, but not its parent', async (people) => {
      const { admin, name } = people;
      const profile = { name: name('changed'), [parent]: { id: people.path(parentPath) } };
      const { id } = await admin.add(path, { [noun]: profile });
      const changed = await admin.put(`${path}/${id}`, { [noun]: { description: 'new' } });
      expect(changed.status, changed.text).toBe(200);
      expect(changed.object).toMatchObject({ name: profile.name, description: 'new' });
      const moved = await admin.put(`${path}/${id}`, {
        [noun]: { [parent]: { id: people.path('{unknown}') } },
      });
      expect([moved.status, moved.fault?.detail]).toEqual([
        400,
        expect.stringContaining('cannot be changed'),
      ]);
    });
    site.unknown('PUT', `${path}/{unknown}`, { [noun]: { description: 'x' } });
  });

  describe(row(rows.remove), () => {
    site.both('removes an unused profile', async (people) => {
      const { admin, name, jane } = people;
      const profile = { name: name('gone'), [parent]: { id: people.path(parentPath) } };
      const { id } = await admin.add(path, { [noun]: profile });
      expect([403, 404]).toContain((await jane.delete(`${path}/${id}`)).status);
      const { status, object } = await admin.delete(`${path}/${id}`);
      expect([status, object['status']]).toEqual([200, 'complete']);
      expect((await admin.get(`${path}/${id}`)).status).toBe(404);
    });
    site.unknown('DELETE', `${path}/{unknown}`);
  });
}

describe('a disk profile in use, or the last one', () => {
  site.both('stays', async (people) => {
    const { admin, name } = people;
    const domain = await ownDomain(people);
    const list = `/storagedomains/${domain}/diskprofiles`;
    const [first] = (await admin.get(list)).list;
    const last = await admin.delete(`/diskprofiles/${String(first?.['id'])}`);
    expect([last.status, last.fault?.detail]).toEqual([400, expect.stringContaining('last one')]);
    await admin.add(list, { disk_profile: { name: name('second') } });
    const disk = await addDisk(admin, domain);
    expect(at(disk, 'disk_profile.id')).toBe(first?.['id']);
    const used = await admin.delete(`/diskprofiles/${String(first?.['id'])}`);
    expect([used.status, used.fault?.detail]).toEqual([
      400,
      expect.stringContaining(String(disk['name'])),
    ]);
    await admin.delete(`/disks/${disk.id}`);
    expect((await admin.delete(`/diskprofiles/${String(first?.['id'])}`)).status).toBe(200);
  });
});

describe('the last CPU profile of a cluster', () => {
  site.both('stays', async ({ admin, name, path }) => {
    const cluster = await admin.add('/clusters', {
      cluster: {
        name: name('c'),
        cpu: { type: 'Intel Nehalem Family' },
        data_center: { id: path('{datacenter}') },
      },
    });
    const [only] = (await admin.get(`/clusters/${cluster.id}/cpuprofiles`)).list;
    const answer = await admin.delete(`/cpuprofiles/${String(only?.['id'])}`);
    expect([answer.status, answer.fault?.detail]).toEqual([
      400,
      expect.stringContaining('last one'),
    ]);
  });
});

describe(row('G20'), () => {
  site.both('adds, lists, gets and removes profiles of a storage domain', async (people) => {
    const { admin, name, path } = people;
    const list = path('/storagedomains/{storagedomain}/diskprofiles');
    const profile = { name: name('assigned') };
    const { id } = await admin.add(list, { disk_profile: profile });
    expect((await admin.get(list)).list.map((one) => one['name'])).toContain(profile.name);
    expect((await admin.get(`${list}/${id}`)).object).toMatchObject({
      name: profile.name,
      storage_domain: { id: path('{storagedomain}') },
    });
    expect((await admin.get(`/diskprofiles/${id}`)).status).toBe(200);
    expect((await admin.delete(`${list}/${id}`)).status).toBe(200);
    expect((await admin.get(`${list}/${id}`)).status).toBe(404);
  });
  site.incomplete(
    'POST',
    '/storagedomains/{storagedomain}/diskprofiles',
    { disk_profile: {} },
    'name',
  );
  site.unknown('GET', '/storagedomains/{unknown}/diskprofiles');
  site.unknown('GET', '/storagedomains/{storagedomain}/diskprofiles/{unknown}');
});
