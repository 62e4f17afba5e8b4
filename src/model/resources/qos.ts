/** QoS entries of data centers. */
import { crud, owned } from '../notation/collections.ts';
import { owner } from '../notation/permits.ts';
import { resource } from '../notation/resource.ts';

export const qos = resource('qos', {
  doc: 'Limits for storage, CPU or network; the type selects the valid ones.',
  plural: 'qoss',
  identified: true,
  attributes: {
    name: {
      kind: 'string',
      mut: 'CU',
      doc: 'Name, unique per type in the data center (at most 50 characters).',
    },
    type: {
      kind: 'enum qos_type',
      mut: 'C',
      default: 'storage',
      doc: 'Type: storage, cpu, network or hostnetwork.',
    },
    data_center: { kind: 'ref data_center', mut: 'R' },
    description: { kind: 'string', mut: 'CU', length: [0, 4000] },
    max_throughput: { kind: 'int', mut: 'CU' },
    max_read_throughput: { kind: 'int', mut: 'CU' },
    max_write_throughput: { kind: 'int', mut: 'CU' },
    max_iops: { kind: 'int', mut: 'CU' },
    max_read_iops: { kind: 'int', mut: 'CU' },
    max_write_iops: { kind: 'int', mut: 'CU' },
    cpu_limit: { kind: 'int', mut: 'CU' },
    inbound_average: { kind: 'int', mut: 'CU' },
    inbound_peak: { kind: 'int', mut: 'CU' },
    inbound_burst: { kind: 'int', mut: 'CU' },
    outbound_average: { kind: 'int', mut: 'CU' },
    outbound_peak: { kind: 'int', mut: 'CU' },
    outbound_burst: { kind: 'int', mut: 'CU' },
    outbound_average_linkshare: { kind: 'int', mut: 'CU' },
    outbound_average_upperlimit: { kind: 'int', mut: 'CU' },
    outbound_average_realtime: { kind: 'int', mut: 'CU' },
  },
  naming: { pattern: 'letters', max: 255, unique: 'nowhere' },
  required: ['name', 'type'],
  containedIn: ['data_center'],
  operations: {
    add: { permit: owner('edit_storage_pool_configuration') },
    update: { permit: owner('edit_storage_pool_configuration') },
    remove: { permit: owner('edit_storage_pool_configuration') },
  },
  paths: {
    '/datacenters/{datacenter}/qoss/{qos}': owned(crud()),
  },
  definition: { writtenAt: ['/datacenters/{datacenter}/qoss'] },
  commands: {
    noun: 'qoss',
    aliases: ['qos'],
    group: 'scheduling',
    doc: 'Quality of service entries of a data center',
    one: 'quality of service entry',
    verbs: {
      create: { sample: { flags: '--name fast-disks --type storage --max-throughput 500' } },
    },
    samples: { object: 'slow-disks', newName: 'fast-disks' },
  },
});
