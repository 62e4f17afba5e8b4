/** Scheduling policies and their units. */
import { crud, owned } from '../notation/collections.ts';
import { system } from '../notation/permits.ts';
import { resource } from '../notation/resource.ts';

export const schedulingPolicy = resource('scheduling_policy', {
  doc: 'A policy that selects hosts for VMs.',
  identified: true,
  attributes: {
    name: { kind: 'string', mut: 'CU', doc: 'Name, unique in the system.' },
    locked: { kind: 'bool', mut: 'R', doc: 'Whether the policy is built in.' },
    default_policy: { kind: 'bool', mut: 'R', doc: 'Whether this is the policy none.' },
    balances: { kind: 'links balance', mut: 'R' },
    filters: { kind: 'links filter', mut: 'R' },
    weight: { kind: 'links weight', mut: 'R', doc: 'Weights of the policy.' },
    description: { kind: 'string', mut: 'CU' },
    properties: { kind: 'list struct property', mut: 'CU' },
  },
  naming: { pattern: 'any', max: 128, unique: 'service', takenStatus: 400 },
  required: ['name'],
  operations: {
    add: { permit: system('edit_storage_pool_configuration') },
    update: { permit: system('edit_storage_pool_configuration') },
    remove: { permit: system('edit_storage_pool_configuration') },
  },
  search: { order: [] },
  paths: {
    '/schedulingpolicies/{policy}': owned({
      ...crud('add', 'update', 'remove'),
      list: ['filter', 'follow', 'max'],
      get: ['filter', 'follow'],
    }),
  },
  definition: { writtenAt: ['/schedulingpolicies'], except: { locked: [true] } },
  commands: {
    noun: 'schedulingpolicies',
    aliases: ['policies'],
    group: 'scheduling',
    position: 10,
    more: true,
    doc: 'Scheduling policies',
    one: 'scheduling policy',
    verbs: { create: { sample: { flags: '--name packed' } } },
    samples: { object: 'quiet', newName: 'packed' },
  },
});

export const schedulingPolicyUnit = resource('scheduling_policy_unit', {
  identified: true,
  attributes: {
    name: { kind: 'string', mut: 'R' },
    description: { kind: 'string', mut: 'R' },
    type: { kind: 'enum policy_unit_type', mut: 'R' },
    internal: { kind: 'bool', mut: 'R' },
    enabled: { kind: 'bool', mut: 'R' },
    properties: { kind: 'list struct property', mut: 'R' },
  },
  operations: { remove: { permit: system('edit_storage_pool_configuration') } },
  search: { order: [] },
  paths: {
    '/schedulingpolicyunits/{unit}': owned({
      list: ['filter', 'follow', 'max'],
      get: ['filter', 'follow'],
      remove: ['async'],
      alwaysRefused: {
        remove: 'units are built in; only those of an external scheduler can be removed',
      },
    }),
  },
  commands: {
    noun: 'schedulingpolicyunits',
    group: 'scheduling',
    position: 20,
    more: true,
    doc: 'Units of scheduling policies',
    one: 'scheduling policy unit',
    samples: { object: 'Memory' },
  },
});

export const filter = resource('filter', {
  identified: true,
  unwritten: ['name', 'description', 'comment'],
  attributes: {
    position: {
      kind: 'int',
      mut: 'C',
      default: 0,
      doc: 'Position: 1 is first, -1 is last, 0 is any.',
    },
    scheduling_policy_unit: {
      kind: 'ref scheduling_policy_unit',
      mut: 'C',
      doc: 'Policy unit by id.',
    },
  },
  required: ['scheduling_policy_unit.id'],
  operations: {
    add: { permit: system('edit_storage_pool_configuration'), opposite: 'remove' },
    remove: { permit: system('edit_storage_pool_configuration'), opposite: 'add' },
  },
  search: { order: [] },
  paths: {
    '/schedulingpolicies/{policy}/filters/{filter}': owned({
      ...crud('add', 'remove'),
      list: ['filter', 'follow', 'max'],
      get: ['filter', 'follow'],
    }),
  },
  definition: { writtenAt: ['/schedulingpolicies/{policy}/filters'] },
  commands: {
    noun: 'filters',
    group: 'scheduling',
    position: 40,
    more: true,
    doc: 'Filters of a scheduling policy',
    verbs: { create: { sample: { flags: '--scheduling-policy-unit Swap' } } },
    samples: { object: 'Memory' },
  },
});

export const weight = resource('weight', {
  identified: true,
  unwritten: ['name', 'description', 'comment'],
  attributes: {
    factor: { kind: 'int', mut: 'C', default: 1 },
    scheduling_policy: { kind: 'ref scheduling_policy', mut: 'R' },
    scheduling_policy_unit: {
      kind: 'ref scheduling_policy_unit',
      mut: 'C',
      doc: 'Policy unit by id.',
    },
  },
  required: ['scheduling_policy_unit.id'],
  operations: {
    add: { permit: system('edit_storage_pool_configuration'), opposite: 'remove' },
    remove: { permit: system('edit_storage_pool_configuration'), opposite: 'add' },
  },
  search: { order: [] },
  paths: {
    '/schedulingpolicies/{policy}/weights/{weight}': owned({
      ...crud('add', 'remove'),
      list: ['filter', 'follow', 'max'],
      get: ['filter', 'follow'],
    }),
  },
  definition: { writtenAt: ['/schedulingpolicies/{policy}/weights'] },
  commands: {
    noun: 'weights',
    group: 'scheduling',
    position: 50,
    more: true,
    doc: 'Weights of a scheduling policy',
    verbs: { create: { sample: { flags: '--scheduling-policy-unit PreferredHosts' } } },
    samples: { object: 'PreferredHosts' },
  },
});

export const balance = resource('balance', {
  identified: true,
  unwritten: ['name', 'description', 'comment'],
  attributes: {
    scheduling_policy: { kind: 'ref scheduling_policy', mut: 'R' },
    scheduling_policy_unit: {
      kind: 'ref scheduling_policy_unit',
      mut: 'C',
      doc: 'Policy unit by id.',
    },
  },
  required: ['scheduling_policy_unit.id'],
  operations: {
    add: { permit: system('edit_storage_pool_configuration'), opposite: 'remove' },
    remove: { permit: system('edit_storage_pool_configuration'), opposite: 'add' },
  },
  search: { order: [] },
  paths: {
    '/schedulingpolicies/{policy}/balances/{balance}': owned({
      ...crud('add', 'remove'),
      list: ['filter', 'follow', 'max'],
      get: ['filter', 'follow'],
    }),
  },
  definition: { writtenAt: ['/schedulingpolicies/{policy}/balances'] },
  commands: {
    noun: 'balances',
    group: 'scheduling',
    position: 30,
    more: true,
    doc: 'Load balancing of a scheduling policy',
    verbs: { create: { sample: { flags: '--scheduling-policy-unit None' } } },
    samples: { object: 'OptimalForEvenDistribution' },
  },
});
