/** Faults about hosts, storage, networks and people (specification 7): status, reason and sentence. */
import { describe } from 'vitest';
import { type Refusing, refused, says, testFaults } from './support/catalogue.ts';
import { addHost } from './support/hosts.ts';
import { useSite } from './support/site.ts';
import { addDomain, gibibyte, ownSite } from './support/storage.ts';
import { addDisk, newVm } from './support/vms.ts';

const site = useSite();
const root = '00000000-0000-0000-0000-000000000000';

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
        refused(409, 'Cannot remove Cluster. It still has 1 host.'),
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
        refused(409, 'Cannot remove User. The administrator of the service cannot be removed.'),
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
        refused(400, 'Cannot remove Tag. The root tag cannot be changed.'),
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
    'an operation without permission',
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

describe('faults about hosts', () => testFaults(site, hosts));
describe('faults about storage', () => testFaults(site, storage));
describe('faults about networks, people and permits', () => testFaults(site, people));
