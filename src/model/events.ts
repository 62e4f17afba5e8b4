/**
 * What the service writes to its audit log (specification 6): code, severity, sentence. Words in
 * `{}` are filled in from the objects that the event is about.
 */
import { glusterEvents } from './events/gluster.ts';
import { hostEvents } from './events/hosts.ts';
import { networkEvents } from './events/networks.ts';
import type { EventTexts } from './events/notation.ts';
import { storageEvents } from './events/storage.ts';

export const events = {
  ...storageEvents,
  ...glusterEvents,
  ...hostEvents,
  ...networkEvents,
  1: { name: 'SERVICE_STARTED', severity: 'normal', text: 'Starting {Product}.' },
  2: { name: 'SERVICE_STOPPED', severity: 'normal', text: 'Stopping {Product}.' },
  30: {
    name: 'USER_LOGGED_IN',
    severity: 'normal',
    text: 'User {UserName} connecting from {SourceIP} logged in.',
  },
  31: {
    name: 'USER_LOGGED_OUT',
    severity: 'normal',
    text: 'User {UserName} connected from {SourceIP} logged out.',
  },
  114: {
    name: 'USER_LOGIN_FAILED',
    severity: 'error',
    text: 'User {UserName} connecting from {SourceIP} failed to log in: {Reason}.',
  },

  32: { name: 'VM_STARTED', severity: 'normal', text: 'VM {VmName} started on Host {HostName}.' },
  33: {
    name: 'VM_STOPPED',
    severity: 'normal',
    text: 'VM {VmName} powered off by {UserName} (Host: {HostName}){Reason}.',
  },
  34: { name: 'VM_ADDED', severity: 'normal', text: 'VM {VmName} was created by {UserName}.' },
  35: {
    name: 'VM_UPDATED',
    severity: 'normal',
    text: 'VM {VmName} configuration was updated by {UserName}.',
  },
  39: {
    name: 'VM_PAUSED',
    severity: 'normal',
    text: 'VM {VmName} was suspended by {UserName} (Host: {HostName}).',
  },
  40: {
    name: 'VM_RESUMED',
    severity: 'normal',
    text: 'VM {VmName} was resumed by {UserName} (Host: {HostName}).',
  },
  61: { name: 'VM_DOWN', severity: 'normal', text: 'VM {VmName} is down. {ExitMessage}' },
  73: {
    name: 'VM_SHUTDOWN_STARTED',
    severity: 'normal',
    text: 'VM shutdown initiated by {UserName} on VM {VmName} (Host: {HostName}){Reason}.',
  },
  111: {
    name: 'SUSPENDED_VM_STOPPED',
    severity: 'normal',
    text: 'VM {VmName} was suspended and was stopped by {UserName}; its saved state is gone.',
  },
  113: { name: 'VM_REMOVED', severity: 'normal', text: 'VM {VmName} was removed by {UserName}.' },
  153: {
    name: 'VM_START_INITIATED',
    severity: 'normal',
    text: 'VM {VmName} was started by {UserName} (Host: {HostName}).',
  },
  157: {
    name: 'VM_REBOOTING',
    severity: 'normal',
    text: 'VM {VmName} is being rebooted by {UserName} (Host: {HostName}).',
  },
  501: {
    name: 'VM_SUSPEND_STARTED',
    severity: 'normal',
    text: 'Suspending VM {VmName} was initiated by {UserName} (Host: {HostName}).',
  },
  503: {
    name: 'VM_SUSPENDED',
    severity: 'normal',
    text: 'VM {VmName} on Host {HostName} is suspended.',
  },

  37: {
    name: 'VM_ADD_STARTED',
    severity: 'normal',
    text: 'VM {VmName} creation was initiated by {UserName}.',
  },
  38: {
    name: 'VM_DISC_CHANGED',
    severity: 'normal',
    text: 'CD {DiskName} was inserted to VM {VmName} by {UserName}.',
  },
  45: {
    name: 'SNAPSHOT_STARTED',
    severity: 'normal',
    text: "Snapshot '{SnapshotName}' creation for VM '{VmName}' was initiated by {UserName}.",
  },
  46: {
    name: 'SNAPSHOT_PREVIEW_STARTED',
    severity: 'normal',
    text: "Snapshot '{SnapshotName}' preview for VM '{VmName}' was initiated by {UserName}.",
  },
  47: {
    name: 'SNAPSHOT_RESTORED',
    severity: 'normal',
    text: "VM '{VmName}' is restored from snapshot '{SnapshotName}' by {UserName}.",
  },
  48: {
    name: 'TEMPLATE_ADD_STARTED',
    severity: 'normal',
    text: 'Creation of Template {TemplateName} from VM {VmName} was initiated by {UserName}.',
  },
  49: {
    name: 'TEMPLATE_UPDATED',
    severity: 'normal',
    text: 'Template {TemplateName} configuration was updated by {UserName}.',
  },
  50: {
    name: 'TEMPLATE_REMOVE_STARTED',
    severity: 'normal',
    text: 'Removal of Template {TemplateName} was initiated by {UserName}.',
  },
  51: {
    name: 'TEMPLATE_ADDED',
    severity: 'normal',
    text: 'Creation of Template {TemplateName} from VM {VmName} has been completed.',
  },
  52: {
    name: 'TEMPLATE_ADD_FAILED',
    severity: 'error',
    text: 'Failed to complete creation of Template {TemplateName}.',
  },
  53: {
    name: 'VM_ADD_FINISHED',
    severity: 'normal',
    text: 'VM {VmName} creation has been completed.',
  },
  60: {
    name: 'VM_ADD_FAILED',
    severity: 'error',
    text: 'Failed to complete the creation of VM {VmName}.',
  },
  68: {
    name: 'SNAPSHOT_FINISHED',
    severity: 'normal',
    text: "Snapshot '{SnapshotName}' creation for VM '{VmName}' has been completed.",
  },
  69: {
    name: 'SNAPSHOT_FAILED',
    severity: 'error',
    text: "Failed to complete snapshot '{SnapshotName}' creation for VM '{VmName}'.",
  },
  71: {
    name: 'SNAPSHOT_PREVIEW_FINISHED',
    severity: 'normal',
    text: "Snapshot '{SnapshotName}' preview for VM '{VmName}' has been completed.",
  },
  100: {
    name: 'SNAPSHOT_RESTORE_FINISHED',
    severity: 'normal',
    text: "VM '{VmName}' restoring from snapshot '{SnapshotName}' has been completed.",
  },
  150: {
    name: 'VM_RUN_INITIATED',
    severity: 'normal',
    text: 'Starting VM {VmName} was initiated by {UserName}.',
  },
  161: {
    name: 'VM_MIGRATION_CANCELLED',
    severity: 'normal',
    text: 'Migration of VM {VmName} was cancelled by {UserName}.',
  },
  164: {
    name: 'VM_TICKET_SET',
    severity: 'normal',
    text: 'User {UserName} initiated a console session for VM {VmName}.',
  },
  221: {
    name: 'VM_RESET',
    severity: 'normal',
    text: 'VM {VmName} was reset by {UserName}.',
  },
  251: {
    name: 'TEMPLATE_REMOVED',
    severity: 'normal',
    text: 'Template {TemplateName} has been removed.',
  },
  254: {
    name: 'VM_ALREADY_THERE',
    severity: 'normal',
    text: 'VM {VmName} is {VmStatus} already; {Action} was skipped.',
  },
  342: {
    name: 'SNAPSHOT_REMOVE_STARTED',
    severity: 'normal',
    text: "Snapshot '{SnapshotName}' deletion for VM '{VmName}' was initiated by {UserName}.",
  },
  344: {
    name: 'POOL_UPDATED',
    severity: 'normal',
    text: 'VM pool {VmPoolName} was updated by {UserName}, {VmsCount} VMs were added.',
  },
  356: {
    name: 'SNAPSHOT_REMOVED',
    severity: 'normal',
    text: "Snapshot '{SnapshotName}' deletion for VM '{VmName}' has been completed.",
  },
  1012: {
    name: 'NIC_PLUGGED',
    severity: 'normal',
    text: 'Interface {NicName} was plugged into VM {VmName} by {UserName}.',
  },
  1014: {
    name: 'NIC_UNPLUGGED',
    severity: 'normal',
    text: 'Interface {NicName} was unplugged from VM {VmName} by {UserName}.',
  },
  1150: {
    name: 'VM_EXPORTED',
    severity: 'normal',
    text: 'VM {VmName} was exported successfully to {StorageDomainName}.',
  },
  1152: {
    name: 'VM_IMPORTED',
    severity: 'normal',
    text: 'VM {VmName} was imported successfully to Data Center {DataCenterName}, Cluster {ClusterName}.',
  },
  1165: {
    name: 'VM_IMPORT_STARTED',
    severity: 'normal',
    text: 'Importing of VM {VmName} was initiated by {UserName}.',
  },
  2033: {
    name: 'VM_PROCESSORS_PLUGGED',
    severity: 'normal',
    text: 'Hot plug of processors into VM {VmName}: {previousNumberOfCpus} sockets became {numberOfCpus}.',
  },
  2039: {
    name: 'VM_MEMORY_PLUGGED',
    severity: 'normal',
    text: 'Hot set of the memory of VM {VmName}: {previousMem} bytes became {newMem}.',
  },

  78: {
    name: 'DISK_ADD_TO_VM_STARTED',
    severity: 'normal',
    text: 'Add-Disk operation of {DiskAlias} was initiated on VM {VmName} by {UserName}.',
  },
  88: { name: 'DISK_UPDATED', severity: 'normal', text: 'Disk {DiskAlias} was updated.' },
  97: {
    name: 'DISK_ADDED_TO_VM',
    severity: 'normal',
    text: 'The disk {DiskAlias} was successfully added to VM {VmName}.',
  },
  371: {
    name: 'DISK_EXTENDED',
    severity: 'normal',
    text: 'Size of the disk {DiskAlias} was successfully extended to {NewSize} GB.',
  },
  2000: {
    name: 'DISK_HOT_PLUGGED',
    severity: 'normal',
    text: 'VM {VmName} disk {DiskAlias} was plugged by {UserName}.',
  },
  2002: {
    name: 'DISK_HOT_UNPLUGGED',
    severity: 'normal',
    text: 'VM {VmName} disk {DiskAlias} was unplugged by {UserName}.',
  },
  2014: {
    name: 'DISK_REMOVED',
    severity: 'normal',
    text: 'Disk {DiskAlias} was successfully removed from domain {StorageDomainName} by {UserName}.',
  },
  2016: {
    name: 'DISK_ATTACHED',
    severity: 'normal',
    text: 'Disk {DiskAlias} was successfully attached to VM {VmName} by {UserName}.',
  },
  2018: {
    name: 'DISK_DETACHED',
    severity: 'normal',
    text: 'Disk {DiskAlias} was successfully detached from VM {VmName} by {UserName}.',
  },
  2020: {
    name: 'DISK_ADD_STARTED',
    severity: 'normal',
    text: 'Add-Disk operation of {DiskAlias} was initiated by {UserName}.',
  },
  2021: {
    name: 'DISK_ADDED',
    severity: 'normal',
    text: 'The disk {DiskAlias} was successfully added.',
  },
  2038: {
    name: 'DISK_REMOVE_STARTED',
    severity: 'normal',
    text: 'Removal of disk {DiskAlias} from domain {StorageDomainName} was initiated by {UserName}.',
  },

  1031: {
    name: 'TRANSFER_STARTED',
    severity: 'normal',
    text: 'Image {TransferType} with disk {DiskAlias} was initiated by {UserName}.',
  },
  1032: {
    name: 'TRANSFER_SUCCEEDED',
    severity: 'normal',
    text: 'Image {TransferType} with disk {DiskAlias} succeeded.',
  },
  1033: {
    name: 'TRANSFER_CANCELLED',
    severity: 'normal',
    text: 'Image {TransferType} with disk {DiskAlias} was cancelled.',
  },
  1034: {
    name: 'TRANSFER_FAILED',
    severity: 'error',
    text: 'Image {TransferType} with disk {DiskAlias} failed.',
  },
  1071: {
    name: 'UPLOAD_PAUSED_BY_TIMEOUT',
    severity: 'error',
    text: 'The upload of disk {DiskAlias} was paused by the system: no bytes came for {Seconds} seconds.',
  },
  1072: {
    name: 'DOWNLOAD_CANCELLED_BY_TIMEOUT',
    severity: 'error',
    text: 'The download of disk {DiskAlias} was cancelled by the system: no bytes were read for {Seconds} seconds.',
  },
  1073: {
    name: 'TRANSFER_PAUSED_BY_USER',
    severity: 'normal',
    text: 'Image {TransferType} with disk {DiskAlias} was paused by {UserName}.',
  },
  1074: {
    name: 'TRANSFER_RESUMED_BY_USER',
    severity: 'normal',
    text: 'Image {TransferType} with disk {DiskAlias} was resumed by {UserName}.',
  },
  1076: {
    name: 'TRANSFER_CANCELLED_BY_POLICY',
    severity: 'error',
    text: 'Image {TransferType} with disk {DiskAlias} was cancelled by its time-out policy after {Seconds} seconds.',
  },
  1077: {
    name: 'TRANSFER_PAUSED_BY_POLICY',
    severity: 'warning',
    text: 'Image {TransferType} with disk {DiskAlias} was paused by its time-out policy after {Seconds} seconds.',
  },

  62: {
    name: 'VM_MIGRATION_STARTED',
    severity: 'normal',
    text: 'Migration started (VM: {VmName}, Source: {HostName}, Destination: {DestinationHostName}, User: {UserName}).',
  },
  63: {
    name: 'VM_MIGRATED',
    severity: 'normal',
    text: 'Migration completed (VM: {VmName}, Source: {SourceHostName}, Destination: {HostName}).',
  },

  809: {
    name: 'CLUSTER_ADDED',
    severity: 'normal',
    text: 'Cluster {ClusterName} was added by {UserName}.',
  },
  811: {
    name: 'CLUSTER_UPDATED',
    severity: 'normal',
    text: 'Cluster {ClusterName} was updated by {UserName}.',
  },
  813: {
    name: 'CLUSTER_REMOVED',
    severity: 'normal',
    text: 'Cluster {ClusterName} was removed by {UserName}.',
  },
  950: {
    name: 'DATA_CENTER_ADDED',
    severity: 'normal',
    text: 'Data Center {DataCenterName} was added by {UserName}.',
  },
  952: {
    name: 'DATA_CENTER_UPDATED',
    severity: 'normal',
    text: 'Data Center {DataCenterName} was updated by {UserName}.',
  },
  954: {
    name: 'DATA_CENTER_REMOVED',
    severity: 'normal',
    text: 'Data Center {DataCenterName} was removed by {UserName}.',
  },
  918: {
    name: 'DATA_CENTER_FORCE_REMOVED',
    severity: 'normal',
    text: 'Data Center {DataCenterName} was forcibly removed by {UserName}.',
  },
  956: {
    name: 'STORAGE_DOMAIN_ADDED',
    severity: 'normal',
    text: 'Storage Domain {StorageDomainName} was added by {UserName}.',
  },
  958: {
    name: 'STORAGE_DOMAIN_UPDATED',
    severity: 'normal',
    text: 'Storage Domain {StorageDomainName} was updated by {UserName}.',
  },
  960: {
    name: 'STORAGE_DOMAIN_REMOVED',
    severity: 'normal',
    text: 'Storage Domain {StorageDomainName} was removed by {UserName}.',
  },
  962: {
    name: 'STORAGE_DOMAIN_ATTACHED',
    severity: 'normal',
    text: 'Storage Domain {StorageDomainName} was attached to Data Center {DataCenterName} by {UserName}.',
  },
  964: {
    name: 'STORAGE_DOMAIN_DETACHED',
    severity: 'normal',
    text: 'Storage Domain {StorageDomainName} was detached from Data Center {DataCenterName} by {UserName}.',
  },
  966: {
    name: 'STORAGE_DOMAIN_ACTIVATED',
    severity: 'normal',
    text: 'Storage Domain {StorageDomainName} (Data Center {DataCenterName}) was activated by {UserName}.',
  },
  968: {
    name: 'STORAGE_DOMAIN_DEACTIVATION_STARTED',
    severity: 'normal',
    text: 'Storage Domain {StorageDomainName} (Data Center {DataCenterName}) was deactivated and moved to preparing for maintenance by {UserName}.',
  },
  981: {
    name: 'STORAGE_DOMAIN_DESTROYED',
    severity: 'normal',
    text: 'Storage Domain {StorageDomainName} was forcibly removed by {UserName}; its storage was not touched.',
  },
  1029: {
    name: 'STORAGE_DOMAIN_IN_MAINTENANCE',
    severity: 'normal',
    text: 'Storage Domain {StorageDomainName} (Data Center {DataCenterName}) is in maintenance.',
  },

  930: {
    name: 'NIC_REMOVED',
    severity: 'normal',
    text: 'Interface {NicName} was removed from VM {VmName} by {UserName}.',
  },
  932: {
    name: 'NIC_ADDED',
    severity: 'normal',
    text: 'Interface {NicName} ({NicInterface}) was added to VM {VmName} by {UserName}.',
  },
  934: {
    name: 'NIC_UPDATED',
    severity: 'normal',
    text: 'Interface {NicName} was updated for VM {VmName} by {UserName}.',
  },

  350: {
    name: 'BOOKMARK_ADDED',
    severity: 'normal',
    text: 'Bookmark {ObjectName} was added by {UserName}.',
  },
  352: {
    name: 'BOOKMARK_UPDATED',
    severity: 'normal',
    text: 'Bookmark {ObjectName} was updated by {UserName}.',
  },
  354: {
    name: 'BOOKMARK_REMOVED',
    severity: 'normal',
    text: 'Bookmark {ObjectName} was removed by {UserName}.',
  },
  430: {
    name: 'TAG_UPDATED',
    severity: 'normal',
    text: 'Tag {ObjectName} configuration was updated by {UserName}.',
  },
  432: {
    name: 'TAG_ADDED',
    severity: 'normal',
    text: 'New tag {ObjectName} was created by {UserName}.',
  },
  434: {
    name: 'TAG_REMOVED',
    severity: 'normal',
    text: 'Tag {ObjectName} was removed by {UserName}.',
  },
  10350: {
    name: 'AFFINITY_GROUP_ADDED',
    severity: 'normal',
    text: 'Affinity Group {ObjectName} was added by {UserName}.',
  },
  10352: {
    name: 'AFFINITY_GROUP_UPDATED',
    severity: 'normal',
    text: 'Affinity Group {ObjectName} was updated by {UserName}.',
  },
  10354: {
    name: 'AFFINITY_GROUP_REMOVED',
    severity: 'normal',
    text: 'Affinity Group {ObjectName} was removed by {UserName}.',
  },
  10380: {
    name: 'AFFINITY_LABEL_ADDED',
    severity: 'normal',
    text: 'Affinity Label {ObjectName} was added by {UserName}.',
  },
  10382: {
    name: 'AFFINITY_LABEL_UPDATED',
    severity: 'normal',
    text: 'Affinity Label {ObjectName} was updated by {UserName}.',
  },
  10384: {
    name: 'AFFINITY_LABEL_REMOVED',
    severity: 'normal',
    text: 'Affinity Label {ObjectName} was removed by {UserName}.',
  },
  3000: {
    name: 'QUOTA_ADDED',
    severity: 'normal',
    text: 'Quota {ObjectName} was added by {UserName}.',
  },
  3002: {
    name: 'QUOTA_UPDATED',
    severity: 'normal',
    text: 'Quota {ObjectName} was updated by {UserName}.',
  },
  3004: {
    name: 'QUOTA_REMOVED',
    severity: 'normal',
    text: 'Quota {ObjectName} was removed by {UserName}.',
  },
  205: {
    name: 'PROVIDER_ADDED',
    severity: 'normal',
    text: 'Provider {ObjectName} was added by {UserName}.',
  },
  850: {
    name: 'PERMISSION_ADDED',
    severity: 'normal',
    text: '{SubjectName} was granted role {RoleName} on {ObjectType} {ObjectName} by {UserName}.',
  },
  852: {
    name: 'PERMISSION_REMOVED',
    severity: 'normal',
    text: 'Role {RoleName} of {SubjectName} on {ObjectType} {ObjectName} was removed by {UserName}.',
  },
  864: {
    name: 'ROLE_ADDED',
    severity: 'normal',
    text: 'Role {ObjectName} was created by {UserName}.',
  },
  856: {
    name: 'ROLE_UPDATED',
    severity: 'normal',
    text: 'Role {ObjectName} was updated by {UserName}.',
  },
  858: {
    name: 'ROLE_REMOVED',
    severity: 'normal',
    text: 'Role {ObjectName} was removed by {UserName}.',
  },

  9801: { name: 'EXTERNAL_EVENT_NORMAL', severity: 'normal', text: '{Description}' },
  9802: { name: 'EXTERNAL_EVENT_WARNING', severity: 'warning', text: '{Description}' },
  9803: { name: 'EXTERNAL_EVENT_ERROR', severity: 'error', text: '{Description}' },
  9804: { name: 'EXTERNAL_EVENT_ALERT', severity: 'alert', text: '{Description}' },
  149: {
    name: 'USER_ADDED',
    severity: 'normal',
    text: 'User {NewUserName} was added to the system.',
  },
  1200: {
    name: 'OBJECT_RENAMED',
    severity: 'normal',
    text: '{EntityType} {OldName} was renamed to {NewName} by {UserName}.',
  },
  1010: {
    name: 'CONFIGURATION_RELOADED',
    severity: 'normal',
    text: 'The configuration was read again, by {UserName}.',
  },
  11000: {
    name: 'EXTERNAL_JOB_ADDED',
    severity: 'normal',
    text: 'External job {Description} was added by {UserName}.',
  },
  10600: {
    name: 'EVENT_REMOVED',
    severity: 'normal',
    text: 'Event {ObjectName} was removed by {UserName}.',
  },
  10608: {
    name: 'ALERTS_SHOWN_AGAIN',
    severity: 'normal',
    text: 'All removed alerts are shown again, by {UserName}.',
  },
} as const satisfies EventTexts;

export type EventCode = keyof typeof events;
