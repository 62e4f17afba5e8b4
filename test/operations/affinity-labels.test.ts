/** Affinity labels from both sides: their objects, and the labels of an object. */
import { describe, expect } from 'vitest';
import { makeGroup, makeLabel } from './support/affinity.ts';
import { listPaths, row } from './support/rows.ts';
import { type People, useSite } from './support/site.ts';

const site = useSite();

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
  site.both('refuses a name in use', async (people) => {
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
    const { at } = await makeGroup(people, '/clusters/{cluster}/affinitygroups');
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
      expect((await people.admin.post(at, { [tag]: { id } })).status).toBe(400);
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

const entities = listPaths(201);

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
  site.both('are assigned to it, without others', async (people) => {
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
