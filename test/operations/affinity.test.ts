/** Affinity groups, under both of their paths, and affinity labels. */
import { describe, expect } from 'vitest';
import { pathsOf, row } from './support/rows.ts';
import { type People, useSite } from './support/site.ts';
import { itemsOf } from './support/speaker.ts';

const site = useSite();

const prefixes = [
  ['/clusters/{cluster}/affinitygroups', 11],
  ['/datacenters/{datacenter}/clusters/{cluster}/affinitygroups', 26],
] as const;

/** A group of the cluster, and where it is. */
async function makeGroup({ admin, path, name }: People, prefix: string, more: object = {}) {
  const group = { name: name('group'), ...more };
  const added = await admin.add(path(prefix), { affinity_group: group });
  return { ...added, name: group.name, at: `${path(prefix)}/${added.id}` };
}

async function makeLabel({ admin, name }: People, more: object = {}) {
  const affinity_label = { name: name('label'), ...more };
  const added = await admin.add('/affinitylabels', { affinity_label });
  return { ...added, name: affinity_label.name };
}

describe.each(prefixes)('%s', (prefix, first) => {
  describe(row(first), () => {
    site.both(
      'adds a group; the older attributes mean the rule between machines',
      async (people) => {
        const { admin, path, name } = people;
        const affinity_group = { name: name('g'), positive: true, enforcing: true };
        const { status, object, headers } = await admin.post(path(prefix), { affinity_group });
        expect(status).toBe(201);
        expect(headers['location']).toBe(object['href']);
        expect(object).toMatchObject({
          positive: 'true',
          enforcing: 'true',
          broken: 'false',
          vms_rule: { enabled: 'true', positive: 'true', enforcing: 'true' },
          hosts_rule: { enabled: 'false' },
          cluster: { id: path('{cluster}') },
        });
      },
    );
    site.both('takes members and rules at once', async (people) => {
      const { path } = people;
      const group = await makeGroup(people, prefix, {
        vms: { vm: [{ id: path('{vm}') }] },
        hosts: { host: [{ id: path('{host}') }] },
        vms_rule: { enabled: false },
        hosts_rule: { enabled: true, positive: true, enforcing: false },
      });
      expect(itemsOf(group, 'vms', 'vm')).toMatchObject([{ id: path('{vm}') }]);
      expect(group).toMatchObject({
        vms_rule: { enabled: 'false' },
        hosts_rule: { enabled: 'true', positive: 'true', enforcing: 'false' },
      });
    });
    site.both('refuses a name that is taken, and strangers', async (people) => {
      const { admin, path, name } = people;
      const { name: taken } = await makeGroup(people, prefix);
      const again = await admin.post(path(prefix), { affinity_group: { name: taken } });
      expect(again.status).toBe(400);
      const cpu = { type: 'Intel Nehalem Family' };
      const cluster = { name: name('c'), cpu, data_center: { id: path('{datacenter}') } };
      const { id } = await admin.add('/clusters', { cluster });
      const vms = { vm: [{ id: path('{vm}') }] };
      const there = path('/clusters/') + id;
      const stranger = await admin.post(`${there}/affinitygroups`, {
        affinity_group: { name: name('g'), vms },
      });
      expect(stranger.status).toBe(400);
      expect(stranger.fault?.detail).toContain('vm-01');
    });
    site.incomplete('POST', prefix, { affinity_group: { positive: true } }, 'name');
    site.forbidden('POST', prefix, { affinity_group: { name: 'x' } });
  });

  describe(row(first + 1), () => {
    site.both('lists groups, no more than were asked for', async (people) => {
      const { admin, path } = people;
      const { id } = await makeGroup(people, prefix);
      const { status, list } = await admin.get(path(prefix));
      expect(status).toBe(200);
      expect(list.map((group) => group['id'])).toContain(id);
      expect((await admin.get(`${path(prefix)}?max=1`)).list).toHaveLength(1);
    });
  });

  describe(row(first + 2), () => {
    site.both('reads a group', async (people) => {
      const { at, name } = await makeGroup(people, prefix);
      const { status, object } = await people.admin.get(at);
      expect(status).toBe(200);
      expect(object).toMatchObject({ name });
    });
    site.unknown('GET', `${prefix}/{nothing}`);
  });

  describe(row(first + 3), () => {
    site.both('changes a group', async (people) => {
      const { admin, path } = people;
      const { at, name } = await makeGroup(people, prefix);
      const vms = { vm: [{ id: path('{vm}') }] };
      const changes = { description: 'new', positive: true, vms };
      const { status, object, text } = await admin.put(at, { affinity_group: changes });
      expect(status, text).toBe(200);
      expect(object).toMatchObject({
        name,
        description: 'new',
        vms_rule: { positive: 'true', enabled: 'true' },
      });
      expect(itemsOf(object, 'vms', 'vm')).toHaveLength(1);
    });
    site.both('stays in its cluster', async (people) => {
      const { at } = await makeGroup(people, prefix);
      const cluster = { id: 'ffffffff-0000-0000-0000-000000000000' };
      const answer = await people.admin.put(at, { affinity_group: { cluster } });
      expect([400, 404]).toContain(answer.status);
    });
    site.unknown('PUT', `${prefix}/{nothing}`, { affinity_group: { name: 'x' } });
  });

  describe(row(first + 4), () => {
    site.both('removes a group', async (people) => {
      const { at } = await makeGroup(people, prefix);
      expect((await people.admin.delete(at)).status).toBe(200);
      expect((await people.admin.get(at)).status).toBe(404);
    });
    site.unknown('DELETE', `${prefix}/{nothing}`);
  });

  describe(row(first + 5), () => {
    site.both('puts a machine in; the answer is what was sent', async (people) => {
      const { admin, path } = people;
      const { at } = await makeGroup(people, prefix);
      const vm = { id: path('{vm}') };
      const { status, object, headers } = await admin.post(`${at}/vms`, { vm });
      expect(status).toBe(200);
      expect(object).toMatchObject(vm);
      expect(headers['location']).toBeUndefined();
      const twice = await admin.post(`${at}/vms`, { vm });
      expect(twice.status).toBe(400);
    });
    site.both('refuses a rule that contradicts another', async (people) => {
      const { admin, path } = people;
      const [one, two] = (await admin.get('/vms')).list.map((vm) => ({ id: vm['id'] }));
      const rule = { enabled: true, enforcing: true };
      const together = { vms: { vm: [one, two] }, vms_rule: { ...rule, positive: true } };
      const first = await makeGroup(people, prefix, together);
      const { at } = await makeGroup(people, prefix, {
        vms: { vm: [one] },
        vms_rule: { ...rule, positive: false },
      });
      const answer = await admin.post(`${at}/vms`, { vm: two });
      expect(answer.status).toBe(409);
      expect(answer.fault?.detail).toContain(first.name);
      await admin.delete(first.at);
      expect((await admin.post(`${at}/vms`, { vm: two })).status).toBe(200);
      await admin.delete(at);
      expect(path('{vm}')).toBeTruthy();
    });
    site.both('needs the id of one that there is', async (people) => {
      const { at } = await makeGroup(people, prefix);
      expect((await people.admin.post(`${at}/vms`, { vm: {} })).status).toBe(400);
      const id = 'ffffffff-0000-0000-0000-000000000000';
      expect((await people.admin.post(`${at}/vms`, { vm: { id } })).status).toBe(404);
    });
  });

  const members = [
    [6, 7, 'vms', 'vm', '{vm}'],
    [undefined, 8, 'hosts', 'host', '{host}'],
  ] as const;
  for (const [list, remove, noun, tag, id] of members) {
    if (list !== undefined) {
      describe(row(first + list), () => {
        site.both('lists the members', async (people) => {
          const { admin, path } = people;
          const { at } = await makeGroup(people, prefix);
          await admin.post(`${at}/${noun}`, { [tag]: { id: path(id) } });
          const found = await admin.get(`${at}/${noun}?max=5`);
          expect(found.status).toBe(200);
          expect(found.list).toMatchObject([{ id: path(id) }]);
        });
      });
    }
    describe(row(first + remove), () => {
      site.both('takes a member out; it stays by itself', async (people) => {
        const { admin, path } = people;
        const { at } = await makeGroup(people, prefix);
        await admin.post(`${at}/${noun}`, { [tag]: { id: path(id) } });
        expect((await admin.get(`${at}/${noun}`)).list).toHaveLength(1);
        const { status } = await admin.delete(`${at}/${noun}/${path(id)}`);
        expect(status).toBe(200);
        expect((await admin.get(`${at}/${noun}`)).list).toHaveLength(0);
        expect((await admin.get(path(`/${noun}/${id}`))).status).toBe(200);
        expect((await admin.delete(`${at}/${noun}/${path(id)}`)).status).toBe(404);
      });
    });
  }

  for (const [add, list, remove, noun] of [
    [9, 10, 13, 'hostlabels'],
    [11, 12, 14, 'vmlabels'],
  ] as const) {
    const labelled = async (people: People) => {
      const { at } = await makeGroup(people, prefix);
      const { id } = await makeLabel(people);
      const added = await people.admin.post(`${at}/${noun}`, { affinity_label: { id } });
      return { at: `${at}/${noun}`, id, added };
    };
    describe(row(first + add), () => {
      site.both('puts a label in; the answer is an action', async (people) => {
        const { added } = await labelled(people);
        expect(added.status, added.text).toBe(200);
        expect(added.object).toMatchObject({ status: 'complete' });
      });
      site.both('needs the id of one that there is', async (people) => {
        const { at } = await makeGroup(people, prefix);
        const put = (id?: string) =>
          people.admin.post(`${at}/${noun}`, { affinity_label: id ? { id } : {} });
        expect((await put()).status).toBe(400);
        expect((await put('ffffffff-0000-0000-0000-000000000000')).status).toBe(404);
      });
    });
    describe(row(first + list), () => {
      site.both('lists the labels', async (people) => {
        const { at, id } = await labelled(people);
        const { status, list: found } = await people.admin.get(at);
        expect(status).toBe(200);
        expect(found).toMatchObject([{ id }]);
      });
    });
    describe(row(first + remove), () => {
      site.both('takes a label out; it stays by itself', async (people) => {
        const { at, id } = await labelled(people);
        expect((await people.admin.delete(`${at}/${id}`)).status).toBe(200);
        expect((await people.admin.get(at)).list).toHaveLength(0);
        expect((await people.admin.delete(`${at}/${id}`)).status).toBe(404);
        expect((await people.admin.get(`/affinitylabels/${id}`)).status).toBe(200);
      });
    });
  }
});

describe(row(188), () => {
  site.both('adds a label to all that it names', async (people) => {
    const { admin, path, name } = people;
    const vms = { vm: [{ id: path('{vm}') }] };
    const hosts = { host: [{ id: path('{host}') }] };
    const affinity_label = { name: name('label'), vms, hosts };
    const { status, object, headers } = await admin.post('/affinitylabels', { affinity_label });
    expect(status).toBe(201);
    expect(headers['location']).toBe(object['href']);
    expect(object).toMatchObject({ read_only: 'false' });
    const labels = (await admin.get(path('/vms/{vm}/affinitylabels'))).list;
    expect(labels.map((label) => label['id'])).toContain(object['id']);
  });
  site.both('refuses a name that is taken', async (people) => {
    const { name } = await makeLabel(people);
    const answer = await people.admin.post('/affinitylabels', { affinity_label: { name } });
    expect(answer.status).toBe(409);
  });
  site.incomplete('POST', '/affinitylabels', { affinity_label: {} }, 'name');
  site.forbidden('POST', '/affinitylabels', { affinity_label: { name: 'x' } });
});

describe(row(189), () => {
  site.both('lists labels', async (people) => {
    const { id } = await makeLabel(people);
    const { list } = await people.admin.get('/affinitylabels');
    expect(list.map((label) => label['id'])).toContain(id);
    expect((await people.admin.get('/affinitylabels?max=1')).list).toHaveLength(1);
  });
});

describe(row(190), () => {
  site.both('reads a label', async (people) => {
    const { id, name } = await makeLabel(people);
    expect((await people.admin.get(`/affinitylabels/${id}`)).object).toMatchObject({ name });
  });
  site.unknown('GET', '/affinitylabels/{nothing}');
});

describe(row(191), () => {
  site.both('changes name and description', async (people) => {
    const { id } = await makeLabel(people);
    const changes = { name: people.name('new'), description: 'told' };
    const { status, object } = await people.admin.put(`/affinitylabels/${id}`, {
      affinity_label: changes,
    });
    expect(status).toBe(200);
    expect(object).toMatchObject(changes);
  });
  site.unknown('PUT', '/affinitylabels/{nothing}', { affinity_label: { name: 'x' } });
});

describe(row(192), () => {
  site.both('removes a label with its assignments', async (people) => {
    const { admin, path } = people;
    const vms = { vm: [{ id: path('{vm}') }] };
    const { id } = await makeLabel(people, { vms });
    const { at } = await makeGroup(people, prefixes[0][0]);
    await admin.post(`${at}/vmlabels`, { affinity_label: { id } });
    expect((await admin.delete(`/affinitylabels/${id}`)).status).toBe(200);
    expect((await admin.get(`/affinitylabels/${id}`)).status).toBe(404);
    expect((await admin.get(`${at}/vmlabels`)).list).toHaveLength(0);
    const labels = (await admin.get(path('/vms/{vm}/affinitylabels'))).list;
    expect(labels.map((label) => label['id'])).not.toContain(id);
  });
  site.unknown('DELETE', '/affinitylabels/{nothing}');
});

for (const [add, list, get, remove, noun, tag] of [
  [193, 194, 197, 198, 'hosts', 'host'],
  [195, 196, 199, 200, 'vms', 'vm'],
] as const) {
  const put = async (people: People) => {
    const { id } = await makeLabel(people);
    const member = people.path(`{${tag}}`);
    const at = `/affinitylabels/${id}/${noun}`;
    const added = await people.admin.post(at, { [tag]: { id: member } });
    return { at, member, added };
  };
  const isLink = (object: object) => expect(Object.keys(object).sort()).toEqual(['href', 'id']);

  describe(row(add), () => {
    site.both('puts the label on; the answer is a link', async (people) => {
      const { added } = await put(people);
      expect(added.status, added.text).toBe(200);
      expect(added.headers['location']).toBeUndefined();
      isLink(added.object);
    });
    site.both('needs the id of one that there is', async (people) => {
      const { at } = await put(people);
      expect((await people.admin.post(at, { [tag]: {} })).status).toBe(400);
      const id = 'ffffffff-0000-0000-0000-000000000000';
      expect((await people.admin.post(at, { [tag]: { id } })).status).toBe(404);
    });
    site.unknown('POST', `/affinitylabels/{nothing}/${noun}`, { [tag]: { id: `{${tag}}` } });
  });
  describe(row(list), () => {
    site.both('lists links', async (people) => {
      const { at, member } = await put(people);
      const { list: links } = await people.admin.get(at);
      expect(links).toMatchObject([{ id: member }]);
      isLink(links[0] ?? {});
    });
  });
  describe(row(get), () => {
    site.both('reads a link', async (people) => {
      const { at, member } = await put(people);
      const { status, object } = await people.admin.get(`${at}/${member}`);
      expect(status).toBe(200);
      expect(object).toMatchObject({ id: member });
      isLink(object);
    });
    site.both('says that it is not on it', async (people) => {
      const { id } = await makeLabel(people);
      const member = people.path(`{${tag}}`);
      const { status } = await people.admin.get(`/affinitylabels/${id}/${noun}/${member}`);
      expect(status).toBe(404);
    });
  });
  describe(row(remove), () => {
    site.both('takes the label off', async (people) => {
      const { at, member } = await put(people);
      expect((await people.admin.delete(`${at}/${member}`)).status).toBe(200);
      expect((await people.admin.get(at)).list).toHaveLength(0);
      expect((await people.admin.delete(`${at}/${member}`)).status).toBe(404);
      expect((await people.admin.get(`/${noun}/${member}`)).status).toBe(200);
    });
  });
}

const entities = pathsOf(201);

async function attach(people: People, path: string) {
  const at = people.path(path);
  const { id } = await makeLabel(people);
  const added = await people.admin.post(at, { affinity_label: { id } });
  return { at, id, added };
}

describe(row(201), () => {
  for (const path of entities) {
    site.both(`attaches a label at ${path}`, async (people) => {
      const { id, added } = await attach(people, path);
      expect(added.status, added.text).toBe(201);
      expect(added.object).toMatchObject({ id });
      expect(added.headers['location']).toBeTruthy();
    });
    site.incomplete('POST', path, { affinity_label: {} }, 'id');
    if (path.startsWith('/vms')) site.forbidden('POST', path, { affinity_label: { id: 'x' } });
  }
});

describe(row(202), () => {
  for (const path of entities) {
    site.both(`lists the labels at ${path}`, async (people) => {
      const { at, id } = await attach(people, path);
      expect((await people.admin.get(at)).list.map((label) => label['id'])).toContain(id);
    });
  }
});

describe('labels that are sent with a host', () => {
  site.both('are put on it, and those alone', async (people) => {
    const { admin, path } = people;
    const [one, two] = [await makeLabel(people), await makeLabel(people)];
    const labels = async () =>
      (await admin.get(path('/hosts/{host}/affinitylabels'))).list.map((label) => label['id']);
    for (const { id } of [one, two]) {
      const affinity_labels = { affinity_label: [{ id }] };
      const { status } = await admin.put(path('/hosts/{host}'), { host: { affinity_labels } });
      expect(status).toBe(200);
      expect(await labels()).toEqual([id]);
    }
  });
});

describe(row(203), () => {
  for (const path of entities) {
    site.both(`reads a label at ${path}`, async (people) => {
      const { at, id } = await attach(people, path);
      expect((await people.admin.get(`${at}/${id}`)).object).toMatchObject({ id });
      const { id: other } = await makeLabel(people);
      expect((await people.admin.get(`${at}/${other}`)).status).toBe(404);
    });
  }
});

describe(row(204), () => {
  for (const path of entities) {
    site.both(`takes a label off at ${path}; the label stays`, async (people) => {
      const { at, id } = await attach(people, path);
      expect((await people.admin.delete(`${at}/${id}`)).status).toBe(200);
      expect((await people.admin.get(`${at}/${id}`)).status).toBe(404);
      expect((await people.admin.get(`/affinitylabels/${id}`)).status).toBe(200);
    });
  }
});
