/** VM pools: equal VMs that users allocate and return. */
import { describe, expect, vi } from 'vitest';
import { type People, useSite } from './support/site.ts';
import { at } from './support/speaker.ts';
import { makeTemplate, settled, until } from './support/vms.ts';

const site = useSite();
const bootsFromDisc = { os: { boot: { devices: { device: ['cdrom'] } } } };

/** Waits until something holds; fails the test when it never does. */
async function eventually(holds: () => Promise<boolean>): Promise<void> {
  await vi.waitFor(async () => expect(await holds()).toBe(true), { timeout: 20_000, interval: 30 });
}

describe('/vmpools', () => {
  async function makePool(people: People, more: object = {}) {
    const template = await makeTemplate(site, people, 'pool', {}, bootsFromDisc);
    const vm_pool = {
      name: people.name('pool'),
      cluster: { id: people.path('{cluster}') },
      template: { id: template.id },
      size: 2,
      ...more,
    };
    const added = await people.admin.add('/vmpools', { vm_pool });
    const path = `/vmpools/${added.id}`;
    const members = async () => {
      const { list } = await people.admin.get('/vms');
      return list.filter((vm) => at(vm, 'vm_pool.id') === added.id);
    };
    await eventually(async () =>
      (await members()).every((one) => ['down', 'up'].includes(String(one['status']))),
    );
    return { ...added, name: vm_pool.name, template: template.id, path, members };
  }
  site.both('make their machines, more of them when they grow', async (people) => {
    const { admin } = people;
    const pool = await makePool(people);
    expect(pool).toMatchObject({ size: '2', type: 'automatic', max_user_vms: '1' });
    const names = async () => (await pool.members()).map((vm) => vm['name']);
    expect(await names()).toEqual([`${pool.name}-1`, `${pool.name}-2`]);
    const { object } = await admin.put(pool.path, { vm_pool: { size: 3 } });
    expect(object).toMatchObject({ size: '3' });
    expect(await names()).toHaveLength(3);
    for (const one of await pool.members()) await settled(people, String(one['id']));
    const [member] = await pool.members();
    const inPool = await admin.delete(`/vms/${String(member?.['id'])}`);
    expect(inPool.status).toBe(409);
    await admin.must(`/vms/${String(member?.['id'])}/detach`);
    expect(await names()).toHaveLength(2);
    expect((await admin.get(pool.path)).object).toMatchObject({ size: '2' });
    expect((await admin.delete(pool.path)).status).toBe(200);
    expect(await names()).toHaveLength(0);
    expect((await admin.get(pool.path)).status).toBe(404);
  });
  site.both('name them by the mask', async (people) => {
    const pool = await makePool(people, { name: `${people.name('desk')}-??` });
    const [first] = await pool.members();
    expect(first?.['name']).toBe(pool.name.replace('??', '01'));
    await people.admin.delete(pool.path);
  });
  site.both('hand out a machine to each user', async (people) => {
    const { admin } = people;
    const pool = await makePool(people);
    const { object } = await admin.must(`${pool.path}/allocatevm`);
    const id = String(at(object, 'vm.id'));
    await until(people, `/vms/${id}`, (vm) => vm['status'] === 'up');
    const twice = await admin.post(`${pool.path}/allocatevm`);
    expect(twice.status).toBe(409);
    await admin.delete(pool.path);
  });
  site.both('keep machines ready, and take them back', async (people) => {
    const { admin } = people;
    const pool = await makePool(people, { size: 2, prestarted_vms: 1 });
    const inState = async (status: string) =>
      (await pool.members()).filter((vm) => vm['status'] === status).length;
    await eventually(async () => (await inState('up')) === 1);
    const { object } = await admin.must(`${pool.path}/allocatevm`);
    const id = String(at(object, 'vm.id'));
    await eventually(async () => (await inState('up')) === 2);
    await admin.must(`/vms/${id}/shutdown`);
    await eventually(async () => (await inState('down')) === 1);
    const permissions = (await admin.get(`/vms/${id}/permissions`)).list;
    expect(permissions.filter((one) => one['user'])).toHaveLength(0);
    await admin.delete(pool.path);
  });
  site.both('refuse what cannot be', async (people) => {
    const { admin, path, name } = people;
    const { template } = await makePool(people);
    const refused = async (more: object, status: number) => {
      const cluster = { id: path('{cluster}') };
      const vm_pool = { name: name('no'), cluster, template: { id: template }, size: 1, ...more };
      const answer = await admin.post('/vmpools', { vm_pool });
      expect(answer.status, answer.text).toBe(status);
    };
    await refused({ template: { name: 'Blank' } }, 409);
    await refused({ size: 0 }, 400);
    await refused({ prestarted_vms: 2 }, 409);
    await refused({ max_user_vms: 0 }, 400);
    await refused({ name: 'a??b?' }, 400);
  });
  site.both('keep name, type and size', async (people) => {
    const { admin } = people;
    const { path } = await makePool(people);
    for (const vm_pool of [
      { name: 'other' },
      { size: 1 },
      { type: 'manual' },
      { stateful: true },
    ]) {
      expect((await admin.put(path, { vm_pool })).status).toBe(400);
    }
    await admin.delete(path);
  });
  site.incomplete('POST', '/vmpools', { vm_pool: { name: 'x' } }, 'cluster.id|name');
  site.unknown('GET', '/vmpools/{nothing}');
  site.unknown('DELETE', '/vmpools/{nothing}');
});
