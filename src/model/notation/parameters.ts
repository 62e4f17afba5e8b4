/**
 * All secondary parameters of the API (specification 4.2 and 4.5). A name has the same meaning in
 * all services.
 */
import type { Kind } from './attributes.ts';

export interface Parameter {
  readonly kind: Kind;
  /** Only in the response (`out`), or in request and response (`inout`). */
  readonly out?: 'out' | 'inout';
  /** Same as `secret` of an attribute. */
  readonly secret?: true;
  /** Same as `confidential` of an attribute. */
  readonly confidential?: true;
  readonly doc: string;
}

/** Parameters of queries; also accepted as matrix parameters of the last path segment. */
export const queryParameters = {
  activate: { kind: 'bool', doc: 'Activate the host after the installation (default true).' },
  all_content: { kind: 'bool', doc: 'Include attributes that are slow to compute.' },
  async: { kind: 'bool', doc: 'Return before the operation finishes.' },
  auto_pinning_policy: {
    kind: 'enum auto_pinning_policy',
    doc: 'Policy for CPU and NUMA pinning (deprecated).',
  },
  case_sensitive: { kind: 'bool', doc: 'Case-sensitive search.' },
  check_vms_in_affinity_closure: {
    kind: 'bool',
    doc: 'Also check VMs in the same affinity groups.',
  },
  clone: { kind: 'bool', doc: "Copy the template's disks instead of using them as base images." },
  clone_permissions: { kind: 'bool', doc: "Copy the template's permissions." },
  current: {
    kind: 'bool',
    doc: 'Drive of the running VM instead of its configuration.',
  },
  deploy_hosted_engine: { kind: 'bool', doc: 'Deploy the self-hosted engine on the host.' },
  destroy: { kind: 'bool', doc: 'Remove the storage domain without changing its storage.' },
  detach_only: { kind: 'bool', doc: 'Keep the disks and only detach them.' },
  filter: {
    kind: 'bool',
    doc: 'List only objects that you may see as a user who is no administrator.',
  },
  follow: { kind: 'string', doc: 'Linked objects to include, separated by commas.' },
  force: { kind: 'bool', doc: 'Ignore checks and failed steps that would stop the operation.' },
  format: { kind: 'bool', doc: 'Erase the storage of the domain.' },
  from: { kind: 'long', doc: 'List only events with an id higher than this one.' },
  host: { kind: 'string', doc: 'Host that performs the work (name or id).' },
  include_active: { kind: 'bool', doc: 'Include the active image.' },
  include_template: { kind: 'bool', doc: 'Include the image of the template.' },
  max: { kind: 'int', doc: 'Maximum number of objects to return (also --limit).' },
  merge: { kind: 'bool', doc: 'Merge with the existing options.' },
  migration_target_of: {
    kind: 'string',
    doc: 'Return only hosts that these VMs can migrate to.',
  },
  next_run: {
    kind: 'bool',
    doc: 'Use the configuration for the next start instead of the running one.',
  },
  nfsStatistics: { kind: 'bool', doc: 'Include statistics of NFS clients.' },
  ovf_as_ova: { kind: 'bool', doc: 'Include the OVF configuration in the format of OVA files.' },
  reboot: { kind: 'bool', doc: 'Reboot the host after the upgrade (default true).' },
  refresh: { kind: 'bool', doc: 'Rescan the storage.' },
  replica_count: { kind: 'int', doc: 'New replica count of the volume.' },
  report_status: { kind: 'bool', doc: 'Include the status of each logical unit (default true).' },
  require_consistency: { kind: 'bool', doc: 'Fail if the file systems cannot be frozen.' },
  rsdl: { kind: 'bool', doc: 'Return the service description of API version 3.' },
  schema: { kind: 'bool', doc: 'Return the XML schema.' },
  seal: { kind: 'bool', doc: 'Remove machine-specific data from the guest.' },
  search: { kind: 'string', doc: 'Search query.' },
  storage_domain: {
    kind: 'string',
    doc: 'Storage domain that the copy is removed from, by id.',
  },
  stripe_count: { kind: 'int', doc: 'New stripe count of the volume.' },
  undeploy_hosted_engine: { kind: 'bool', doc: 'Remove the self-hosted engine from the host.' },
  unregistered: {
    kind: 'bool',
    doc: 'List objects of the storage domain that are not registered in the service.',
  },
  use_active: { kind: 'bool', doc: 'Back up the active image.' },
  version: { kind: 'string', doc: 'Compatibility level.' },
} as const satisfies Readonly<Record<string, Parameter>>;

/** Parameters of actions: elements of the `action` body. */
export const actionParameters = {
  activate: {
    kind: 'bool',
    doc: 'Activate the host afterwards (default true for approval, false for installation).',
  },
  allow_partial_import: { kind: 'bool', doc: 'Import even if disks are missing.' },
  async: {
    kind: 'bool',
    doc: 'Return before the operation finishes (true) or wait for it (false).',
  },
  attach_wgt: { kind: 'bool', doc: 'Attach the ISO image of the Windows guest tools.' },
  authorized_key: { kind: 'struct authorized_key', doc: 'SSH key for the first boot.' },
  bricks: { kind: 'list struct gluster_brick', doc: 'Bricks of the operation.' },
  certificates: { kind: 'list struct certificate', doc: 'Trusted certificates.' },
  check_connectivity: {
    kind: 'bool',
    doc: 'Revert the change if the host becomes unreachable.',
  },
  clone: { kind: 'bool', doc: 'Assign new ids to the import.' },
  cluster: { kind: 'struct cluster', doc: 'Cluster (name or id).' },
  collapse_snapshots: { kind: 'bool', doc: 'Import the disks without their snapshots.' },
  commit_on_success: {
    kind: 'bool',
    doc: 'Save the new network configuration after a successful check.',
  },
  connectivity_timeout: { kind: 'int', doc: 'Connectivity timeout in seconds.' },
  correlation_id: { kind: 'string', doc: 'Correlation id for the events of the upgrade.' },
  data_center: { kind: 'struct data_center', doc: 'Data center (name or id).' },
  deploy_hosted_engine: { kind: 'bool', doc: 'Deploy the self-hosted engine on the host.' },
  details: {
    kind: 'struct gluster_volume_profile_details',
    out: 'out',
    doc: 'Profile data.',
  },
  directory: { kind: 'string', doc: 'Directory on the host for the file.' },
  discard_snapshots: { kind: 'bool', doc: 'Exclude snapshots (default true).' },
  discovered_targets: {
    kind: 'list struct iscsi_details',
    out: 'out',
    doc: 'Discovered targets.',
  },
  disk: { kind: 'struct disk', doc: 'Properties of the disk.' },
  disk_profile: { kind: 'struct disk_profile', doc: 'Disk profile on the target, by id.' },
  disks: { kind: 'list struct disk', doc: 'Disks of the operation.' },
  event: { kind: 'struct event', doc: 'Event by id (default: all dismissed events).' },
  exclusive: { kind: 'bool', doc: 'Replace an object with the same id.' },
  fence_type: { kind: 'string', doc: 'Fencing action: manual, restart, start, stop or status.' },
  filename: { kind: 'string', doc: 'Name of the file.' },
  filter: { kind: 'bool', doc: 'Resolve references with user-level permissions only.' },
  fix_layout: { kind: 'bool', doc: 'Fix the layout without moving data.' },
  follow: { kind: 'string', doc: 'Linked objects to include, separated by commas.' },
  force: { kind: 'bool', doc: 'Ignore checks that would stop the operation.' },
  host: { kind: 'struct host', doc: 'Host (name or id).' },
  image: { kind: 'string', doc: 'Image to install (oVirt Node only).' },
  import_as_template: { kind: 'bool', doc: 'Create a template from the image.' },
  is_attached: {
    kind: 'bool',
    out: 'out',
    doc: 'Whether the storage domain is attached to a data center.',
  },
  iscsi: { kind: 'struct iscsi_details', doc: 'Address, target and credentials.' },
  iscsi_targets: { kind: 'list string', out: 'out', doc: 'Names of the discovered targets.' },
  lease: {
    kind: 'struct storage_domain_lease',
    doc: 'Storage domain for the lease of the VM.',
  },
  logical_units: { kind: 'list struct logical_unit', doc: 'Logical units of the operation.' },
  maintenance_after_restart: {
    kind: 'bool',
    doc: 'Keep the host in maintenance after the restart.',
  },
  maintenance_enabled: { kind: 'bool', doc: 'Whether maintenance is enabled.' },
  migrate_vms_in_affinity_closure: {
    kind: 'bool',
    doc: 'Also migrate VMs in the same affinity groups.',
  },
  modified_bonds: { kind: 'list struct host_nic', doc: 'Bonds to create or change.' },
  modified_labels: { kind: 'list struct network_label', doc: 'Labels to set.' },
  modified_network_attachments: {
    kind: 'list struct network_attachment',
    doc: 'Attachments to create or change.',
  },
  optimize_cpu_settings: { kind: 'bool', doc: 'Also optimize the CPU topology.' },
  option: { kind: 'struct option', doc: 'Name and value of the option.' },
  pause: { kind: 'bool', doc: 'Start the VM in paused state.' },
  power_management: {
    kind: 'struct power_management',
    out: 'out',
    doc: 'Power state that the agent reports.',
  },
  proxy_ticket: { kind: 'struct proxy_ticket', out: 'out', doc: 'Ticket for the console proxy.' },
  quota: { kind: 'struct quota', doc: 'Quota by id.' },
  reason: {
    kind: 'string',
    doc: 'Reason; the service stores it with the object and in the event.',
  },
  reassign_bad_macs: { kind: 'bool', doc: 'Assign a new MAC address if the address is in use.' },
  reboot: { kind: 'bool', doc: 'Reboot the host after the upgrade (default true).' },
  registration_configuration: {
    kind: 'struct registration_configuration',
    doc: 'Mapping of names to this site.',
  },
  remote_viewer_connection_file: {
    kind: 'string',
    out: 'out',
    confidential: true,
    doc: 'Connection file for the console viewer.',
  },
  removed_bonds: { kind: 'list struct host_nic', doc: 'Bonds to remove.' },
  removed_labels: { kind: 'list struct network_label', doc: 'Labels to remove.' },
  removed_network_attachments: {
    kind: 'list struct network_attachment',
    doc: 'Attachments to remove.',
  },
  resolution_type: { kind: 'string', doc: 'Resolution type: add or copy.' },
  restore_memory: { kind: 'bool', doc: 'Restore the saved memory.' },
  root_password: { kind: 'string', secret: true, doc: 'Root password of the host.' },
  snapshot: { kind: 'struct snapshot', doc: 'Snapshot by id.' },
  source_host: { kind: 'struct host', doc: 'Host to copy the networks from.' },
  ssh: { kind: 'struct ssh', doc: 'SSH settings of the host.' },
  stop_gluster_service: { kind: 'bool', doc: 'Stop the Gluster service on the host.' },
  storage_domain: { kind: 'struct storage_domain', doc: 'Storage domain (name or id).' },
  storage_domains: {
    kind: 'list struct storage_domain',
    out: 'out',
    doc: 'Discovered storage domains.',
  },
  succeeded: { kind: 'bool', doc: 'Whether the job succeeded (default true).' },
  synchronized_network_attachments: {
    kind: 'list struct network_attachment',
    doc: 'Attachments to synchronize.',
  },
  template: { kind: 'struct template', doc: 'Properties of the template.' },
  ticket: { kind: 'struct ticket', out: 'inout', doc: 'Value and lifetime of the console ticket.' },
  timeout: { kind: 'int', doc: 'Timeout of the upgrade in seconds.' },
  undeploy_hosted_engine: { kind: 'bool', doc: 'Remove the self-hosted engine from the host.' },
  upgrade_action: {
    kind: 'enum cluster_upgrade_action',
    doc: 'Stage of the upgrade.',
  },
  upgrade_percent_complete: { kind: 'int', doc: 'Progress of the upgrade.' },
  use_cloud_init: { kind: 'bool', doc: 'Initialize the guest with cloud-init.' },
  use_ignition: { kind: 'bool', doc: 'Initialize the guest with Ignition.' },
  use_initialization: {
    kind: 'bool',
    doc: 'Initialize the guest with the default tool of its operating system.',
  },
  use_sysprep: { kind: 'bool', doc: 'Initialize the guest with sysprep.' },
  virtual_functions_configuration: {
    kind: 'struct host_nic_virtual_functions_configuration',
    doc: 'Number of virtual functions, or permission for all networks.',
  },
  vm: { kind: 'struct vm', doc: 'Properties that override those of the VM for this run.' },
  vnic_profile_mappings: {
    kind: 'list struct vnic_profile_mapping',
    doc: 'Mapping of networks to profiles of this site.',
  },
  volatile: {
    kind: 'bool',
    doc: 'Apply the attributes of this command until the next reboot only.',
  },
} as const satisfies Readonly<Record<string, Parameter>>;

export type QueryParameter = keyof typeof queryParameters;
export type ActionParameter = keyof typeof actionParameters;
