/** Data centers. */
import { byIdOrName, crud, owned } from '../notation/collections.ts';
import { shortcut } from '../notation/commands.ts';
import { lifecycle } from '../notation/lifecycle.ts';
import { self, system } from '../notation/permits.ts';
import { resource } from '../notation/resource.ts';
import { field, related, step } from '../notation/search-terms.ts';

/** The status follows from the storage domains. No operation sets it. */
export const dataCenterLifecycle = lifecycle({
  type: 'data_center',
  attribute: 'status',
  initial: 'uninitialized',
  settled: ['uninitialized', 'up', 'maintenance', 'problematic', 'not_operational'],
  failed: ['problematic', 'not_operational'],
  moves: {},
});

export const dataCenter = resource('data_center', {
  doc: 'The largest unit: related clusters, storage and networks.',
  identified: true,
  attributes: {
    name: {
      kind: 'string',
      mut: 'CU',
      doc: 'Name, unique in the system (1 to 40 letters, digits, `_` or `-`).',
    },
    description: { kind: 'string', mut: 'CU', length: [0, 4000] },
    comment: { kind: 'string', mut: 'CU' },
    local: {
      kind: 'bool',
      mut: 'CU',
      doc: 'Whether storage is local to one host; required to create a data center.',
    },
    storage_format: {
      kind: 'enum storage_format',
      mut: 'CU',
      doc: 'Format of the master domain (v5 from level 4.3, v4 at 4.2).',
    },
    version: {
      kind: 'struct version',
      mut: 'CU',
      onlyGrows: true,
      doc: 'Compatibility level (default: the newest).',
    },
    supported_versions: {
      kind: 'list struct version',
      mut: 'R',
      doc: 'Levels that this data center can use, including the present one.',
    },
    status: {
      kind: 'enum data_center_status',
      mut: 'R',
      doc: 'Status; uninitialized until the first data domain is attached.',
    },
    quota_mode: { kind: 'enum quota_mode_type', mut: 'CU', default: 'disabled' },
    mac_pool: {
      kind: 'ref mac_pool',
      mut: 'CU',
      doc: 'Deprecated: MAC pool of all clusters, shown if they use the same one.',
    },
    storage_domains: { kind: 'links storage_domain', mut: 'R' },
    clusters: { kind: 'links cluster', mut: 'R' },
    networks: { kind: 'links network', mut: 'R' },
    permissions: { kind: 'links permission', mut: 'R' },
    quotas: { kind: 'links quota', mut: 'R' },
    qoss: { kind: 'links qos', mut: 'R' },
    iscsi_bonds: { kind: 'links iscsi_bond', mut: 'R' },
  },
  naming: { pattern: 'identifier', max: 40, unique: 'service' },
  required: ['name', 'local'],
  reachedFrom: ['cluster', 'storage_domain'],
  operations: {
    add: { permit: system('create_storage_pool'), job: 'Adding data center {name}' },
    update: { permit: self('edit_storage_pool_configuration'), job: 'Editing data center {name}' },
    remove: { permit: self('delete_storage_pool'), job: 'Removing data center {name}' },
    clean_finished_tasks: {
      permit: self('edit_storage_pool_configuration'),
      job: 'Cleaning the finished tasks of data center {name}',
      harmless: true,
    },
    set_master: {
      permit: self('manipulate_storage_domain'),
      job: 'Setting the master storage domain of data center {name}',
      harmless: true,
      required: [byIdOrName('storage_domain')],
    },
  },
  paths: {
    '/datacenters/{datacenter}': owned({
      ...crud('add', 'update'),
      list: ['case_sensitive', 'filter', 'follow', 'max', 'search'],
      get: ['filter', 'follow'],
      remove: ['async', 'force'],
      actions: { clean_finished_tasks: ['async'], set_master: ['async', 'storage_domain'] },
      withoutEffect: {
        clean_finished_tasks: 'storage tasks have ended by then; the server writes an event',
      },
    }),
  },
  search: {
    fields: {
      name: field.name,
      description: field.description,
      local: { kind: 'bool', path: 'local' },
      status: {
        kind: 'enum',
        path: 'status',
        enum: 'data_center_status',
        values: { nonresponsive: 'problematic' },
      },
      comment: field.comment,
      compatibility_version: { kind: 'text', path: 'version', as: 'version' },
    },
    related: [
      { ...related.clusters, steps: [{ back: 'cluster.data_center' }] },
      { ...related.storage, steps: [step.toStorage] },
      { ...related.networks, steps: [{ back: 'network.data_center' }] },
    ],
  },
  lifecycle: dataCenterLifecycle,
  definition: { writtenAt: ['/datacenters'] },
  commands: {
    noun: 'datacenters',
    aliases: ['dc'],
    group: 'compute',
    position: 40,
    doc: 'Data centers',
    one: 'data center',
    parentFlags: ['data-center', 'dc'],
    columns: ['name', 'status', 'local', 'version', 'description'],
    searchedByName: true,
    shortcuts: [
      shortcut('compatibility-version', 'version', 'Compatibility level, for example 4.7.'),
    ],
    verbs: {
      create: { sample: { flags: '--name north --no-local' } },
      delete: { sample: { object: 'spare' } },
      'set-master': { sample: { flags: '--storage-domain data2' } },
    },
    samples: { object: 'Default', newName: 'north' },
  },
});
