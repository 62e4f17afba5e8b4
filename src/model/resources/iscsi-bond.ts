/** iSCSI bonds of data centers, and discovered iSCSI targets. */
import { crud, owned } from '../notation/collections.ts';
import { owner } from '../notation/permits.ts';
import { resource, structure } from '../notation/resource.ts';

export const iscsiBond = resource('iscsi_bond', {
  identified: true,
  unwritten: ['networks', 'storage_connections'],
  attributes: {
    name: {
      kind: 'string',
      mut: 'CU',
      doc: 'Name, unique in the data center (at most 50 characters).',
    },
    description: { kind: 'string', mut: 'CU', length: [0, 4000] },
    data_center: { kind: 'ref data_center', mut: 'R' },
    storage_connections: {
      kind: 'links storage_connection',
      mut: 'C',
      doc: 'Storage connections by id.',
    },
    networks: { kind: 'links network', mut: 'C', doc: 'Networks by id.' },
  },
  naming: { pattern: 'letters', max: 50, unique: 'collection' },
  required: ['name'],
  containedIn: ['data_center'],
  operations: {
    add: { permit: owner('edit_storage_pool_configuration') },
    update: { permit: owner('edit_storage_pool_configuration') },
    remove: { permit: owner('edit_storage_pool_configuration') },
  },
  paths: {
    '/datacenters/{datacenter}/iscsibonds/{iscsibond}': owned(crud()),
  },
  definition: { writtenAt: ['/datacenters/{datacenter}/iscsibonds'] },
  commands: {
    noun: 'iscsibonds',
    group: 'storage',
    position: 60,
    more: true,
    doc: 'iSCSI bonds',
    one: 'iSCSI bond',
    samples: { object: 'multipath', newName: 'storage' },
  },
});

export const iscsiDetails = structure('iscsi_details', {
  attributes: {
    initiator: { kind: 'string', mut: 'CU' },
    port: { kind: 'int', mut: 'CU' },
    target: { kind: 'string', mut: 'CU' },
    username: { kind: 'string', mut: 'CU' },
    password: { kind: 'string', mut: 'CU', secret: true },
    portal: { kind: 'string', mut: 'CU' },
    address: { kind: 'string', mut: 'CU' },
    serial: { kind: 'string', mut: 'CU' },
    vendor_id: { kind: 'string', mut: 'CU' },
    product_id: { kind: 'string', mut: 'CU' },
    lun_mapping: { kind: 'int', mut: 'CU' },
    size: { kind: 'long', unit: 'bytes', mut: 'CU' },
    paths: { kind: 'int', mut: 'CU' },
    status: { kind: 'string', mut: 'CU' },
    volume_group_id: { kind: 'string', mut: 'CU' },
    storage_domain_id: { kind: 'string', mut: 'CU' },
    disk_id: { kind: 'string', mut: 'CU' },
  },
});
