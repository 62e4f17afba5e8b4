/** Virtual NUMA nodes of virtual machines. */
import { crud, owned } from '../notation/collections.ts';
import { owner } from '../notation/permits.ts';
import { resource, structure } from '../notation/resource.ts';

export const virtualNumaNode = resource('virtual_numa_node', {
  tag: 'vm_numa_node',
  plural: 'vm_numa_nodes',
  identified: true,
  attributes: {
    index: { kind: 'int', mut: 'CU' },
    memory: { kind: 'long', unit: 'MiB', mut: 'CU', doc: 'MiB.' },
    cpu: { kind: 'struct cpu', mut: 'CU', doc: 'Cores by index.' },
    vm: { kind: 'ref vm', mut: 'R' },
    numa_node_pins: { kind: 'list struct numa_node_pin', mut: 'CU' },
    numa_tune_mode: { kind: 'enum numa_tune_mode', mut: 'CU' },
  },
  required: ['index', 'memory', 'cpu'],
  operations: {
    add: { permit: owner('edit_vm_properties') },
    update: { permit: owner('edit_vm_properties') },
    remove: { permit: owner('edit_vm_properties') },
  },
  paths: {
    '/vms/{vm}/numanodes/{node}': owned(crud()),
  },
  definition: { writtenAt: ['/vms/{vm}/numanodes'] },
  commands: {
    noun: 'numanodes',
    group: 'compute',
    position: 70,
    more: true,
    doc: 'NUMA nodes of a VM or host',
    one: 'NUMA node',
    verbs: {
      create: {
        sample: { flags: '--index 1 --memory 512 --set-json \'cpu={"cores":[{"index":0}]}\'' },
      },
    },
    samples: { objectAt: { '/hosts/{host}/numanodes': 'node0' } },
  },
});

export const numaNodePin = structure('numa_node_pin', {
  attributes: {
    host_numa_node: { kind: 'struct numa_node', mut: 'CU' },
    pinned: { kind: 'bool', mut: 'CU' },
    index: { kind: 'int', mut: 'CU' },
  },
});
