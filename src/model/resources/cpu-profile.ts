/** CPU profiles. */
import { crud, owned, view } from '../notation/collections.ts';
import { self, sent } from '../notation/permits.ts';
import { resource } from '../notation/resource.ts';

export const cpuProfile = resource('cpu_profile', {
  doc: 'A CPU limit for VMs of a cluster.',
  identified: true,
  attributes: {
    name: { kind: 'string', mut: 'CU', doc: '1 to 50 characters.' },
    cluster: { kind: 'ref cluster', mut: 'C', doc: 'Cluster by id, for /cpuprofiles.' },
    permissions: { kind: 'links permission', mut: 'R' },
    description: { kind: 'string', mut: 'CU' },
    qos: { kind: 'ref qos', mut: 'CU' },
  },
  naming: { pattern: 'any', max: 50, takenStatus: 400, unique: { within: 'cluster' } },
  required: ['name', 'cluster.id'],
  containedIn: ['cluster'],
  operations: {
    add: { permit: sent('create_cpu_profile', 'cluster') },
    update: { permit: self('update_cpu_profile') },
    remove: { permit: self('delete_cpu_profile') },
  },
  paths: {
    '/clusters/{cluster}/cpuprofiles/{profile}': view(
      { refersBy: 'cluster' },
      { list: ['follow', 'max'], add: [], get: ['follow'], remove: ['async'] },
    ),
    '/cpuprofiles/{profile}': owned(crud()),
  },
  definition: { writtenAt: ['/cpuprofiles'] },
  commands: {
    noun: 'cpuprofiles',
    group: 'scheduling',
    position: 30,
    doc: 'CPU quality of service',
    one: 'CPU profile',
    columns: ['name', 'cluster.name', 'description', 'id'],
    samples: { object: 'slow', newName: 'capped' },
  },
});
