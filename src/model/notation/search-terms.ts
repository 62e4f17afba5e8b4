/** Search fields, related objects and steps that resources share. */
import type { Relation, SearchField, Step } from './search.ts';

/** Relations of fields that differ from those of their kind. */
export const relations = {
  equality: ['=', '!='],
  dayRelations: ['<', '>', '='],
  order: ['<', '>'],
  /** Only text without a field finds these. */
  none: [],
} as const satisfies Readonly<Record<string, readonly Relation[]>>;

/** Fields with the same meaning in all types. */
export const field = {
  name: { kind: 'text', path: 'name' },
  description: { kind: 'text', path: 'description' },
  comment: { kind: 'text', path: 'comment' },
  id: { kind: 'text', path: 'id', isId: true },
  tag: { kind: 'tag', source: 'tags of the object' },
  clusterName: { kind: 'text', path: 'cluster.name' },
  dataCenterOfCluster: { kind: 'text', path: 'cluster.data_center.name' },
  quotaName: { kind: 'text', path: 'quota.name' },
  architecture: { kind: 'enum', path: 'cpu.architecture', enum: 'architecture' },
} as const satisfies Readonly<Record<string, SearchField>>;

/** Names of related objects in searches, and the source of their fields. */
export const related = {
  hosts: { names: ['host', 'hosts'], fields: 'host', type: 'host' },
  vms: { names: ['vm', 'vms'], fields: 'vm', type: 'vm' },
  templates: {
    names: ['template', 'templates'],
    fields: 'template',
    type: 'template',
  },
  events: { names: ['event', 'events'], fields: 'event', type: 'event' },
  users: { names: ['user', 'users'], fields: 'user', type: 'user' },
  clusters: { names: ['cluster', 'clusters'], fields: 'cluster', type: 'cluster' },
  dataCenters: {
    names: ['datacenter', 'datacenters', 'data_center', 'data_centers'],
    fields: 'data_center',
    type: 'data_center',
  },
  storage: {
    names: ['storage', 'storages', 'storage_domain', 'storage_domains'],
    fields: 'storage_domain',
    type: 'storage_domain',
  },
  networks: { names: ['network', 'networks'], fields: 'network', type: 'network' },
  vmNics: { names: ['vnic'], fields: 'vm_nic', type: 'nic' },
  clusterNetworks: {
    names: ['cluster_network', 'cluster_networks'],
    fields: 'cluster_network',
    type: 'network',
  },
} as const;

/** Steps between objects. */
export const step = {
  toCluster: { follow: 'cluster' },
  toDataCenter: { follow: 'data_center' },
  toStorage: { back: 'storage_domain.data_centers' },
} as const satisfies Readonly<Record<string, Step>>;
