/** Domains, users, groups and their roles; cluster levels. */
import { describe, expect } from 'vitest';
import { RawApi, requestToken } from '../support/raw.ts';
import { row } from './support/rows.ts';
import { useSite } from './support/site.ts';
import { at, listItems } from './support/speaker.ts';

const site = useSite();
const domain = { name: 'internal-authz' };

describe(row(172), () => {
  site.both('lists the domains', async ({ admin }) => {
    const { status, list } = await admin.get('/domains?max=5');
    expect([status, list.map(({ name }) => name)]).toEqual([200, ['internal-authz']]);
  });
});

describe(row(173), () => {
  site.both('gets a domain', async ({ admin, path }) => {
    expect((await admin.get(path('/domains/{domain}'))).object).toMatchObject(domain);
  });
  site.unknown('GET', '/domains/{unknown}');
});

describe(row(174), () => {
  site.both('lists who is in the directory', async ({ admin, path }) => {
    const { list } = await admin.get(path('/domains/{domain}/users'));
    expect(list.map(({ name }) => name)).toEqual(expect.arrayContaining(['admin', 'jane']));
    expect((await admin.get(path('/domains/{domain}/users?max=2'))).list).toHaveLength(2);
    const found = await admin.get(path('/domains/{domain}/users?search=name%3Dj*'));
    expect(found.list.map(({ name }) => name)).toEqual(['jane']);
  });
});

describe(row(175), () => {
  site.both('gets an entry of the directory', async ({ admin, path }) => {
    const { list } = await admin.get(path('/domains/{domain}/users'));
    const entry = list.find(({ name }) => name === 'jane');
    const { status, object } = await admin.get(path(`/domains/{domain}/users/${entry?.['id']}`));
    expect(status).toBe(200);
    expect(object).toMatchObject({ name: 'jane', principal: 'jane' });
    expect(object['href']).toContain('/domains/');
  });
  site.unknown('GET', '/domains/{domain}/users/{unknown}');
});

describe(row(176), () => {
  site.both('lists the groups of the directory', async ({ admin, path }) => {
    const { list } = await admin.get(path('/domains/{domain}/groups'));
    expect(list.map(({ name }) => name)).toContain('operators');
  });
});

describe(row(177), () => {
  site.both('adds a group of the directory', async ({ admin }) => {
    const { status, object, text } = await admin.post('/groups', {
      group: { name: 'operators', domain },
    });
    expect(status, text).toBe(201);
    expect(object).toMatchObject({ name: 'operators' });
    const again = await admin.post('/groups', { group: { name: 'operators@internal-authz' } });
    expect([again.status, again.object['id']]).toEqual([201, object['id']]);
  });
  site.both('refuses a group that the directory does not know', async ({ admin }) => {
    const { status, fault } = await admin.post('/groups', { group: { name: 'nosuch', domain } });
    expect([status, fault?.detail]).toEqual([404, expect.stringContaining('nosuch')]);
  });
  site.incomplete('POST', '/groups', { group: { domain } }, 'name');
  site.forbidden('POST', '/groups', { group: { name: 'auditors', domain } });
});

describe(row(178), () => {
  site.both('lists and finds groups', async ({ admin }) => {
    await admin.add('/groups', { group: { name: 'auditors', domain } });
    const { list } = await admin.get('/groups?search=name%3Daudit*&max=3');
    expect(list.map(({ name }) => name)).toEqual(['auditors']);
  });
});

describe(row(179), () => {
  site.both('gets a group', async ({ admin, path }) => {
    const { object } = await admin.get(path('/groups/{group}'));
    expect(object).toMatchObject({ name: 'Everyone' });
  });
  site.unknown('GET', '/groups/{unknown}');
});

describe(row(180), () => {
  site.both('removes a group with its permissions', async ({ admin, jane }) => {
    const { id } = await admin.add('/groups', { group: { name: 'developers', domain } });
    const permission = await admin.add(`/groups/${id}/permissions`, {
      permission: { role: { name: 'UserRole' } },
    });
    expect((await jane.delete(`/groups/${id}`)).status).toBe(403);
    expect((await admin.delete(`/groups/${id}`)).status).toBe(200);
    expect((await admin.get(`/groups/${id}`)).status).toBe(404);
    expect((await admin.get(`/permissions/${permission.id}`)).status).toBe(404);
  });
  site.both('keeps Everyone', async ({ admin }) => {
    const everyone = await admin.find('/groups', 'Everyone');
    expect((await admin.delete(`/groups/${everyone.id}`)).status).toBe(409);
  });
  site.unknown('DELETE', '/groups/{unknown}');
});

describe('who is added from the directory', () => {
  const signIn = (username: string, secret?: string) => {
    const other = { ...site.server(), ready: { ...site.server().ready, username } };
    return requestToken(other, 'virt-app-api', secret);
  };
  site.both('signs in with the name of the directory', async ({ admin }) => {
    expect((await signIn('marco@internal')).status).toBe(400);
    const marco = await admin.add('/users', { user: { user_name: 'marco', domain } });
    const token = await signIn('marco@internal');
    expect(token.status, token.text).toBe(200);
    const api = new RawApi(site.server(), String(token.json()['access_token']));
    expect((await api.json('GET', '/vms')).json()).toEqual({ vm: [] });
    await admin.delete(`/users/${marco.id}`);
    expect((await api.json('GET', '/vms')).status).toBe(401);

    const user = { user_name: 'marco', domain, password: 'his own' };
    const again = await admin.add('/users', { user });
    expect(JSON.stringify(again)).not.toContain('his own');
    expect((await signIn('marco@internal', 'his own')).status).toBe(200);
    expect((await signIn('marco@internal', 'another')).status).toBe(400);
    // Adding the same user again returns the existing one.
    await admin.add('/users', { user: { ...user, password: 'another' } });
    expect((await signIn('marco@internal', 'another')).status).toBe(400);
    await admin.delete(`/users/${again.id}`);
  });
});

describe(row(181), () => {
  site.both('lists the permissions of a group', async ({ admin }) => {
    const { id } = await admin.find('/groups', 'Everyone');
    const { list } = await admin.get(`/groups/${id}/permissions`);
    expect(list.length).toBeGreaterThan(0);
    for (const one of list) expect(at(one, 'group.id')).toBe(id);
  });
});

describe(row(182), () => {
  site.both('gives a role to a group', async ({ admin, path }) => {
    const { id } = await admin.add('/groups', { group: { name: 'operators', domain } });
    const { status, object } = await admin.post(`/groups/${id}/permissions`, {
      permission: { role: { name: 'ClusterAdmin' }, cluster: { id: path('{cluster}') } },
    });
    expect(status).toBe(201);
    expect(at(object, 'group.id')).toBe(id);
    expect(at(object, 'cluster.id')).toBe(path('{cluster}'));
  });
  site.incomplete('POST', '/groups/{group}/permissions', { permission: {} }, 'role');
  site.forbidden('POST', '/groups/{group}/permissions', {
    permission: { role: { name: 'UserRole' } },
  });
});

describe(row(183), () => {
  site.both('lists the roles that a group has', async ({ admin, path }) => {
    const { id } = await admin.add('/groups', { group: { name: 'admins', domain } });
    await admin.add(`/groups/${id}/permissions`, {
      permission: { role: { name: 'HostAdmin' }, host: { id: path('{host}') } },
    });
    const { status, list } = await admin.get(`/groups/${id}/roles`);
    expect([status, list.map(({ name }) => name)]).toEqual([200, ['HostAdmin']]);
  });
});

for (const number of [184, 185] as const) {
  describe(row(number), () => {
    site.both('puts a tag on a group, and lists it', async ({ admin, name }) => {
      const { id } = await admin.find('/groups', 'Everyone');
      const tag = await admin.add('/tags', { tag: { name: name('group') } });
      const { status } = await admin.post(`/groups/${id}/tags`, { tag: { id: tag.id } });
      expect(status).toBe(201);
      const { list } = await admin.get(`/groups/${id}/tags`);
      expect(list.map((one) => one['id'])).toContain(tag.id);
    });
  });
}

describe(row('G18'), () => {
  site.both('reads what a group has one by one', async ({ admin, path, name }) => {
    const { id } = await admin.add('/groups', { group: { name: 'developers', domain } });
    const permission = await admin.add(`/groups/${id}/permissions`, {
      permission: { role: { name: 'HostAdmin' }, host: { id: path('{host}') } },
    });
    const one = await admin.get(`/groups/${id}/permissions/${permission.id}`);
    expect(one.object['id']).toBe(permission.id);
    const [role] = (await admin.get(`/groups/${id}/roles`)).list;
    const found = await admin.get(`/groups/${id}/roles/${role?.['id']}`);
    expect(found.object).toMatchObject({ name: 'HostAdmin' });
    const tag = await admin.add('/tags', { tag: { name: name('g') } });
    await admin.add(`/groups/${id}/tags`, { tag: { id: tag.id } });
    expect((await admin.get(`/groups/${id}/tags/${tag.id}`)).object['id']).toBe(tag.id);
    expect((await admin.delete(`/groups/${id}/tags/${tag.id}`)).status).toBe(200);
    expect((await admin.delete(`/groups/${id}/permissions/${permission.id}`)).status).toBe(200);
    expect((await admin.get(`/groups/${id}/roles`)).list).toEqual([]);
  });
});

describe('users', () => {
  site.both('come from the directory', async ({ admin }) => {
    const { status, object } = await admin.post('/users', {
      user: { user_name: 'lena@internal-authz', domain },
    });
    expect(status).toBe(201);
    expect(object).toMatchObject({ name: 'lena', user_name: 'lena@internal-authz' });
    const nobody = { user_name: 'nosuch@internal-authz', domain };
    expect((await admin.post('/users', { user: nobody })).status).toBe(404);
    expect((await admin.delete(`/users/${object['id']}`)).status).toBe(200);
  });
  site.both('do not remove the administrator', async ({ admin }) => {
    const { id } = await admin.find('/users', 'admin');
    expect((await admin.delete(`/users/${id}`)).status).toBe(409);
  });
});

describe('roles', () => {
  site.both('of the service are unchangeable', async ({ admin }) => {
    const { id } = await admin.find('/roles', 'UserRole');
    expect((await admin.put(`/roles/${id}`, { role: { description: 'x' } })).status).toBe(409);
    expect((await admin.delete(`/roles/${id}`)).status).toBe(409);
  });
  site.both('for users have no permits of administrators', async ({ admin, name }) => {
    const permits = (await admin.get('/clusterlevels/4.7')).object;
    const list = listItems(permits, 'permits', 'permit');
    const host = list.find((permit) => permit['name'] === 'create_host');
    const role = {
      name: name('role'),
      administrative: false,
      permits: { permit: [{ id: host?.['id'] }] },
    };
    expect((await admin.post('/roles', { role })).status).toBe(409);
  });
});

describe(row(186), () => {
  site.both('lists the cluster levels', async ({ admin, jane }) => {
    const { list } = await admin.get('/clusterlevels');
    expect(list.map(({ id }) => id)).toContain('4.7');
    expect(listItems(list[0] ?? {}, 'cpu_types', 'cpu_type').length).toBeGreaterThan(0);
    const filtered = (await jane.get('/clusterlevels')).list[0] ?? {};
    expect(listItems(filtered, 'cpu_types', 'cpu_type')).toEqual([]);
  });
});

describe(row(187), () => {
  site.both('gets a cluster level by its version', async ({ admin }) => {
    expect((await admin.get('/clusterlevels/4.7')).object['id']).toBe('4.7');
    expect((await admin.get('/clusterlevels/1.0')).status).toBe(404);
  });
});
