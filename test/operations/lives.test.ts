/** Collections below other objects: each of their operations does what it says, also there. */
import { describe, expect } from 'vitest';
import { hostAndNetwork } from './support/host-networks.ts';
import { foundAlone, livesIn } from './support/lives.ts';
import { type People, useSite } from './support/site.ts';
import { listItems, type Thing } from './support/speaker.ts';
import { addDisk as addPlainDisk, ownDomain } from './support/storage.ts';
import { addDisk, makeTemplate, newVm, until } from './support/vms.ts';

const site = useSite();
const inDataCenter = '/datacenters/{datacenter}';

/** Permission for jane, for several objects. */
async function janes({ admin }: People): Promise<Thing> {
  const { list } = await admin.get('/users');
  const user = list.find((one) => String(one['user_name']).startsWith('jane'));
  return { permission: { role: { name: 'UserRole' }, user: { id: user?.['id'] } } };
}

describe('parts of a VM', () => {
  site.both('is found alone', async (people) => {
    const { admin, path } = people;
    const vm = await newVm(people, {
      cpu: { topology: { sockets: 2 } },
      os: { boot: { devices: { device: ['cdrom'] } } },
    });
    const here = `/vms/${vm.id}`;
    await admin.add(`${here}/mediateddevices`, {
      vm_mediated_device: { spec_params: { property: [{ name: 'mdevType', value: 'a-1' }] } },
    });
    const nic = await admin.add(`${here}/nics`, { nic: { name: 'nic1' } });
    const parameters = `${here}/nics/${nic.id}/networkfilterparameters`;
    await admin.add(parameters, { network_filter_parameter: { name: 'IP', value: '10.0.0.1' } });
    await admin.add(`${here}/numanodes`, {
      vm_numa_node: { index: 0, memory: 256, cpu: { cores: { core: [{ index: 0 }] } } },
    });
    await admin.add(`${here}/watchdogs`, { watchdog: { model: 'i6300esb', action: 'reset' } });
    await foundAlone(
      people,
      ...['mediateddevices', 'numanodes', 'watchdogs'].map((one) => `${here}/${one}`),
      parameters,
      path('/vms/{vm}/katelloerrata'),
    );
  });
  site.both('is found alone in its backups and checkpoints', async (people) => {
    const { admin } = people;
    const vm = await newVm(people);
    const disk = await addDisk(people, vm.id, { disk: { format: 'cow', backup: 'incremental' } });
    const here = `/vms/${vm.id}`;
    const backup = await admin.add(`${here}/backups`, {
      backup: { disks: { disk: [{ id: disk }] } },
    });
    await until(people, `${here}/backups/${backup.id}`, (one) => one['phase'] === 'ready');
    const checkpoint = (await admin.get(`${here}/checkpoints`)).list[0];
    await foundAlone(
      people,
      `${here}/backups`,
      `${here}/backups/${backup.id}/disks`,
      `${here}/checkpoints`,
      `${here}/checkpoints/${checkpoint?.['id']}/disks`,
    );
    await admin.must(`${here}/backups/${backup.id}/finalize`);
  });
});

describe('parts of a template or instance type', () => {
  site.both('is found alone', async (people) => {
    const { admin, name } = people;
    const vm = await newVm(people);
    await admin.add(`/vms/${vm.id}/nics`, { nic: { name: 'nic1' } });
    await admin.add(`/vms/${vm.id}/watchdogs`, {
      watchdog: { model: 'i6300esb', action: 'reset' },
    });
    const { id } = await admin.add('/templates', {
      template: { name: name('tpl'), vm: { id: vm.id } },
    });
    await until(people, `/templates/${id}`, (one) => one['status'] === 'ok');
    const here = `/templates/${id}`;
    await foundAlone(
      people,
      ...['cdroms', 'graphicsconsoles', 'nics', 'watchdogs'].map((one) => `${here}/${one}`),
    );
    const spec = (value: string) => ({
      spec_params: { property: [{ name: 'mdevType', value }] },
    });
    const devices = `${here}/mediateddevices`;
    const device = await admin.add(devices, { vm_mediated_device: spec('a-1') });
    await foundAlone(people, devices);
    await admin.put(`${devices}/${device.id}`, { vm_mediated_device: spec('a-2') });
    expect((await admin.get(`${devices}/${device.id}`)).text).toContain('a-2');
    expect((await admin.delete(`${devices}/${device.id}`)).status).toBe(200);
    expect((await admin.get(devices)).list).toEqual([]);
  });
  site.both('is added to an instance type and removed', async (people) => {
    const { admin, name } = people;
    const type = await admin.add('/instancetypes', { instance_type: { name: name('type') } });
    const here = `/instancetypes/${type.id}`;
    await livesIn(people, {
      list: `${here}/graphicsconsoles`,
      add: { graphics_console: { protocol: 'spice' } },
    });
    await livesIn(people, {
      list: `${here}/watchdogs`,
      add: { watchdog: { model: 'i6300esb', action: 'reset' } },
      change: { action: 'pause' },
    });
  });
});

describe('a disk on a storage domain', () => {
  for (const prefix of ['', inDataCenter]) {
    site.both(`has permissions and statistics below ${prefix || 'the domain'}`, async (people) => {
      const { admin, path } = people;
      const domain = await ownDomain(people);
      const disk = await addPlainDisk(admin, domain);
      const here = path(`${prefix}/storagedomains/${domain}/disks/${disk.id}`);
      await foundAlone(people, `${here}/statistics`);
      await livesIn(people, { list: `${here}/permissions`, add: await janes(people) });
    });
    site.both(`is exported to images from ${prefix || 'the domain'}`, async (people) => {
      const { admin, name, path } = people;
      const provider = name('glance');
      await admin.add('/openstackimageproviders', {
        openstack_image_provider: { name: provider, url: 'https://images.example.com' },
      });
      const target = await admin.find('/storagedomains', provider);
      await admin.post(path(`${inDataCenter}/storagedomains`), {
        storage_domain: { id: target.id },
      });
      const domain = await ownDomain(people);
      const disk = await addPlainDisk(admin, domain);
      const images = async () => (await admin.get(`/storagedomains/${target.id}/images`)).list;
      const before = (await images()).length;
      await admin.must(path(`${prefix}/storagedomains/${domain}/disks/${disk.id}/export`), {
        storage_domain: { id: target.id },
      });
      await until(people, `/disks/${disk.id}`, (one) => one['status'] === 'ok');
      expect((await images()).length).toBe(before + 1);
    });
  }
  site.both('is reduced by its own path', async (people) => {
    const { admin, name } = people;
    const domain = await ownDomain(people, {
      storage: { type: 'fcp', logical_units: { logical_unit: [{ id: name('lun') }] } },
    });
    const disk = await addPlainDisk(admin, domain, { format: 'cow', sparse: true });
    await admin.must(`/disks/${disk.id}/reduce`);
    const reduced = await until(people, `/disks/${disk.id}`, (one) => one['status'] === 'ok');
    expect(Number(reduced['actual_size'])).toBeLessThanOrEqual(Number(disk['actual_size']));
  });
  site.both('has snapshots that the domain lists and removes', async (people) => {
    const { admin } = people;
    const domain = await ownDomain(people);
    const vm = await newVm(people);
    await addDisk(people, vm.id, {
      disk: { storage_domains: { storage_domain: [{ id: domain }] } },
    });
    const snapshot = await admin.add(`/vms/${vm.id}/snapshots`, {
      snapshot: { description: 'one' },
    });
    await until(
      people,
      `/vms/${vm.id}/snapshots/${snapshot.id}`,
      (one) => one['snapshot_status'] === 'ok',
    );
    const list = `/storagedomains/${domain}/disksnapshots`;
    await foundAlone(people, list);
    const [image] = (await admin.get(list)).list;
    expect((await admin.delete(`${list}/${image?.['id']}`)).status).toBe(200);
    expect((await admin.get(list)).list.map(({ id }) => id)).not.toContain(image?.['id']);
  });
  site.both('is shown with the template and machine that it is of', async (people) => {
    const { admin } = people;
    const domain = await ownDomain(people);
    await makeTemplate(site, people, 'x');
    const vm = await newVm(people);
    await addDisk(people, vm.id, {
      disk: { storage_domains: { storage_domain: [{ id: domain }] } },
    });
    await foundAlone(people, `/storagedomains/${domain}/vms/${vm.id}/diskattachments`);
    const data = await admin.find('/storagedomains', 'data1');
    const templates = `/storagedomains/${data.id}/templates`;
    const [one] = (await admin.get(templates)).list;
    await foundAlone(people, `${templates}/${one?.['id']}/disks`);
  });
});

describe('a cluster', () => {
  for (const prefix of ['', inDataCenter]) {
    site.both(
      `has features, profiles and permissions below ${prefix || 'itself'}`,
      async (people) => {
        const { admin, path, name } = people;
        const cluster = await admin.add('/clusters', {
          cluster: {
            name: name('cluster'),
            cpu: { type: 'Intel Nehalem Family' },
            data_center: { id: path('{datacenter}') },
          },
        });
        const here = path(`${prefix}/clusters/${cluster.id}`);
        await foundAlone(people, '/clusterlevels/4.8/clusterfeatures', `${here}/networkfilters`);
        const [feature] = (await admin.get('/clusterlevels/4.8/clusterfeatures')).list;
        await livesIn(people, {
          list: `${here}/enabledfeatures`,
          add: { cluster_feature: { id: feature?.['id'] } },
        });
        await livesIn(people, {
          list: `${here}/cpuprofiles`,
          add: { cpu_profile: { name: name('profile') } },
        });
        await livesIn(people, { list: `${here}/permissions`, add: await janes(people) });
      },
    );
  }
});

describe('an iSCSI bond', () => {
  const bonds = `${inDataCenter}/iscsibonds`;
  /** A bond of a connection and a network that nothing else uses. */
  async function bond({ admin, name, path }: People) {
    const connection = await admin.add('/storageconnections', {
      storage_connection: {
        type: 'iscsi',
        address: `${name('san')}.example.com`,
        port: 3260,
        target: 'iqn.c',
      },
    });
    const network = await admin.add('/networks', {
      network: { name: name('net'), data_center: { id: path('{datacenter}') } },
    });
    const { id } = await admin.add(path(bonds), {
      iscsi_bond: {
        name: name('bond'),
        storage_connections: { storage_connection: [{ id: connection.id }] },
      },
    });
    return { path: path(`${bonds}/${id}`), connection: connection.id, network: network.id };
  }
  site.both('has networks, which are changed there', async (people) => {
    const { admin } = people;
    const { path, network } = await bond(people);
    const list = `${path}/networks`;
    await admin.add(list, { network: { id: network } });
    await foundAlone(people, list);
    const changed = await admin.put(`${list}/${network}`, { network: { description: 'seen' } });
    expect(changed.status, changed.text).toBe(200);
    expect((await admin.get(`/networks/${network}`)).object['description']).toBe('seen');
  });
  site.both('has networks that are searched', async (people) => {
    const { admin } = people;
    const { path, network } = await bond(people);
    await admin.add(`${path}/networks`, { network: { id: network } });
    const { name } = (await admin.get(`/networks/${network}`)).object;
    const upper = String(name).toUpperCase();
    for (const [query, count] of [
      [`search=name%3D${upper}`, 1],
      [`search=name%3D${upper}&case_sensitive=true`, 0],
      ['search=name%3Dnosuch', 0],
    ] as const) {
      expect((await admin.get(`${path}/networks?${query}`)).list, query).toHaveLength(count);
    }
  });
  site.both('has connections, which are changed there', async (people) => {
    const { admin } = people;
    const { path, connection } = await bond(people);
    const list = `${path}/storageserverconnections`;
    await foundAlone(people, list);
    const changed = await admin.put(`${list}/${connection}`, {
      storage_connection: { port: 3261 },
    });
    expect(changed.status, changed.text).toBe(200);
    expect((await admin.get(`/storageconnections/${connection}`)).object['port']).toBe('3261');
  });
  site.both('links to the parts of its networks', async (people) => {
    const { admin, name } = people;
    const { path, network } = await bond(people);
    await admin.add(`${path}/networks`, { network: { id: network } });
    const here = `${path}/networks/${network}`;
    await livesIn(people, { list: `${here}/permissions`, add: await janes(people) });
    await livesIn(people, {
      list: `${here}/networklabels`,
      add: { network_label: { id: 'blue' } },
      id: 'blue',
    });
    const profile = { vnic_profile: { name: name('profile') } };
    await livesIn(people, { list: `${here}/vnicprofiles`, add: profile });
    const kept = await admin.add(`${here}/vnicprofiles`, profile);
    const permissions = `/vnicprofiles/${kept.id}/permissions`;
    await livesIn(people, { list: `${here}${permissions}`, add: await janes(people) });
    await livesIn(people, { list: `/networks/${network}${permissions}`, add: await janes(people) });
  });
});

describe('a network on a host', () => {
  site.both('is found, changed and removed by its interface', async (people) => {
    const { admin } = people;
    const { host, network } = await hostAndNetwork(people);
    const nic = (await admin.get(`${host.path}/nics`)).list.find((one) => one['name'] === 'eth1');
    const list = `${host.path}/nics/${nic?.['id']}/networkattachments`;
    const added = await admin.add(list, { network_attachment: { network: { id: network.id } } });
    await foundAlone(people, list);
    const changed = await admin.put(`${list}/${added.id}`, {
      network_attachment: {
        ip_address_assignments: {
          ip_address_assignment: [{ assignment_method: 'dhcp' }],
        },
      },
    });
    expect(changed.status, changed.text).toBe(200);
    expect((await admin.get(`${list}/${added.id}`)).text).toContain('dhcp');
    const own = `${host.path}/networkattachments`;
    expect((await admin.delete(`${own}/${added.id}`)).status).toBe(200);
    expect((await admin.get(own)).list.map(({ id }) => id)).not.toContain(added.id);
    const labels = `${host.path}/nics/${nic?.['id']}/networklabels`;
    await livesIn(people, { list: labels, add: { network_label: { id: 'red' } }, id: 'red' });
  });
});

/** User or group for role assignments. */
async function holder({ admin }: People, kind: 'users' | 'groups'): Promise<string> {
  if (kind === 'groups') {
    const group = { name: 'developers', domain: { name: 'internal-authz' } };
    return (await admin.add('/groups', { group })).id;
  }
  const { list } = await admin.get('/users');
  return String(list.find((one) => String(one['user_name']).startsWith('olaf'))?.['id']);
}

describe('parts of a user', () => {
  site.both('is found alone', async (people) => {
    const { admin, name } = people;
    const { id } = (await admin.get('/users')).list.find((one) =>
      String(one['user_name']).startsWith('olaf'),
    ) as { id: string };
    const here = `/users/${id}`;
    await admin.add(`${here}/options`, {
      user_option: { name: name('option'), content: '"dark"' },
    });
    await admin.add(`${here}/sshpublickeys`, {
      ssh_public_key: {
        name: name('key'),
        content: `ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkV ${name('who')}`,
      },
    });
    await admin.post(`${here}/eventsubscriptions`, {
      event_subscription: {
        event: 'host_high_cpu_use',
        notification_method: 'smtp',
        address: 'a@example.com',
      },
    });
    await foundAlone(
      people,
      ...['options', 'sshpublickeys', 'eventsubscriptions', 'roles'].map((one) => `${here}/${one}`),
    );
  });
  for (const kind of ['users', 'groups'] as const) {
    site.both(`is a role, whose permits change below ${kind}`, async (people) => {
      const { admin, name, path } = people;
      const level = (await admin.get('/clusterlevels/4.7')).object;
      const permits = listItems(level, 'permits', 'permit');
      const role = await admin.add('/roles', {
        role: {
          name: name('role'),
          administrative: true,
          permits: { permit: [{ id: permits[0]?.['id'] }] },
        },
      });
      const here = `/${kind}/${await holder(people, kind)}`;
      const permission = await admin.add(`${here}/permissions`, {
        permission: { role: { id: role.id }, vm: { id: path('{vm}') } },
      });
      const own = `${here}/roles/${role.id}`;
      const changed = await admin.put(own, { role: { description: 'seen' } });
      expect(changed.status, changed.text).toBe(200);
      expect((await admin.get(`/roles/${role.id}`)).object['description']).toBe('seen');
      await livesIn(people, {
        list: `${own}/permits`,
        add: { permit: { id: permits[1]?.['id'] } },
      });
      const used = await admin.delete(own);
      expect(used.status, used.text).toBe(409);
      await admin.delete(`${here}/permissions/${permission.id}`);
    });
  }
});

describe('a provider', () => {
  const kinds = [
    ['openstack_image_provider', '/openstackimageproviders'],
    ['openstack_network_provider', '/openstacknetworkproviders'],
    ['openstack_volume_provider', '/openstackvolumeproviders'],
  ] as const;
  for (const [type, list] of kinds) {
    site.both(`of ${list} is changed, tested and found alone`, async (people) => {
      const { admin, name, path } = people;
      const volumes = type === 'openstack_volume_provider';
      const { id } = await admin.add(list, {
        [type]: {
          name: name('provider'),
          url: 'https://provider.example.com',
          ...(volumes ? { data_center: { id: path('{datacenter}') } } : {}),
        },
      });
      const here = `${list}/${id}`;
      const changed = await admin.put(here, { [type]: { description: 'seen' } });
      expect(changed.status, changed.text).toBe(200);
      expect((await admin.get(here)).object['description']).toBe('seen');
      expect((await admin.must(`${here}/testconnectivity`)).object['status']).toBe('complete');
      await foundAlone(people, `${here}/certificates`);
      if (!volumes) return;
      const keys = `${here}/authenticationkeys`;
      await admin.add(keys, {
        openstack_volume_authentication_key: {
          uuid: '11111111-1111-4111-8111-111111111111',
          usage_type: 'ceph',
          value: 'c2VjcmV0',
        },
      });
      await foundAlone(people, keys);
    });
  }
});

describe('objects below others', () => {
  site.both('is found alone', async (people) => {
    const { admin, name, path } = people;
    const quota = await admin.add(path(`${inDataCenter}/quotas`), { quota: { name: name('q') } });
    const limits = path(`${inDataCenter}/quotas/${quota.id}/quotaclusterlimits`);
    await admin.add(limits, { quota_cluster_limit: { vcpu_limit: 4 } });
    const [domain] = (await admin.get('/domains')).list;
    const [role] = (await admin.get('/roles')).list;
    const policies = (await admin.get('/schedulingpolicies')).list;
    const weighed = policies.find((one) => one['name'] === 'evenly_distributed');
    const [eth] = (await admin.get(path('/hosts/{host}/nics'))).list;
    await foundAlone(
      people,
      limits,
      `/domains/${domain?.['id']}/groups`,
      `/domains/${domain?.['id']}/users`,
      `/roles/${role?.['id']}/permits`,
      `/schedulingpolicies/${weighed?.['id']}/weights`,
      path(`/hosts/{host}/nics/${eth?.['id']}/statistics`),
    );
  });
  site.both('of the interface of a machine is found alone, too', async (people) => {
    const { admin, path } = people;
    const vm = await newVm(people, { os: { boot: { devices: { device: ['cdrom'] } } } });
    const profile = { vnic_profile: { id: path('{vnicprofile}') } };
    const { id } = await admin.add(`/vms/${vm.id}/nics`, {
      nic: { name: 'nic1', ...(path('{vnicprofile}').startsWith('1111') ? {} : profile) },
    });
    await admin.must(`/vms/${vm.id}/start`);
    await until(people, `/vms/${vm.id}`, (one) => one['status'] === 'up');
    const here = `/vms/${vm.id}/nics/${id}`;
    await foundAlone(people, `${here}/statistics`, `${here}/reporteddevices`);
  });
  site.both('of an instance type has interfaces in order', async (people) => {
    const { admin, name } = people;
    const type = await admin.add('/instancetypes', { instance_type: { name: name('type') } });
    const list = `/instancetypes/${type.id}/nics`;
    await admin.add(list, { nic: { name: 'a' } });
    await admin.add(list, { nic: { name: 'b' } });
    await foundAlone(people, list);
    expect((await admin.get(`${list}?max=1`)).list).toHaveLength(1);
  });
});

describe('a unit of scheduling policies', () => {
  site.both('is a part of the service, and stays', async ({ admin }) => {
    const { list } = await admin.get('/schedulingpolicyunits');
    const own = `/schedulingpolicyunits/${list[0]?.['id']}`;
    expect((await admin.delete(own)).status).toBe(409);
    expect((await admin.get(own)).status).toBe(200);
  });
});

describe('the drive of a machine', () => {
  site.both('is the only one', async (people) => {
    const { admin } = people;
    const { id } = await newVm(people);
    expect(
      (await admin.post(`/vms/${id}/cdroms`, { cdrom: { file: { id: 'a.iso' } } })).status,
    ).toBe(400);
    expect((await admin.get(`/vms/${id}/cdroms`)).list).toHaveLength(1);
  });
});
