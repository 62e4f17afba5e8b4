/** NUMA nodes and CPUs of hosts. */
import { owned } from '../notation/collections.ts';
import { resource } from '../notation/resource.ts';

export const numaNode = resource('numa_node', {
  tag: 'host_numa_node',
  plural: 'host_numa_nodes',
  identified: true,
  attributes: {
    name: { kind: 'string', mut: 'R' },
    node_distance: { kind: 'string', mut: 'R' },
    index: { kind: 'int', mut: 'R' },
    memory: { kind: 'long', unit: 'MiB', mut: 'R' },
    cpu: { kind: 'struct cpu', mut: 'R' },
    host: { kind: 'ref host', mut: 'R' },
    statistics: { kind: 'links statistic', mut: 'R' },
  },
  paths: { '/hosts/{host}/numanodes/{node}': owned({ list: ['follow', 'max'], get: ['follow'] }) },
  statistics: [
    ['memory.total', 'gauge', 'bytes', 'integer', 'Total memory'],
    ['memory.used', 'gauge', 'bytes', 'integer', 'Used memory'],
    ['memory.free', 'gauge', 'bytes', 'integer', 'Free memory'],
    ['cpu.current.user', 'gauge', 'percent', 'decimal', 'CPU used by users'],
    ['cpu.current.system', 'gauge', 'percent', 'decimal', 'CPU used by the system'],
    ['cpu.current.idle', 'gauge', 'percent', 'decimal', 'CPU idle'],
  ],
});

export const hostCpuUnit = resource('host_cpu_unit', {
  identified: true,
  attributes: {
    socket_id: { kind: 'int', mut: 'CU' },
    core_id: { kind: 'int', mut: 'CU' },
    cpu_id: { kind: 'int', mut: 'CU' },
    vms: { kind: 'links vm', mut: 'CU' },
    runs_vdsm: { kind: 'bool', mut: 'CU' },
  },
  paths: { '/hosts/{host}/cpuunits': owned({ list: ['follow'] }) },
  commands: {
    noun: 'cpuunits',
    group: 'compute',
    position: 110,
    more: true,
    doc: 'Physical CPUs of a host',
    one: 'CPU unit',
  },
});
