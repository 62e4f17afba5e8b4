/** Events of disks. */
import type { EventTexts } from './notation.ts';

export const diskEvents = {
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
  377: {
    name: 'DISK_EXTEND_STARTED',
    severity: 'normal',
    text: 'Extending disk {DiskAlias} to {NewSize} GB was begun by {UserName}.',
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
  2004: {
    name: 'DISK_COPY_STARTED',
    severity: 'normal',
    text: 'Copying disk {DiskAlias} to Storage Domain {StorageDomainName} was begun by {UserName}.',
  },
  2006: {
    name: 'DISK_COPY_FINISHED',
    severity: 'normal',
    text: 'Disk {DiskAlias} was copied to Storage Domain {StorageDomainName}.',
  },
  2007: {
    name: 'DISK_COPY_FAILED',
    severity: 'error',
    text: 'Disk {DiskAlias} could not be copied to Storage Domain {StorageDomainName}.',
  },
  2008: {
    name: 'DISK_MOVE_STARTED',
    severity: 'normal',
    text: 'Moving disk {DiskAlias} to Storage Domain {StorageDomainName} was begun by {UserName}.',
  },
  2010: {
    name: 'DISK_MOVE_FINISHED',
    severity: 'normal',
    text: 'Disk {DiskAlias} was moved to Storage Domain {StorageDomainName}.',
  },
  2012: {
    name: 'DISK_REMOVED_WITHOUT_DOMAIN',
    severity: 'normal',
    text: 'Disk {DiskAlias} was removed by {UserName}.',
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
  1325: {
    name: 'DISK_SPARSIFY_STARTED',
    severity: 'normal',
    text: 'Sparsifying disk {DiskAlias} was begun by {UserName}.',
  },
  1326: {
    name: 'DISK_SPARSIFY_FINISHED',
    severity: 'normal',
    text: 'Disk {DiskAlias} was sparsified.',
  },
  382: {
    name: 'DISK_REDUCED',
    severity: 'normal',
    text: 'Disk {DiskAlias} was reduced successfully.',
  },
  1055: {
    name: 'DISK_UNIT_REFRESHED',
    severity: 'normal',
    text: 'The logical unit of disk {DiskAlias} was read again.',
  },
  2030: {
    name: 'DISK_EXPORT_STARTED',
    severity: 'normal',
    text: 'Export of disk {DiskAlias} to {StorageDomainName} was initiated by {UserName}.',
  },
  2031: {
    name: 'DISK_EXPORTED',
    severity: 'normal',
    text: 'Disk {DiskAlias} was exported successfully to {StorageDomainName}.',
  },
  10920: {
    name: 'DISK_IMAGE_LOST',
    severity: 'error',
    text: 'The image of disk {DiskAlias} is missing or shorter than it was; the disk is illegal.',
  },
  10921: {
    name: 'DISK_IMAGE_FOUND',
    severity: 'normal',
    text: 'The image of disk {DiskAlias} is there again; the disk can be used.',
  },
} as const satisfies EventTexts;
