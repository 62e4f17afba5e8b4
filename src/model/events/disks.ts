/** Events of disks. */
import type { EventTexts } from '../notation/events.ts';

export const diskEvents = {
  DISK_ADD_TO_VM_STARTED: {
    code: 78,
    severity: 'normal',
    text: 'Add-Disk operation of {DiskAlias} was initiated on VM {VmName} by {UserName}.',
  },
  DISK_UPDATE_FAILED: {
    code: 87,
    severity: 'error',
    text: 'Failed to update disk {DiskAlias} (User: {UserName}).',
  },
  DISK_UPDATED: { code: 88, severity: 'normal', text: 'Disk {DiskAlias} was updated.' },
  DISK_ADDED_TO_VM: {
    code: 97,
    severity: 'normal',
    text: 'The disk {DiskAlias} was successfully added to VM {VmName}.',
  },
  DISK_EXTEND_FAILED: {
    code: 370,
    severity: 'error',
    text: 'Failed to extend the size of the disk {DiskAlias} to {NewSize} GB. User: {UserName}.',
  },
  DISK_EXTENDED: {
    code: 371,
    severity: 'normal',
    text: 'Size of the disk {DiskAlias} was successfully extended to {NewSize} GB.',
  },
  DISK_EXTEND_STARTED: {
    code: 377,
    severity: 'normal',
    text: 'Extending disk {DiskAlias} to {NewSize} GB was begun by {UserName}.',
  },
  DISK_HOT_PLUGGED: {
    code: 2000,
    severity: 'normal',
    text: 'VM {VmName} disk {DiskAlias} was plugged by {UserName}.',
  },
  DISK_HOT_UNPLUGGED: {
    code: 2002,
    severity: 'normal',
    text: 'VM {VmName} disk {DiskAlias} was unplugged by {UserName}.',
  },
  DISK_HOT_PLUG_FAILED: {
    code: 2001,
    severity: 'error',
    text: 'Failed to plug disk {DiskAlias} into VM {VmName}. User: {UserName}.',
  },
  DISK_HOT_UNPLUG_FAILED: {
    code: 2003,
    severity: 'error',
    text: 'Failed to unplug disk {DiskAlias} from VM {VmName}. User: {UserName}.',
  },
  DISK_COPY_STARTED: {
    code: 2004,
    severity: 'normal',
    text: 'Copying disk {DiskAlias} to Storage Domain {StorageDomainName} was begun by {UserName}.',
  },
  DISK_COPY_FINISHED: {
    code: 2006,
    severity: 'normal',
    text: 'Disk {DiskAlias} was copied to Storage Domain {StorageDomainName}.',
  },
  DISK_COPY_FAILED: {
    code: 2007,
    severity: 'error',
    text: 'Disk {DiskAlias} could not be copied to Storage Domain {StorageDomainName}.',
  },
  DISK_MOVE_STARTED: {
    code: 2008,
    severity: 'normal',
    text: 'Moving disk {DiskAlias} to Storage Domain {StorageDomainName} was begun by {UserName}.',
  },
  DISK_MOVE_FINISHED: {
    code: 2010,
    severity: 'normal',
    text: 'Disk {DiskAlias} was moved to Storage Domain {StorageDomainName}.',
  },
  DISK_REMOVED_WITHOUT_DOMAIN: {
    code: 2012,
    severity: 'normal',
    text: 'Disk {DiskAlias} was removed by {UserName}.',
  },
  DISK_REMOVED: {
    code: 2014,
    severity: 'normal',
    text: 'Disk {DiskAlias} was successfully removed from domain {StorageDomainName} by {UserName}.',
  },
  DISK_ATTACHED: {
    code: 2016,
    severity: 'normal',
    text: 'Disk {DiskAlias} was successfully attached to VM {VmName} by {UserName}.',
  },
  DISK_DETACHED: {
    code: 2018,
    severity: 'normal',
    text: 'Disk {DiskAlias} was successfully detached from VM {VmName} by {UserName}.',
  },
  DISK_ADD_STARTED: {
    code: 2020,
    severity: 'normal',
    text: 'Add-Disk operation of {DiskAlias} was initiated by {UserName}.',
  },
  DISK_ADDED: {
    code: 2021,
    severity: 'normal',
    text: 'The disk {DiskAlias} was successfully added.',
  },
  DISK_ADD_FAILED: {
    code: 2022,
    severity: 'error',
    text: 'The disk {DiskAlias} could not be added.',
  },
  DISK_REMOVE_STARTED: {
    code: 2038,
    severity: 'normal',
    text: 'Removal of disk {DiskAlias} from domain {StorageDomainName} was initiated by {UserName}.',
  },
  DISK_SPARSIFY_STARTED: {
    code: 1325,
    severity: 'normal',
    text: 'Sparsifying disk {DiskAlias} was begun by {UserName}.',
  },
  DISK_SPARSIFY_FINISHED: {
    code: 1326,
    severity: 'normal',
    text: 'Disk {DiskAlias} was sparsified.',
  },
  DISK_SPARSIFY_FAILED: {
    code: 1327,
    severity: 'error',
    text: 'Failed to sparsify the disk {DiskAlias}.',
  },
  DISK_REDUCED: {
    code: 382,
    severity: 'normal',
    text: 'Disk {DiskAlias} was reduced successfully.',
  },
  DISK_REDUCE_FAILED: {
    code: 383,
    severity: 'error',
    text: 'Failed to reduce the disk {DiskAlias}.',
  },
  DISK_UNIT_REFRESHED: {
    code: 1055,
    severity: 'normal',
    text: 'The logical unit of disk {DiskAlias} was read again.',
  },
  DISK_EXPORT_STARTED: {
    code: 2030,
    severity: 'normal',
    text: 'Export of disk {DiskAlias} to {StorageDomainName} was initiated by {UserName}.',
  },
  DISK_EXPORTED: {
    code: 2031,
    severity: 'normal',
    text: 'Disk {DiskAlias} was exported successfully to {StorageDomainName}.',
  },
  DISK_EXPORT_FAILED: {
    code: 2032,
    severity: 'error',
    text: 'Failed to export disk {DiskAlias} to {StorageDomainName}.',
  },
  DISK_IMAGE_LOST: {
    code: 10920,
    severity: 'error',
    text: 'The image of disk {DiskAlias} is missing or shorter than it was; the disk is illegal.',
  },
  DISK_IMAGE_FOUND: {
    code: 10921,
    severity: 'normal',
    text: 'The image of disk {DiskAlias} was found again; the disk is usable.',
  },
} as const satisfies EventTexts;
