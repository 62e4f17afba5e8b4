/** Events of snapshots and templates. */
import type { EventTexts } from './notation.ts';

export const snapshotEvents = {
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
  94: {
    name: 'SNAPSHOT_COMMIT_STARTED',
    severity: 'normal',
    text: "Committing the snapshot preview of VM '{VmName}' was initiated by {UserName}.",
  },
  95: {
    name: 'SNAPSHOT_COMMIT_FINISHED',
    severity: 'normal',
    text: "Committing the snapshot preview of VM '{VmName}' has been completed.",
  },
  100: {
    name: 'SNAPSHOT_RESTORE_FINISHED',
    severity: 'normal',
    text: "VM '{VmName}' restoring from snapshot '{SnapshotName}' has been completed.",
  },
  342: {
    name: 'SNAPSHOT_REMOVE_STARTED',
    severity: 'normal',
    text: "Snapshot '{SnapshotName}' deletion for VM '{VmName}' was initiated by {UserName}.",
  },
  356: {
    name: 'SNAPSHOT_REMOVED',
    severity: 'normal',
    text: "Snapshot '{SnapshotName}' deletion for VM '{VmName}' has been completed.",
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
  251: {
    name: 'TEMPLATE_REMOVED',
    severity: 'normal',
    text: 'Template {TemplateName} has been removed.',
  },
  29: {
    name: 'TEMPLATE_CREATED',
    severity: 'normal',
    text: 'Template {TemplateName} was created by {UserName}.',
  },
  1154: {
    name: 'STORED_TEMPLATE_REMOVED',
    severity: 'normal',
    text: 'Template {TemplateName} was removed from Storage Domain {StorageDomainName}.',
  },
  1156: {
    name: 'TEMPLATE_EXPORTED',
    severity: 'normal',
    text: 'Template {TemplateName} was exported successfully to {StorageDomainName}.',
  },
  1159: {
    name: 'TEMPLATE_IMPORT_FAILED',
    severity: 'error',
    text: 'Failed to import Template {TemplateName}.',
  },
  1163: {
    name: 'TEMPLATE_IMPORT_STARTED',
    severity: 'normal',
    text: 'Importing of Template {TemplateName} to Data Center {DataCenterName}, Cluster {ClusterName} was started.',
  },
  1158: {
    name: 'TEMPLATE_IMPORTED',
    severity: 'normal',
    text: 'Template {TemplateName} was imported successfully to Cluster {ClusterName}.',
  },
  1164: {
    name: 'TEMPLATE_EXPORT_STARTED',
    severity: 'normal',
    text: 'Export of Template {TemplateName} to {StorageDomainName} was initiated by {UserName}.',
  },
  373: {
    name: 'DISK_SNAPSHOT_REMOVE_STARTED',
    severity: 'normal',
    text: "Removal of the image of disk {DiskAlias} in snapshot '{SnapshotName}' was initiated by {UserName}.",
  },
  375: {
    name: 'DISK_SNAPSHOT_REMOVED',
    severity: 'normal',
    text: "The image of disk {DiskAlias} in snapshot '{SnapshotName}' was removed.",
  },
} as const satisfies EventTexts;
