/** Affinity groups, under both of their paths. */
import { describe, expect } from 'vitest';
import { makeGroup, makeLabel } from './support/affinity.ts';
import { row } from './support/rows.ts';
import { type People, useSite } from './support/site.ts';
import { listItems } from './support/speaker.ts';

const site = useSite();

const prefixes = [
  ['/clusters/{cluster}/affinitygroups', 11],
  ['/datacenters/{datacenter}/clusters/{cluster}/affinitygroups', 26],
] as const;

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
    site.both('accepts members and rules at creation', async (people) => {
      const { path } = people;
      const group = await makeGroup(people, prefix, {
        vms: { vm: [{ id: path('{vm}') }] },
        hosts: { host: [{ id: path('{host}') }] },
        vms_rule: { enabled: false },
        hosts_rule: { enabled: true, positive: true, enforcing: false },
      });
      expect(listItems(group, 'vms', 'vm')).toMatchObject([{ id: path('{vm}') }]);
      expect(group).toMatchObject({
        vms_rule: { enabled: 'false' },
        hosts_rule: { enabled: 'true', positive: 'true', enforcing: 'false' },
      });
    });
    site.both('refuses a name in use, and unknown objects', async (people) => {
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
    site.both('lists groups, at most the requested number', async (people) => {
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
      expect(listItems(object, 'vms', 'vm')).toHaveLength(1);
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
      expect((await people.admin.post(`${at}/vms`, { vm: { id } })).status).toBe(400);
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
