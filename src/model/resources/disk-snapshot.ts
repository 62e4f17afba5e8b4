/** Snapshots of single disks. */
import { below, owned } from '../notation/collections.ts';
import { owner } from '../notation/permits.ts';
import { resource } from '../notation/resource.ts';

export const diskSnapshot = resource('disk_snapshot', {
  doc: 'The image of one disk in a snapshot.',
  base: 'disk',
  attributes: {
    disk: { kind: 'ref disk', mut: 'R' },
    parent: { kind: 'ref disk_snapshot', mut: 'R' },
  },
  operations: { remove: { permit: owner('edit_disk_properties') } },
  paths: {
    ...below(
      ['/storagedomains/{storagedomain}', '/disks/{disk}'],
      'disksnapshots/{snapshot}',
      owned({
        list: ['follow', 'include_active', 'include_template', 'max'],
        get: ['follow'],
        remove: ['async'],
      }),
    ),
  },
  commands: {
    noun: 'disksnapshots',
    group: 'storage',
    position: 40,
    doc: 'Snapshots of single disks',
    one: 'disk snapshot',
    columns: ['alias', 'status', 'provisioned_size', 'actual_size', 'format', 'id'],
    knownBy: ['alias'],
    samples: { object: 'web01_Disk1' },
  },
});
