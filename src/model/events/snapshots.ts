/** Events of snapshots and templates. */
import type { EventTexts } from '../notation/events.ts';

export const snapshotEvents = {
  TEMPLATE_ADD_STARTED: {
    code: 48,
    severity: 'normal',
    text: 'Creation of Template {TemplateName} from VM {VmName} was initiated by {UserName}.',
  },
  TEMPLATE_UPDATED: {
    code: 49,
    severity: 'normal',
    text: 'Template {TemplateName} configuration was updated by {UserName}.',
  },
  TEMPLATE_REMOVE_STARTED: {
    code: 50,
    severity: 'normal',
    text: 'Removal of Template {TemplateName} was initiated by {UserName}.',
  },
  TEMPLATE_ADDED: {
    code: 51,
    severity: 'normal',
    text: 'Creation of Template {TemplateName} from VM {VmName} has been completed.',
  },
  TEMPLATE_ADD_FAILED: {
    code: 52,
    severity: 'error',
    text: 'Failed to complete creation of Template {TemplateName}.',
  },
  TEMPLATE_REMOVED: {
    code: 251,
    severity: 'normal',
    text: 'Template {TemplateName} has been removed.',
  },
  TEMPLATE_CREATED: {
    code: 29,
    severity: 'normal',
    text: 'Template {TemplateName} was created by {UserName}.',
  },
  STORED_TEMPLATE_REMOVED: {
    code: 1154,
    severity: 'normal',
    text: 'Template {TemplateName} was removed from Storage Domain {StorageDomainName}.',
  },
  TEMPLATE_EXPORTED: {
    code: 1156,
    severity: 'normal',
    text: 'Template {TemplateName} was exported successfully to {StorageDomainName}.',
  },
  TEMPLATE_EXPORT_FAILED: {
    code: 1157,
    severity: 'error',
    text: 'Failed to export template {TemplateName} to {StorageDomainName}.',
  },
  TEMPLATE_IMPORT_FAILED: {
    code: 1159,
    severity: 'error',
    text: 'Failed to import Template {TemplateName}.',
  },
  TEMPLATE_IMPORT_STARTED: {
    code: 1163,
    severity: 'normal',
    text: 'Importing of Template {TemplateName} to Data Center {DataCenterName}, Cluster {ClusterName} was started.',
  },
  TEMPLATE_IMPORTED: {
    code: 1158,
    severity: 'normal',
    text: 'Template {TemplateName} was imported successfully to Cluster {ClusterName}.',
  },
  TEMPLATE_EXPORT_STARTED: {
    code: 1164,
    severity: 'normal',
    text: 'Export of Template {TemplateName} to {StorageDomainName} was initiated by {UserName}.',
  },
  DISK_SNAPSHOT_REMOVE_STARTED: {
    code: 373,
    severity: 'normal',
    text: "Removal of the image of disk {DiskAlias} in snapshot '{SnapshotName}' was initiated by {UserName}.",
  },
  DISK_SNAPSHOT_REMOVED: {
    code: 375,
    severity: 'normal',
    text: "The image of disk {DiskAlias} in snapshot '{SnapshotName}' was removed.",
  },
} as const satisfies EventTexts;
