/** Storage devices of hosts, and their logical units. */
import { owned } from '../notation/collections.ts';
import { column } from '../notation/commands.ts';
import { resource, structure } from '../notation/resource.ts';

export const hostStorage = resource('host_storage', {
  doc: 'A storage device of a host; in the list of a host the id is that of the logical unit.',
  identified: true,
  unwritten: ['volume_group'],
  attributes: {
    type: { kind: 'enum storage_type', mut: 'C', doc: 'Type of the storage.' },
    password: { kind: 'string', mut: 'C', writeOnly: true, secret: true },
    driver_options: {
      kind: 'list struct property',
      mut: 'C',
      doc: 'For managed block storage only.',
    },
    driver_sensitive_options: {
      kind: 'list struct property',
      mut: 'C',
      doc: 'For managed block storage only.',
    },
    host: { kind: 'ref host', mut: 'R' },
    address: { kind: 'string', mut: 'C' },
    path: { kind: 'string', mut: 'C' },
    mount_options: { kind: 'string', mut: 'C' },
    vfs_type: { kind: 'string', mut: 'C' },
    target: { kind: 'string', mut: 'C' },
    username: { kind: 'string', mut: 'C' },
    portal: { kind: 'string', mut: 'C' },
    nfs_version: { kind: 'enum nfs_version', mut: 'C' },
    nfs_timeo: { kind: 'int', mut: 'C' },
    nfs_retrans: { kind: 'int', mut: 'C' },
    port: { kind: 'int', mut: 'C' },
    logical_units: { kind: 'list struct logical_unit', mut: 'C' },
    volume_group: { kind: 'struct volume_group', mut: 'C' },
    override_luns: { kind: 'bool', mut: 'C' },
  },
  paths: {
    '/hosts/{host}/storage/{storage}': owned({
      list: ['follow', 'report_status'],
      get: ['follow', 'report_status'],
    }),
  },
  commands: {
    noun: 'hoststorage',
    aliases: ['luns'],
    group: 'storage',
    more: true,
    doc: 'Storage devices of a host',
    one: 'storage device',
    collections: ['/hosts/{host}/storage'],
    columns: [
      'id',
      'type',
      column('size', 'logical_units.size'),
      column('status', 'logical_units.status'),
    ],
    knownBy: [],
    samples: { object: '36aa5b04b4eaf0fc8e9f50838ca3525d6' },
  },
});

export const logicalUnit = structure('logical_unit', {
  identified: true,
  attributes: {
    password: { kind: 'string', mut: 'C', writeOnly: true, secret: true },
    status: {
      kind: 'enum lun_status',
      mut: 'R',
      doc: 'Status, with report_status only.',
    },
    address: { kind: 'string', mut: 'C' },
    target: { kind: 'string', mut: 'C' },
    username: { kind: 'string', mut: 'C' },
    portal: { kind: 'string', mut: 'C' },
    port: { kind: 'int', mut: 'C' },
    serial: { kind: 'string', mut: 'R' },
    vendor_id: { kind: 'string', mut: 'R' },
    product_id: { kind: 'string', mut: 'R' },
    volume_group_id: { kind: 'string', mut: 'R' },
    storage_domain_id: { kind: 'string', mut: 'R' },
    disk_id: { kind: 'string', mut: 'R' },
    lun_mapping: { kind: 'int', mut: 'R' },
    size: { kind: 'long', unit: 'bytes', mut: 'R' },
    paths: { kind: 'int', mut: 'R' },
    active_paths: { kind: 'int', mut: 'R' },
    discard_max_size: { kind: 'long', unit: 'bytes', mut: 'R' },
    discard_zeroes_data: { kind: 'bool', mut: 'R' },
  },
});

export const volumeGroup = structure('volume_group', {
  attributes: {
    id: { kind: 'string', mut: 'CU' },
    name: { kind: 'string', mut: 'CU' },
    logical_units: { kind: 'list struct logical_unit', mut: 'CU' },
  },
});
