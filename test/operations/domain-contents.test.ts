/** Unregistered contents of a storage domain: registration, export and import. */
import { describe, expect } from 'vitest';
import { type People, useSite } from './support/site.ts';
import { at } from './support/speaker.ts';
import { addDomain, attach, fetchStatus, gibibyte, ownDomain, settled } from './support/storage.ts';

const site = useSite();

/** A machine with an interface and a disk on a domain. */
async function vmOn({ admin, name, path }: People, domain: string) {
  const own = name('vm');
  const { id } = await admin.add('/vms', {
    vm: { name: own, cluster: { id: path('{cluster}') }, template: { name: 'Blank' } },
  });
  await admin.add(`/vms/${id}/nics`, { nic: { name: 'nic1' } });
  const disk = {
    name: own,
    provisioned_size: gibibyte,
    format: 'cow',
    storage_domains: { storage_domain: [{ id: domain }] },
  };
  const attachment = await admin.add(`/vms/${id}/diskattachments`, {
    disk_attachment: { interface: 'virtio', bootable: true, active: true, disk },
  });
  await settled(admin, `/disks/${attachment.id}`);
  return { id, name: own, disk: attachment.id };
}

/** The only disk of a list is found by its name, in any letters unless these are to count. */
async function searchedByName({ admin }: People, list: string, name: string): Promise<void> {
  const upper = name.toUpperCase();
  for (const [query, count] of [
    [`search=name%3D${name}`, 1],
    [`search=name%3D${upper}`, 1],
    [`search=name%3D${upper}&case_sensitive=true`, 0],
    ['search=name%3Dnosuch', 0],
    ['search=sortby+name+page+2&max=1', 0],
  ] as const) {
    expect((await admin.get(`${list}?${query}`)).list, query).toHaveLength(count);
  }
}

async function down(people: People, path: string): Promise<void> {
  for (let turn = 0; turn < 500; turn++) {
    if ((await fetchStatus(people.admin, path)) !== 'image_locked') return;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  throw new Error(`${path} stays locked.`);
}

describe('a data domain that was detached', () => {
  site.both('takes its machines along, which are registered again', async (people) => {
    const { admin, path } = people;
    const dataCenter = path('/datacenters/{datacenter}/storagedomains');
    const domain = await ownDomain(people);
    const vm = await vmOn(people, domain);
    const list = `/storagedomains/${domain}/vms`;
    expect((await admin.get(list)).list.map((one) => one['id'])).toEqual([vm.id]);
    expect((await admin.get(`${list}?unregistered=true`)).list).toEqual([]);
    const macs = (await admin.get(`/vms/${vm.id}/nics`)).list.map((nic) => at(nic, 'mac.address'));

    await admin.must(`${dataCenter}/${domain}/deactivate`);
    await admin.delete(`${dataCenter}/${domain}`);
    expect((await admin.get(`/vms/${vm.id}`)).status).toBe(404);
    expect((await admin.get(`/disks/${vm.disk}`)).status).toBe(404);
    const cluster = { cluster: { id: path('{cluster}') } };
    const early = await admin.post(`${list}/${vm.id}/register`, { action: cluster });
    expect([early.status, early.fault?.detail]).toEqual([
      409,
      expect.stringContaining('unattached'),
    ]);
    await attach(admin, path('/datacenters/{datacenter}'), domain);

    expect((await admin.get(list)).list).toEqual([]);
    const found = (await admin.get(`${list}?unregistered=true`)).list;
    expect(found).toMatchObject([{ id: vm.id, name: vm.name }]);
    const disks = (await admin.get(`${list}/${vm.id}/disks`)).list;
    expect(disks.map((disk) => disk['id'])).toEqual([vm.disk]);
    await searchedByName(people, `${list}/${vm.id}/disks`, vm.name);
    const attachments = (await admin.get(`${list}/${vm.id}/diskattachments`)).list;
    expect(attachments).toMatchObject([{ id: vm.disk, interface: 'virtio' }]);
    const missing = await admin.post(`${list}/${vm.id}/register`, { action: {} });
    expect([missing.status, missing.fault?.reason]).toEqual([400, 'Incomplete parameters']);
    await admin.must(`${list}/${vm.id}/register`, cluster);

    expect((await admin.get(`/vms/${vm.id}`)).object).toMatchObject({
      name: vm.name,
      status: 'down',
    });
    expect(
      (await admin.get(`/vms/${vm.id}/nics`)).list.map((nic) => at(nic, 'mac.address')),
    ).toEqual(macs);
    expect(await fetchStatus(admin, `/disks/${vm.disk}`)).toBe('ok');
    expect((await admin.get(`/vms/${vm.id}/diskattachments`)).list).toHaveLength(1);
    expect((await admin.get(`${list}?unregistered=true`)).list).toEqual([]);
    expect((await admin.get(`${list}/${vm.id}`)).status).toBe(200);
    await searchedByName(people, `${list}/${vm.id}/disks`, vm.name);
    for (const again of [
      `${list}/${vm.id}/register`,
      `${dataCenter}/${domain}/disks/${vm.disk}/register`,
    ]) {
      const refusal = await admin.post(again, { action: cluster });
      expect([refusal.status, refusal.fault?.detail], again).toEqual([
        409,
        expect.stringContaining('It is in the inventory already'),
      ]);
    }
  });

  site.both('can be rid of them', async (people) => {
    const { admin, path } = people;
    const dataCenter = path('/datacenters/{datacenter}/storagedomains');
    const domain = await ownDomain(people);
    const vm = await vmOn(people, domain);
    await admin.must(`${dataCenter}/${domain}/deactivate`);
    await admin.delete(`${dataCenter}/${domain}`);
    await attach(admin, path('/datacenters/{datacenter}'), domain);
    const list = `/storagedomains/${domain}`;
    expect((await admin.delete(`${list}/vms/${vm.id}`)).status).toBe(200);
    expect((await admin.get(`${list}/vms?unregistered=true`)).list).toEqual([]);
    expect((await admin.get(`${list}/disks?unregistered=true`)).list).toEqual([]);
  });

  site.both('has disks that are registered separately', async (people) => {
    const { admin, path } = people;
    const dataCenter = path('/datacenters/{datacenter}/storagedomains');
    const domain = await ownDomain(people);
    const vm = await vmOn(people, domain);
    await admin.must(`${dataCenter}/${domain}/deactivate`);
    await admin.delete(`${dataCenter}/${domain}`);
    await attach(admin, path('/datacenters/{datacenter}'), domain);
    const disks = `/storagedomains/${domain}/disks?unregistered=true`;
    const unknown = await admin.post(disks, { disk: { id: path('{unknown}') } });
    expect(unknown.status).toBe(404);
    const answer = await admin.post(disks, { disk: { id: vm.disk } });
    expect([200, 201], answer.text).toContain(answer.status);
    expect(await fetchStatus(admin, `/disks/${vm.disk}`)).toBe('ok');
  });

  site.both('keeps machines with disks elsewhere in the inventory', async (people) => {
    const { admin, path } = people;
    const dataCenter = path('/datacenters/{datacenter}/storagedomains');
    const domain = await ownDomain(people);
    const other = await admin.find('/storagedomains', 'data1');
    const vm = await vmOn(people, other.id);
    const second = await admin.add(`/vms/${vm.id}/diskattachments`, {
      disk_attachment: {
        interface: 'virtio',
        disk: {
          provisioned_size: gibibyte,
          format: 'raw',
          storage_domains: { storage_domain: [{ id: domain }] },
        },
      },
    });
    await settled(admin, `/disks/${second.id}`);
    await admin.must(`${dataCenter}/${domain}/deactivate`);
    await admin.delete(`${dataCenter}/${domain}`);
    const { list } = await admin.get(`/vms/${vm.id}/diskattachments`);
    expect(list.map((one) => one['id'])).toEqual([vm.disk]);
  });

  site.both('does not go while machines on it are protected', async (people) => {
    const { admin, path } = people;
    const attached = path('/datacenters/{datacenter}/storagedomains');
    const domain = await ownDomain(people);
    const vm = await vmOn(people, domain);
    await admin.put(`/vms/${vm.id}`, { vm: { delete_protected: true } });
    await admin.must(`${attached}/${domain}/deactivate`);
    const answer = await admin.delete(`${attached}/${domain}`);
    expect([answer.status, answer.fault?.detail]).toEqual([409, expect.stringContaining(vm.name)]);
  });
});

describe('a registration', () => {
  /** A machine on a domain that left and came back, ready to be registered. */
  async function gone(people: People) {
    const domain = await ownDomain(people);
    const vm = await vmOn(people, domain);
    return {
      domain,
      vm,
      leave: () => leave(people, domain),
      here: `/storagedomains/${domain}`,
    };
  }
  async function leave({ admin, path }: People, domain: string) {
    const attached = path('/datacenters/{datacenter}/storagedomains');
    await admin.must(`${attached}/${domain}/deactivate`);
    await admin.delete(`${attached}/${domain}`);
    await attach(admin, path('/datacenters/{datacenter}'), domain);
  }
  const cluster = ({ path }: People) => ({ cluster: { id: path('{cluster}') } });

  site.both('takes the cluster and profiles that its configuration maps to', async (people) => {
    const { admin, name, path } = people;
    const { vm, leave: away, here } = await gone(people);
    const [nic] = (await admin.get(`/vms/${vm.id}/nics`)).list;
    const [old] = (await admin.get('/vnicprofiles')).list;
    await admin.put(`/vms/${vm.id}/nics/${nic?.['id']}`, {
      nic: { vnic_profile: { id: old?.['id'] } },
    });
    const profile = await admin.add('/vnicprofiles', {
      vnic_profile: { name: name('other'), network: { id: at(old, 'network.id') } },
    });
    const other = await admin.add('/clusters', {
      cluster: {
        name: name('cluster'),
        cpu: { type: 'Intel Nehalem Family' },
        data_center: { id: path('{datacenter}') },
      },
    });
    await away();
    await admin.must(`${here}/vms/${vm.id}/register`, {
      registration_configuration: {
        cluster_mappings: {
          registration_cluster_mapping: [{ from: { name: 'Default' }, to: { id: other.id } }],
        },
        vnic_profile_mappings: {
          registration_vnic_profile_mapping: [
            { from: { id: old?.['id'] }, to: { id: profile.id } },
          ],
        },
      },
    });
    expect(at((await admin.get(`/vms/${vm.id}`)).object, 'cluster.id')).toBe(other.id);
    const [back] = (await admin.get(`/vms/${vm.id}/nics`)).list;
    expect(at(back, 'vnic_profile.id')).toBe(profile.id);
  });
  site.both('allows missing disks and other addresses on request', async (people) => {
    const { admin } = people;
    const { vm, leave: away, here } = await gone(people);
    const [nic] = (await admin.get(`/vms/${vm.id}/nics`)).list;
    await away();
    const unregistered = `${here}/disks/${vm.disk}`;
    expect((await admin.delete(unregistered)).status).toBe(200);
    // Another VM has the address now.
    const taken = await admin.add('/vms', {
      vm: { name: `${vm.name}-2`, ...cluster(people), template: { name: 'Blank' } },
    });
    await admin.add(`/vms/${taken.id}/nics`, {
      nic: { name: 'nic1', mac: { address: at(nic, 'mac.address') } },
    });
    const register = (more: object) =>
      admin.post(`${here}/vms/${vm.id}/register`, { action: { ...cluster(people), ...more } });
    const partial = { allow_partial_import: true };
    expect((await register({ reassign_bad_macs: true })).status).toBe(409);
    expect((await register(partial)).status).toBe(409);
    const done = await register({ ...partial, reassign_bad_macs: true });
    expect(done.status, done.text).toBe(200);
    expect((await admin.get(`/vms/${vm.id}/diskattachments`)).list).toEqual([]);
    const [back] = (await admin.get(`/vms/${vm.id}/nics`)).list;
    expect(at(back, 'mac.address')).not.toBe(at(nic, 'mac.address'));
  });
  site.both('of a template does the same', async (people) => {
    const { admin, name } = people;
    const { vm, domain, here } = await gone(people);
    const [old] = (await admin.get('/vnicprofiles')).list;
    const [nic] = (await admin.get(`/vms/${vm.id}/nics`)).list;
    await admin.put(`/vms/${vm.id}/nics/${nic?.['id']}`, {
      nic: { vnic_profile: { id: old?.['id'] } },
    });
    const network = (await admin.get(`/networks/${String(at(old, 'network.id'))}`)).object;
    const profile = await admin.add('/vnicprofiles', {
      vnic_profile: { name: name('other'), network: { id: network['id'] } },
    });
    const own = name('template');
    const { id } = await admin.add('/templates', { template: { name: own, vm: { id: vm.id } } });
    const [attachment] = (await admin.get(`/templates/${id}/diskattachments`)).list;
    await settled(admin, `/disks/${String(attachment?.['id'])}`);
    await down(people, `/vms/${vm.id}`);
    await leave(people, domain);
    expect((await admin.delete(`${here}/disks/${String(attachment?.['id'])}`)).status).toBe(200);
    const register = (more: object) =>
      admin.post(`${here}/templates/${id}/register`, {
        action: {
          ...cluster(people),
          vnic_profile_mappings: {
            vnic_profile_mapping: [
              {
                source_network_name: network['name'],
                source_network_profile_name: old?.['name'],
                target_vnic_profile: { id: profile.id },
              },
            ],
          },
          ...more,
        },
      });
    expect((await register({})).status).toBe(409);
    const done = await register({ allow_partial_import: true });
    expect(done.status, done.text).toBe(200);
    expect((await admin.get(`/templates/${id}/diskattachments`)).list).toEqual([]);
    const [back] = (await admin.get(`/templates/${id}/nics`)).list;
    expect(at(back, 'vnic_profile.id')).toBe(profile.id);
  });
});

describe('an export domain', () => {
  site.both('holds copies of machines, which are imported', async (people) => {
    const { admin, name, path } = people;
    const data = await admin.find('/storagedomains', 'data1');
    const dataCenter = path('/datacenters/{datacenter}');
    const known = (await admin.get(`${dataCenter}/storagedomains`)).list;
    let id = String(known.find((one) => one['type'] === 'export')?.['id'] ?? '');
    if (id === '') {
      id = (await addDomain(admin, 'host1', name('export'), { type: 'export' })).id;
      await attach(admin, dataCenter, id);
    }
    const vm = await vmOn(people, data.id);
    await admin.must(`/vms/${vm.id}/export`, { storage_domain: { id } });
    await down(people, `/vms/${vm.id}`);
    const own = `/storagedomains/${id}/vms/${vm.id}`;
    expect((await admin.get(own)).object).toMatchObject({ id: vm.id, name: vm.name });
    const target = { cluster: { id: path('{cluster}') }, storage_domain: { name: 'data2' } };
    const twice = await admin.post(`${own}/import`, { action: target });
    expect([twice.status, twice.fault?.detail]).toEqual([409, expect.stringContaining('clone')]);
    const clone = name('clone');
    await admin.must(`${own}/import`, { ...target, clone: true, vm: { name: clone } });
    const copy = await admin.find('/vms', clone);
    await down(people, `/vms/${copy.id}`);
    expect(copy.id).not.toBe(vm.id);
    const [attachment] = (await admin.get(`/vms/${copy.id}/diskattachments`)).list;
    const disk = await settled(admin, `/disks/${String(attachment?.['id'])}`);
    expect(disk).toMatchObject({ status: 'ok', provisioned_size: String(gibibyte) });
    await admin.delete(`/vms/${vm.id}`);
    await admin.must(`${own}/import`, target);
    await down(people, `/vms/${vm.id}`);
    expect((await admin.get(`/vms/${vm.id}`)).object['name']).toBe(vm.name);
    expect((await admin.delete(own)).status).toBe(200);
    expect(
      (await admin.get(`/storagedomains/${id}/vms`)).list.map((one) => one['id']),
    ).not.toContain(vm.id);
  });
  site.both('holds templates, too', async (people) => {
    const { admin, name, path } = people;
    const data = await admin.find('/storagedomains', 'data1');
    const dataCenter = path('/datacenters/{datacenter}');
    const known = (await admin.get(`${dataCenter}/storagedomains`)).list;
    const id = String(known.find((one) => one['type'] === 'export')?.['id'] ?? '');
    const vm = await vmOn(people, data.id);
    const own = name('template');
    const template = await admin.add('/templates', {
      template: { name: own, vm: { id: vm.id } },
    });
    await settled(admin, `/templates/${template.id}`);
    const exported = async (exclusive: boolean) => {
      const answer = await admin.post(`/templates/${template.id}/export`, {
        action: { storage_domain: { id }, exclusive },
      });
      await settled(admin, `/templates/${template.id}`);
      return answer.status;
    };
    expect(await exported(false)).toBe(200);
    expect(await exported(false)).toBe(409);
    expect(await exported(true)).toBe(200);
    const stored = `/storagedomains/${id}/templates/${template.id}`;
    expect((await admin.get(stored)).object).toMatchObject({ name: own });
    expect((await admin.get(`${stored}/disks`)).list).toHaveLength(1);
    const clone = name('clone');
    await admin.must(`${stored}/import`, {
      clone: true,
      cluster: { id: path('{cluster}') },
      storage_domain: { name: 'data2' },
      template: { name: clone },
    });
    const copy = await admin.find('/templates', clone);
    expect((await settled(admin, `/templates/${copy.id}`))['status']).toBe('ok');
    expect((await admin.get(`/templates/${copy.id}/diskattachments`)).list).toHaveLength(1);
    const here = await admin.get(`/storagedomains/${data.id}/templates`);
    expect(here.list.map((one) => one['id'])).toContain(template.id);
    expect((await admin.delete(stored)).status).toBe(200);
  });
});
