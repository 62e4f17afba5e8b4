/** Disks below their storage domain, by both paths; quotas and templates there. */
import { describe, expect } from 'vitest';
import { useSite } from './support/site.ts';
import { at, listItems } from './support/speaker.ts';
import { attach, gibibyte, ownDomain, ownSite, settled } from './support/storage.ts';

const site = useSite();

const prefixes = [
  '/storagedomains/{storagedomain}',
  '/datacenters/{datacenter}/storagedomains/{storagedomain}',
];

for (const prefix of prefixes) {
  describe(`${prefix}/disks`, () => {
    site.both('adds, lists, gets, copies, moves and removes disks', async (people) => {
      const { admin, name, path } = people;
      const list = `${path(prefix)}/disks`;
      const alias = name('disk');
      const added = await admin.add(list, {
        disk: { name: alias, format: 'raw', provisioned_size: gibibyte },
      });
      const own = `${list}/${added.id}`;
      const disk = await settled(admin, own);
      expect(listItems(disk, 'storage_domains', 'storage_domain')).toMatchObject([
        { id: path('{storagedomain}') },
      ]);
      expect((await admin.get(list)).list.map((one) => one['name'])).toContain(alias);
      expect((await admin.get(`${list}?max=1`)).list).toHaveLength(1);
      expect((await admin.get(`${own}/statistics`)).list.length).toBeGreaterThan(0);
      expect((await admin.get(`${own}/permissions`)).status).toBe(200);
      await admin.must(`${own}/sparsify`);
      await settled(admin, own);
      const copy = name('copy');
      await admin.must(`${own}/copy`, { disk: { name: copy }, storage_domain: { name: 'data2' } });
      await settled(admin, own);
      const made = await admin.find('/disks', copy);
      await settled(admin, `/disks/${made.id}`);
      const incomplete = await admin.post(`${own}/move`, { action: {} });
      expect([incomplete.status, incomplete.fault?.reason]).toEqual([400, 'Incomplete parameters']);
      await admin.must(`${own}/move`, { storage_domain: { name: 'data2' } });
      await settled(admin, `/disks/${added.id}`);
      expect((await admin.get(own)).status).toBe(404);
      expect((await admin.delete(`/disks/${added.id}`)).status).toBe(200);
      const last = await admin.add(list, { disk: { format: 'cow', provisioned_size: gibibyte } });
      await settled(admin, `${list}/${last.id}`);
      expect((await admin.delete(`${list}/${last.id}`)).status).toBe(200);
      expect((await admin.get(`${list}/${last.id}`)).status).toBe(404);
    });
    site.incomplete('POST', `${prefix}/disks`, { disk: { format: 'raw' } }, 'provisionedSize');
    site.unknown('GET', `${prefix}/disks/{unknown}`);
    site.unknown('DELETE', `${prefix}/disks/{unknown}`);
  });
}

describe('a thin disk on block storage', () => {
  site.both('has its first extent immediately, and is reducible', async (people) => {
    const { admin, name } = people;
    const domain = await ownDomain(people, {
      storage: { type: 'fcp', logical_units: { logical_unit: [{ id: name('lun') }] } },
    });
    const list = `/storagedomains/${domain}/disks`;
    const { id } = await admin.add(list, {
      disk: { format: 'cow', sparse: true, provisioned_size: 4 * gibibyte },
    });
    expect(await settled(admin, `${list}/${id}`)).toMatchObject({
      actual_size: String(gibibyte),
      total_size: String(gibibyte),
    });
    await admin.must(`${list}/${id}/reduce`);
    expect((await settled(admin, `${list}/${id}`))['status']).toBe('ok');
    const full = await admin.add(list, {
      disk: { format: 'raw', sparse: false, provisioned_size: gibibyte },
    });
    await settled(admin, `${list}/${full.id}`);
    const answer = await admin.post(`/disks/${full.id}/reduce`);
    expect([answer.status, answer.fault?.detail]).toEqual([400, expect.stringContaining('thin')]);
  });
});

describe('the permissions of a quota', () => {
  site.both('say who may consume it', async ({ admin, name, path }) => {
    const quota = await admin.add(path('/datacenters/{datacenter}/quotas'), {
      quota: { name: name('quota') },
    });
    const list = path(`/datacenters/{datacenter}/quotas/${quota.id}/permissions`);
    const role = await admin.find('/roles', 'QuotaConsumer');
    const permission = await admin.add(list, {
      permission: { role: { id: role.id }, user: { id: path('{user}') } },
    });
    expect((await admin.get(list)).list.map((one) => one['id'])).toContain(permission.id);
    expect(at((await admin.get(`${list}/${permission.id}`)).object, 'role.id')).toBe(role.id);
    expect((await admin.delete(`${list}/${permission.id}`)).status).toBe(200);
    expect((await admin.get(`${list}/${permission.id}`)).status).toBe(404);
  });
});

describe('a copy of the disk of a template', () => {
  site.both('is removed from the domain that is named', async ({ admin, name }) => {
    const vm = await admin.add('/vms', {
      vm: { name: name('vm'), cluster: { name: 'Default' }, template: { name: 'Blank' } },
    });
    const disk = { format: 'cow', provisioned_size: gibibyte };
    const attached = await admin.add(`/vms/${vm.id}/diskattachments`, {
      disk_attachment: {
        interface: 'virtio',
        disk: { ...disk, storage_domains: { storage_domain: [{ name: 'data1' }] } },
      },
    });
    await settled(admin, `/disks/${attached.id}`);
    const template = await admin.add('/templates', {
      template: { name: name('template'), vm: { id: vm.id } },
    });
    await settled(admin, `/templates/${template.id}`);
    const [attachment] = (await admin.get(`/templates/${template.id}/diskattachments`)).list;
    const id = String(attachment?.['id']);
    const own = `/templates/${template.id}/diskattachments/${id}`;
    const domains = async () =>
      listItems((await admin.get(`/disks/${id}`)).object, 'storage_domains', 'storage_domain');
    await admin.must(`/disks/${id}/copy`, { storage_domain: { name: 'data2' } });
    await settled(admin, `/disks/${id}`);
    expect(await domains()).toHaveLength(2);
    const nowhere = await admin.delete(`${own}?storage_domain=${vm.id}`);
    expect([nowhere.status, nowhere.fault?.detail]).toEqual([
      404,
      expect.stringContaining('has no copy in storage domain'),
    ]);
    expect((await admin.delete(own)).status).toBe(400);
    const [first, second] = await domains();
    expect((await admin.delete(`${own}?storage_domain=${first?.['id']}`)).status).toBe(200);
    expect(await domains()).toMatchObject([{ id: second?.['id'] }]);
    expect((await admin.delete(`${own}?storage_domain=${second?.['id']}`)).status).toBe(409);
  });
});

describe('a template of a data domain that was detached', () => {
  site.both('is registered again', async (people) => {
    const { admin, name } = people;
    const own = await ownSite(people);
    const data = await ownDomainIn(people, own.path, own.own);
    const second = await ownDomainIn(people, own.path, own.own);
    const vm = await admin.add('/vms', {
      vm: { name: name('vm'), cluster: { id: own.cluster }, template: { name: 'Blank' } },
    });
    const disk = await admin.add(`/vms/${vm.id}/diskattachments`, {
      disk_attachment: {
        interface: 'virtio',
        bootable: true,
        active: true,
        disk: {
          format: 'cow',
          provisioned_size: gibibyte,
          storage_domains: { storage_domain: [{ id: second }] },
        },
      },
    });
    await settled(admin, `/disks/${disk.id}`);
    const template = await admin.add('/templates', {
      template: { name: name('template'), vm: { id: vm.id } },
    });
    await settled(admin, `/templates/${template.id}`);
    await admin.must(`${own.path}/storagedomains/${second}/deactivate`);
    expect((await admin.delete(`${own.path}/storagedomains/${second}`)).status).toBe(200);
    expect((await admin.get(`/templates/${template.id}`)).status).toBe(404);
    await attach(admin, own.path, second);
    const list = `/storagedomains/${second}/templates`;
    expect((await admin.get(list)).list).toEqual([]);
    const lost = (await admin.get(`${list}?unregistered=true`)).list;
    expect(lost.map((one) => one['id'])).toEqual([template.id]);
    expect((await admin.get(`${list}/${template.id}/disks`)).list).toHaveLength(1);
    await admin.must(`${list}/${template.id}/register`, { cluster: { id: own.cluster } });
    expect((await admin.get(`/templates/${template.id}`)).object['status']).toBe('ok');
    const [attachment] = (await admin.get(`/templates/${template.id}/diskattachments`)).list;
    expect((await admin.get(`/disks/${String(attachment?.['id'])}`)).object['status']).toBe('ok');
    expect(data).not.toBe(second);
  });
});

async function ownDomainIn(
  { admin, name }: Parameters<typeof ownSite>[0],
  dataCenter: string,
  host: string,
): Promise<string> {
  const own = name('domain');
  const { id } = await admin.add('/storagedomains', {
    storage_domain: {
      name: own,
      type: 'data',
      storage: { type: 'nfs', address: 'nfs.example.com', path: `/${own}` },
      host: { name: host },
    },
  });
  await attach(admin, dataCenter, id);
  return id;
}
