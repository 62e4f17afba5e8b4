/** Faults about names, VMs and request bodies (specification 7): status, reason and detail. */
import { describe } from 'vitest';
import { type Refused, type Refusing, refused, says, testFaults } from './support/catalogue.ts';
import { addCluster, addHost } from './support/hosts.ts';
import { type People, useSite } from './support/site.ts';
import { gibibyte, nfs } from './support/storage.ts';
import { newVm, settled, until } from './support/vms.ts';

const site = useSite();
const bootsFromDisc = { os: { boot: { devices: { device: ['cdrom'] } } } };
const root = '00000000-0000-0000-0000-000000000000';

const taken = (type: string, name: string): Refused =>
  refused(
    409,
    `Cannot add ${type}. The name ${name} is already used by another object of this kind. Choose another name.`,
  );

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
    'a start without a running host',
    async (people) => {
      const cluster = await addCluster(people);
      const vm = await newVm(people, { ...bootsFromDisc, cluster: { id: cluster.id } });
      return says(
        people.admin.post(`/vms/${vm.id}/start`),
        refused(400, `Cannot run VM. Cluster ${cluster['name']} has no host in status up.`),
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
          `Cannot run VM. No host satisfies its needs: ${own['name']}: not one of the requested hosts`,
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
        refused(400, 'Cannot remove Template. The Blank template stays.'),
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
    'a reference to a missing object',
    ({ admin, name, path }) =>
      says(
        admin.post('/vms', {
          vm: { name: name('vm'), cluster: { id: path('{nothing}') }, template: { name: 'Blank' } },
        }),
        [404, 'Operation Failed', `Entity not found: Cluster: id=${path('{nothing}')}`],
      ),
  ],
];

describe('faults about names in use', () => testFaults(site, names));
describe('faults about machines', () => testFaults(site, machines));
describe('faults about request bodies', () => testFaults(site, wrong));
