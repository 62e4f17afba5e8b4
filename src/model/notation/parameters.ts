/**
 * Every secondary parameter of the API (specification 4.2 and 4.5), named by the services.
 * A name means the same thing wherever it occurs.
 */
import type { Kind } from './attributes.ts';

export interface Parameter {
  readonly kind: Kind;
  /** Only in the answer (`out`), or in request and answer (`inout`). */
  readonly out?: 'out' | 'inout';
  /** As `secret` of an attribute. */
  readonly secret?: true;
  /** As `confidential` of an attribute. */
  readonly confidential?: true;
  readonly doc: string;
}

/** Parameters of queries; also accepted as matrix parameters of the last path segment. */
export const queryParameters = {
  activate: { kind: 'bool', doc: 'Activate the host once it is installed (default true).' },
  all_content: { kind: 'bool', doc: 'Include parts that are costly to compute.' },
  async: { kind: 'bool', doc: 'Answer before the work is done.' },
  auto_pinning_policy: {
    kind: 'enum auto_pinning_policy',
    doc: 'How CPU and NUMA pinning is chosen (deprecated).',
  },
  case_sensitive: { kind: 'bool', doc: 'Whether search takes case into account.' },
  check_vms_in_affinity_closure: {
    kind: 'bool',
    doc: 'Also check virtual machines tied to this one by affinity.',
  },
  clone: { kind: 'bool', doc: 'Copy the disks of the template instead of depending on them.' },
  clone_permissions: { kind: 'bool', doc: 'Copy the permissions of the template.' },
  current: {
    kind: 'bool',
    doc: 'Act on the running virtual machine instead of its configuration.',
  },
  deploy_hosted_engine: { kind: 'bool', doc: 'Make the host able to run the self-hosted engine.' },
  destroy: { kind: 'bool', doc: 'Forget the storage domain without touching its storage.' },
  detach_only: { kind: 'bool', doc: 'Keep the disks: only detach them.' },
  filter: { kind: 'bool', doc: 'Only objects that the user has user-level permissions on.' },
  follow: { kind: 'string', doc: 'Comma-separated link paths to expand inline.' },
  force: { kind: 'bool', doc: 'Go on where the service would refuse or a step fails.' },
  format: { kind: 'bool', doc: 'Erase the storage of the domain.' },
  from: { kind: 'long', doc: 'Only events from this id on.' },
  host: { kind: 'string', doc: 'Name or id of the host that does the work.' },
  include_active: { kind: 'bool', doc: 'Include the active image.' },
  include_template: { kind: 'bool', doc: 'Include the image of the template.' },
  max: { kind: 'int', doc: 'Maximum number of objects returned.' },
  merge: { kind: 'bool', doc: 'Merge with the options that are already there.' },
  migration_target_of: {
    kind: 'string',
    doc: 'Only hosts to which these virtual machines can migrate.',
  },
  next_run: { kind: 'bool', doc: 'The configuration that applies from the next start.' },
  nfsStatistics: { kind: 'bool', doc: 'Include statistics of NFS clients.' },
  ovf_as_ova: { kind: 'bool', doc: 'Return the configuration in the form used inside OVA files.' },
  reboot: { kind: 'bool', doc: 'Reboot the host when the work is done (default true).' },
  refresh: { kind: 'bool', doc: 'Read the list from the storage again.' },
  replica_count: { kind: 'int', doc: 'Replica count of the volume after the change.' },
  report_status: { kind: 'bool', doc: 'Include the status of each logical unit (default true).' },
  require_consistency: { kind: 'bool', doc: 'Fail when the file systems cannot be frozen.' },
  rsdl: { kind: 'bool', doc: 'Return the old service description.' },
  schema: { kind: 'bool', doc: 'Return the XML schema.' },
  seal: { kind: 'bool', doc: 'Remove what makes the guest unique.' },
  search: { kind: 'string', doc: 'Query in the search language.' },
  storage_domain: {
    kind: 'string',
    doc: 'Id of the storage domain from which the copy is removed.',
  },
  stripe_count: { kind: 'int', doc: 'Stripe count of the volume after the change.' },
  undeploy_hosted_engine: { kind: 'bool', doc: 'Take the self-hosted engine off the host.' },
  unregistered: {
    kind: 'bool',
    doc: 'Only objects found on the storage that are not in the inventory.',
  },
  use_active: { kind: 'bool', doc: 'Back up the active image.' },
  version: { kind: 'string', doc: 'Compatibility level.' },
} as const satisfies Readonly<Record<string, Parameter>>;

/** Parameters of actions: elements of the `action` body. */
export const actionParameters = {
  activate: {
    kind: 'bool',
    doc: 'Activate the host afterwards: by default after approval, not after an installation.',
  },
  allow_partial_import: { kind: 'bool', doc: 'Import even when some disks are missing.' },
  async: { kind: 'bool', doc: 'true: answer before the work is done; false: wait for it.' },
  attach_wgt: { kind: 'bool', doc: 'Attach the guest tools for Windows.' },
  authorized_key: { kind: 'struct authorized_key', doc: 'SSH key for the first boot.' },
  bricks: { kind: 'list struct gluster_brick', doc: 'The bricks to act on.' },
  certificates: { kind: 'list struct certificate', doc: 'Certificates to trust.' },
  check_connectivity: {
    kind: 'bool',
    doc: 'Undo the change when the host cannot be reached afterwards.',
  },
  clone: { kind: 'bool', doc: 'Give the import new ids.' },
  cluster: { kind: 'struct cluster', doc: 'The cluster, by id or name.' },
  collapse_snapshots: { kind: 'bool', doc: 'Import the disks without their snapshots.' },
  commit_on_success: { kind: 'bool', doc: 'Keep the new network configuration when it works.' },
  connectivity_timeout: { kind: 'int', doc: 'Seconds to wait for connectivity.' },
  correlation_id: { kind: 'string', doc: 'Id that ties the events of the upgrade together.' },
  data_center: { kind: 'struct data_center', doc: 'The data center, by id or name.' },
  deploy_hosted_engine: { kind: 'bool', doc: 'Make the host able to run the self-hosted engine.' },
  details: {
    kind: 'struct gluster_volume_profile_details',
    out: 'out',
    doc: 'The profile that was measured.',
  },
  directory: { kind: 'string', doc: 'Directory on the host that receives the file.' },
  discard_snapshots: { kind: 'bool', doc: 'Leave the snapshots out (default true).' },
  discovered_targets: {
    kind: 'list struct iscsi_details',
    out: 'out',
    doc: 'Targets that were found.',
  },
  disk: { kind: 'struct disk', doc: 'Properties of the disk.' },
  disk_profile: { kind: 'struct disk_profile', doc: 'Disk profile on the target, by id.' },
  disks: { kind: 'list struct disk', doc: 'The disks to act on.' },
  event: { kind: 'struct event', doc: 'The event, by id; without it all that were dismissed.' },
  exclusive: { kind: 'bool', doc: 'Replace what has the same id.' },
  fence_type: { kind: 'string', doc: 'manual, restart, start, stop or status.' },
  filename: { kind: 'string', doc: 'Name of the file.' },
  filter: { kind: 'bool', doc: 'Look up references with user-level permissions only.' },
  fix_layout: { kind: 'bool', doc: 'Only fix the layout, move no data.' },
  follow: { kind: 'string', doc: 'Comma-separated link paths to expand inline.' },
  force: { kind: 'bool', doc: 'Go on where the service would refuse.' },
  host: { kind: 'struct host', doc: 'The host, by id or name.' },
  image: { kind: 'string', doc: 'Image to install (nodes only).' },
  import_as_template: { kind: 'bool', doc: 'Make a template of the image.' },
  is_attached: {
    kind: 'bool',
    out: 'out',
    doc: 'Whether the storage domain is attached to a data center.',
  },
  iscsi: { kind: 'struct iscsi_details', doc: 'Address, target and credentials.' },
  iscsi_targets: { kind: 'list string', out: 'out', doc: 'Names of the targets that were found.' },
  lease: {
    kind: 'struct storage_domain_lease',
    doc: 'Where the lease of the virtual machine is kept.',
  },
  logical_units: { kind: 'list struct logical_unit', doc: 'The logical units to act on.' },
  maintenance_after_restart: {
    kind: 'bool',
    doc: 'Leave the host in maintenance after the restart.',
  },
  maintenance_enabled: { kind: 'bool', doc: 'Whether maintenance is switched on.' },
  migrate_vms_in_affinity_closure: {
    kind: 'bool',
    doc: 'Also migrate virtual machines tied to this one by affinity.',
  },
  modified_bonds: { kind: 'list struct host_nic', doc: 'Bonds to create or change.' },
  modified_labels: { kind: 'list struct network_label', doc: 'Labels to set.' },
  modified_network_attachments: {
    kind: 'list struct network_attachment',
    doc: 'Attachments to create or change.',
  },
  optimize_cpu_settings: { kind: 'bool', doc: 'Also choose the CPU topology.' },
  option: { kind: 'struct option', doc: 'Name and value of the option.' },
  pause: { kind: 'bool', doc: 'Start and pause at once.' },
  power_management: {
    kind: 'struct power_management',
    out: 'out',
    doc: 'Power state that the agent reports.',
  },
  proxy_ticket: { kind: 'struct proxy_ticket', out: 'out', doc: 'Ticket for the console proxy.' },
  quota: { kind: 'struct quota', doc: 'The quota, by id.' },
  reason: { kind: 'string', doc: 'Why; kept with the object and in the event.' },
  reassign_bad_macs: { kind: 'bool', doc: 'Give a new MAC address where one is in use.' },
  reboot: { kind: 'bool', doc: 'Reboot the host when the work is done (default true).' },
  registration_configuration: {
    kind: 'struct registration_configuration',
    doc: 'How names map to this site.',
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
  resolution_type: { kind: 'string', doc: 'add or copy.' },
  restore_memory: { kind: 'bool', doc: 'Also restore the memory that was saved.' },
  root_password: { kind: 'string', secret: true, doc: 'Password of root on the host.' },
  snapshot: { kind: 'struct snapshot', doc: 'The snapshot, by id.' },
  source_host: { kind: 'struct host', doc: 'Host whose networks are copied.' },
  ssh: { kind: 'struct ssh', doc: 'How the host is reached.' },
  stop_gluster_service: { kind: 'bool', doc: 'Stop Gluster on the host, too.' },
  storage_domain: { kind: 'struct storage_domain', doc: 'The storage domain, by id or name.' },
  storage_domains: {
    kind: 'list struct storage_domain',
    out: 'out',
    doc: 'Storage domains that were found.',
  },
  succeeded: { kind: 'bool', doc: 'Whether it ended well (default true).' },
  synchronized_network_attachments: {
    kind: 'list struct network_attachment',
    doc: 'Attachments to bring back in sync.',
  },
  template: { kind: 'struct template', doc: 'Properties of the template.' },
  ticket: { kind: 'struct ticket', out: 'inout', doc: 'Value and lifetime of the console ticket.' },
  timeout: { kind: 'int', doc: 'Seconds after which the upgrade counts as failed.' },
  undeploy_hosted_engine: { kind: 'bool', doc: 'Take the self-hosted engine off the host.' },
  upgrade_action: {
    kind: 'enum cluster_upgrade_action',
    doc: 'Which stage of the upgrade begins or ends.',
  },
  upgrade_percent_complete: { kind: 'int', doc: 'Progress of the upgrade.' },
  use_cloud_init: { kind: 'bool', doc: 'Pass the initialization to cloud-init.' },
  use_ignition: { kind: 'bool', doc: 'Pass the initialization to Ignition.' },
  use_initialization: {
    kind: 'bool',
    doc: 'Pass the initialization in the form the system expects.',
  },
  use_sysprep: { kind: 'bool', doc: 'Pass the initialization to sysprep.' },
  virtual_functions_configuration: {
    kind: 'struct host_nic_virtual_functions_configuration',
    doc: 'Number of virtual functions, or whether all networks are allowed.',
  },
  vm: { kind: 'struct vm', doc: 'Properties that override those of the virtual machine.' },
  vnic_profile_mappings: {
    kind: 'list struct vnic_profile_mapping',
    doc: 'How networks map to profiles of this site.',
  },
  volatile: { kind: 'bool', doc: 'Forget the overrides at the next reboot.' },
} as const satisfies Readonly<Record<string, Parameter>>;

export type QueryParameter = keyof typeof queryParameters;
export type ActionParameter = keyof typeof actionParameters;
