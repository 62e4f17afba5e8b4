/**
 * Which permit each operation needs, and on which object (specification 5.5). A permission counts
 * on the object itself and on everything that contains it.
 */

/**
 * The object that must be permitted: the addressed one (`self`), the one in the path that a
 * collection belongs to (`owner`), the system, or what a path refers to: in the sent object (`sent
 * cluster`, `sent disk.storage_domains`), or in the addressed one (`self cluster`). What belongs to a
 * user: it counts for one's own (`own`), or is needed for that of others only (`others`).
 */
export type PermittedOn =
  | 'self'
  | 'owner'
  | 'own'
  | 'others'
  | 'system'
  | `sent ${string}`
  | `self ${string}`;

/** A permit and where it is needed. */
export type Need = readonly [permit: string, on: PermittedOn];

type Needs = Readonly<Record<string, readonly Need[]>>;

const self = (permit: string): readonly Need[] => [[permit, 'self']];
const owner = (permit: string): readonly Need[] => [[permit, 'owner']];
const system = (permit: string): readonly Need[] => [[permit, 'system']];

/** Add, update and remove with one permit in one place. */
const all = (permit: string, on: PermittedOn): Needs => ({
  add: [[permit, on]],
  update: [[permit, on]],
  remove: [[permit, on]],
});

const volume = self('manipulate_gluster_volume');
const host = self('manipulate_host');
const editHost = self('edit_host_configuration');

/** What providers of all kinds need. */
const provider = {
  ...all('create_storage_pool', 'system'),
  test_connectivity: system('create_storage_pool'),
  import_certificates: system('create_storage_pool'),
} as const;

/** By type, then by operation. Operations that are not listed need the whole system's SuperUser. */
export const permitsByType: Readonly<Record<string, Needs>> = {
  vm: {
    add: [
      ['create_vm', 'sent cluster'],
      ['create_vm', 'sent template'],
    ],
    update: self('edit_vm_properties'),
    remove: self('delete_vm'),
    start: self('run_vm'),
    stop: self('stop_vm'),
    shutdown: self('shut_down_vm'),
    reboot: self('reboot_vm'),
    reset: self('reset_vm'),
    suspend: self('hibernate_vm'),
    migrate: self('migrate_vm'),
    cancel_migration: self('migrate_vm'),
    clone: self('create_vm'),
    detach: self('edit_vm_pool_configuration'),
    export: self('import_export_vm'),
    freeze_filesystems: self('configure_vm_storage'),
    thaw_filesystems: self('configure_vm_storage'),
    logon: self('connect_to_vm'),
    ticket: self('connect_to_vm'),
    maintenance: self('edit_vm_properties'),
    reorder_mac_addresses: self('create_vm'),
    auto_pin_cpu_and_numa_nodes: self('edit_vm_properties'),
    preview_snapshot: self('manipulate_vm_snapshots'),
    commit_snapshot: self('manipulate_vm_snapshots'),
    undo_snapshot: self('manipulate_vm_snapshots'),
    screenshot: self('connect_to_vm'),
    import: [['create_vm', 'sent cluster']],
    register: [['create_vm', 'sent cluster']],
  },
  snapshot: {
    ...all('manipulate_vm_snapshots', 'owner'),
    restore: owner('manipulate_vm_snapshots'),
  },
  nic: {
    ...all('configure_vm_network', 'owner'),
    activate: owner('configure_vm_network'),
    deactivate: owner('configure_vm_network'),
  },
  network_filter_parameter: all('configure_vm_network', 'owner'),
  cdrom: { ...all('edit_vm_properties', 'owner'), update: owner('change_vm_cd') },
  watchdog: all('edit_vm_properties', 'owner'),
  graphics_console: {
    ...all('edit_vm_properties', 'owner'),
    ticket: owner('connect_to_vm'),
    proxy_ticket: owner('connect_to_vm'),
    remote_viewer_connection_file: owner('connect_to_vm'),
  },
  virtual_numa_node: all('edit_vm_properties', 'owner'),
  vm_mediated_device: all('edit_vm_properties', 'owner'),
  host_device: all('edit_admin_vm_properties', 'owner'),
  disk_attachment: all('configure_vm_storage', 'owner'),
  backup: { add: owner('backup_disk'), finalize: owner('backup_disk') },
  checkpoint: { remove: owner('backup_disk') },
  disk: {
    add: [['create_disk', 'sent storage_domains']],
    update: self('edit_disk_properties'),
    remove: self('delete_disk'),
    copy: [
      ['configure_disk_storage', 'self'],
      ['create_disk', 'sent storage_domain'],
    ],
    move: [
      ['configure_disk_storage', 'self'],
      ['create_disk', 'sent storage_domain'],
    ],
    export: [
      ['attach_disk', 'self'],
      ['create_disk', 'sent storage_domain'],
    ],
    sparsify: self('sparsify_disk'),
    reduce: self('reduce_disk'),
    convert: self('configure_disk_storage'),
    refresh_lun: self('configure_vm_storage'),
    register: self('create_disk'),
  },
  disk_snapshot: { remove: owner('edit_disk_properties') },
  image_transfer: {
    add: [['edit_disk_properties', 'sent disk']],
    pause: [['create_disk', 'self disk']],
    resume: [['create_disk', 'self disk']],
    extend: [['create_disk', 'self disk']],
    finalize: [['create_disk', 'self disk']],
    cancel: [['create_disk', 'self disk']],
  },
  template: {
    add: [['create_template', 'sent vm']],
    update: self('edit_template_properties'),
    remove: self('delete_template'),
    export: self('import_export_vm'),
    import: [['create_template', 'sent cluster']],
    register: [['create_template', 'sent cluster']],
  },
  instance_type: {
    add: system('create_template'),
    update: self('edit_template_properties'),
    remove: self('delete_template'),
  },
  vm_pool: {
    add: [
      ['create_vm_pool', 'sent cluster'],
      ['create_vm', 'sent template'],
    ],
    update: self('edit_vm_pool_configuration'),
    remove: self('delete_vm_pool'),
    allocate_vm: self('vm_pool_basic_operations'),
  },
  host: {
    add: [['create_host', 'sent cluster']],
    update: editHost,
    remove: self('delete_host'),
    install: editHost,
    upgrade: editHost,
    upgrade_check: editHost,
    enroll_certificate: editHost,
    approve: self('create_host'),
    activate: host,
    deactivate: host,
    fence: host,
    refresh: host,
    force_select_spm: host,
    commit_net_config: host,
    setup_networks: self('configure_host_network'),
    sync_all_networks: self('configure_host_network'),
    copy_host_networks: self('configure_host_network'),
    iscsi_discover: system('create_storage_domain'),
    discover_iscsi: system('create_storage_domain'),
    iscsi_login: system('create_storage_domain'),
    unregistered_storage_domains_discover: system('create_storage_domain'),
  },
  agent: all('edit_host_configuration', 'owner'),
  network_attachment: all('configure_host_network', 'owner'),
  host_nic: { update_virtual_functions_configuration: owner('configure_host_network') },
  unmanaged_network: { remove: owner('configure_host_network') },
  storage_connection_extension: all('edit_host_configuration', 'owner'),
  cluster: {
    add: [['create_cluster', 'sent data_center']],
    update: self('edit_cluster_configuration'),
    remove: self('delete_cluster'),
    reset_emulated_machine: self('edit_cluster_configuration'),
    sync_all_networks: self('configure_cluster_network'),
    upgrade: self('edit_cluster_configuration'),
    refresh_gluster_heal_status: self('manipulate_gluster_volume'),
  },
  data_center: {
    add: system('create_storage_pool'),
    update: self('edit_storage_pool_configuration'),
    remove: self('delete_storage_pool'),
    set_master: self('manipulate_storage_domain'),
    clean_finished_tasks: self('edit_storage_pool_configuration'),
  },
  network: {
    add: [['create_storage_pool_network', 'sent data_center']],
    update: self('configure_storage_pool_network'),
    remove: self('delete_storage_pool_network'),
  },
  network_label: all('configure_storage_pool_network', 'owner'),
  vnic_profile: {
    add: [['create_network_vnic_profile', 'sent network']],
    update: self('configure_network_vnic_profile'),
    remove: self('delete_network_vnic_profile'),
  },
  storage_domain: {
    add: system('create_storage_domain'),
    update: self('edit_storage_domain_configuration'),
    remove: self('delete_storage_domain'),
    activate: self('manipulate_storage_domain'),
    deactivate: self('manipulate_storage_domain'),
    is_attached: self('manipulate_storage_domain'),
    update_ovf_store: self('manipulate_storage_domain'),
    refresh_luns: self('manipulate_storage_domain'),
    reduce_luns: self('edit_storage_domain_configuration'),
  },
  storage_connection: all('create_storage_domain', 'system'),
  quota: all('configure_quota', 'owner'),
  quota_cluster_limit: all('configure_quota', 'owner'),
  quota_storage_limit: all('configure_quota', 'owner'),
  qos: all('edit_storage_pool_configuration', 'owner'),
  iscsi_bond: all('edit_storage_pool_configuration', 'owner'),
  cpu_profile: {
    add: [['create_cpu_profile', 'sent cluster']],
    update: self('update_cpu_profile'),
    remove: self('delete_cpu_profile'),
  },
  disk_profile: {
    add: [['create_storage_disk_profile', 'sent storage_domain']],
    update: self('configure_storage_disk_profile'),
    remove: self('delete_storage_disk_profile'),
  },
  gluster_volume: {
    add: owner('create_gluster_volume'),
    remove: self('delete_gluster_volume'),
    start: volume,
    stop: volume,
    rebalance: volume,
    stop_rebalance: volume,
    set_option: volume,
    reset_option: volume,
    reset_all_options: volume,
    start_profile: volume,
    stop_profile: volume,
    get_profile_statistics: volume,
  },
  gluster_brick: {
    ...all('manipulate_gluster_volume', 'owner'),
    activate: owner('manipulate_gluster_volume'),
    migrate: owner('manipulate_gluster_volume'),
    stop_migrate: owner('manipulate_gluster_volume'),
    replace: owner('manipulate_gluster_volume'),
  },
  gluster_hook: {
    remove: owner('manipulate_gluster_hook'),
    enable: owner('manipulate_gluster_hook'),
    disable: owner('manipulate_gluster_hook'),
    resolve: owner('manipulate_gluster_hook'),
  },
  affinity_group: all('manipulate_affinity_groups', 'owner'),
  affinity_label: all('tag_management', 'system'),
  tag: all('tag_management', 'system'),
  bookmark: all('bookmark_management', 'system'),
  event: {
    add: system('inject_external_events'),
    remove: system('audit_log_management'),
    undelete: system('audit_log_management'),
  },
  event_subscription: all('event_notification_management', 'others'),
  job: {
    add: system('inject_external_tasks'),
    clear: system('inject_external_tasks'),
    end: system('inject_external_tasks'),
  },
  step: { add: system('inject_external_tasks'), end: system('inject_external_tasks') },
  permission: {
    add: owner('manipulate_permissions'),
    remove: owner('manipulate_permissions'),
  },
  role: all('manipulate_roles', 'system'),
  permit: all('manipulate_roles', 'system'),
  user: all('manipulate_users', 'system'),
  group: all('manipulate_users', 'system'),
  ssh_public_key: all('edit_profile', 'own'),
  user_option: all('edit_profile', 'own'),
  mac_pool: {
    add: system('create_mac_pool'),
    update: self('edit_mac_pool'),
    remove: self('delete_mac_pool'),
  },
  scheduling_policy: all('edit_storage_pool_configuration', 'system'),
  scheduling_policy_unit: all('edit_storage_pool_configuration', 'system'),
  filter: all('edit_storage_pool_configuration', 'system'),
  weight: all('edit_storage_pool_configuration', 'system'),
  balance: all('edit_storage_pool_configuration', 'system'),
  external_host_provider: provider,
  openstack_image_provider: provider,
  openstack_network_provider: provider,
  openstack_volume_provider: provider,
  openstack_volume_authentication_key: all('create_storage_pool', 'system'),
  openstack_subnet: all('create_storage_pool', 'system'),
  image: { import: [['create_disk', 'sent storage_domain']] },
  openstack_image: { import: [['create_disk', 'sent storage_domain']] },
  openstack_network: { import: [['create_storage_pool_network', 'sent data_center']] },
  external_vm_import: { add: [['create_vm', 'sent cluster']] },
  external_template_import: { add: [['create_template', 'sent cluster']] },
  api: { reload_configurations: system('configure_engine') },
};

/** Collections whose objects are attached rather than made, by path: other permits hold there. */
export const permitsByPath: Readonly<Record<string, Needs>> = {
  '/datacenters/{datacenter}/storagedomains': { add: [['manipulate_storage_domain', 'owner']] },
  '/datacenters/{datacenter}/storagedomains/{storagedomain}': {
    remove: self('manipulate_storage_domain'),
  },
  '/clusters/{cluster}/networks': { add: [['assign_cluster_network', 'owner']] },
  '/clusters/{cluster}/networks/{network}': {
    update: owner('configure_cluster_network'),
    remove: owner('assign_cluster_network'),
  },
  '/templates/{template}/nics': { add: owner('configure_template_network') },
  '/templates/{template}/nics/{nic}': {
    update: owner('configure_template_network'),
    remove: owner('configure_template_network'),
  },
  '/clusters/{cluster}/affinitygroups/{group}/vms': { add: owner('manipulate_affinity_groups') },
  '/clusters/{cluster}/affinitygroups/{group}/hosts': { add: owner('manipulate_affinity_groups') },
  '/hosts/{host}/nics/{nic}/networklabels': { add: owner('configure_host_network') },
  '/hosts/{host}/nics/{nic}/networklabels/{label}': { remove: owner('configure_host_network') },
  '/hosts/{host}/nics/{nic}/virtualfunctionallowedlabels': {
    add: owner('configure_host_network'),
  },
  '/hosts/{host}/nics/{nic}/virtualfunctionallowedlabels/{label}': {
    remove: owner('configure_host_network'),
  },
  '/hosts/{host}/nics/{nic}/virtualfunctionallowednetworks': {
    add: owner('configure_host_network'),
  },
  '/hosts/{host}/nics/{nic}/virtualfunctionallowednetworks/{network}': {
    remove: owner('configure_host_network'),
  },
  '/affinitylabels/{label}/vms': { add: system('tag_management') },
  '/affinitylabels/{label}/hosts': { add: system('tag_management') },
};

/** A permit that is needed only when the body says something, or says it differently. */
export interface ConditionalNeed {
  /** Path of the member that must be sent, and of one that must not be. */
  readonly sent: string;
  readonly without?: string;
  /** Instead of a member: a parameter of the query, and its value. */
  readonly parameter?: readonly [name: string, value: boolean];
  readonly need: Need;
}

const whenSent = (sent: string, permit: string, on: PermittedOn): ConditionalNeed => ({
  sent,
  need: [permit, on],
});

const ownDisks: readonly ConditionalNeed[] = [
  whenSent('disk.id', 'attach_disk', 'sent disk'),
  {
    ...whenSent('disk.name', 'attach_disk', 'sent disk'),
    without: 'disk.provisioned_size',
  },
  whenSent('disk.storage_domains', 'create_disk', 'sent disk.storage_domains'),
  whenSent('disk.disk_profile', 'attach_disk_profile', 'sent disk.disk_profile'),
];

/** By type, then by operation: permits beside those above. */
export const permitsWhenSent: Readonly<
  Record<string, Readonly<Record<string, readonly ConditionalNeed[]>>>
> = {
  vm: {
    add: [
      whenSent('placement_policy.hosts', 'edit_admin_vm_properties', 'sent cluster'),
      whenSent('custom_properties', 'change_vm_custom_properties', 'sent cluster'),
      whenSent('cpu_profile', 'assign_cpu_profile', 'sent cpu_profile'),
    ],
    update: [
      whenSent('cluster', 'create_vm', 'sent cluster'),
      whenSent('placement_policy.hosts', 'edit_admin_vm_properties', 'self'),
      whenSent('custom_compatibility_version', 'edit_admin_vm_properties', 'self'),
      whenSent('custom_properties', 'change_vm_custom_properties', 'self'),
      whenSent('cpu_profile', 'assign_cpu_profile', 'sent cpu_profile'),
    ],
    start: [
      whenSent('vm.custom_properties', 'change_vm_custom_properties', 'self'),
      whenSent('vm.placement_policy.hosts', 'edit_admin_vm_properties', 'self'),
    ],
    migrate: [whenSent('cluster', 'create_vm', 'sent cluster')],
  },
  nic: {
    add: [whenSent('vnic_profile', 'configure_vm_network', 'sent vnic_profile')],
    update: [whenSent('vnic_profile', 'configure_vm_network', 'sent vnic_profile')],
  },
  event: {
    add: [
      whenSent('host.external_status', 'edit_host_configuration', 'sent host'),
      whenSent(
        'storage_domain.external_status',
        'edit_storage_domain_configuration',
        'sent storage_domain',
      ),
    ],
  },
  disk: {
    add: [whenSent('disk_profile', 'attach_disk_profile', 'sent disk_profile')],
  },
  disk_attachment: {
    add: ownDisks,
    remove: [{ sent: '', parameter: ['detach_only', false], need: ['delete_disk', 'self disk'] }],
  },
};

/**
 * What contains an object of a type, and so passes permissions on: the path of references that leads
 * to it. Everything is in the system. Disks are inside of the machines that they are attached to, too.
 */
export const containers: Readonly<Record<string, readonly string[]>> = {
  cluster: ['data_center'],
  host: ['cluster'],
  host_nic: ['host'],
  vm: ['cluster', 'vm_pool'],
  vm_pool: ['cluster'],
  // A template belongs to the data center, whichever cluster it was made in.
  template: ['cluster.data_center'],
  storage_domain: ['data_centers'],
  disk: ['storage_domains'],
  network: ['data_center'],
  vnic_profile: ['network'],
  cpu_profile: ['cluster'],
  disk_profile: ['storage_domain'],
  quota: ['data_center'],
  qos: ['data_center'],
  iscsi_bond: ['data_center'],
  gluster_volume: ['cluster'],
  gluster_hook: ['cluster'],
  affinity_group: ['cluster'],
};

/**
 * What leads to an object: whoever sees one of these may go on to what it refers to, and sees that,
 * but not what else is in it.
 */
export const ways: Readonly<Record<string, readonly string[]>> = {
  data_center: ['cluster', 'storage_domain'],
  cluster: ['vm', 'host', 'template', 'vm_pool'],
  vm_pool: ['vm'],
  storage_domain: ['disk'],
  network: ['vnic_profile'],
};

/** What is seen with the objects that it is about: the attributes that refer to them. */
export const subjects: Readonly<Record<string, readonly string[]>> = {
  event: ['vm', 'template'],
  image_transfer: ['disk'],
  affinity_label: ['vms', 'hosts'],
};
