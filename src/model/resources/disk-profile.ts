/** Disk profiles. */
import { crud, owned, view } from '../notation/collections.ts';
import { self, sent } from '../notation/permits.ts';
import { resource } from '../notation/resource.ts';

export const diskProfile = resource('disk_profile', {
  doc: 'A throughput limit for disks of a storage domain.',
  identified: true,
  attributes: {
    name: { kind: 'string', mut: 'CU', doc: '1 to 50 characters.' },
    storage_domain: {
      kind: 'ref storage_domain',
      mut: 'C',
      doc: 'Storage domain by id, for /diskprofiles.',
    },
    permissions: { kind: 'links permission', mut: 'R' },
    description: { kind: 'string', mut: 'CU' },
    qos: { kind: 'ref qos', mut: 'CU' },
  },
  naming: { pattern: 'any', max: 50, takenStatus: 400, unique: { within: 'storage_domain' } },
  required: ['name', 'storage_domain.id'],
  containedIn: ['storage_domain'],
  operations: {
    add: { permit: sent('create_storage_disk_profile', 'storage_domain') },
    update: { permit: self('configure_storage_disk_profile') },
    remove: { permit: self('delete_storage_disk_profile') },
  },
  paths: {
    '/storagedomains/{storagedomain}/diskprofiles/{profile}': view(
      { refersBy: 'storage_domain' },
      { list: ['follow', 'max'], add: [], get: ['follow'], remove: ['async'] },
    ),
    '/diskprofiles/{diskprofile}': owned(crud()),
  },
  definition: { writtenAt: ['/diskprofiles'] },
  commands: {
    noun: 'diskprofiles',
    group: 'storage',
    position: 50,
    doc: 'Storage quality of service',
    one: 'disk profile',
    columns: ['name', 'storage_domain.name', 'description', 'id'],
    samples: { object: 'slow', newName: 'fast' },
  },
});
