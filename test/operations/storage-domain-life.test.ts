/** Storage domains: changes, capacity, import and removal. */
import { describe, expect } from 'vitest';
import { type People, useSite } from './support/site.ts';
import { at, listItems } from './support/speaker.ts';
import {
  addDisk,
  addDomain,
  attach,
  events,
  fetchStatus,
  gibibyte,
  nfs,
  ownDomain,
  settled,
} from './support/storage.ts';

const site = useSite();

describe('a single storage domain', () => {
  site.both('is found, changed and removed', async ({ admin, name }) => {
    const domain = await addDomain(admin, 'host1', name('plain'));
    const path = `/storagedomains/${domain.id}`;
    const found = await admin.get(`/storagedomains?search=name%3D${String(domain['name'])}`);
    expect(found.list.map((one) => one['id'])).toEqual([domain.id]);
    const renamed = name('renamed');
    const changed = await admin.put(path, {
      storage_domain: { name: renamed, warning_low_space_indicator: 20, comment: 'c' },
    });
    expect(changed.status, changed.text).toBe(200);
    expect(changed.object).toMatchObject({
      name: renamed,
      comment: 'c',
      warning_low_space_indicator: '20',
      critical_space_action_blocker: '5',
    });
    const fixed = await admin.put(path, { storage_domain: { type: 'iso' } });
    expect([fixed.status, fixed.fault?.detail]).toEqual([400, expect.stringContaining('type')]);
    const noHost = await admin.delete(path);
    expect([noHost.status, noHost.fault?.detail]).toEqual([400, expect.stringContaining('host')]);
    expect((await admin.delete(`${path}?host=nobody`)).status).toBe(404);
    expect((await admin.delete(`${path}?host=host1&format=true`)).status).toBe(200);
    expect((await admin.get(path)).status).toBe(404);
  });
  site.both('is not removed while it is attached', async ({ admin, path }) => {
    const answer = await admin.delete(path('/storagedomains/{storagedomain}?host=host1'));
    expect([answer.status, answer.fault?.detail]).toEqual([
      409,
      expect.stringContaining('detach it first'),
    ]);
    const destroyed = await admin.delete(path('/storagedomains/{storagedomain}?destroy=true'));
    expect(destroyed.status).toBe(409);
  });
  site.both('says whether it is attached, and writes its configuration', async (people) => {
    const { admin, name, path } = people;
    const { id } = await addDomain(admin, 'host1', name('alone'));
    const is = async (domain: string) =>
      (await admin.must(`/storagedomains/${domain}/isattached`, { host: { name: 'host1' } }))
        .object['is_attached'];
    expect(await is(id)).toBe('false');
    expect(await is(path('{storagedomain}'))).toBe('true');
    await admin.must(path('/storagedomains/{storagedomain}/updateovfstore'));
    const answer = await admin.post(`/storagedomains/${id}/updateovfstore`);
    expect([answer.status, answer.fault?.detail]).toEqual([
      409,
      expect.stringContaining('unattached'),
    ]);
  });
  site.unknown('GET', '/storagedomains/{unknown}');
  site.unknown('PUT', '/storagedomains/{unknown}', { storage_domain: { comment: 'x' } });
  site.unknown('DELETE', '/storagedomains/{unknown}?host=host1');
  site.both('is invisible without a permission', async ({ admin, jane, path }) => {
    const { id } = await admin.find('/storagedomains', 'data2');
    const change = { storage_domain: { comment: 'x' } };
    expect((await jane.put(`/storagedomains/${id}`, change)).status).toBe(404);
    expect((await jane.delete(`/storagedomains/${id}?host=host1`)).status).toBe(404);
    // The one that her disk is on she sees, and that is all.
    const domain = path('/storagedomains/{storagedomain}');
    expect((await jane.put(domain, change)).status).toBe(403);
    expect((await jane.delete(`${domain}?host=host1`)).status).toBe(403);
  });
});

/** A new image has its first block. */
const block = 4096;

describe('the space of a storage domain', () => {
  site.both('is what its disks take and may grow to', async (people) => {
    const { admin, path } = people;
    const id = await ownDomain(people);
    const attached = path(`/datacenters/{datacenter}/storagedomains/${id}`);
    const space = async () => {
      const { object } = await admin.get(attached);
      return ['used', 'committed', 'available'].map((one) => Number(object[one]));
    };
    const [, , empty = 0] = await space();
    await addDisk(admin, id);
    expect(await space()).toEqual([block, gibibyte, empty - block]);
    const full = await addDisk(admin, id, { sparse: false, provisioned_size: 2 * gibibyte });
    expect(full['actual_size']).toBe(String(2 * gibibyte));
    const taken = 2 * gibibyte + block;
    expect(await space()).toEqual([taken, 3 * gibibyte, empty - taken]);
    const large = { sparse: false, provisioned_size: empty - 6 * gibibyte, format: 'raw' };
    const refused = await admin.post('/disks', {
      disk: { ...large, storage_domains: { storage_domain: [{ id }] } },
    });
    expect([refused.status, refused.fault?.detail]).toEqual([
      409,
      expect.stringContaining('Low disk space'),
    ]);
    const most = await addDisk(admin, id, { sparse: false, provisioned_size: 950 * gibibyte });
    const name = String((await admin.get(attached)).object['name']);
    expect(await events(admin)).toContainEqual(
      expect.stringContaining(`${name} is low on space: 71 GB`),
    );
    await admin.delete(`/disks/${most.id}`);
    const search = async (words: string) =>
      (await admin.get(`/storagedomains?search=${encodeURIComponent(words)}`)).list;
    expect(await search(`name=${name} and used_size > 1 and committed = 3`)).toHaveLength(1);
    expect(await search(`name=${name} and used_size < 1`)).toHaveLength(0);
    await admin.delete(`/disks/${full.id}`);
    expect(await space()).toEqual([block, gibibyte, empty - block]);
    expect(await search(`name=${name} and used_size < 1`)).toHaveLength(1);
  });
});

describe('a storage domain that is full', () => {
  const thin = { sparse: true, format: 'cow', provisioned_size: 2 * gibibyte };

  /**
   * Creates a domain with a limited number of free bytes, and a function that adds a disk to it.
   */
  async function leaving(people: People, bytes: number, more: object = {}) {
    const { admin } = people;
    const id = await ownDomain(people, more);
    const { object } = await admin.get(`/storagedomains/${id}`);
    const reserved = Number(object['critical_space_action_blocker']) * gibibyte;
    const provisioned_size = Number(object['available']) - reserved - bytes;
    await addDisk(admin, id, { sparse: false, provisioned_size });
    return async (disk: object) => {
      const storage_domains = { storage_domain: [{ id }] };
      const answer = await admin.post('/disks', { disk: { ...disk, storage_domains } });
      if (answer.status < 300) await settled(admin, `/disks/${String(answer.object['id'])}`);
      return answer;
    };
  }
  const unit = ({ name }: People) => ({ id: name('lun'), address: 'a.example.com', target: 't' });
  const block = (people: People) => ({
    storage: { type: 'iscsi', logical_units: { logical_unit: [unit(people)] } },
  });

  site.both('takes a preallocated disk that just fits, and none a byte larger', async (people) => {
    const add = await leaving(people, gibibyte);
    const full = { sparse: false, format: 'raw' };
    const refused = await add({ ...full, provisioned_size: gibibyte + 1 });
    expect([refused.status, refused.fault?.detail]).toEqual([
      409,
      expect.stringContaining('Low disk space'),
    ]);
    expect((await add({ ...full, provisioned_size: gibibyte })).status).toBeLessThan(300);
  });
  site.both('has room for thin disks that are files', async (people) => {
    const add = await leaving(people, 4096);
    expect((await add(thin)).status).toBeLessThan(300);
  });
  site.both('on block storage has room for a thin disk with its first extent', async (people) => {
    const add = await leaving(people, gibibyte, block(people));
    expect((await add(thin)).status).toBeLessThan(300);
    expect((await add(thin)).status).toBe(409);
    const less = await leaving(people, gibibyte - 1, block(people));
    expect((await less(thin)).status).toBe(409);
    // A disk smaller than an extent needs no more than its size.
    expect((await less({ ...thin, provisioned_size: gibibyte - 1 })).status).toBeLessThan(300);
  });
});

describe('a storage domain on logical units', () => {
  site.both('is extended by further ones and gives them back', async (people) => {
    const { admin, name } = people;
    const unit = (stem: string) => ({
      id: name(stem),
      address: 'san.example.com',
      target: 'iqn.2026-01.com.example:san',
      port: 3260,
    });
    const [one, two] = [unit('lun'), unit('lun')];
    const units = (...list: object[]) => ({ logical_units: { logical_unit: list } });
    const id = await ownDomain(people, { storage: { type: 'iscsi', ...units(one) } });
    const path = `/storagedomains/${id}`;
    const attached = people.path(`/datacenters/{datacenter}/storagedomains/${id}`);
    const before = Number((await admin.get(path)).object['available']);
    const extended = await admin.put(path, { storage_domain: { storage: units(one, two) } });
    expect(extended.status, extended.text).toBe(200);
    expect(Number(extended.object['available'])).toBeGreaterThan(before);
    const group = at(extended.object, 'storage.volume_group') as Record<string, unknown>;
    const shown = listItems(group, 'logical_units', 'logical_unit');
    expect(shown.map((each) => [each['id'], each['status']])).toEqual([
      [one.id, 'used'],
      [two.id, 'used'],
    ]);
    await admin.must(`${path}/refreshluns`, units({ id: two.id }));
    const busy = await admin.post(`${path}/reduceluns`, { action: units({ id: two.id }) });
    expect([busy.status, busy.fault?.detail]).toEqual([409, expect.stringContaining('active')]);
    await admin.must(`${attached}/deactivate`);
    const reduce = (...list: object[]) =>
      admin.post(`${path}/reduceluns`, { action: units(...list) });
    for (const [list, words] of [
      [[{ id: one.id }, { id: two.id }], 'At least one'],
      [[{ id: one.id }], 'metadata'],
      [[{ id: 'strange' }], 'not part of it'],
    ] as const) {
      const answer = await reduce(...list);
      expect([answer.status, answer.fault?.detail]).toEqual([400, expect.stringContaining(words)]);
    }
    expect((await reduce({ id: two.id })).status).toBe(200);
    await admin.must(`${attached}/activate`);
    expect(Number((await admin.get(path)).object['available'])).toBe(before);
    const connections = (await admin.get(`${path}/storageconnections`)).list;
    expect(connections).toMatchObject([{ type: 'iscsi', address: 'san.example.com' }]);
  });
  site.both('is the only one that has any', async ({ admin, path }) => {
    const body = { action: { logical_units: { logical_unit: [{ id: 'a' }] } } };
    const answer = await admin.post(path('/storagedomains/{storagedomain}/reduceluns'), body);
    expect([answer.status, answer.fault?.detail]).toEqual([
      400,
      expect.stringContaining('block storage'),
    ]);
  });
});

describe('a storage domain that leaves the service', () => {
  site.both('is importable with its contents', async (people) => {
    const { admin, name, path } = people;
    const dataCenter = path('/datacenters/{datacenter}');
    const storage = nfs(name('kept'));
    const id = await ownDomain(people, { storage });
    const disk = await addDisk(admin, id, { name: name('kept') });
    await admin.must(`${dataCenter}/storagedomains/${id}/deactivate`);
    await admin.delete(`${dataCenter}/storagedomains/${id}`);
    expect((await admin.get(`/disks/${disk.id}`)).status).toBe(404);
    expect((await admin.delete(`/storagedomains/${id}?destroy=true`)).status).toBe(200);
    const imported = await admin.post('/storagedomains', {
      storage_domain: { type: 'data', storage, host: { name: 'host1' }, import: true },
    });
    expect([imported.status, imported.object['id']], imported.text).toEqual([201, id]);
    const again = await admin.post('/storagedomains', {
      storage_domain: { id, type: 'data', storage, host: { name: 'host1' }, import: true },
    });
    expect(again.status).toBe(409);
    await attach(admin, dataCenter, id);
    const lost = (await admin.get(`/storagedomains/${id}/disks?unregistered=true`)).list;
    expect(lost.map((one) => one['id'])).toEqual([disk.id]);
    expect((await admin.get(`/storagedomains/${id}/disks`)).list).toEqual([]);
    await admin.must(`${dataCenter}/storagedomains/${id}/disks/${disk.id}/register`);
    expect(await fetchStatus(admin, `/disks/${disk.id}`)).toBe('ok');
    expect((await admin.get(`/storagedomains/${id}/disks?unregistered=true`)).list).toEqual([]);
  });
  site.both('takes its disks along when it is formatted', async (people) => {
    const { admin, name, path } = people;
    const storage = nfs(name('gone'));
    const id = await ownDomain(people, { storage });
    await addDisk(admin, id);
    await admin.must(path(`/datacenters/{datacenter}/storagedomains/${id}/deactivate`));
    await admin.delete(path(`/datacenters/{datacenter}/storagedomains/${id}`));
    await admin.delete(`/storagedomains/${id}?host=host1&format=true`);
    const fresh = await addDomain(admin, 'host1', name('fresh'), { storage, import: true });
    expect(fresh.id).not.toBe(id);
    expect((await admin.get(`/storagedomains/${fresh.id}/disks?unregistered=true`)).list).toEqual(
      [],
    );
  });
});
