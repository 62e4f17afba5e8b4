/** Behaviour that automation for deployed services relies on: limits, names, events. */
import { describe, expect } from 'vitest';
import { addCluster } from './support/hosts.ts';
import { type People, useSite } from './support/site.ts';
import { at, listItems } from './support/speaker.ts';
import { addDisk, makeTemplate, mebibyte, newVm, settled, until } from './support/vms.ts';

const site = useSite();

/** Codes of the events about an object, the oldest first. */
async function codes({ admin }: People, kind: string, id: string): Promise<number[]> {
  const { list } = await admin.get('/events');
  return list
    .filter((one) => at(one, `${kind}.id`) === id)
    .map((one) => Number(one['code']))
    .reverse();
}

describe('memory of a running machine', () => {
  const running = async (people: People) => {
    const vm = await newVm(people, { os: { boot: { devices: { device: ['cdrom'] } } } });
    await people.admin.must(`/vms/${vm.id}/start`);
    const put = async (memory: number) => {
      const { object, status, text } = await people.admin.put(`/vms/${vm.id}`, {
        vm: { memory: memory * mebibyte },
      });
      expect(status, text).toBe(200);
      return [Number(object['memory']) / mebibyte, object['next_run_configuration_exists']];
    };
    return { ...vm, put };
  };

  site.both('is unplugged in the size of the plugged module', async (people) => {
    const vm = await running(people);
    expect(await vm.put(1280)).toEqual([1280, 'false']);
    expect(await vm.put(1536)).toEqual([1536, 'false']);
    expect(await vm.put(1024)).toEqual([1024, 'false']);
    expect((await codes(people, 'vm', vm.id)).filter((code) => code === 2046)).toHaveLength(2);
  });
  site.both('changes at the next start if no device fits', async (people) => {
    const vm = await running(people);
    expect(await vm.put(1536)).toEqual([1536, 'false']);
    expect(await vm.put(1280)).toEqual([1536, 'true']);
    expect(await codes(people, 'vm', vm.id)).not.toContain(2046);
    await people.admin.must(`/vms/${vm.id}/stop`);
    const after = await settled(people, vm.id);
    expect(Number(after['memory']) / mebibyte).toBe(1280);
  });
});

describe('an empty lease', () => {
  site.both('takes the lease away, with or without high availability', async (people) => {
    const { admin } = people;
    for (const enabled of [true, false]) {
      const vm = await newVm(people, {
        high_availability: { enabled: true },
        lease: { storage_domain: { name: 'data1' } },
      });
      const path = `/vms/${vm.id}`;
      expect(at((await admin.get(path)).object, 'lease.storage_domain.id')).toBeTruthy();
      const { object, status, text } = await admin.put(path, {
        vm: { lease: {}, high_availability: { enabled } },
      });
      expect(status, text).toBe(200);
      expect(object['lease']).toBeUndefined();
    }
  });
});

describe('export of a running machine to a file', () => {
  site.both('leaves it running, and the file can be imported', async (people) => {
    const { admin, path, name } = people;
    const vm = await newVm(people);
    await addDisk(people, vm.id);
    await admin.must(`/vms/${vm.id}/start`);
    expect(await settled(people, vm.id)).toMatchObject({ status: 'up' });
    const filename = `${name('running')}.ova`;
    const host = { id: path('{host}') };
    await admin.must(`/vms/${vm.id}/export`, { host, directory: '/tmp', filename });
    expect((await admin.get(`/vms/${vm.id}`)).object).toMatchObject({ status: 'up' });
    while (!(await codes(people, 'vm', vm.id)).includes(1224)) {
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    expect(await codes(people, 'vm', vm.id)).toContain(1223);
    const imported = await admin.post('/externalvmimports', {
      external_vm_import: {
        ...{ name: filename, provider: 'kvm', url: `ova:///tmp/${filename}`, host },
        ...{ cluster: { id: path('{cluster}') }, storage_domain: { name: 'data1' } },
        vm: { name: name('imported') },
      },
    });
    expect(imported.status, imported.text).toBe(201);
    const made = String(at(imported.object, 'vm.id'));
    await until(people, `/vms/${made}`, (one) => one['status'] === 'down');
    expect((await admin.get(`/vms/${made}/diskattachments`)).list).toHaveLength(1);
    await admin.must(`/vms/${vm.id}/stop`);
  });
  site.both('needs it down for an export domain', async (people) => {
    const { admin, path } = people;
    const action = { storage_domain: { name: 'data1' } };
    const answer = await admin.post(path('/vms/{vm}/export'), { action });
    expect([answer.status, answer.fault?.detail]).toEqual([409, expect.stringContaining('down')]);
  });
});

describe('events', () => {
  site.both('tell when a template is exported to a file, and imported', async (people) => {
    const { admin, path, name } = people;
    const { id } = await makeTemplate(site, people, 'bytes');
    const filename = `${name('template')}.ova`;
    const host = { id: path('{host}') };
    await admin.must(`/templates/${id}/export`, { host, directory: '/tmp', filename });
    await until(people, `/templates/${id}`, (one) => one['status'] === 'ok');
    expect(await codes(people, 'template', id)).toEqual(expect.arrayContaining([1226, 1227]));
    const { object } = await admin.post('/externaltemplateimports', {
      external_template_import: {
        ...{ url: `ova:///tmp/${filename}`, host, template: { name: name('again') } },
        ...{ cluster: { id: path('{cluster}') }, storage_domain: { name: 'data1' } },
      },
    });
    const made = String(at(object, 'template.id'));
    await until(people, `/templates/${made}`, (one) => one['status'] === 'ok');
    expect(await codes(people, 'template', made)).toEqual([1163, 1158]);
    const { list } = await admin.get('/events?max=10');
    const begun = list.find((one) => at(one, 'template.id') === made && one['code'] === '1163');
    expect(begun?.['description']).toMatch(/to Data Center Default, Cluster Default was started/);
  });
  site.both('tell of the commit of a previewed snapshot', async (people) => {
    const { admin } = people;
    const { id } = await newVm(people);
    const { id: snapshot } = await admin.add(`/vms/${id}/snapshots`, {
      snapshot: { description: 'before' },
    });
    await until(people, `/vms/${id}/snapshots/${snapshot}`, (one) => {
      return one['snapshot_status'] === 'ok';
    });
    await admin.must(`/vms/${id}/previewsnapshot`, { snapshot: { id: snapshot }, async: false });
    await settled(people, id);
    await admin.must(`/vms/${id}/commitsnapshot`, { async: false });
    await settled(people, id);
    expect((await codes(people, 'vm', id)).slice(-2)).toEqual([94, 95]);
  });
  site.both('tell of each sort of QoS by its own code', async (people) => {
    const { admin, path, name } = people;
    const qoss = path('/datacenters/{datacenter}/qoss');
    const of = async (qos: object) => {
      const { id } = await admin.add(qoss, { qos: { name: name('qos'), ...qos } });
      await admin.put(`${qoss}/${id}`, { qos: { description: 'new' } });
      await admin.delete(`${qoss}/${id}`);
      const { list } = await admin.get('/events?max=3');
      return list.map((one) => Number(one['code'])).reverse();
    };
    expect(await of({ type: 'cpu', cpu_limit: 50 })).toEqual([10110, 10114, 10112]);
    const limits = { inbound_average: 10, inbound_peak: 10, inbound_burst: 10 };
    expect(await of({ type: 'network', ...limits })).toEqual([10100, 10104, 10102]);
  });
});

describe('network names', () => {
  site.both('may have spaces and any letters', async ({ admin, path, name }) => {
    const network = {
      name: name('Réseau d’été, salle'),
      data_center: { id: path('{datacenter}') },
    };
    const { id } = await admin.add('/networks', { network });
    const { object } = await admin.get(`/networks/${id}`);
    expect(object['name']).toBe(network.name);
    expect(object['vdsm_name']).toMatch(/^on[0-9a-f]{13}$/);
  });
});

describe('a pool without a size', () => {
  site.both('has one machine', async (people) => {
    const { admin, path, name } = people;
    const { id: template } = await makeTemplate(site, people, 'bytes');
    const vm_pool = {
      ...{ name: name('pool'), cluster: { id: path('{cluster}') }, template: { id: template } },
    };
    const { id } = await admin.add('/vmpools', { vm_pool });
    expect((await admin.get(`/vmpools/${id}`)).object).toMatchObject({ size: '1' });
    await admin.delete(`/vmpools/${id}`);
    const { list } = await admin.get('/events?max=20');
    const told = list.filter((one) => String(one['description']).includes(vm_pool.name));
    expect(told.map((one) => Number(one['code']))).toEqual([304, 321, 37, 302]);
  });
});

describe('network providers of a cluster', () => {
  site.both('are those of OpenStack networks', async (people) => {
    const { admin, name } = people;
    const provider = { name: name('ovn'), url: 'https://ovn.example.com:9696' };
    const { id } = await admin.add('/openstacknetworkproviders', {
      openstack_network_provider: provider,
    });
    const external_network_providers = { external_provider: [{ name: provider.name }] };
    const cluster = await addCluster(people, { external_network_providers });
    const { object } = await admin.get(`/clusters/${cluster.id}`);
    const [named] = listItems(object, 'external_network_providers', 'external_provider');
    expect(named?.['id']).toBe(id);
    expect(named?.['href']).toMatch(new RegExp(`/openstacknetworkproviders/${id}$`));
    const { list } = await admin.get(`/clusters/${cluster.id}/externalnetworkproviders`);
    expect(list).toMatchObject([{ id, name: provider.name, url: provider.url }]);
  });
});

describe('the default cluster', () => {
  site.both('can be removed when it is empty', async (people) => {
    const { admin, name } = people;
    const cluster = await addCluster(people);
    const old = (await admin.get('/clusters?search=name%3DDefault')).list[0];
    if (old) await admin.put(`/clusters/${old['id']}`, { cluster: { name: name('renamed') } });
    await admin.put(`/clusters/${cluster.id}`, { cluster: { name: 'Default' } });
    const removed = await admin.delete(`/clusters/${cluster.id}`);
    expect(removed.status, removed.text).toBe(200);
  });
});
