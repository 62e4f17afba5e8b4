/** Pools of identical VMs. */
import { asyncIgnored, byIdOrName, owned } from '../notation/collections.ts';
import { self, sent } from '../notation/permits.ts';
import { resource } from '../notation/resource.ts';
import { field, relations } from '../notation/search-terms.ts';

export const vmPool = resource('vm_pool', {
  doc: 'A set of identical VMs for users.',
  identified: true,
  attributes: {
    name: {
      kind: 'string',
      mut: 'C',
      doc: 'Name, unique (letters, digits, `.`, `_` or `-`; question marks for the VM number). Cannot be changed.',
    },
    size: {
      kind: 'long',
      mut: 'CU',
      onlyGrows: true,
      doc: 'Number of VMs; an update can only increase it.',
    },
    prestarted_vms: { kind: 'int', mut: 'CU', default: 0 },
    max_user_vms: { kind: 'int', mut: 'CU', default: 1, doc: '1 to 32767.' },
    type: { kind: 'enum vm_pool_type', mut: 'C', default: 'automatic' },
    use_latest_template_version: { kind: 'bool', mut: 'CU', default: false },
    stateful: { kind: 'bool', mut: 'C', default: false },
    auto_storage_select: { kind: 'bool', mut: 'C', default: false },
    cluster: {
      kind: 'ref cluster',
      mut: 'C',
    },
    template: {
      kind: 'ref template',
      mut: 'C',
      doc: 'Template by name or id, except Blank; an update can select another version.',
    },
    vm: {
      kind: 'ref vm',
      mut: 'R',
      withoutAddressesWithin: true,
      doc: 'The first VM, with the configuration of all.',
    },
    permissions: { kind: 'links permission', mut: 'R' },
    description: { kind: 'string', mut: 'CU', length: [0, 4000], default: '' },
    comment: { kind: 'string', mut: 'CU' },
    display: { kind: 'struct display', mut: 'CU' },
    rng_device: { kind: 'struct rng_device', mut: 'CU' },
    soundcard_enabled: { kind: 'bool', mut: 'CU' },
    tpm_enabled: { kind: 'bool', mut: 'CU' },
    instance_type: { kind: 'ref instance_type', mut: 'CU' },
  },
  naming: { pattern: 'masked', max: 255, unique: 'service' },
  required: ['name', byIdOrName('cluster'), byIdOrName('template')],
  containedIn: ['cluster'],
  reachedFrom: ['vm'],
  operations: {
    add: {
      permit: [sent('create_vm_pool', 'cluster'), sent('create_vm', 'template')],
      job: 'Creating VM pool {name}',
    },
    update: { permit: self('edit_vm_pool_configuration'), job: 'Editing VM pool {name}' },
    remove: {
      permit: self('delete_vm_pool'),
      job: 'Removing VM pool {name}',
      alsoDeletes: 'deletes the VMs of the pool and their disks',
    },
    allocate_vm: {
      permit: self('vm_pool_basic_operations'),
      job: 'Allocating a VM of pool {name}',
      harmless: true,
    },
  },
  paths: {
    '/vmpools/{pool}': owned({
      list: ['case_sensitive', 'filter', 'follow', 'max', 'search'],
      add: ['seal'],
      get: ['filter', 'follow'],
      update: [asyncIgnored, 'seal'],
      remove: ['async'],
      actions: { allocate_vm: ['async'] },
    }),
  },
  search: {
    fields: {
      name: field.name,
      description: field.description,
      comment: field.comment,
      type: { kind: 'enum', path: 'type', enum: 'vm_pool_type' },
      cluster: field.clusterName,
      datacenter: field.dataCenterOfCluster,
      architecture: { kind: 'enum', path: 'cluster.cpu.architecture', enum: 'architecture' },
      assigned_vm_count: {
        kind: 'number',
        source: 'number of VMs in the pool',
        relations: relations.equality,
      },
      running_vm_count: {
        kind: 'number',
        source: 'number of running VMs',
        relations: relations.equality,
      },
    },
  },
  events: {
    POOL_ADDED: {
      code: 302,
      severity: 'normal',
      text: 'VM pool {VmPoolName} was created with its VMs by {UserName}.',
    },
    POOL_REMOVED: {
      code: 304,
      severity: 'normal',
      text: 'VM pool {VmPoolName} was removed by {UserName}.',
    },
    POOL_REMOVAL_STARTED: {
      code: 321,
      severity: 'normal',
      text: 'VM pool {VmPoolName} removal was initiated by {UserName}.',
    },
    VM_DETACHED_FROM_POOL: {
      code: 308,
      severity: 'normal',
      text: 'VM {VmName} was detached from VM pool {VmPoolName} by {UserName}.',
    },
    POOL_CHANGED: {
      code: 314,
      severity: 'normal',
      text: 'VM pool {VmPoolName} was updated by {UserName}.',
    },
  },
  definition: { writtenAt: ['/vmpools'] },
  commands: {
    noun: 'vmpools',
    aliases: ['pools'],
    group: 'compute',
    doc: 'Pools of identical VMs',
    one: 'pool',
    columns: ['name', 'size', 'prestarted_vms', 'max_user_vms', 'type', 'cluster.name'],
    searchedByName: true,
    verbs: {
      create: { sample: { flags: '--name kiosks --cluster Default --template debian12 --size 5' } },
    },
    samples: { object: 'desktops', newName: 'kiosks' },
  },
});
