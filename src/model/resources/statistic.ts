/** Measured values of an object. */
import { below, owned } from '../notation/collections.ts';
import { column } from '../notation/commands.ts';
import { resource, structure } from '../notation/resource.ts';

export const statistic = resource('statistic', {
  doc: 'A measured value of an object.',
  identified: true,
  attributes: {
    disk: { kind: 'ref disk', mut: 'R', doc: 'Measured object.' },
    host: { kind: 'ref host', mut: 'R', doc: 'Measured object.' },
    host_nic: { kind: 'ref host_nic', mut: 'R', doc: 'Measured object.' },
    host_numa_node: { kind: 'ref numa_node', mut: 'R', doc: 'Measured object.' },
    nic: { kind: 'ref nic', mut: 'R', doc: 'Measured object.' },
    vm: { kind: 'ref vm', mut: 'R', doc: 'Measured object.' },
    brick: { kind: 'ref gluster_brick', mut: 'R', doc: 'Measured object.' },
    step: { kind: 'ref step', mut: 'R', doc: 'Measured object.' },
    gluster_volume: { kind: 'ref gluster_volume', mut: 'R', doc: 'Measured object.' },
    name: { kind: 'string', mut: 'R' },
    description: { kind: 'string', mut: 'R' },
    values: { kind: 'list struct value', mut: 'R' },
    kind: { kind: 'enum statistic_kind', mut: 'R' },
    type: { kind: 'enum value_type', mut: 'R' },
    unit: { kind: 'enum statistic_unit', mut: 'R' },
  },
  paths: {
    ...below(
      [
        '/vms/{vm}/nics/{nic}',
        '/vms/{vm}',
        '/storagedomains/{storagedomain}/disks/{disk}',
        '/disks/{disk}',
        '/clusters/{cluster}/glustervolumes/{volume}/glusterbricks/{brick}',
        '/clusters/{cluster}/glustervolumes/{volume}',
        '/datacenters/{datacenter}/storagedomains/{storagedomain}/disks/{disk}',
        '/hosts/{host}/nics/{nic}',
        '/hosts/{host}/numanodes/{node}',
        '/hosts/{host}',
        '/jobs/{job}/steps/{step}',
      ],
      'statistics/{statistic}',
      owned({ list: ['follow', 'max'], get: ['follow'] }),
    ),
  },
  commands: {
    noun: 'statistics',
    aliases: ['stats'],
    group: 'observe',
    position: 30,
    doc: 'Measured values of an object',
    columns: ['name', column('value', 'values.datum'), 'unit', 'type', 'description'],
    samples: { object: 'memory.used' },
  },
});

export const value = structure('value', {
  attributes: {
    datum: { kind: 'decimal', mut: 'CU' },
    detail: { kind: 'string', mut: 'CU' },
  },
});
