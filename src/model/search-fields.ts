/**
 * What can be searched for: the fields of each kind of object, its cross references and the order
 * of its lists (specification 4.3).
 */
import type { EnumName } from './enums.ts';
import type { TypeName } from './types/index.ts';

/**
 * `text` compares as a whole or with `*`; `number` is an integer, `span` a duration, `severity` an
 * ordered word, `tag` the name of a tag or of one above it, `user` a name with or without its
 * domain.
 */
export type SearchFieldKind =
  | 'text'
  | 'enum'
  | 'bool'
  | 'number'
  | 'date'
  | 'span'
  | 'severity'
  | 'tag'
  | 'user';

export type Relation = '=' | '!=' | '<' | '>' | '<=' | '>=';

/**
 * One step from an object to others: `follow` goes to the objects that a reference or a list of
 * references names; `back` goes to the objects of a type whose reference names this one, as in
 * `disk_attachment.vm`; `paired` goes to the networks as clusters have them.
 */
export type Step =
  | { readonly follow: string }
  | { readonly back: string }
  | { readonly paired: 'cluster_network' };

export interface SearchField {
  readonly kind: SearchFieldKind;
  /** Steps to the objects that have the attribute, when it is not the object itself. */
  readonly through?: readonly Step[];
  /** Dotted path of the attribute; it may lead through references. Absent booleans are false. */
  readonly path?: string;
  /** Instead of a path: a member that is kept with the object and not shown. */
  readonly kept?: string;
  /** The attribute is a version, and its text `major.minor`. */
  readonly as?: 'version';
  /** Instead of a path: what the field means where it is no attribute. */
  readonly source?: string;
  /** Of an `enum` field. */
  readonly enum?: EnumName;
  /**
   * Words beside those of the enum, in lower case and without underscores, and what they stand
   * for. Words of the enum itself are found in any case, with or without underscores.
   */
  readonly values?: Readonly<Record<string, string>>;
  /** Numbers are counted in this unit, the attribute in bytes. */
  readonly unit?: 'MiB' | 'GiB';
  /** Relations, where they are not those of the kind. */
  readonly relations?: readonly Relation[];
  /** An object without this reference has every value: Blank is in every data center. */
  readonly everyWithout?: string;
  /** Works, but is not offered. */
  readonly hidden?: boolean;
}

/** Relations that a field of a kind has when it does not say otherwise. */
export const relationsByKind: Readonly<Record<SearchFieldKind, readonly Relation[]>> = {
  text: ['=', '!='],
  enum: ['=', '!='],
  bool: ['=', '!='],
  number: ['=', '!=', '<', '>', '<=', '>='],
  date: ['<', '>'],
  span: ['<', '>'],
  severity: ['=', '!=', '<', '>', '<=', '>='],
  tag: ['=', '!='],
  user: ['=', '!='],
};

/** Severities of events, the mildest first. */
export const severities = ['normal', 'warning', 'error', 'alert'] as const;

type Fields = Readonly<Record<string, SearchField>>;

const equality: readonly Relation[] = ['=', '!='];
const dayRelations: readonly Relation[] = ['<', '>', '='];

const name: SearchField = { kind: 'text', path: 'name' };
const description: SearchField = { kind: 'text', path: 'description' };
const comment: SearchField = { kind: 'text', path: 'comment' };
const id: SearchField = { kind: 'text', path: 'id' };
const tag: SearchField = { kind: 'tag', source: 'tags of the object' };
const clusterName: SearchField = { kind: 'text', path: 'cluster.name' };
const dataCenterOfCluster: SearchField = { kind: 'text', path: 'cluster.data_center.name' };
const quotaName: SearchField = { kind: 'text', path: 'quota.name' };
const architecture: SearchField = { kind: 'enum', path: 'cpu.architecture', enum: 'architecture' };

const vmFields: Fields = {
  name,
  comment,
  status: {
    kind: 'enum',
    path: 'status',
    enum: 'vm_status',
    values: {
      migratingfrom: 'migrating',
      migratingto: 'migrating',
      imageillegal: 'image_illegal',
    },
  },
  ip: { kind: 'text', source: 'addresses that the guest reports' },
  on_host: { kind: 'text', path: 'host.name' },
  fqdn: { kind: 'text', path: 'fqdn' },
  uptime: { kind: 'span', source: 'time since start_time of a running virtual machine' },
  os: { kind: 'text', path: 'os.type' },
  creationdate: { kind: 'date', path: 'creation_time' },
  address: { kind: 'text', path: 'display.address' },
  cpu_usage: { kind: 'number', source: 'statistic cpu.current.total' },
  mem_usage: { kind: 'number', source: 'statistic memory.used, in percent of memory' },
  network_usage: { kind: 'number', source: 'statistic network.current.total' },
  memory: { kind: 'number', path: 'memory', unit: 'MiB' },
  guaranteed_memory: { kind: 'number', path: 'memory_policy.guaranteed', unit: 'MiB' },
  migration_progress_percent: { kind: 'number', source: 'statistic migration.progress' },
  vcpus: { kind: 'number', source: 'product of the numbers in cpu.topology' },
  apps: { kind: 'text', source: 'names of the applications that the guest reports' },
  cluster: clusterName,
  pool: { kind: 'text', path: 'vm_pool.name' },
  loggedinuser: { kind: 'text', through: [{ back: 'session.vm' }], path: 'user.user_name' },
  tag,
  datacenter: dataCenterOfCluster,
  type: { kind: 'enum', path: 'type', enum: 'vm_type' },
  quota: quotaName,
  id,
  description,
  architecture,
  custom_emulated_machine: { kind: 'text', path: 'custom_emulated_machine' },
  custom_cpu_type: { kind: 'text', path: 'custom_cpu_model' },
  compatibility_level: {
    kind: 'text',
    source: 'custom_compatibility_version, or else version of the cluster, as major.minor',
  },
  custom_compatibility_level: {
    kind: 'text',
    path: 'custom_compatibility_version',
    as: 'version',
  },
  created_by_user_id: { kind: 'text', source: 'id of the user who added the virtual machine' },
  next_run_config_exists: { kind: 'bool', path: 'next_run_configuration_exists' },
  has_illegal_images: { kind: 'bool', path: 'has_illegal_images' },
  bios_type: { kind: 'enum', path: 'bios.type', enum: 'bios_type' },
  k8s_namespace: { kind: 'text', source: 'namespace in a container cluster; none here' },
  domain: { kind: 'text', path: 'initialization.domain' },
};

const hostFields: Fields = {
  name,
  comment,
  status: { kind: 'enum', path: 'status', enum: 'host_status' },
  external_status: { kind: 'enum', path: 'external_status', enum: 'external_status' },
  cluster: clusterName,
  address: { kind: 'text', path: 'address' },
  cpu_usage: { kind: 'number', source: 'statistics cpu.current.user and cpu.current.system' },
  mem_usage: { kind: 'number', source: 'statistic memory.used, in percent of memory' },
  network_usage: { kind: 'number', source: 'share of the network bandwidth in use, in percent' },
  load: { kind: 'number', source: 'statistic cpu.load.avg.5m' },
  version: { kind: 'text', path: 'version.full_version' },
  cpus: { kind: 'number', source: 'product of the numbers in cpu.topology' },
  memory: { kind: 'number', path: 'memory', unit: 'MiB' },
  cpu_speed: { kind: 'number', path: 'cpu.speed' },
  cpu_model: { kind: 'text', path: 'cpu.name' },
  active_vms: { kind: 'number', source: 'number of virtual machines that run there' },
  migrating_vms: { kind: 'number', source: 'number of those that migrate' },
  committed_mem: {
    kind: 'number',
    source: 'sum of the memory of the virtual machines that run there',
    unit: 'MiB',
  },
  tag,
  type: { kind: 'enum', path: 'type', enum: 'host_type' },
  datacenter: dataCenterOfCluster,
  architecture,
  update_available: { kind: 'bool', path: 'update_available' },
  ha_score: { kind: 'number', path: 'hosted_engine.score' },
  spm_id: { kind: 'number', source: 'number of the host in its data center' },
  hw_id: { kind: 'text', path: 'hardware_information.uuid' },
  id,
};

const storageDomainFields: Fields = {
  name,
  status: { kind: 'enum', path: 'status', enum: 'storage_domain_status' },
  shared_status: {
    kind: 'enum',
    source: 'status in all data centers: unattached, active, inactive or mixed',
    enum: 'storage_domain_status',
  },
  external_status: { kind: 'enum', path: 'external_status', enum: 'external_status' },
  datacenter: { kind: 'text', through: [{ follow: 'data_centers' }], path: 'name' },
  type: {
    kind: 'enum',
    path: 'storage.type',
    enum: 'storage_type',
    values: { unknown: 'unknown' },
  },
  free_size: { kind: 'number', path: 'available', unit: 'GiB' },
  used_size: { kind: 'number', path: 'used', unit: 'GiB' },
  total_size: { kind: 'number', source: 'sum of available and used', unit: 'GiB' },
  committed: { kind: 'number', path: 'committed', unit: 'GiB' },
  comment,
  description,
  wipe_after_delete: { kind: 'bool', path: 'wipe_after_delete' },
  discard_after_delete: { kind: 'bool', path: 'discard_after_delete' },
  backup: { kind: 'bool', path: 'backup' },
  low_space_threshold: { kind: 'number', path: 'warning_low_space_indicator' },
  critical_space_threshold: { kind: 'number', path: 'critical_space_action_blocker' },
};

const diskFields: Fields = {
  alias: { kind: 'text', path: 'alias' },
  name: { kind: 'text', path: 'alias' },
  description,
  provisioned_size: { kind: 'number', path: 'provisioned_size' },
  size: { kind: 'number', path: 'provisioned_size' },
  actual_size: { kind: 'number', path: 'actual_size' },
  creation_date: { kind: 'date', kept: 'creation_date' },
  last_modified: { kind: 'date', kept: 'last_modified' },
  shareable: { kind: 'bool', path: 'shareable' },
  wipe_after_delete: { kind: 'bool', path: 'wipe_after_delete' },
  status: {
    kind: 'enum',
    path: 'status',
    enum: 'disk_status',
    values: { unassigned: 'unassigned' },
  },
  disk_type: { kind: 'enum', path: 'storage_type', enum: 'disk_storage_type' },
  disk_content_type: { kind: 'enum', path: 'content_type', enum: 'disk_content_type' },
  allocation_policy: {
    kind: 'bool',
    path: 'sparse',
    values: { preallocated: 'false', sparse: 'true' },
  },
  number_of_vms: { kind: 'number', source: 'number of virtual machines the disk is attached to' },
  vm_names: {
    kind: 'text',
    through: [{ back: 'disk_attachment.disk' }, { follow: 'vm' }],
    path: 'name',
  },
  quota: quotaName,
  id,
};

const eventFields: Fields = {
  type: { kind: 'number', path: 'code', relations: equality },
  severity: { kind: 'severity', path: 'severity' },
  message: { kind: 'text', path: 'description' },
  time: { kind: 'date', path: 'time', relations: dayRelations },
  usrname: { kind: 'user', path: 'user.user_name' },
  usrid: { kind: 'text', path: 'user.id' },
  event_host: { kind: 'text', path: 'host.name' },
  event_vm: { kind: 'text', path: 'vm.name' },
  event_template: { kind: 'text', path: 'template.name' },
  event_storage: { kind: 'text', path: 'storage_domain.name' },
  event_datacenter: { kind: 'text', path: 'data_center.name' },
  event_volume: { kind: 'text', kept: 'gluster_volume.name' },
  correlation_id: { kind: 'text', path: 'correlation_id' },
  origin: { kind: 'text', path: 'origin' },
  custom_event_id: { kind: 'number', path: 'custom_id', relations: equality },
  deleted: { kind: 'bool', source: 'whether the event was removed' },
  _event_host_id: { kind: 'text', path: 'host.id', hidden: true },
  _event_vm_id: { kind: 'text', path: 'vm.id', hidden: true },
  _event_template_id: { kind: 'text', path: 'template.id', hidden: true },
  _event_storage_id: { kind: 'text', path: 'storage_domain.id', hidden: true },
  _event_datacenter_id: { kind: 'text', path: 'data_center.id', hidden: true },
  _event_quota_id: { kind: 'text', kept: 'quota.id', hidden: true },
  _event_volume_id: { kind: 'text', kept: 'gluster_volume.id', hidden: true },
};

const userFields: Fields = {
  name,
  lastname: { kind: 'text', path: 'last_name' },
  usrname: { kind: 'user', path: 'user_name' },
  user_and_domain: { kind: 'user', path: 'user_name' },
  login: { kind: 'text', path: 'principal' },
  directory: { kind: 'text', path: 'domain.name' },
  department: { kind: 'text', path: 'department' },
  tag,
  pool: {
    kind: 'text',
    through: [{ back: 'permission.user' }, { follow: 'vm_pool' }],
    path: 'name',
  },
  type: { kind: 'text', source: 'user or group' },
};

const templateFields: Fields = {
  name,
  comment,
  os: { kind: 'text', path: 'os.type' },
  creationdate: { kind: 'date', path: 'creation_time', relations: dayRelations },
  childcount: { kind: 'number', source: 'number of virtual machines made from it' },
  mem: { kind: 'number', path: 'memory', unit: 'MiB' },
  description,
  status: { kind: 'enum', path: 'status', enum: 'template_status' },
  sealed: { kind: 'bool', source: 'whether the template was sealed when it was made' },
  cluster: clusterName,
  datacenter: { ...dataCenterOfCluster, everyWithout: 'cluster' },
  quota: quotaName,
  architecture,
  version_name: { kind: 'text', path: 'version.version_name' },
  tag,
  _vmt_id: { kind: 'text', path: 'id', hidden: true },
};

/**
 * Fields by the kind of object: a type of the model, or one of `directory_user`,
 * `directory_group`, `cluster_network` and `host_network`, which the search alone knows.
 */
export const searchFields: Readonly<Record<string, Fields>> = {
  vm: vmFields,
  host: hostFields,
  cluster: {
    name,
    description,
    comment,
    architecture,
    compatibility_level: { kind: 'text', path: 'version', as: 'version' },
    cpu_type: { kind: 'text', path: 'cpu.type' },
  },
  data_center: {
    name,
    description,
    local: { kind: 'bool', path: 'local' },
    status: {
      kind: 'enum',
      path: 'status',
      enum: 'data_center_status',
      values: { nonresponsive: 'problematic' },
    },
    comment,
    compatibility_version: { kind: 'text', path: 'version', as: 'version' },
  },
  storage_domain: storageDomainFields,
  disk: diskFields,
  event: eventFields,
  user: userFields,
  group: { grpname: name, name },
  template: templateFields,
  instance_type: templateFields,
  vm_pool: {
    name,
    description,
    comment,
    type: { kind: 'enum', path: 'type', enum: 'vm_pool_type' },
    cluster: clusterName,
    datacenter: dataCenterOfCluster,
    architecture: { kind: 'enum', path: 'cluster.cpu.architecture', enum: 'architecture' },
    assigned_vm_count: { kind: 'number', source: 'number of virtual machines of the pool' },
    running_vm_count: { kind: 'number', source: 'number of those that run' },
  },
  network: {
    name,
    description,
    comment,
    vlanid: { kind: 'number', path: 'vlan.id' },
    mtu: { kind: 'number', path: 'mtu' },
    stp: { kind: 'bool', path: 'stp' },
    vmnetwork: { kind: 'bool', source: 'whether usages has vm' },
    datacenter: { kind: 'text', path: 'data_center.name' },
    label: { kind: 'text', through: [{ back: 'network_label.network' }], path: 'id' },
    provider_name: { kind: 'text', path: 'external_provider.name' },
    qos_name: { kind: 'text', path: 'qos.name' },
  },
  gluster_volume: {
    name,
    type: { kind: 'enum', path: 'volume_type', enum: 'gluster_volume_type' },
    transport_type: { kind: 'enum', path: 'transport_types', enum: 'transport_type' },
    replica_count: { kind: 'number', path: 'replica_count' },
    stripe_count: { kind: 'number', path: 'stripe_count' },
    status: {
      kind: 'enum',
      path: 'status',
      enum: 'gluster_volume_status',
      values: { warning: 'warning' },
    },
  },
  job: {
    correlation_id: { kind: 'text', kept: 'correlation_id' },
  },
  directory_user: {
    name,
    username: { kind: 'text', path: 'user_name' },
    allnames: { kind: 'text', source: 'name, last name and user name' },
    lastname: { kind: 'text', path: 'last_name' },
    department: { kind: 'text', path: 'department' },
    title: { kind: 'text', source: 'title in the directory' },
  },
  directory_group: { name, groupname: name, allnames: name },
  host_nic: {
    network_name: { kind: 'text', path: 'network.name' },
    mac: { kind: 'text', path: 'mac.address' },
  },
  vnic_profile: {
    name,
    description,
    port_mirroring: { kind: 'bool', path: 'port_mirroring' },
    passthrough: {
      kind: 'enum',
      path: 'pass_through.mode',
      enum: 'vnic_pass_through_mode',
      values: { true: 'enabled', false: 'disabled' },
    },
    network_name: { kind: 'text', path: 'network.name' },
    compatibility_version: { kind: 'text', path: 'network.data_center.version', as: 'version' },
    datacenter: { kind: 'text', path: 'network.data_center.name' },
    qos_name: { kind: 'text', path: 'qos.name' },
    network_filter: { kind: 'text', path: 'network_filter.name' },
    failover: { kind: 'text', path: 'failover.name' },
  },
  file: { name },
  quota: { name, storagepoolname: { kind: 'text', path: 'data_center.name' }, description },
  external_provider: {
    name,
    type: { kind: 'text', source: 'kind of the provider' },
    description,
    url: { kind: 'text', path: 'url' },
  },
  cluster_network: {
    network_name: { kind: 'text', source: 'name of the network' },
    cluster_name: { kind: 'text', source: 'name of the cluster' },
  },
  host_network: { host_name: { kind: 'text', path: 'host.name' } },
};

/** A way from an object to related ones, whose fields can be asked for as `name.field`. */
export interface CrossReference {
  /** The singular first; all are accepted. */
  readonly names: readonly string[];
  /** Whose fields there are: a key of `searchFields`. */
  readonly fields: string;
  /** Type of the objects that the steps lead to. */
  readonly type: TypeName;
  readonly steps?: readonly Step[];
  /** Instead of steps: a reference that is kept with the object and not shown. */
  readonly kept?: string;
}

const hosts = { names: ['host', 'hosts'], fields: 'host', type: 'host' } as const;
const vms = { names: ['vm', 'vms'], fields: 'vm', type: 'vm' } as const;
const templates = {
  names: ['template', 'templates'],
  fields: 'template',
  type: 'template',
} as const;
const events = { names: ['event', 'events'], fields: 'event', type: 'event' } as const;
const users = { names: ['user', 'users'], fields: 'user', type: 'user' } as const;
const clusters = { names: ['cluster', 'clusters'], fields: 'cluster', type: 'cluster' } as const;
const dataCenters = {
  names: ['datacenter', 'datacenters', 'data_center', 'data_centers'],
  fields: 'data_center',
  type: 'data_center',
} as const;
const storage = {
  names: ['storage', 'storages', 'storage_domain', 'storage_domains'],
  fields: 'storage_domain',
  type: 'storage_domain',
} as const;
const networks = { names: ['network', 'networks'], fields: 'network', type: 'network' } as const;
const vnicProfiles = {
  names: ['vnic_profile', 'vnic_profiles', 'vnicprofile', 'vnicprofiles'],
  fields: 'vnic_profile',
  type: 'vnic_profile',
} as const;
const clusterNetworks = {
  names: ['cluster_network', 'cluster_networks'],
  fields: 'cluster_network',
  type: 'network',
} as const;

const toCluster: Step = { follow: 'cluster' };
const toDataCenter: Step = { follow: 'data_center' };
const toStorage: Step = { back: 'storage_domain.data_centers' };

/** Cross references by the kind of object they start from. */
export const crossReferences: Readonly<Record<string, readonly CrossReference[]>> = {
  vm: [
    { ...hosts, steps: [{ follow: 'host' }] },
    { ...templates, steps: [{ follow: 'template' }] },
    { ...events, steps: [{ back: 'event.vm' }] },
    { ...users, steps: [{ back: 'permission.vm' }, { follow: 'user' }] },
    {
      ...storage,
      steps: [{ back: 'disk_attachment.vm' }, { follow: 'disk' }, { follow: 'storage_domains' }],
    },
    { ...vnicProfiles, steps: [{ back: 'nic.vm' }, { follow: 'vnic_profile' }] },
  ],
  host: [
    { ...vms, steps: [{ back: 'vm.host' }] },
    { ...templates, steps: [{ back: 'vm.host' }, { follow: 'template' }] },
    { ...events, steps: [{ back: 'event.host' }] },
    { ...users, steps: [{ back: 'permission.host' }, { follow: 'user' }] },
    { ...storage, steps: [toCluster, toDataCenter, toStorage] },
    {
      names: ['nic', 'nics'],
      fields: 'host_nic',
      type: 'host_nic',
      steps: [{ back: 'host_nic.host' }],
    },
  ],
  template: [
    { ...vms, steps: [{ back: 'vm.template' }] },
    { ...hosts, steps: [{ back: 'vm.template' }, { follow: 'host' }] },
    { ...events, steps: [{ back: 'event.template' }] },
    { ...users, steps: [{ back: 'permission.template' }, { follow: 'user' }] },
    {
      ...storage,
      steps: [
        { back: 'disk_attachment.template' },
        { follow: 'disk' },
        { follow: 'storage_domains' },
      ],
    },
    { ...vnicProfiles, steps: [{ back: 'nic.template' }, { follow: 'vnic_profile' }] },
  ],
  instance_type: [
    { ...vms, steps: [{ back: 'vm.instance_type' }] },
    { ...hosts, steps: [{ back: 'vm.instance_type' }, { follow: 'host' }] },
    { ...vnicProfiles, steps: [{ back: 'nic.instance_type' }, { follow: 'vnic_profile' }] },
  ],
  event: [
    { ...vms, steps: [{ follow: 'vm' }] },
    { ...hosts, steps: [{ follow: 'host' }] },
    { ...templates, steps: [{ follow: 'template' }] },
    { ...users, steps: [{ follow: 'user' }] },
    { ...clusters, steps: [toCluster] },
    {
      names: ['volume', 'volumes'],
      fields: 'gluster_volume',
      type: 'gluster_volume',
      kept: 'gluster_volume',
    },
    {
      names: ['quota', 'quotas'],
      fields: 'quota',
      type: 'quota',
      kept: 'quota',
    },
  ],
  user: [
    { ...vms, steps: [{ back: 'permission.user' }, { follow: 'vm' }] },
    { ...hosts, steps: [{ back: 'permission.user' }, { follow: 'host' }] },
    { ...templates, steps: [{ back: 'permission.user' }, { follow: 'template' }] },
    { ...events, steps: [{ back: 'event.user' }] },
  ],
  cluster: [
    { ...dataCenters, steps: [toDataCenter] },
    { ...storage, steps: [toDataCenter, toStorage] },
    { ...clusterNetworks, steps: [{ paired: 'cluster_network' }] },
  ],
  data_center: [
    { ...clusters, steps: [{ back: 'cluster.data_center' }] },
    { ...storage, steps: [toStorage] },
    { ...networks, steps: [{ back: 'network.data_center' }] },
  ],
  storage_domain: [
    {
      ...hosts,
      steps: [
        { follow: 'data_centers' },
        { back: 'cluster.data_center' },
        { back: 'host.cluster' },
      ],
    },
    { ...clusters, steps: [{ follow: 'data_centers' }, { back: 'cluster.data_center' }] },
  ],
  disk: [
    { ...dataCenters, steps: [{ follow: 'storage_domains' }, { follow: 'data_centers' }] },
    { ...storage, steps: [{ follow: 'storage_domains' }] },
  ],
  network: [
    { ...clusterNetworks, steps: [{ paired: 'cluster_network' }] },
    {
      names: ['host_network', 'host_networks'],
      fields: 'host_network',
      type: 'network_attachment',
      steps: [{ back: 'network_attachment.network' }],
    },
    {
      names: ['provider', 'providers'],
      fields: 'external_provider',
      type: 'external_provider',
      steps: [{ follow: 'external_provider' }],
    },
  ],
  gluster_volume: [{ ...clusters, steps: [toCluster] }],
};

export interface SortRule {
  readonly path: string;
  readonly descending?: boolean;
}

/** Order of lists, and of what a requested order leaves open; by name where nothing is said. */
export const defaultSorts: Readonly<Record<string, readonly SortRule[]>> = {
  disk: [{ path: 'alias' }, { path: 'id' }],
  network: [{ path: 'data_center.name' }, { path: 'name' }],
  job: [{ path: 'start_time' }],
  event: [{ path: 'index', descending: true }],
  // The order in which they were added says which bricks hold copies of each other.
  gluster_brick: [],
  template: [{ path: 'name' }, { path: 'version.version_number' }],
};
