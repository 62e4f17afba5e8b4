/** Events of virtual machines and pools: made, run, changed, removed. */
import type { EventTexts } from './notation.ts';

export const machineEvents = {
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
  61: { name: 'VM_DOWN', severity: 'normal', text: 'VM {VmName} is down. {ExitMessage}' },
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
  119: {
    name: 'VM_DOWN_ERROR',
    severity: 'error',
    text: 'VM {VmName} is down with error. {ExitMessage}',
  },
  1223: {
    name: 'VM_EXPORT_TO_FILE_STARTED',
    severity: 'normal',
    text: 'Export of VM {VmName} as a virtual appliance was started.',
  },
  1224: {
    name: 'VM_EXPORTED_TO_FILE',
    severity: 'normal',
    text: 'VM {VmName} was exported as a virtual appliance to {ExportPath}.',
  },
  1225: {
    name: 'VM_EXPORT_TO_FILE_FAILED',
    severity: 'error',
    text: 'Failed to export VM {VmName} as a virtual appliance to {ExportPath}.',
  },
  1226: {
    name: 'TEMPLATE_EXPORT_TO_FILE_STARTED',
    severity: 'normal',
    text: 'Export of Template {TemplateName} as a virtual appliance was started.',
  },
  1227: {
    name: 'TEMPLATE_EXPORTED_TO_FILE',
    severity: 'normal',
    text: 'Template {TemplateName} was exported as a virtual appliance to {ExportPath}.',
  },
  2046: {
    name: 'VM_MEMORY_UNPLUGGED',
    severity: 'normal',
    text: "Hot unplug of memory device ({DeviceId}) of size {DeviceSizeMb}MB was successfully requested on VM '{VmName}'. Physical memory guaranteed updated from {OldGuaranteedMb}MB to {NewGuaranteedMb}MB.",
  },
  9602: {
    name: 'HA_VM_FAILED',
    severity: 'error',
    text: 'Highly available VM {VmName} failed. It is restarted automatically.',
  },
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
  150: {
    name: 'VM_RUN_INITIATED',
    severity: 'normal',
    text: 'Starting VM {VmName} was initiated by {UserName}.',
  },
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
  254: {
    name: 'VM_ALREADY_THERE',
    severity: 'normal',
    text: 'VM {VmName} is {VmStatus} already; {Action} was skipped.',
  },
  344: {
    name: 'POOL_UPDATED',
    severity: 'normal',
    text: 'VM pool {VmPoolName} was updated by {UserName}, {VmsCount} VMs were added.',
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
  174: {
    name: 'VM_MADE_OF_CONFIGURATION',
    severity: 'normal',
    text: 'VM {VmName} has been successfully imported from the given configuration.',
  },
  175: {
    name: 'VM_MADE_OF_CONFIGURATION_WITHOUT_DISKS',
    severity: 'warning',
    text: 'VM {VmName} has been imported from the given configuration but the following disk(s) failed to attach: {DiskAliases}.',
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
  456: {
    name: 'USER_LOGGED_IN_TO_VM',
    severity: 'normal',
    text: 'User {UserName} logged in to VM {VmName}.',
  },
  528: {
    name: 'VM_DISC_EJECTED',
    severity: 'normal',
    text: 'The CD was ejected from VM {VmName} by {UserName}.',
  },
  1162: {
    name: 'VM_EXPORT_STARTED',
    severity: 'normal',
    text: 'Export of VM {VmName} to {StorageDomainName} was initiated by {UserName}.',
  },
  1160: {
    name: 'STORED_VM_REMOVED',
    severity: 'normal',
    text: 'VM {VmName} was removed from Storage Domain {StorageDomainName}.',
  },
  10767: {
    name: 'VM_FROZEN',
    severity: 'normal',
    text: 'The file systems of VM {VmName} were frozen by {UserName}.',
  },
  10768: {
    name: 'VM_THAWED',
    severity: 'normal',
    text: 'The file systems of VM {VmName} were thawed by {UserName}.',
  },
  13502: {
    name: 'VM_SCREENSHOT_TAKEN',
    severity: 'normal',
    text: 'A screenshot of VM {VmName} was taken by {UserName}.',
  },
  1300: {
    name: 'NUMA_NODE_ADDED',
    severity: 'normal',
    text: 'A NUMA node was added to VM {VmName} by {UserName}.',
  },
  1310: {
    name: 'NUMA_NODE_UPDATED',
    severity: 'normal',
    text: 'A NUMA node of VM {VmName} was updated by {UserName}.',
  },
  1320: {
    name: 'NUMA_NODE_REMOVED',
    severity: 'normal',
    text: 'A NUMA node was removed from VM {VmName} by {UserName}.',
  },
  10790: {
    name: 'VM_BACKUP_STARTED',
    severity: 'normal',
    text: 'Backup {BackupId} of VM {VmName} was started by {UserName}.',
  },
  10792: {
    name: 'VM_BACKUP_FAILED',
    severity: 'error',
    text: 'Backup {BackupId} of VM {VmName} failed.',
  },
  10793: {
    name: 'VM_BACKUP_SUCCEEDED',
    severity: 'normal',
    text: 'Backup {BackupId} of VM {VmName} was completed.',
  },
  10794: {
    name: 'VM_BACKUP_FINALIZED',
    severity: 'normal',
    text: 'Backup {BackupId} of VM {VmName} was finalized by {UserName}.',
  },
  10797: {
    name: 'VM_CHECKPOINT_DELETED',
    severity: 'normal',
    text: 'Checkpoint {CheckpointId} of VM {VmName} was removed by {UserName}.',
  },
  10800: {
    name: 'HOST_DEVICES_ADDED',
    severity: 'normal',
    text: 'Host device {Devices} was attached to VM {VmName} by {UserName}.',
  },
  10801: {
    name: 'HOST_DEVICES_REMOVED',
    severity: 'normal',
    text: 'Host device {Devices} was detached from VM {VmName} by {UserName}.',
  },
  67: {
    name: 'VM_MIGRATION_STARTED_BY_SYSTEM',
    severity: 'normal',
    text: 'Migration initiated by the system (VM: {VmName}, Source: {HostName}, Destination: {DestinationHostName}, Reason: {Reason}).',
  },
  76: {
    name: 'VM_STOPPED_INSTEAD_OF_SHUTDOWN',
    severity: 'normal',
    text: 'VM {VmName} was powered off by {UserName}: its guest could not be asked to shut down.',
  },
  142: {
    name: 'VM_STATUS_UNKNOWN',
    severity: 'warning',
    text: 'VM {VmName} was set to the status Unknown: its host {HostName} does not answer.',
  },
} as const satisfies EventTexts;
