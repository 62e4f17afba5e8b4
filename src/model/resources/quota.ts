/** Quotas of data centers, with limits by cluster and storage domain. */
import { crud, owned } from '../notation/collections.ts';
import { column } from '../notation/commands.ts';
import { owner } from '../notation/permits.ts';
import { resource } from '../notation/resource.ts';
import { field } from '../notation/search-terms.ts';

export const quota = resource('quota', {
  doc: 'A limit on resources that users consume in a data center.',
  identified: true,
  attributes: {
    name: {
      kind: 'string',
      mut: 'CU',
      doc: 'Name, unique in the data center (1 to 65 letters, digits, `_` or `-`).',
    },
    description: { kind: 'string', mut: 'CU', length: [0, 250], default: '' },
    cluster_soft_limit_pct: { kind: 'int', mut: 'CU', default: 80 },
    storage_soft_limit_pct: { kind: 'int', mut: 'CU', default: 80 },
    cluster_hard_limit_pct: { kind: 'int', mut: 'CU', default: 20 },
    storage_hard_limit_pct: { kind: 'int', mut: 'CU', default: 20 },
    data_center: { kind: 'struct data_center', mut: 'R' },
    permissions: { kind: 'links permission', mut: 'R' },
    quota_cluster_limits: { kind: 'links quota_cluster_limit', mut: 'R' },
    quota_storage_limits: { kind: 'links quota_storage_limit', mut: 'R' },
  },
  naming: { pattern: 'identifier', max: 65, unique: 'collection' },
  required: ['name'],
  containedIn: ['data_center'],
  operations: {
    add: { permit: owner('configure_quota') },
    update: { permit: owner('configure_quota') },
    remove: { permit: owner('configure_quota') },
  },
  paths: {
    '/datacenters/{datacenter}/quotas/{quota}': owned(crud()),
  },
  search: {
    fields: {
      name: field.name,
      storagepoolname: { kind: 'text', path: 'data_center.name' },
      description: field.description,
      thresholdstoragepercentage: { kind: 'number', path: 'storage_soft_limit_pct' },
      thresholdclusterpercentage: { kind: 'number', path: 'cluster_soft_limit_pct' },
      gracestoragepercentage: { kind: 'number', path: 'storage_hard_limit_pct' },
      graceclusterpercentage: { kind: 'number', path: 'cluster_hard_limit_pct' },
      enforcementtype: {
        kind: 'enum',
        path: 'data_center.quota_mode',
        enum: 'quota_mode_type',
        values: { softenforcement: 'audit', hardenforcement: 'enabled' },
      },
    },
  },
  definition: { writtenAt: ['/datacenters/{datacenter}/quotas'] },
  commands: {
    noun: 'quotas',
    group: 'scheduling',
    doc: 'Quotas of a data center',
    columns: [
      'name',
      column('cluster_soft', 'cluster_soft_limit_pct'),
      column('cluster_hard', 'cluster_hard_limit_pct'),
      column('storage_soft', 'storage_soft_limit_pct'),
      column('storage_hard', 'storage_hard_limit_pct'),
      'description',
      'id',
    ],
    samples: { object: 'web', newName: 'test' },
  },
});

export const quotaClusterLimit = resource('quota_cluster_limit', {
  identified: true,
  attributes: {
    vcpu_limit: { kind: 'int', mut: 'C', doc: 'Number of vCPUs; -1 for no limit.' },
    memory_limit: { kind: 'decimal', mut: 'C', doc: 'Memory in GiB; -1 for no limit.' },
    cluster: { kind: 'ref cluster', mut: 'C', doc: 'Cluster by id (default: all clusters).' },
    vcpu_usage: { kind: 'int', mut: 'R' },
    memory_usage: { kind: 'decimal', mut: 'R' },
    quota: { kind: 'ref quota', mut: 'R' },
  },
  operations: {
    add: { permit: owner('configure_quota') },
    remove: { permit: owner('configure_quota') },
  },
  paths: {
    '/datacenters/{datacenter}/quotas/{quota}/quotaclusterlimits/{limit}': owned(
      crud('list', 'add', 'get', 'remove'),
    ),
  },
  definition: { writtenAt: ['/datacenters/{datacenter}/quotas/{quota}/quotaclusterlimits'] },
  commands: {
    noun: 'quotaclusterlimits',
    group: 'scheduling',
    more: true,
    doc: 'Limits of a quota per cluster',
    verbs: { create: { sample: { flags: '--cluster lab --memory-limit 64 --vcpu-limit 32' } } },
  },
});

export const quotaStorageLimit = resource('quota_storage_limit', {
  identified: true,
  attributes: {
    limit: { kind: 'long', unit: 'GiB', mut: 'C', doc: 'Storage in GiB; -1 for no limit.' },
    storage_domain: {
      kind: 'ref storage_domain',
      mut: 'C',
      doc: 'Storage domain by id (default: all storage domains).',
    },
    usage: { kind: 'decimal', mut: 'R' },
    quota: { kind: 'ref quota', mut: 'R' },
  },
  operations: {
    add: { permit: owner('configure_quota') },
    remove: { permit: owner('configure_quota') },
  },
  paths: {
    '/datacenters/{datacenter}/quotas/{quota}/quotastoragelimits/{limit}': owned(
      crud('list', 'add', 'get', 'remove'),
    ),
  },
  definition: { writtenAt: ['/datacenters/{datacenter}/quotas/{quota}/quotastoragelimits'] },
  commands: {
    noun: 'quotastoragelimits',
    group: 'scheduling',
    more: true,
    doc: 'Limits of a quota per storage domain',
    verbs: { create: { sample: { flags: '--storage-domain data2 --limit 500' } } },
  },
});
