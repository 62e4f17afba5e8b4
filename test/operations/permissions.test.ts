/** Tags on objects, and permissions on objects and on the whole system. */
import { describe, expect } from 'vitest';
import { listPaths, row } from './support/rows.ts';
import { type People, useSite } from './support/site.ts';
import { at } from './support/speaker.ts';

const site = useSite();

for (const number of [164, 165, 166, 167] as const) {
  describe(row(number), () => {
    for (const collection of listPaths(164)) {
      site.both(`of ${collection}`, async ({ admin, jane, name, path }) => {
        const tags = path(collection);
        const first = await admin.add('/tags', { tag: { name: name('by-id') } });
        const second = await admin.add('/tags', { tag: { name: name('by-name') } });
        expect((await admin.post(tags, { tag: { id: first.id } })).status).toBe(201);
        expect((await admin.post(tags, { tag: { name: second['name'] } })).status).toBe(201);
        const ids = async () => (await admin.get(tags)).list.map(({ id }) => id);
        expect(await ids()).toEqual(expect.arrayContaining([first.id, second.id]));
        expect((await admin.get(`${tags}?max=1`)).list).toHaveLength(1);
        const one = await admin.get(`${tags}/${first.id}`);
        expect(one.object).toMatchObject({ id: first.id, name: first['name'] });
        expect((await jane.delete(`${tags}/${first.id}`)).status).toBeGreaterThanOrEqual(403);
        expect((await admin.delete(`${tags}/${first.id}`)).status).toBe(200);
        expect(await ids()).not.toContain(first.id);
        // The tag itself stays.
        expect((await admin.get(`/tags/${first.id}`)).status).toBe(200);
        const nobody = path('{unknown}');
        expect((await admin.get(`${tags}/${nobody}`)).status).toBe(404);
        expect([400, 404]).toContain((await admin.post(tags, { tag: { id: nobody } })).status);
        expect((await admin.post(tags, { tag: {} })).status).toBe(400);
      });
    }
  });
}

describe('tags below tags', () => {
  site.both('go with the one above, and form no circle', async ({ admin, name }) => {
    const above = await admin.add('/tags', { tag: { name: name('above') } });
    const below = await admin.add('/tags', {
      tag: { name: name('below'), parent: { id: above.id } },
    });
    const circle = await admin.put(`/tags/${above.id}`, { tag: { parent: { id: below.id } } });
    expect(circle.status).toBe(409);
    expect((await admin.delete(`/tags/${above.id}`)).status).toBe(200);
    expect((await admin.get(`/tags/${below.id}`)).status).toBe(404);
    const root = '00000000-0000-0000-0000-000000000000';
    expect((await admin.delete(`/tags/${root}`)).status).toBe(400);
    expect((await admin.put(`/tags/${root}`, { tag: { name: 'x' } })).status).toBe(400);
  });
});

describe('an existing permission', () => {
  site.both('is answered, and not made twice', async ({ admin, path }) => {
    const permission = { role: { name: 'DiskOperator' }, user: { id: path('{user}') } };
    for (const collection of [path('/disks/{disk}/permissions'), '/permissions']) {
      const first = await admin.add(collection, { permission });
      expect((await admin.post(collection, { permission })).object['id']).toBe(first.id);
      expect((await admin.delete(`${collection}/${first.id}`)).status).toBe(200);
      expect((await admin.get(`${collection}/${first.id}`)).status).toBe(404);
      const left = (await admin.get(collection)).list.filter(({ id }) => id === first.id);
      expect(left).toEqual([]);
    }
  });
});

/** Reference of a permission below an object: a user, or a role. */
function permissionFor(collection: string, path: People['path']): Record<string, unknown> {
  const own = /^\/(users|groups)\//.test(collection);
  return {
    role: { name: 'UserRole' },
    ...(own ? { vm: { id: path('{vm}') } } : { user: { id: path('{user}') } }),
  };
}

/** Objects that the small site has none of. */
async function prepared(collection: string, people: People): Promise<string> {
  const { admin, path, name } = people;
  if (collection.startsWith('/macpools')) {
    const { id } = await admin.find('/macpools', 'Default');
    return `/macpools/${id}/permissions`;
  }
  if (collection.startsWith('/vmpools')) {
    const vm = await admin.find('/vms', 'vm-02');
    const made = { name: name('template'), vm: { id: vm.id } };
    // Answered when the disks are copied.
    const expect = { Expect: '201-created' };
    const { object } = await admin.send('POST', '/templates', { template: made }, expect);
    const cluster = { name: 'Default' };
    const pool = { name: name('pool'), size: 1, template: { id: object['id'] }, cluster };
    const { id } = await admin.add('/vmpools', { vm_pool: pool });
    return `/vmpools/${id}/permissions`;
  }
  // The first machine is Jane's, with its disk.
  if (collection.startsWith('/vms')) {
    return `/vms/${(await admin.find('/vms', 'vm-02')).id}/permissions`;
  }
  if (collection.startsWith('/disks')) {
    return `/disks/${(await admin.find('/disks', 'vm-02_Disk1')).id}/permissions`;
  }
  if (collection.startsWith('/cpuprofiles')) return path('/cpuprofiles/{cpuprofile}/permissions');
  return path(collection);
}

for (const number of [168, 169, 'G17'] as const) {
  describe(row(number), () => {
    for (const collection of listPaths(168)) {
      site.both(`of ${collection}`, async (people) => {
        const { admin, jane, path } = people;
        const permissions = await prepared(collection, people);
        const permission = permissionFor(collection, path);
        const { status, object, text } = await admin.post(permissions, { permission });
        expect(status, text).toBe(201);
        const id = String(object['id']);
        const { list } = await admin.get(permissions);
        expect(list.map((one) => one['id'])).toContain(id);
        expect((await admin.get(`${permissions}/${id}`)).object['id']).toBe(id);
        const without = { permission: { ...permission, role: undefined } };
        delete (without.permission as Record<string, unknown>)['role'];
        const incomplete = await admin.post(permissions, without);
        expect([incomplete.status, incomplete.fault?.reason]).toEqual([
          400,
          'Incomplete parameters',
        ]);
        expect([403, 404]).toContain((await jane.post(permissions, { permission })).status);
        expect([403, 404]).toContain((await jane.delete(`${permissions}/${id}`)).status);
        expect((await admin.delete(`${permissions}/${id}`)).status).toBe(200);
        expect((await admin.get(`${permissions}/${id}`)).status).toBe(404);
      });
    }
  });
}

describe(row('G3'), () => {
  site.both('reads and removes a permission on a data center', async ({ admin, path }) => {
    const below = path('/datacenters/{datacenter}/permissions');
    const { id } = await admin.add(below, { permission: permissionFor(below, path) });
    expect(at((await admin.get(`${below}/${id}`)).object, 'data_center.id')).toBe(
      path('{datacenter}'),
    );
    expect((await admin.delete(`${below}/${id}`)).status).toBe(200);
  });
});

describe(row(170), () => {
  site.both('gives a role on the whole system', async ({ admin, path }) => {
    const permission = { role: { name: 'TemplateCreator' }, user: { id: path('{user}') } };
    const { status, object } = await admin.post('/permissions', { permission });
    expect(status).toBe(201);
    expect(object).not.toHaveProperty('vm');
    expect((await admin.delete(`/permissions/${object['id']}`)).status).toBe(200);
  });
  site.incomplete('POST', '/permissions', { permission: { user: { id: '{user}' } } }, 'role');
  site.forbidden('POST', '/permissions', {
    permission: { role: { name: 'UserRole' }, user: { id: '{user}' } },
  });
});

describe(row(171), () => {
  site.both('lists the permissions on the whole system', async ({ admin }) => {
    const { status, list } = await admin.get('/permissions');
    expect(status).toBe(200);
    expect(list.length).toBeGreaterThan(0);
  });
});
