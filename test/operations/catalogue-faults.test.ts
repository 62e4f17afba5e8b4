/** Faults that an administrator meets most (specification 7): status, reason and sentence. */
import { describe } from 'vitest';
import { faultsOf, type Refused, type Refusing } from './support/catalogue.ts';
import { addCluster, addHost } from './support/hosts.ts';
import { type People, useSite } from './support/site.ts';
import type { Answer } from './support/speaker.ts';
import { addDomain, gibibyte, nfs, ownSite } from './support/storage.ts';
import { addDisk, newVm, settled, until } from './support/vms.ts';

const site = useSite();
const bootsFromDisc = { os: { boot: { devices: { device: ['cdrom'] } } } };
const root = '00000000-0000-0000-0000-000000000000';

/** The sentence of a refused command stands in square brackets. */
const refused = (status: number, sentence: string): Refused => [
  status,
  'Operation Failed',
  `[${sentence}]`,
];
const taken = (type: string, name: string): Refused =>
  refused(
    409,
    `Cannot add ${type}. The name ${name} is already used by another object of this kind. Choose another name.`,
  );

async function says(answer: Promise<Answer>, expected: Refused) {
  return { answer: await answer, says: expected };
}

async function running(people: People, more: object = {}) {
  const vm = await newVm(people, { ...bootsFromDisc, ...more });
  await people.admin.must(`/vms/${vm.id}/start`);
  await settled(people, vm.id);
  return { ...vm, path: `/vms/${vm.id}` };
}

async function template(people: People) {
  const { admin, name } = people;
  const vm = await newVm(people);
  const { id } = await admin.add('/templates', {
    template: { name: name('template'), vm: { id: vm.id } },
  });
  await until(people, `/templates/${id}`, (one) => one['status'] === 'ok');
  return { id, path: `/templates/${id}` };
}

const names: readonly Refusing[] = [
  [
    'a machine with the name of another',
    async (people) => {
      const { admin, path } = people;
      const { name } = await newVm(people);
      const vm = { name, cluster: { id: path('{cluster}') }, template: { name: 'Blank' } };
      return says(admin.post('/vms', { vm }), taken('VM', name));
    },
  ],
  ...(
    [
      [
        'Cluster',
        '/clusters',
        'cluster',
        { data_center: { id: '{datacenter}' }, cpu: { type: 'Intel Nehalem Family' } },
      ],
      ['Data Center', '/datacenters', 'data_center', { local: false }],
      ['Network', '/networks', 'network', { data_center: { id: '{datacenter}' } }],
      ['Tag', '/tags', 'tag', {}],
      ['Bookmark', '/bookmarks', 'bookmark', { value: 'Vms:' }],
    ] as const
  ).map(
    ([type, collection, element, more]): Refusing => [
      `a ${type} with the name of another`,
      async ({ admin, name, path }) => {
        const object = { name: name('two'), ...JSON.parse(path(JSON.stringify(more))) };
        await admin.add(collection, { [element]: object });
        return says(admin.post(collection, { [element]: object }), taken(type, object.name));
      },
    ],
  ),
  [
    'a storage domain with the name of another',
    ({ admin, name }) =>
      says(
        admin.post('/storagedomains', {
          storage_domain: {
            name: 'data1',
            type: 'data',
            storage: nfs(name('domain')),
            host: { name: 'host1' },
          },
        }),
        taken('Storage', 'data1'),
      ),
  ],
  [
    'an interface with the name of another of the machine',
    async (people) => {
      const { admin } = people;
      const vm = await newVm(people);
      await admin.add(`/vms/${vm.id}/nics`, { nic: { name: 'nic1' } });
      return says(
        admin.post(`/vms/${vm.id}/nics`, { nic: { name: 'nic1' } }),
        refused(409, 'Cannot add Interface. The VM has an interface named nic1 already.'),
      );
    },
  ],
  [
    'a MAC address that another machine has',
    async (people) => {
      const { admin } = people;
      const [one, two] = [await newVm(people), await newVm(people)];
      const nic = await admin.add(`/vms/${one.id}/nics`, { nic: { name: 'nic1' } });
      const { address } = nic['mac'] as { address: string };
      return says(
        admin.post(`/vms/${two.id}/nics`, { nic: { name: 'nic1', mac: { address } } }),
        refused(
          409,
          `Cannot add Interface. MAC address ${address} is already used by VM ${one.name}.`,
        ),
      );
    },
  ],
];

const machines: readonly Refusing[] = [
  [
    'starting what runs',
    async (people) => {
      const vm = await running(people);
      return says(
        people.admin.post(`${vm.path}/start`),
        refused(409, 'Cannot run VM. VM is running (status up).'),
      );
    },
  ],
  [
    'shutting down what is down',
    async (people) => {
      const vm = await newVm(people);
      return says(
        people.admin.post(`/vms/${vm.id}/shutdown`),
        refused(409, 'Cannot shutdown VM. VM is not running.'),
      );
    },
  ],
  [
    'suspending what is down',
    async (people) => {
      const vm = await newVm(people);
      return says(
        people.admin.post(`/vms/${vm.id}/suspend`),
        refused(409, 'Cannot hibernate VM. VM is not up (status down).'),
      );
    },
  ],
  [
    'removing what runs',
    async (people) => {
      const vm = await running(people);
      return says(
        people.admin.delete(vm.path),
        refused(409, 'Cannot remove VM. VM is running (status up).'),
      );
    },
  ],
  [
    'removing what is protected',
    async (people) => {
      const vm = await newVm(people, { delete_protected: true });
      return says(
        people.admin.delete(`/vms/${vm.id}`),
        refused(
          409,
          'Cannot remove VM. Delete protection is enabled. Switch it off (delete_protected) first.',
        ),
      );
    },
  ],
  [
    'starting without a disk',
    async (people) => {
      const vm = await newVm(people);
      return says(
        people.admin.post(`/vms/${vm.id}/start`),
        refused(409, 'Cannot run VM without at least one bootable disk.'),
      );
    },
  ],
  [
    'starting where no host is up',
    async (people) => {
      const cluster = await addCluster(people);
      const vm = await newVm(people, { ...bootsFromDisc, cluster: { id: cluster.id } });
      return says(
        people.admin.post(`/vms/${vm.id}/start`),
        refused(400, `Cannot run VM. There is no host that is up in cluster ${cluster['name']}.`),
      );
    },
  ],
  [
    'starting on a host that is not in the cluster',
    async (people) => {
      const { admin } = people;
      const [own, other] = [await addHost(people), await addHost(people)];
      const vm = await newVm(people, { ...bootsFromDisc, cluster: { id: own.cluster } });
      const placement_policy = { hosts: { host: [{ id: other.id }] } };
      return says(
        admin.post(`/vms/${vm.id}/start`, { action: { vm: { placement_policy } } }),
        refused(
          409,
          `Cannot run VM. No host satisfies its needs: ${own['name']}: not one of the hosts that were asked for`,
        ),
      );
    },
  ],
  [
    'migrating what is pinned',
    async (people) => {
      const { admin, path } = people;
      const hosts = { host: [{ id: path('{host}') }] };
      const vm = await running(people, { placement_policy: { affinity: 'pinned', hosts } });
      return says(
        admin.post(`${vm.path}/migrate`),
        refused(409, 'Cannot migrate VM. It is pinned to its host.'),
      );
    },
  ],
  [
    'cancelling a migration that there is not',
    async (people) => {
      const vm = await running(people);
      return says(
        people.admin.post(`${vm.path}/cancelmigration`),
        refused(409, 'Cannot cancel migration VM. The VM is not migrating.'),
      );
    },
  ],
  [
    'memory below what is guaranteed',
    async (people) => {
      const vm = await newVm(people);
      const sent = { memory: gibibyte, memory_policy: { guaranteed: 2 * gibibyte } };
      return says(
        people.admin.put(`/vms/${vm.id}`, { vm: sent }),
        refused(400, 'Cannot edit VM. Physical Memory Guaranteed cannot exceed Memory Size.'),
      );
    },
  ],
  [
    'removing an interface that is plugged in',
    async (people) => {
      const { admin } = people;
      const vm = await running(people);
      const { id } = await admin.add(`${vm.path}/nics`, { nic: { name: 'nic1' } });
      return says(
        admin.delete(`${vm.path}/nics/${id}`),
        refused(409, 'Cannot remove Interface. It is plugged into a running VM; unplug it first.'),
      );
    },
  ],
  [
    'a template of a machine that runs',
    async (people) => {
      const vm = await running(people);
      return says(
        people.admin.post('/templates', {
          template: { name: people.name('template'), vm: { id: vm.id } },
        }),
        refused(
          409,
          'Cannot create a template of VM. The VM is locked or still running (status up).',
        ),
      );
    },
  ],
  [
    'removing a template that machines depend on',
    async (people) => {
      const { admin } = people;
      const { id, path } = await template(people);
      const vm = await newVm(people, { template: { id } });
      return says(
        admin.delete(path),
        refused(409, `Cannot remove Template. VMs or pools depend on it: ${vm.name}.`),
      );
    },
  ],
  [
    'removing the Blank template',
    ({ admin }) =>
      says(
        admin.delete(`/templates/${root}`),
        refused(409, 'Cannot remove Template. The Blank template stays.'),
      ),
  ],
  [
    'going back to a snapshot while the machine runs',
    async (people) => {
      const { admin } = people;
      const vm = await running(people);
      const { id } = await admin.add(`${vm.path}/snapshots`, {
        snapshot: { description: 'one', persist_memorystate: false },
      });
      await until(people, `${vm.path}/snapshots/${id}`, (one) => one['snapshot_status'] === 'ok');
      return says(
        admin.post(`${vm.path}/previewsnapshot`, { action: { snapshot: { id } } }),
        refused(409, 'Cannot preview snapshot VM. VM must be down (status up).'),
      );
    },
  ],
];

const hosts: readonly Refusing[] = [
  [
    'removing a host that is up',
    async (people) => {
      const host = await addHost(people);
      return says(
        people.admin.delete(host.path),
        refused(409, 'Cannot remove Host. The host is in status up; move it to maintenance first.'),
      );
    },
  ],
  [
    'activating a host that is up',
    ({ admin, path }) =>
      says(
        admin.post(path('/hosts/{host}/activate')),
        refused(409, 'Cannot activate Host. The host is already up.'),
      ),
  ],
  [
    'maintenance of a host that is in maintenance',
    async (people) => {
      const host = await addHost(people);
      await people.admin.must(`${host.path}/deactivate`);
      return says(
        people.admin.post(`${host.path}/deactivate`),
        refused(409, 'Cannot switch to maintenance Host. The host is already in maintenance.'),
      );
    },
  ],
  [
    'installing a host that is up',
    ({ admin, path }) =>
      says(
        admin.post(path('/hosts/{host}/install'), { action: { root_password: 'x' } }),
        refused(
          409,
          'Cannot install Host. The host is in status up; switch it to maintenance first.',
        ),
      ),
  ],
  [
    'fencing a host without power management',
    async (people) => {
      const host = await addHost(people);
      return says(
        people.admin.post(`${host.path}/fence`, { action: { fence_type: 'restart' } }),
        refused(
          409,
          'Cannot restart Host. Power management is not enabled for it, or it has no fence agent.',
        ),
      );
    },
  ],
  [
    'removing a cluster with a host',
    async (people) => {
      const host = await addHost(people);
      return says(
        people.admin.delete(`/clusters/${host.cluster}`),
        refused(409, 'Cannot remove Cluster. It still has 1 hosts.'),
      );
    },
  ],
];

const storage: readonly Refusing[] = [
  [
    'removing a data center that is up',
    ({ admin, path }) =>
      says(
        admin.delete(path('/datacenters/{datacenter}')),
        refused(
          409,
          'Cannot remove Data Center. It is up; put its storage domains into maintenance first.',
        ),
      ),
  ],
  [
    'removing a storage domain that is attached',
    async ({ admin }) => {
      const { id } = await admin.find('/storagedomains', 'data2');
      return says(
        admin.delete(`/storagedomains/${id}?host=host1`),
        refused(409, 'Cannot remove Storage. It is attached to a data center; detach it first.'),
      );
    },
  ],
  [
    'detaching a storage domain that is active',
    async ({ admin, path }) => {
      const { id } = await admin.find('/storagedomains', 'data2');
      return says(
        admin.delete(path(`/datacenters/{datacenter}/storagedomains/${id}`)),
        refused(409, 'Cannot detach Storage. The relevant storage domain is in status active.'),
      );
    },
  ],
  [
    'a disk without a storage domain',
    ({ admin, name }) =>
      says(
        admin.post('/disks', {
          disk: { name: name('disk'), provisioned_size: gibibyte, format: 'raw' },
        }),
        refused(
          400,
          'Cannot add Virtual Disk. A storage domain was not specified (storage_domains).',
        ),
      ),
  ],
  [
    'a disk that is larger than block storage allows',
    async (people) => {
      const { admin, name } = people;
      const own = await ownSite(people);
      const lun = { id: name('lun'), address: 'san', target: 'iqn.a', port: 3260 };
      const domain = await addDomain(admin, own.own, name('san'), {
        storage: { type: 'iscsi', volume_group: { logical_units: { logical_unit: [lun] } } },
      });
      await admin.add(`${own.path}/storagedomains`, { storage_domain: { id: domain.id } });
      const free = Number((await admin.get(`/storagedomains/${domain.id}`)).object['available']);
      const size = 300 * gibibyte;
      const disk = {
        name: name('disk'),
        format: 'raw',
        sparse: false,
        provisioned_size: size,
        storage_domains: { storage_domain: [{ id: domain.id }] },
      };
      const left = free - 5 * gibibyte;
      return says(
        admin.post('/disks', { disk }),
        refused(
          409,
          `Cannot add Virtual Disk. Low disk space on storage domain ${domain['name']}: ${left} bytes are free above its limit, ${size} are needed.`,
        ),
      );
    },
  ],
  [
    'a disk that shrinks',
    async (people) => {
      const { admin } = people;
      const vm = await newVm(people);
      const id = await addDisk(people, vm.id, { disk: { provisioned_size: 2 * gibibyte } });
      const sent = { disk: { provisioned_size: gibibyte } };
      return says(
        admin.put(`/vms/${vm.id}/diskattachments/${id}`, { disk_attachment: sent }),
        refused(
          400,
          `Cannot extend Virtual Disk. The requested size ${gibibyte} is smaller than the present size ${2 * gibibyte}.`,
        ),
      );
    },
  ],
  [
    'attaching a disk that another machine has',
    async (people) => {
      const { admin } = people;
      const [one, two] = [await newVm(people), await newVm(people)];
      const id = await addDisk(people, one.id);
      return says(
        admin.post(`/vms/${two.id}/diskattachments`, {
          disk_attachment: { disk: { id }, interface: 'virtio' },
        }),
        refused(409, `Cannot attach Virtual Disk. It is already attached to VM ${one.name}.`),
      );
    },
  ],
  [
    'more than the quota allows',
    async (people) => {
      const { admin, name } = people;
      const own = await ownSite(people);
      const domain = await addDomain(admin, own.own, name('data'));
      await admin.add(`${own.path}/storagedomains`, { storage_domain: { id: domain.id } });
      const quota = { name: name('quota') };
      const { id } = await admin.add(`${own.path}/quotas`, { quota });
      const limit = { quota_storage_limit: { limit: 10 } };
      await admin.add(`${own.path}/quotas/${id}/quotastoragelimits`, limit);
      await admin.put(own.path, { data_center: { quota_mode: 'enabled' } });
      const disk = {
        name: name('disk'),
        format: 'raw',
        provisioned_size: 20 * gibibyte,
        quota: { id },
        storage_domains: { storage_domain: [{ id: domain.id }] },
      };
      return says(
        admin.post('/disks', { disk }),
        refused(
          409,
          `Cannot add Virtual Disk. Quota ${quota.name} allows 10 GiB of storage and some grace; 20 would be used.`,
        ),
      );
    },
  ],
];

const people: readonly Refusing[] = [
  [
    'removing the management network',
    async ({ admin, path }) => {
      const { list } = await admin.get(path('/clusters/{cluster}/networks'));
      const found = list.find((one) => JSON.stringify(one['usages']).includes('management'));
      return says(
        admin.delete(`/networks/${String(found?.['id'])}`),
        refused(400, 'Cannot remove Network. The management network cannot be removed.'),
      );
    },
  ],
  [
    'removing the default MAC pool',
    async ({ admin }) => {
      const { list } = await admin.get('/macpools');
      const id = String(list.find((one) => one['default_pool'] === 'true')?.['id']);
      return says(
        admin.delete(`/macpools/${id}`),
        refused(409, 'Cannot remove MAC Pool. The default pool stays.'),
      );
    },
  ],
  [
    'removing the administrator',
    async ({ admin }) => {
      const { list } = await admin.get('/users');
      const found = list.find((one) => String(one['user_name']).startsWith('admin@'));
      return says(
        admin.delete(`/users/${String(found?.['id'])}`),
        refused(403, 'Cannot remove User. The administrator of the service cannot be removed.'),
      );
    },
  ],
  [
    'changing a role that comes with the service',
    async ({ admin }) => {
      const { id } = await admin.find('/roles', 'SuperUser');
      return says(
        admin.put(`/roles/${id}`, { role: { description: 'x' } }),
        refused(409, 'Cannot edit Role. Roles that come with the service do not change.'),
      );
    },
  ],
  [
    'removing the root of all tags',
    ({ admin }) =>
      says(
        admin.delete(`/tags/${root}`),
        refused(409, 'Cannot remove Tag. The root of all tags stays as it is.'),
      ),
  ],
  [
    'an event that pretends to be one of the service',
    async ({ admin }) => {
      const { list } = await admin.get('/events?max=1');
      const origin = String(list[0]?.['origin']);
      const event = { origin, severity: 'normal', custom_id: 7, description: 'x' };
      return says(
        admin.post('/events', { event }),
        refused(
          400,
          `Cannot add External Event. The origin ${origin} is that of the service itself.`,
        ),
      );
    },
  ],
  [
    'what nobody permitted',
    ({ jane, name }) =>
      says(
        jane.post('/tags', { tag: { name: name('hers') } }),
        refused(
          403,
          'The user is not authorized to perform this action: the permit tag_management is missing.',
        ),
      ),
  ],
];

const wrong: readonly Refusing[] = [
  [
    'a member that is missing',
    ({ admin }) =>
      says(admin.post('/bookmarks', { bookmark: { name: 'x' } }), [
        400,
        'Incomplete parameters',
        'Bookmark [value] required for add',
      ]),
  ],
  [
    'another id',
    ({ admin, path }) =>
      says(admin.put(path('/vms/{vm}'), { vm: { id: root } }), [
        409,
        'Broken immutability constraint',
        'Attempt to set immutable field: id',
      ]),
  ],
  [
    'an object that is not there, where one is named',
    ({ admin, name, path }) =>
      says(
        admin.post('/vms', {
          vm: { name: name('vm'), cluster: { id: path('{nothing}') }, template: { name: 'Blank' } },
        }),
        [404, 'Operation Failed', `Entity not found: Cluster: id=${path('{nothing}')}`],
      ),
  ],
];

describe('faults about names that are taken', () => faultsOf(site, names));
describe('faults about machines', () => faultsOf(site, machines));
describe('faults about hosts', () => faultsOf(site, hosts));
describe('faults about storage', () => faultsOf(site, storage));
describe('faults about networks, people and permits', () => faultsOf(site, people));
describe('faults about what was sent', () => faultsOf(site, wrong));
