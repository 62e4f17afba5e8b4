/** Predefined roles. */
import type { PermitName } from '../../model/notation/permit-names.ts';

export interface PredefinedRole {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly administrative: boolean;
  /** Whether a holder also sees the contents of the object. */
  readonly viewsChildren: boolean;
  readonly permits: readonly PermitName[];
}

/** Names of permits, in the order in which engines list those of the role. */
type Names<Text extends string, Found = never> = Text extends `${infer First} ${infer Rest}`
  ? Names<Rest, Found | First>
  : Found | Text;

/** Splits names that are separated by spaces, and keeps their type. */
function words<const Text extends string>(text: Text): Names<Text>[] {
  // `split` returns strings, and the type splits the literal in the same way.
  return text.split(' ') as Names<Text>[];
}

export const roles: readonly PredefinedRole[] = [
  {
    id: '00000000-0000-0000-0000-000000000001',
    name: 'SuperUser',
    description: 'All permissions',
    administrative: true,
    viewsChildren: true,
    permits: words(
      'create_vm delete_vm edit_vm_properties change_vm_cd migrate_vm connect_to_vm import_export_vm configure_vm_network configure_vm_storage move_vm manipulate_vm_snapshots create_host edit_host_configuration delete_host manipulate_host configure_host_network create_template edit_template_properties delete_template copy_template configure_template_network create_vm_pool edit_vm_pool_configuration delete_vm_pool vm_pool_basic_operations create_cluster edit_cluster_configuration delete_cluster configure_cluster_network manipulate_users manipulate_roles manipulate_permissions create_storage_domain edit_storage_domain_configuration delete_storage_domain manipulate_storage_domain create_storage_pool delete_storage_pool edit_storage_pool_configuration configure_storage_pool_network create_storage_pool_network delete_storage_pool_network configure_engine configure_quota consume_quota reconnect_to_vm create_disk attach_disk edit_disk_properties configure_disk_storage delete_disk create_gluster_volume manipulate_gluster_volume delete_gluster_volume change_vm_custom_properties login assign_cluster_network inject_external_tasks manipulate_gluster_hook edit_admin_vm_properties edit_admin_template_properties manipulate_gluster_service configure_scsi_generic_io configure_network_vnic_profile create_network_vnic_profile delete_network_vnic_profile access_image_storage tag_management bookmark_management event_notification_management manipulate_affinity_groups add_users_and_groups_from_directory audit_log_management create_mac_pool edit_mac_pool delete_mac_pool configure_mac_pool configure_storage_disk_profile create_storage_disk_profile delete_storage_disk_profile reboot_vm stop_vm shut_down_vm hibernate_vm run_vm inject_external_events attach_disk_profile disk_live_storage_migration connect_to_serial_console update_cpu_profile delete_cpu_profile create_cpu_profile assign_cpu_profile sparsify_disk reduce_disk backup_disk reset_vm',
    ),
  },
  {
    id: '00000000-0000-0000-0001-000000000001',
    name: 'UserRole',
    description: 'Standard end user of VMs',
    administrative: false,
    viewsChildren: true,
    permits: words(
      'change_vm_cd connect_to_vm vm_pool_basic_operations login access_image_storage reboot_vm stop_vm shut_down_vm hibernate_vm run_vm reset_vm',
    ),
  },
  {
    id: '00000000-0000-0000-0001-000000000002',
    name: 'PowerUserRole',
    description: 'Creates VMs, templates and disks',
    administrative: false,
    viewsChildren: false,
    permits: words(
      'create_vm create_template create_disk login access_image_storage attach_disk_profile update_cpu_profile delete_cpu_profile create_cpu_profile assign_cpu_profile',
    ),
  },
  {
    id: 'def00001-0000-0000-0000-def000000001',
    name: 'ClusterAdmin',
    description: 'Administrator of a cluster',
    administrative: true,
    viewsChildren: true,
    permits: words(
      'create_vm delete_vm edit_vm_properties change_vm_cd migrate_vm connect_to_vm import_export_vm configure_vm_network configure_vm_storage move_vm manipulate_vm_snapshots create_host edit_host_configuration delete_host manipulate_host configure_host_network create_vm_pool edit_vm_pool_configuration delete_vm_pool vm_pool_basic_operations create_cluster edit_cluster_configuration delete_cluster configure_cluster_network manipulate_permissions create_disk attach_disk edit_disk_properties configure_disk_storage delete_disk change_vm_custom_properties login edit_admin_vm_properties tag_management bookmark_management event_notification_management manipulate_affinity_groups add_users_and_groups_from_directory audit_log_management configure_mac_pool reboot_vm stop_vm shut_down_vm hibernate_vm run_vm attach_disk_profile disk_live_storage_migration update_cpu_profile delete_cpu_profile create_cpu_profile assign_cpu_profile sparsify_disk reduce_disk backup_disk reset_vm',
    ),
  },
  {
    id: 'def00002-0000-0000-0000-def000000002',
    name: 'DataCenterAdmin',
    description: 'Administrator of a data center, without storage creation',
    administrative: true,
    viewsChildren: true,
    permits: words(
      'create_vm delete_vm edit_vm_properties change_vm_cd migrate_vm connect_to_vm import_export_vm configure_vm_network configure_vm_storage move_vm manipulate_vm_snapshots create_host edit_host_configuration delete_host manipulate_host configure_host_network create_template edit_template_properties delete_template copy_template configure_template_network create_vm_pool edit_vm_pool_configuration delete_vm_pool vm_pool_basic_operations create_cluster edit_cluster_configuration delete_cluster configure_cluster_network manipulate_permissions create_storage_pool delete_storage_pool edit_storage_pool_configuration configure_storage_pool_network create_storage_pool_network delete_storage_pool_network configure_quota consume_quota create_disk attach_disk edit_disk_properties configure_disk_storage delete_disk change_vm_custom_properties login assign_cluster_network edit_admin_vm_properties edit_admin_template_properties configure_scsi_generic_io configure_network_vnic_profile create_network_vnic_profile delete_network_vnic_profile tag_management bookmark_management event_notification_management manipulate_affinity_groups add_users_and_groups_from_directory audit_log_management configure_mac_pool reboot_vm stop_vm shut_down_vm hibernate_vm run_vm attach_disk_profile disk_live_storage_migration update_cpu_profile delete_cpu_profile create_cpu_profile assign_cpu_profile sparsify_disk reduce_disk backup_disk reset_vm',
    ),
  },
  {
    id: 'def00003-0000-0000-0000-def000000003',
    name: 'StorageAdmin',
    description: 'Storage administrator',
    administrative: true,
    viewsChildren: true,
    permits: words(
      'create_storage_domain edit_storage_domain_configuration delete_storage_domain manipulate_storage_domain create_disk attach_disk edit_disk_properties configure_disk_storage delete_disk login access_image_storage tag_management bookmark_management event_notification_management audit_log_management configure_storage_disk_profile create_storage_disk_profile delete_storage_disk_profile attach_disk_profile disk_live_storage_migration sparsify_disk reduce_disk backup_disk',
    ),
  },
  {
    id: 'def00004-0000-0000-0000-def000000004',
    name: 'HostAdmin',
    description: 'Host administrator',
    administrative: true,
    viewsChildren: true,
    permits: words(
      'create_host edit_host_configuration delete_host manipulate_host configure_host_network create_storage_domain edit_storage_domain_configuration delete_storage_domain manipulate_storage_domain login tag_management bookmark_management event_notification_management audit_log_management configure_storage_disk_profile create_storage_disk_profile delete_storage_disk_profile attach_disk_profile',
    ),
  },
  {
    id: 'def00005-0000-0000-0000-def000000005',
    name: 'NetworkAdmin',
    description: 'Network administrator',
    administrative: true,
    viewsChildren: true,
    permits: words(
      'configure_vm_network configure_host_network configure_template_network configure_cluster_network configure_storage_pool_network create_storage_pool_network delete_storage_pool_network login assign_cluster_network configure_network_vnic_profile create_network_vnic_profile delete_network_vnic_profile tag_management bookmark_management event_notification_management audit_log_management',
    ),
  },
  {
    id: 'def00006-0000-0000-0000-def000000006',
    name: 'UserVmManager',
    description: 'Owner of a VM',
    administrative: false,
    viewsChildren: true,
    permits: words(
      'create_vm delete_vm edit_vm_properties change_vm_cd connect_to_vm configure_vm_network configure_vm_storage manipulate_vm_snapshots create_disk attach_disk edit_disk_properties delete_disk manipulate_permissions login add_users_and_groups_from_directory reboot_vm stop_vm shut_down_vm hibernate_vm run_vm connect_to_serial_console assign_cpu_profile sparsify_disk reduce_disk backup_disk reset_vm',
    ),
  },
  {
    id: 'def00007-0000-0000-0000-def000000007',
    name: 'VmPoolAdmin',
    description: 'Pool administrator',
    administrative: true,
    viewsChildren: true,
    permits: words(
      'create_vm create_vm_pool edit_vm_pool_configuration delete_vm_pool vm_pool_basic_operations login tag_management bookmark_management event_notification_management audit_log_management assign_cpu_profile',
    ),
  },
  {
    id: 'def00008-0000-0000-0000-def000000008',
    name: 'TemplateAdmin',
    description: 'Template administrator',
    administrative: true,
    viewsChildren: true,
    permits: words(
      'create_template edit_template_properties delete_template copy_template configure_template_network manipulate_permissions login edit_admin_template_properties access_image_storage tag_management bookmark_management event_notification_management add_users_and_groups_from_directory audit_log_management',
    ),
  },
  {
    id: 'def0000a-0000-0000-0000-def00000000a',
    name: 'QuotaConsumer',
    description: 'Consumer of a quota',
    administrative: false,
    viewsChildren: false,
    permits: words('consume_quota'),
  },
  {
    id: 'def0000a-0000-0000-0000-def00000000b',
    name: 'DiskOperator',
    description: 'Owner of a disk',
    administrative: false,
    viewsChildren: true,
    permits: words(
      'manipulate_permissions create_disk attach_disk edit_disk_properties delete_disk login add_users_and_groups_from_directory sparsify_disk reduce_disk backup_disk',
    ),
  },
  {
    id: 'def0000a-0000-0000-0000-def00000000c',
    name: 'DiskCreator',
    description: 'Creator of disks',
    administrative: false,
    viewsChildren: false,
    permits: words('create_disk login'),
  },
  {
    id: 'def0000b-0000-0000-0000-def00000000b',
    name: 'GlusterAdmin',
    description: 'Gluster administrator',
    administrative: true,
    viewsChildren: true,
    permits: words(
      'create_host edit_host_configuration delete_host manipulate_host configure_host_network create_cluster edit_cluster_configuration delete_cluster configure_cluster_network create_gluster_volume manipulate_gluster_volume delete_gluster_volume login assign_cluster_network manipulate_gluster_hook manipulate_gluster_service tag_management bookmark_management event_notification_management audit_log_management',
    ),
  },
  {
    id: 'def0000a-0000-0000-0000-def00000000d',
    name: 'VmCreator',
    description: 'Creator of VMs',
    administrative: false,
    viewsChildren: false,
    permits: words('create_vm create_disk login assign_cpu_profile'),
  },
  {
    id: 'def0000a-0000-0000-0000-def00000000e',
    name: 'TemplateCreator',
    description: 'Creator of templates',
    administrative: false,
    viewsChildren: false,
    permits: words('create_template login'),
  },
  {
    id: 'def0000a-0000-0000-0000-def00000000f',
    name: 'TemplateOwner',
    description: 'Owner of a template',
    administrative: false,
    viewsChildren: true,
    permits: words(
      'edit_template_properties delete_template copy_template configure_template_network manipulate_permissions login add_users_and_groups_from_directory',
    ),
  },
  {
    id: 'def0000c-0000-0000-0000-def000000000',
    name: 'ExternalEventsCreator',
    description: 'Creator of external events',
    administrative: false,
    viewsChildren: false,
    permits: words('inject_external_events'),
  },
  {
    id: 'def0000d-0000-0000-0000-def000000000',
    name: 'ExternalTasksCreator',
    description: 'Creator of external jobs',
    administrative: false,
    viewsChildren: false,
    permits: words('inject_external_tasks'),
  },
  {
    id: 'def00009-0000-0000-0000-def000000009',
    name: 'UserTemplateBasedVm',
    description: 'User of a template',
    administrative: false,
    viewsChildren: false,
    permits: words('create_vm assign_cpu_profile'),
  },
  {
    id: 'def00011-0000-0000-0000-def000000011',
    name: 'InstanceCreator',
    description: 'Creator of VMs in the user portal',
    administrative: false,
    viewsChildren: false,
    permits: words('create_disk login create_instance'),
  },
  {
    id: 'def00012-0000-0000-0000-def000000012',
    name: 'UserInstanceManager',
    description: 'Owner of a user-portal VM',
    administrative: false,
    viewsChildren: false,
    permits: words(
      'delete_vm edit_vm_properties change_vm_cd connect_to_vm configure_vm_storage manipulate_vm_snapshots manipulate_permissions create_disk attach_disk edit_disk_properties delete_disk login add_users_and_groups_from_directory reboot_vm stop_vm shut_down_vm hibernate_vm run_vm connect_to_serial_console sparsify_disk reduce_disk backup_disk reset_vm',
    ),
  },
  {
    id: 'def0000c-0000-0000-0000-def00000000c',
    name: 'ReadOnlyAdmin',
    description: 'Read-only access to everything',
    administrative: true,
    viewsChildren: true,
    permits: words('login'),
  },
  {
    id: 'def00011-0000-0000-0000-def000000013',
    name: 'TagManager',
    description: 'Tags',
    administrative: true,
    viewsChildren: false,
    permits: words('login tag_management audit_log_management'),
  },
  {
    id: 'def00011-0000-0000-0000-def000000014',
    name: 'BookmarkManager',
    description: 'Bookmarks',
    administrative: true,
    viewsChildren: false,
    permits: words('login bookmark_management audit_log_management'),
  },
  {
    id: 'def00011-0000-0000-0000-def000000015',
    name: 'EventNotificationManager',
    description: 'Event notification',
    administrative: true,
    viewsChildren: false,
    permits: words('login event_notification_management audit_log_management'),
  },
  {
    id: 'def00011-0000-0000-0000-def000000016',
    name: 'AuditLogManager',
    description: 'Audit log',
    administrative: true,
    viewsChildren: false,
    permits: words('login audit_log_management'),
  },
  {
    id: 'def00013-0000-0000-0000-def000000013',
    name: 'MacPoolAdmin',
    description: 'Administrator of MAC pools',
    administrative: true,
    viewsChildren: true,
    permits: words('login create_mac_pool edit_mac_pool delete_mac_pool configure_mac_pool'),
  },
  {
    id: 'def00020-0000-0000-0000-abc000000010',
    name: 'DiskProfileUser',
    description: 'User of a disk profile',
    administrative: false,
    viewsChildren: false,
    permits: words('attach_disk_profile'),
  },
  {
    id: 'def00006-0000-0000-0000-def000000011',
    name: 'UserVmRunTimeManager',
    description: 'Owner of a VM without snapshots',
    administrative: false,
    viewsChildren: false,
    permits: words(
      'create_vm delete_vm edit_vm_properties change_vm_cd connect_to_vm configure_vm_network configure_vm_storage manipulate_permissions create_disk attach_disk edit_disk_properties delete_disk login add_users_and_groups_from_directory reboot_vm stop_vm shut_down_vm hibernate_vm run_vm assign_cpu_profile sparsify_disk reduce_disk backup_disk reset_vm',
    ),
  },
  {
    id: 'def00021-0000-0000-0000-def000000015',
    name: 'UserProfileEditor',
    description: 'Own profile',
    administrative: false,
    viewsChildren: false,
    permits: words('edit_profile'),
  },
  {
    id: 'def00030-0000-0000-0000-def000000011',
    name: 'VmImporterExporter',
    description: 'Import and export',
    administrative: true,
    viewsChildren: true,
    permits: words('import_export_vm login attach_disk_profile assign_cpu_profile'),
  },
  {
    id: 'def00017-0000-0000-0000-def000000017',
    name: 'CpuProfileOperator',
    description: 'User of a CPU profile',
    administrative: false,
    viewsChildren: false,
    permits: words('assign_cpu_profile'),
  },
  {
    id: 'def00016-0000-0000-0000-def000000016',
    name: 'CpuProfileCreator',
    description: 'Administrator of CPU profiles',
    administrative: true,
    viewsChildren: false,
    permits: words('update_cpu_profile delete_cpu_profile create_cpu_profile assign_cpu_profile'),
  },
  {
    id: 'def0000a-0000-0000-0000-def000000010',
    name: 'VnicProfileUser',
    description: 'User of a vNIC profile',
    administrative: false,
    viewsChildren: false,
    permits: words('configure_vm_network configure_template_network login'),
  },
  {
    id: 'def00014-0000-0000-0000-def000000014',
    name: 'MacPoolUser',
    description: 'User of a MAC pool',
    administrative: false,
    viewsChildren: true,
    permits: words('login configure_mac_pool'),
  },
];
