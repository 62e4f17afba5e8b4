/** Members that client programs missed in documents, one test each. */
import { describe, expect } from 'vitest';
import { type People, useSite } from '../operations/support/site.ts';
import { at, listItems, type Thing } from '../operations/support/speaker.ts';
import { addDisk, newVm, settled, until } from '../operations/support/vms.ts';

const site = useSite();

const blank = '00000000-0000-0000-0000-000000000000';

/** Takes a snapshot of a VM and waits until it is complete. */
async function takeSnapshot(people: People, vm: string, description: string): Promise<string> {
  const added = await people.admin.add(`/vms/${vm}/snapshots`, { snapshot: { description } });
  const path = `/vms/${vm}/snapshots/${added.id}`;
  await until(people, path, (one) => one['snapshot_status'] === 'ok');
  return added.id;
}

async function newTemplate(people: People, vm: string): Promise<string> {
  const template = { name: people.name('template'), vm: { id: vm } };
  const { id } = await people.admin.add('/templates', { template });
  await until(people, `/templates/${id}`, (one) => one['status'] === 'ok');
  return id;
}

describe('VMs and templates', () => {
  site.both('without a comment have an empty comment and description', async (people) => {
    const { admin } = people;
    const vm = await newVm(people);
    const template = await newTemplate(people, vm.id);
    for (const path of [`/vms/${vm.id}`, `/templates/${template}`]) {
      expect((await admin.get(path)).object).toMatchObject({ comment: '', description: '' });
    }
  });

  site.both(
    'have a stop time if never stopped, and run_once only while they run',
    async (people) => {
      const { admin } = people;
      const vm = await newVm(people, { os: { boot: { devices: { device: ['cdrom'] } } } });
      const made = (await admin.get(`/vms/${vm.id}`)).object;
      expect(made['stop_time']).toBe(made['creation_time']);
      expect(made['numa_tune_mode']).toBeUndefined();
      expect(made['run_once']).toBeUndefined();
      await admin.must(`/vms/${vm.id}/start`);
      const runs = await settled(people, vm.id);
      expect(runs).toMatchObject({ run_once: 'false' });
      expect(at(runs, 'guest_operating_system.codename')).toBeDefined();
    },
  );

  site.both('have a sound card of any type', async (people) => {
    for (const type of ['desktop', 'server', 'high_performance']) {
      const { id } = await newVm(people, { type });
      const { object } = await people.admin.get(`/vms/${id}?all_content=true`);
      expect(object['soundcard_enabled'], type).toBe('true');
    }
  });

  site.both('a NIC shows the devices that the guest reports', async (people) => {
    const { admin, path } = people;
    const [nic = {}] = (await admin.get(path('/vms/{vm}/nics'))).list;
    const devices = listItems(nic, 'reported_devices', 'reported_device');
    expect(devices).toMatchObject([{ type: 'network', mac: nic['mac'] }]);
    expect((await admin.get(below(devices[0]?.['href']))).status).toBe(200);
  });
});

/** Path below the API root in an address. */
function below(href: unknown): string {
  return String(href).replace(/^.*?\/api/, '');
}

describe('the template Blank', () => {
  site.both('has every section of a template, and is its own base', async ({ admin }) => {
    const { object } = await admin.get(`/templates/${blank}`);
    expect(object).toMatchObject({
      type: 'server',
      version: { version_number: '0', version_name: '', base_template: { id: blank } },
      bios: { boot_menu: { enabled: 'false' } },
      migration: { auto_converge: 'inherit' },
      high_availability: { enabled: 'false' },
      usb: { enabled: 'false' },
    });
    expect(at(object, 'version.base_template.href')).toBe(object['href']);
  });

  site.both('appears in every data center, and in none that does not exist', async (people) => {
    const { admin, name } = people;
    const other = await admin.add('/datacenters', {
      data_center: { name: name('dc'), local: false },
    });
    const search = async (text: string) =>
      (await admin.get(`/templates?search=${encodeURIComponent(text)}`)).list;
    const known = (await admin.get('/datacenters')).list.map((one) => String(one['name']));
    expect(known).toContain(String(other['name']));
    for (const one of known) {
      expect(await search(`name=Blank and datacenter=${one}`), one).toMatchObject([{ id: blank }]);
    }
  });
});

describe('a template', () => {
  site.both(
    'references itself as base, its profile, and itself below its disks',
    async (people) => {
      const { admin } = people;
      const vm = await newVm(people);
      await addDisk(people, vm.id);
      const id = await newTemplate(people, vm.id);
      const { object } = await admin.get(`/templates/${id}`);
      expect(object).toMatchObject({ version: { base_template: { id }, version_number: '1' } });
      expect(at(object, 'cpu_profile.href')).toBeDefined();
      expect((await admin.get(`/templates/${id}/diskattachments`)).list).toMatchObject([
        { template: { id }, vm: { id } },
      ]);
    },
  );
});

describe('a snapshot', () => {
  site.both('contains the VM as it was saved', async (people) => {
    const { admin } = people;
    const vm = await newVm(people, { sso: { methods: { method: [{ id: 'guest_agent' }] } } });
    const id = await takeSnapshot(people, vm.id, 'before');
    await admin.put(`/vms/${vm.id}`, { vm: { cpu: { topology: { cores: 2 } } } });
    const path = `/vms/${vm.id}/snapshots/${id}`;
    const { object } = await admin.get(path);
    const saved = { id: vm.id, name: vm.name, cpu: { topology: { cores: '1' } } };
    expect(object).toMatchObject({ description: 'before', vm: saved });
    expect(listItems(at(object, 'vm.sso') as Thing, 'methods', 'method')).toMatchObject([
      { id: 'guest_agent' },
    ]);
    expect(object['memory']).toBeUndefined();
    expect(object['initialization']).toBeUndefined();
    const whole = (await admin.get(`${path}?all_content=true`)).object;
    expect(String(at(whole, 'initialization.configuration.data'))).toContain(vm.name);
  });

  site.both('of the current state contains no VM, and has no links', async (people) => {
    const { admin } = people;
    const vm = await newVm(people);
    const [active = {}] = (await admin.get(`/vms/${vm.id}/snapshots`)).list;
    expect(active).toMatchObject({ snapshot_type: 'active' });
    expect(active['vm']).toBeUndefined();
    expect([active['link'] ?? []].flat()).toEqual([]);
  });

  site.both('does not show its VM in a list of VMs', async (people) => {
    const { admin } = people;
    const vm = await newVm(people);
    await takeSnapshot(people, vm.id, 'bare');
    const listed = await admin.get(`/vms?follow=snapshots&search=name%3D${vm.name}`);
    const [machine = {}] = listed.list;
    for (const snapshot of listItems(machine, 'snapshots', 'snapshot')) {
      expect(snapshot['vm']).toBeUndefined();
    }
    const alone = (await admin.get(`/vms/${vm.id}?follow=snapshots`)).object;
    const kept = listItems(alone, 'snapshots', 'snapshot').at(-1);
    expect(at(kept, 'vm.name')).toBe(vm.name);
  });

  site.both('that is previewed keeps the description of the VM', async (people) => {
    const { admin } = people;
    const vm = await newVm(people, { description: 'mail server' });
    const id = await takeSnapshot(people, vm.id, 'before the upgrade');
    await admin.must(`/vms/${vm.id}/previewsnapshot`, { snapshot: { id } });
    await admin.must(`/vms/${vm.id}/commitsnapshot`);
    expect(await settled(people, vm.id)).toMatchObject({ description: 'mail server' });
  });
});

describe('a host', () => {
  site.both(
    'has a certificate, a fingerprint and kernel command lines',
    async ({ admin, path }) => {
      const { object } = await admin.get(path('/hosts/{host}'));
      expect(object).toMatchObject({
        os: { custom_kernel_cmdline: '', reported_kernel_cmdline: expect.stringContaining('ro') },
        version: { revision: '0' },
      });
      expect(String(at(object, 'certificate.subject'))).toContain(String(object['address']));
      expect(at(object, 'ssh.fingerprint')).toMatch(/^SHA256:/);
    },
  );

  site.both('returns the IPv6 settings of a NIC with a network', async ({ admin, path }) => {
    const nics = (await admin.get(path('/hosts/{host}/nics'))).list;
    const [used] = nics.filter((one) => one['network'] !== undefined);
    expect(used).toMatchObject({ ipv6: { version: 'v6' }, properties: expect.anything() });
    const [attached] = (await admin.get(path('/hosts/{host}/networkattachments'))).list;
    const list = attached?.['ip_address_assignments'] as Thing;
    expect([list['ip_address_assignment']].flat()).toMatchObject([{ ip: { version: 'v4' } }]);
  });

  site.both('lists the slaves of a bond with their addresses', async (people) => {
    const { admin, name } = people;
    const { id } = await admin.add('/hosts', {
      host: { name: name('node'), address: `${name('n')}.example.com`, root_password: 'secret' },
    });
    const slaves = ['eth1', 'eth2'].map((slave) => ({ name: slave }));
    await until(people, `/hosts/${id}`, (one) => one['status'] === 'up');
    await admin.must(`/hosts/${id}/setupnetworks`, {
      modified_bonds: { host_nic: [{ name: 'bond0', bonding: { slaves: { host_nic: slaves } } }] },
    });
    const bond = await admin.find(`/hosts/${id}/nics`, 'bond0');
    const named = listItems(bond['bonding'] as Thing, 'slaves', 'host_nic');
    expect(named).toHaveLength(2);
    for (const slave of named) {
      expect((await admin.get(below(slave['href']))).object['id']).toBe(slave['id']);
    }
  });

  site.both('refuses a network without a NIC with a complete sentence', async (people) => {
    const { admin, path, name } = people;
    const { id } = await admin.add('/networks', {
      network: { name: name('net'), data_center: { id: path('{datacenter}') } },
    });
    await admin.add(path('/clusters/{cluster}/networks'), {
      network: { id, required: false },
    });
    const { fault } = await admin.post(path('/hosts/{host}/setupnetworks'), {
      action: { modified_network_attachments: { network_attachment: [{ network: { id } }] } },
    });
    expect(fault?.detail).toContain('An interface has to be named');
  });
});

describe('clusters and data centers', () => {
  site.both('show the parameters of the policy, overridden by sent ones', async (people) => {
    const { admin, name, path } = people;
    const property = [{ name: 'HighUtilization', value: '70' }];
    const { id } = await admin.add('/clusters', {
      cluster: {
        name: name('cluster'),
        data_center: { id: path('{datacenter}') },
        cpu: { type: 'Intel Nehalem Family' },
        custom_scheduling_policy_properties: { property },
      },
    });
    const { object } = await admin.get(`/clusters/${id}`);
    expect(listItems(object, 'custom_scheduling_policy_properties', 'property')).toEqual([
      ...property,
      { name: 'CpuOverCommitDurationMinutes', value: '2' },
    ]);
    expect(at(object, 'migration.parallel_migrations_policy')).toBe('disabled');
  });

  site.both('a MAC pool set for a data center applies to its clusters', async (people) => {
    const { admin, name, format } = people;
    const start = format === 'XML' ? '02:00:00:00:00' : '02:00:00:00:01';
    const range = [{ from: `${start}:00`, to: `${start}:ff` }];
    const pool = await admin.add('/macpools', {
      mac_pool: { name: name('pool'), ranges: { range } },
    });
    const data_center = { name: name('dc'), local: false };
    const { id } = await admin.add('/datacenters', { data_center });
    const cpu = { type: 'Intel Nehalem Family' };
    const cluster = await admin.add('/clusters', {
      cluster: { name: name('cluster'), data_center: { id }, cpu },
    });
    await admin.put(`/datacenters/${id}`, { data_center: { mac_pool: { id: pool.id } } });
    const same = { mac_pool: { id: pool.id } };
    expect((await admin.get(`/clusters/${cluster.id}`)).object).toMatchObject(same);
    expect((await admin.get(`/datacenters/${id}`)).object).toMatchObject(same);
  });

  site.both('a data center has its MAC pool and its storage format', async (people) => {
    const { object } = await people.admin.get(people.path('/datacenters/{datacenter}'));
    expect(object).toMatchObject({ storage_format: 'v5', mac_pool: { id: expect.anything() } });
  });
});

describe('a document that was read', () => {
  site.both('can be written back without a change', async (people) => {
    const { admin, path } = people;
    const vm = await newVm(people);
    const template = await newTemplate(people, vm.id);
    const paths = ['/hosts/{host}', '/datacenters/{datacenter}', '/clusters/{cluster}'].map(path);
    for (const one of [...paths, `/vms/${vm.id}`, `/templates/${template}`]) {
      const { object } = await admin.get(one);
      const { link: _links, actions: _actions, ...document } = object;
      const type = /^\/(\w+?)s\//.exec(one)?.[1] ?? '';
      const tag = type === 'datacenter' ? 'data_center' : type;
      const { status, text } = await admin.put(one, { [tag]: withoutAddresses(document) as Thing });
      expect(status, `${one}: ${text}`).toBe(200);
      expect((await admin.get(one)).object, one).toEqual(object);
    }
  });
});

/** Clients that write a document which they have read omit its addresses. */
function withoutAddresses(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutAddresses);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).filter(([name]) => name !== 'href');
  return Object.fromEntries(members.map(([name, one]) => [name, withoutAddresses(one)]));
}

describe('disks', () => {
  site.both(
    'of an inventory have a profile, a quota, and use some space',
    async ({ admin, path }) => {
      const { object } = await admin.get(path('/disks/{disk}'));
      expect(Number(object['total_size'])).toBeGreaterThan(0);
      for (const name of ['disk_profile', 'quota']) {
        expect((await admin.get(below(at(object, `${name}.href`)))).status, name).toBe(200);
      }
    },
  );

  site.both('list the VMs that use them, with all content', async ({ admin, path }) => {
    const disk = path('/disks/{disk}');
    expect((await admin.get(disk)).object['vms']).toBeUndefined();
    const all = (await admin.get(`${disk}?all_content=true`)).object;
    const [vm] = listItems(all, 'vms', 'vm');
    expect((await admin.get(below(vm?.['href']))).status).toBe(200);
    const followed = (await admin.get(`${disk}?follow=vms`)).object;
    expect(listItems(followed, 'vms', 'vm')).toMatchObject(
      [{ id: vm?.['id'], status: /./ }].map(({ id }) => ({ id, status: expect.any(String) })),
    );
  });
});

describe('users', () => {
  site.both('have a domain with its name, including everyone', async ({ admin }) => {
    for (const path of ['/users', '/groups']) {
      const { list } = await admin.get(path);
      for (const one of list) expect(at(one, 'domain.name'), String(one['name'])).toMatch(/./);
      expect(list.length).toBeGreaterThan(0);
    }
  });
});

describe('lists', () => {
  site.both('start with their items: no event without data comes first', async (people) => {
    const { admin, path } = people;
    const lists = ['/events', '/vms', '/hosts', '/externalhostproviders', '/jobs', '/domains'];
    for (const list of [...lists, path('/hosts/{host}/storage'), path('/vms/{vm}/snapshots')]) {
      expect((await admin.get(list)).object['actions'], list).toBeUndefined();
    }
  });
});

describe('an affinity group', () => {
  site.both('without rules separates no VMs', async ({ admin, path, name }) => {
    const group = await admin.add(path('/clusters/{cluster}/affinitygroups'), {
      affinity_group: { name: name('group') },
    });
    expect(group).toMatchObject({
      vms_rule: { enabled: 'false' },
      hosts_rule: { enabled: 'false' },
    });
    expect(group['positive']).toBeUndefined();
  });
});

describe('a VM with NUMA nodes', () => {
  site.both('lists them under the name that clients know', async (people) => {
    const { admin } = people;
    const vm = await newVm(people);
    const node = { index: 0, memory: 256, cpu: { cores: { core: [{ index: 0 }] } } };
    await admin.add(`/vms/${vm.id}/numanodes`, { vm_numa_node: node });
    const { object } = await admin.get(`/vms/${vm.id}?follow=numanodes`);
    expect(listItems(object, 'host_numa_nodes', 'host_numa_node')).toMatchObject([{ index: '0' }]);
  });
});
