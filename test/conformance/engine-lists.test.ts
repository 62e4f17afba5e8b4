/** Order and members of the lists of a new service, identical to those of a recorded engine. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dialects } from '../../src/model/dialect.ts';
import { operatingSystems } from '../../src/model/operating-systems.ts';
import { roles } from '../../src/server/reference-data/roles.ts';
import {
  listPolicyWeights,
  policyFilters,
  schedulingPolicies,
  schedulingUnits,
} from '../../src/server/reference-data/scheduling.ts';
import { RawApi } from '../support/raw.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

const nowhere = '11111111-2222-3333-4444-555555555555';
const everyone = 'eee00000-0000-0000-0000-123456789eee';

let server: TestServer;
let api: RawApi;

beforeAll(async () => {
  server = await startTestServer(['--speed', '0', '--inventory', 'empty', '--dialect', 'ovirt']);
  api = await RawApi.signIn(server, 'ovirt-app-api');
});
afterAll(() => server.stop());

interface Item {
  readonly id: string;
  readonly href?: string;
  readonly name?: string;
  readonly [member: string]: unknown;
}

/** Objects of a list in JSON. */
async function list(path: string): Promise<Item[]> {
  const answer = await api.json('GET', path);
  expect(answer.status, answer.text).toBe(200);
  return Object.values(answer.json<Record<string, Item[]>>())[0] ?? [];
}

async function add(path: string, body: object): Promise<Item> {
  const answer = await api.json('POST', path, body);
  expect(answer.status, answer.text).toBe(201);
  return answer.json<Item>();
}

const ids = (items: readonly Item[]) => items.map(({ id }) => id);
const names = (items: readonly Item[]) => items.map(({ name }) => name);

describe('operating systems', () => {
  it('have the order of their table, and icons except for one', async () => {
    const listed = await list('/operatingsystems');
    expect(ids(listed)).toEqual(operatingSystems.map(([id]) => id));
    const bare = listed.filter((one) => one['small_icon'] === undefined);
    expect(names(bare)).toEqual(['rhel_6_9_plus_ppc64']);
  });

  it('of one family have the same icons', async () => {
    const listed = await list('/operatingsystems');
    const findIcon = (name: string) => listed.find((one) => one.name === name)?.['large_icon'];
    expect(findIcon('freebsdx64')).toEqual(findIcon('freebsd'));
    expect(findIcon('rhel_9x64')).toEqual(findIcon('rhel_7_ppc64'));
  });

  it('have icons in the order of creation: small ones first', async () => {
    const icons = ids(await list('/icons'));
    expect(icons).toHaveLength(20);
    const small = (await list('/operatingsystems')).map(
      (one) => one['small_icon'] as Item | undefined,
    );
    expect(small.map((icon) => icon?.id)).toContain(icons[0]);
    expect(small.map((icon) => icon?.id)).not.toContain(icons[6]);
  });
});

describe('scheduling', () => {
  it('lists units in their order, with a description and patterns of their properties', async () => {
    const units = await list('/schedulingpolicyunits');
    expect(ids(units)).toEqual(schedulingUnits.map(({ id }) => id));
    for (const [index, { properties = [] }] of schedulingUnits.entries()) {
      const shown = units[index]?.['properties'] as { property: Item[] } | undefined;
      expect(names(shown?.property ?? [])).toEqual([...properties]);
    }
  });

  it.each(schedulingPolicies.map(({ name, id }) => [name, id]))(
    'policy %s has units without names and addresses, in order',
    async (name, id) => {
      const below = `/schedulingpolicies/${id}`;
      const findUnit = (wanted: string, type: string) =>
        schedulingUnits.find((unit) => unit.name === wanted && unit.type === type)?.id;
      const filters = await list(`${below}/filters`);
      expect(ids(filters)).toEqual(policyFilters.map((filter) => findUnit(filter, 'filter')));
      const weights = await list(`${below}/weights`);
      expect(ids(weights)).toEqual(listPolicyWeights(name).map(([one]) => findUnit(one, 'weight')));
      const balances = await list(`${below}/balances`);
      for (const part of [...filters, ...weights, ...balances]) {
        expect([part.name, part.href]).toEqual([undefined, undefined]);
      }
    },
  );

  it('changes the description of a built-in policy', async () => {
    const path = `/schedulingpolicies/${schedulingPolicies[0]?.id}`;
    const changed = await api.json('PUT', path, { description: 'ours' });
    expect([changed.status, changed.json()['description']]).toEqual([200, 'ours']);
    expect((await list('/schedulingpolicies'))[0]?.['description']).toBe('ours');
  });
});

describe('roles and permits', () => {
  it.each(roles.map(({ id, name, permits }) => [name, id, permits] as const))(
    'role %s lists its permits in order, with a reference to the role',
    async (_name, id, permits) => {
      const listed = await list(`/roles/${id}/permits`);
      expect(names(listed)).toEqual([...permits]);
      for (const permit of listed) expect(permit['role']).toMatchObject({ id });
    },
  );

  it('one permit also refers to its role', async () => {
    const [role] = roles;
    const permit = await api.json('GET', `/roles/${role?.id}/permits/1`);
    expect(permit.json()).toMatchObject({ id: '1', role: { id: role?.id } });
  });

  it('a user has the system-wide roles and those of everyone, by name', async () => {
    const [admin] = await list('/users');
    const path = `/users/${admin?.id}/roles`;
    const held = await list(path);
    expect(names(held)).toEqual(['SuperUser', 'UserProfileEditor']);
    for (const role of held) {
      expect(role.href).toMatch(new RegExp(`${path}/${role.id}$`));
      expect(Object.keys(role).sort()).toEqual(['href', 'id', 'link', 'name', 'user']);
    }
  });

  it.each(['users', 'groups'])(
    'unknown %s have the roles and permissions of everyone',
    async (kind) => {
      expect(names(await list(`/${kind}/${nowhere}/roles`))).toEqual(['UserProfileEditor']);
      const granted = await list(`/${kind}/${nowhere}/permissions`);
      expect(granted.map(({ group }) => (group as Item).id)).toEqual(granted.map(() => everyone));
      expect(ids(granted).sort()).toEqual(
        ids(await list(`/groups/${everyone}/permissions`)).sort(),
      );
    },
  );
});

describe('permissions', () => {
  it('of everyone have the same ids in all engines', async () => {
    const granted = await list(`/groups/${everyone}/permissions`);
    expect(granted).toHaveLength(10);
    expect(ids(granted)).toContain('00000004-0004-0004-0004-000000000355');
  });

  it.each(['vms', 'hosts', 'templates', 'disks', 'storagedomains', 'vmpools', 'clusters'])(
    'below an unknown object of /%s refer to the object',
    async (collection) => {
      for (const permission of await list(`/${collection}/${nowhere}/permissions`)) {
        const named = Object.values(permission).some(
          (value) => (value as Item | undefined)?.id === nowhere,
        );
        expect(named, JSON.stringify(permission)).toBe(true);
      }
    },
  );

  it.each(['cpuprofiles', 'diskprofiles', 'macpools', 'vnicprofiles'])(
    'of a user below an unknown object of /%s have no address',
    async (collection) => {
      const ofUser = (await list(`/${collection}/${nowhere}/permissions`)).filter(
        ({ user }) => user,
      );
      expect(ofUser.map(({ href }) => href)).toEqual(ofUser.map(() => undefined));
    },
  );

  it('on the system are found below an object, without a reference to it', async () => {
    const [cluster] = await list('/clusters');
    const path = `/clusters/${cluster?.id}/permissions`;
    const [inherited] = (await list(path)).filter(({ user }) => user);
    const one = (await api.json('GET', `${path}/${inherited?.id}`)).json<Item>();
    expect([one.id, one.href, one['cluster']]).toEqual([inherited?.id, undefined, undefined]);
  });

  it('are granted to the creator of a MAC pool, an instance type and a network', async () => {
    const { id: pool } = await add('/macpools', {
      name: 'pool',
      ranges: { range: [{ from: '00:1a:4a:20:00:00', to: '00:1a:4a:20:00:0f' }] },
    });
    const { id: type } = await add('/instancetypes', { name: 'type' });
    await add('/networks', { name: 'net', data_center: { name: 'Default' } });
    const profile = (await list('/vnicprofiles')).find(({ name }) => name === 'net');
    const [admin] = await list('/users');
    const listRoles = async (path: string) =>
      (await list(`${path}/permissions`))
        .filter(({ user }) => (user as Item | undefined)?.id === admin?.id)
        .map(({ role }) => roles.find(({ id }) => id === (role as Item).id)?.name);
    expect(await listRoles(`/macpools/${pool}`)).toContain('MacPoolAdmin');
    expect(await listRoles(`/vnicprofiles/${profile?.id}`)).toContain('NetworkAdmin');
    const ofType = (await list(`/groups/${everyone}/permissions`)).filter(
      ({ template }) => (template as Item | undefined)?.id === type,
    );
    expect(ofType).toHaveLength(1);
    expect((await api.json('DELETE', `/instancetypes/${type}`)).status).toBe(200);
    expect(ids(await list(`/groups/${everyone}/permissions`))).not.toContain(ofType[0]?.id);
  });
});

describe('tags', () => {
  it('are listed in the order of creation, with root at the end for any max', async () => {
    const root = '00000000-0000-0000-0000-000000000000';
    const { id: second } = await add('/tags', { name: 'z-first' });
    const { id: third } = await add('/tags', { name: 'a-second' });
    expect(ids(await list('/tags'))).toEqual([second, third, root]);
    expect(ids(await list('/tags?max=1'))).toEqual([second, root]);
    expect(ids(await list('/tags?max=0'))).toEqual([root]);
    expect((await api.json('GET', '/tags?filter=true')).status).toBe(400);
  });
});

describe('other lists', () => {
  it('MAC pools and bookmarks are in the order of creation, with the default pool at the end', async () => {
    for (const name of ['z', 'a']) {
      await add('/bookmarks', { name, value: 'Vms:' });
      const byte = name === 'z' ? '30' : '31';
      const range = { from: `00:1a:4a:${byte}:00:00`, to: `00:1a:4a:${byte}:00:0f` };
      await add('/macpools', { name, ranges: { range: [range] } });
    }
    expect(names(await list('/bookmarks'))).toEqual(['z', 'a']);
    expect(names(await list('/macpools')).slice(-3)).toEqual(['z', 'a', 'Default']);
  });

  it('a bookmark keeps the id of the request', async () => {
    expect((await add('/bookmarks', { id: nowhere, name: 'own', value: 'Vms:' })).id).toBe(nowhere);
  });

  it('levels hide their processor types from filtered requests', async () => {
    const hidden = await list('/clusterlevels?filter=true');
    expect(hidden.every((level) => level['cpu_types'] === undefined)).toBe(true);
    expect((await list('/clusterlevels')).some((level) => level['cpu_types'])).toBe(true);
  });

  it('domains have links to searches', async () => {
    const [domain] = await list('/domains');
    const links = domain?.['link'] as { rel: string; href: string }[];
    expect(links.map(({ rel }) => rel).sort()).toEqual([
      'groups',
      'groups/search',
      'users',
      'users/search',
    ]);
    const search = links.find(({ rel }) => rel === 'users/search');
    expect(search?.href).toMatch(new RegExp(`/domains/${domain?.id}/users\\?search=\\{query\\}$`));
  });

  it.each(['jobs', 'instancetypes'])(
    '/%s refuses text and unknown fields in a search',
    async (path) => {
      for (const search of ['text', 'nonsense=1']) {
        const answer = await api.json('GET', `/${path}?search=${encodeURIComponent(search)}`);
        expect([search, answer.status]).toEqual([search, 400]);
      }
      expect((await api.json('GET', `/${path}?search=sortby%20nonsense`)).status).toBe(200);
    },
  );

  it.each([...dialects.ovirt.jsonNamedEmptyLists].filter((path) => !/\{.*\{/.test(path)))(
    '%s has its name in JSON, even if empty',
    async (path) => {
      const answer = await api.json('GET', path.replace(/\{\w+\}/, nowhere));
      expect([answer.status, answer.text]).toEqual([
        200,
        expect.stringMatching(/^\{"\w+":\[\]\}$/),
      ]);
    },
  );
});
