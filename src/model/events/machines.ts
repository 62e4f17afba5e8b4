/** Events of VMs and pools. */
import type { EventTexts } from '../notation/events.ts';

export const machineEvents = {
  VM_STARTED: { code: 32, severity: 'normal', text: 'VM {VmName} started on Host {HostName}.' },
  VM_STOPPED: {
    code: 33,
    severity: 'normal',
    text: 'VM {VmName} powered off by {UserName} (Host: {HostName}){Reason}.',
  },
  VM_ADDED: { code: 34, severity: 'normal', text: 'VM {VmName} was created by {UserName}.' },
  VM_UPDATED: {
    code: 35,
    severity: 'normal',
    text: 'VM {VmName} configuration was updated by {UserName}.',
  },
  VM_ADD_STARTED: {
    code: 37,
    severity: 'normal',
    text: 'VM {VmName} creation was initiated by {UserName}.',
  },
  VM_DISC_CHANGED: {
    code: 38,
    severity: 'normal',
    text: 'CD {DiskName} was inserted to VM {VmName} by {UserName}.',
  },
  VM_PAUSED: {
    code: 39,
    severity: 'normal',
    text: 'VM {VmName} was suspended by {UserName} (Host: {HostName}).',
  },
  VM_RESUMED: {
    code: 40,
    severity: 'normal',
    text: 'VM {VmName} was resumed by {UserName} (Host: {HostName}).',
  },
  VM_ADD_FINISHED: {
    code: 53,
    severity: 'normal',
    text: 'VM {VmName} creation has been completed.',
  },
  VM_ADD_FAILED: {
    code: 60,
    severity: 'error',
    text: 'Failed to complete the creation of VM {VmName}.',
  },
  VM_DOWN: { code: 61, severity: 'normal', text: 'VM {VmName} is down. {ExitMessage}' },
  VM_MIGRATION_STARTED: {
    code: 62,
    severity: 'normal',
    text: 'Migration started (VM: {VmName}, Source: {HostName}, Destination: {DestinationHostName}, User: {UserName}).',
  },
  VM_MIGRATED: {
    code: 63,
    severity: 'normal',
    text: 'Migration completed (VM: {VmName}, Source: {SourceHostName}, Destination: {HostName}).',
  },
  VM_MIGRATION_FAILED: {
    code: 65,
    severity: 'error',
    text: 'Migration failed (VM: {VmName}, Source: {SourceHostName}, Destination: {DestinationHostName}).',
  },
  VM_RESUME_FAILED: {
    code: 103,
    severity: 'error',
    text: 'Failed to resume VM {VmName}.',
  },
  VM_DOWN_ERROR: {
    code: 119,
    severity: 'error',
    text: 'VM {VmName} is down with error. {ExitMessage}',
  },
  VM_EXPORT_TO_FILE_STARTED: {
    code: 1223,
    severity: 'normal',
    text: 'Export of VM {VmName} as a virtual appliance was started.',
  },
  VM_EXPORTED_TO_FILE: {
    code: 1224,
    severity: 'normal',
    text: 'VM {VmName} was exported as a virtual appliance to {ExportPath}.',
  },
  VM_EXPORT_TO_FILE_FAILED: {
    code: 1225,
    severity: 'error',
    text: 'Failed to export VM {VmName} as a virtual appliance to {ExportPath}.',
  },
  TEMPLATE_EXPORT_TO_FILE_STARTED: {
    code: 1226,
    severity: 'normal',
    text: 'Export of Template {TemplateName} as a virtual appliance was started.',
  },
  TEMPLATE_EXPORTED_TO_FILE: {
    code: 1227,
    severity: 'normal',
    text: 'Template {TemplateName} was exported as a virtual appliance to {ExportPath}.',
  },
  TEMPLATE_EXPORT_TO_FILE_FAILED: {
    code: 1228,
    severity: 'error',
    text: 'Failed to export Template {TemplateName} as a virtual appliance to {ExportPath}.',
  },
  VM_MEMORY_UNPLUGGED: {
    code: 2046,
    severity: 'normal',
    text: "Hot unplug of memory device ({DeviceId}) of size {DeviceSizeMb}MB was successfully requested on VM '{VmName}'. Physical memory guaranteed updated from {OldGuaranteedMb}MB to {NewGuaranteedMb}MB.",
  },
  HA_VM_FAILED: {
    code: 9602,
    severity: 'error',
    text: 'Highly available VM {VmName} failed. It is restarted automatically.',
  },
  VM_SHUTDOWN_STARTED: {
    code: 73,
    severity: 'normal',
    text: 'VM shutdown initiated by {UserName} on VM {VmName} (Host: {HostName}){Reason}.',
  },
  VM_PAUSED_ENOSPC: {
    code: 138,
    severity: 'error',
    text: 'VM {VmName} was paused because its storage has no free space.',
  },
  VM_PAUSED_EIO: {
    code: 139,
    severity: 'error',
    text: 'VM {VmName} was paused because of a storage error.',
  },
  VM_SHUTDOWN_FAILED: {
    code: 141,
    severity: 'error',
    text: 'Shutdown of VM {VmName} failed.',
  },
  SUSPENDED_VM_STOPPED: {
    code: 111,
    severity: 'normal',
    text: 'VM {VmName} was suspended and was stopped by {UserName}; its saved state was discarded.',
  },
  VM_REMOVED: { code: 113, severity: 'normal', text: 'VM {VmName} was removed by {UserName}.' },
  VM_RUN_INITIATED: {
    code: 150,
    severity: 'normal',
    text: 'Starting VM {VmName} was initiated by {UserName}.',
  },
  VM_START_INITIATED: {
    code: 153,
    severity: 'normal',
    text: 'VM {VmName} was started by {UserName} (Host: {HostName}).',
  },
  VM_REBOOTING: {
    code: 157,
    severity: 'normal',
    text: 'VM {VmName} is being rebooted by {UserName} (Host: {HostName}).',
  },
  VM_MIGRATION_CANCELLED: {
    code: 161,
    severity: 'normal',
    text: 'Migration of VM {VmName} was cancelled by {UserName}.',
  },
  VM_TICKET_SET: {
    code: 164,
    severity: 'normal',
    text: 'User {UserName} initiated a console session for VM {VmName}.',
  },
  VM_RESET: {
    code: 221,
    severity: 'normal',
    text: 'VM {VmName} was reset by {UserName}.',
  },
  VM_ALREADY_THERE: {
    code: 254,
    severity: 'normal',
    text: 'VM {VmName} is {VmStatus} already; {Action} was skipped.',
  },
  POOL_UPDATED: {
    code: 344,
    severity: 'normal',
    text: 'VM pool {VmPoolName} was updated by {UserName}, {VmsCount} VMs were added.',
  },
  VM_SUSPEND_STARTED: {
    code: 501,
    severity: 'normal',
    text: 'Suspending VM {VmName} was initiated by {UserName} (Host: {HostName}).',
  },
  VM_SUSPEND_FAILED: {
    code: 502,
    severity: 'error',
    text: 'Failed to suspend VM {VmName} on Host {HostName}.',
  },
  VM_SUSPENDED: {
    code: 503,
    severity: 'normal',
    text: 'VM {VmName} on Host {HostName} is suspended.',
  },
  VM_MADE_OF_CONFIGURATION: {
    code: 174,
    severity: 'normal',
    text: 'VM {VmName} has been successfully imported from the given configuration.',
  },
  VM_MADE_OF_CONFIGURATION_WITHOUT_DISKS: {
    code: 175,
    severity: 'warning',
    text: 'VM {VmName} has been imported from the given configuration but the following disk(s) failed to attach: {DiskAliases}.',
  },
  VM_START_FAILED: {
    code: 54,
    severity: 'error',
    text: 'Failed to run VM {VmName} (User: {UserName}).',
  },
  VM_EXPORTED: {
    code: 1150,
    severity: 'normal',
    text: 'VM {VmName} was exported successfully to {StorageDomainName}.',
  },
  VM_EXPORT_FAILED: {
    code: 1151,
    severity: 'error',
    text: 'Failed to export VM {VmName} to {StorageDomainName}.',
  },
  STATELESS_SNAPSHOT_LEFT: {
    code: 1001,
    severity: 'error',
    text: 'Failed to discard the changes of stateless VM {VmName}.',
  },
  VM_IMPORTED: {
    code: 1152,
    severity: 'normal',
    text: 'VM {VmName} was imported successfully to Data Center {DataCenterName}, Cluster {ClusterName}.',
  },
  VM_IMPORT_STARTED: {
    code: 1165,
    severity: 'normal',
    text: 'Importing of VM {VmName} was initiated by {UserName}.',
  },
  VM_PROCESSORS_PLUGGED: {
    code: 2033,
    severity: 'normal',
    text: 'Hot plug of processors into VM {VmName}: {previousNumberOfCpus} sockets became {numberOfCpus}.',
  },
  VM_MEMORY_PLUGGED: {
    code: 2039,
    severity: 'normal',
    text: 'Hot set of the memory of VM {VmName}: {previousMem} bytes became {newMem}.',
  },
  USER_LOGGED_IN_TO_VM: {
    code: 456,
    severity: 'normal',
    text: 'User {UserName} logged in to VM {VmName}.',
  },
  VM_DISC_CHANGE_FAILED: {
    code: 70,
    severity: 'error',
    text: 'Failed to change the CD of VM {VmName}. User: {UserName}.',
  },
  VM_DISC_EJECTED: {
    code: 528,
    severity: 'normal',
    text: 'The CD was ejected from VM {VmName} by {UserName}.',
  },
  VM_EXPORT_STARTED: {
    code: 1162,
    severity: 'normal',
    text: 'Export of VM {VmName} to {StorageDomainName} was initiated by {UserName}.',
  },
  STORED_VM_REMOVED: {
    code: 1160,
    severity: 'normal',
    text: 'VM {VmName} was removed from Storage Domain {StorageDomainName}.',
  },
  VM_FROZEN: {
    code: 10767,
    severity: 'normal',
    text: 'The file systems of VM {VmName} were frozen by {UserName}.',
  },
  VM_THAWED: {
    code: 10768,
    severity: 'normal',
    text: 'The file systems of VM {VmName} were thawed by {UserName}.',
  },
  VM_SCREENSHOT_TAKEN: {
    code: 13502,
    severity: 'normal',
    text: 'A screenshot of VM {VmName} was taken by {UserName}.',
  },
  NUMA_NODE_ADDED: {
    code: 1300,
    severity: 'normal',
    text: 'A NUMA node was added to VM {VmName} by {UserName}.',
  },
  NUMA_NODE_UPDATED: {
    code: 1310,
    severity: 'normal',
    text: 'A NUMA node of VM {VmName} was updated by {UserName}.',
  },
  NUMA_NODE_REMOVED: {
    code: 1320,
    severity: 'normal',
    text: 'A NUMA node was removed from VM {VmName} by {UserName}.',
  },
  VM_BACKUP_STARTED: {
    code: 10790,
    severity: 'normal',
    text: 'Backup {BackupId} of VM {VmName} was started by {UserName}.',
  },
  VM_BACKUP_FAILED: {
    code: 10792,
    severity: 'error',
    text: 'Backup {BackupId} of VM {VmName} failed.',
  },
  VM_BACKUP_SUCCEEDED: {
    code: 10793,
    severity: 'normal',
    text: 'Backup {BackupId} of VM {VmName} was completed.',
  },
  VM_BACKUP_FINALIZED: {
    code: 10794,
    severity: 'normal',
    text: 'Backup {BackupId} of VM {VmName} was finalized by {UserName}.',
  },
  VM_CHECKPOINT_DELETED: {
    code: 10797,
    severity: 'normal',
    text: 'Checkpoint {CheckpointId} of VM {VmName} was removed by {UserName}.',
  },
  HOST_DEVICES_ADDED: {
    code: 10800,
    severity: 'normal',
    text: 'Host device {Devices} was attached to VM {VmName} by {UserName}.',
  },
  HOST_DEVICES_REMOVED: {
    code: 10801,
    severity: 'normal',
    text: 'Host device {Devices} was detached from VM {VmName} by {UserName}.',
  },
  VM_MIGRATION_STARTED_BY_SYSTEM: {
    code: 67,
    severity: 'normal',
    text: 'Migration initiated by the system (VM: {VmName}, Source: {HostName}, Destination: {DestinationHostName}, Reason: {Reason}).',
  },
  VM_STOPPED_INSTEAD_OF_SHUTDOWN: {
    code: 76,
    severity: 'normal',
    text: 'VM {VmName} was powered off by {UserName}: its guest did not accept the shutdown request.',
  },
  VM_STATUS_UNKNOWN: {
    code: 142,
    severity: 'warning',
    text: 'VM {VmName} was set to the status Unknown: its host {HostName} does not answer.',
  },
  WATCHDOG_ACTED: {
    code: 9901,
    severity: 'warning',
    text: 'The watchdog of VM {VmName} expired. Its action is {Action}.',
  },
} as const satisfies EventTexts;
