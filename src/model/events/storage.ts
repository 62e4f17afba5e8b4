/** Events about storage, disks, quotas and providers (specification 6). */
export const storageEvents = {
  26: {
    name: 'STORAGE_DOMAIN_SPACE_LOW',
    severity: 'warning',
    text: 'Storage Domain {StorageDomainName} is low on space: {FreeSpace} GB are free.',
  },
  972: {
    name: 'STORAGE_DOMAIN_EXTENDED',
    severity: 'normal',
    text: 'Storage Domain {StorageDomainName} was extended by {UserName}.',
  },
  980: {
    name: 'DATA_CENTER_PROBLEMATIC',
    severity: 'warning',
    text: 'Data Center {DataCenterName} does not respond: its master storage domain or its storage pool manager is missing.',
  },
  984: {
    name: 'MASTER_MOVED',
    severity: 'normal',
    text: 'Storage Domain {StorageDomainName} is now the master of Data Center {DataCenterName}.',
  },
  1030: {
    name: 'LAST_MASTER_DEACTIVATED',
    severity: 'normal',
    text: 'The last master Storage Domain {StorageDomainName} of Data Center {DataCenterName} was deactivated by {UserName}.',
  },
  10810: {
    name: 'DATA_CENTER_UP_AGAIN',
    severity: 'normal',
    text: 'Data Center {DataCenterName} is up again.',
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
  377: {
    name: 'DISK_EXTEND_STARTED',
    severity: 'normal',
    text: 'Extending disk {DiskAlias} to {NewSize} GB was begun by {UserName}.',
  },
  3006: {
    name: 'QUOTA_CLUSTER_GRACE',
    severity: 'warning',
    text: 'Quota {QuotaName} is over its limit, within the grace: {Used} of {Limit} ({Resource}) used after a request of {UserName}.',
  },
  3007: {
    name: 'QUOTA_CLUSTER_EXCEEDED',
    severity: 'warning',
    text: 'Quota {QuotaName} is over its limit and the grace: {Used} of {Limit} ({Resource}) used after a request of {UserName}.',
  },
  3008: {
    name: 'QUOTA_CLUSTER_THRESHOLD',
    severity: 'warning',
    text: 'Quota {QuotaName} is above its threshold: {Used} of {Limit} ({Resource}) used after a request of {UserName}.',
  },
  3009: {
    name: 'QUOTA_STORAGE_GRACE',
    severity: 'warning',
    text: 'Quota {QuotaName} is over its limit, within the grace: {Used} of {Limit} ({Resource}) used after a request of {UserName}.',
  },
  3010: {
    name: 'QUOTA_STORAGE_EXCEEDED',
    severity: 'warning',
    text: 'Quota {QuotaName} is over its limit and the grace: {Used} of {Limit} ({Resource}) used after a request of {UserName}.',
  },
  3011: {
    name: 'QUOTA_STORAGE_THRESHOLD',
    severity: 'warning',
    text: 'Quota {QuotaName} is above its threshold: {Used} of {Limit} ({Resource}) used after a request of {UserName}.',
  },
  10100: {
    name: 'QOS_ADDED',
    severity: 'normal',
    text: 'QoS {ObjectName} was added by {UserName}.',
  },
  10102: {
    name: 'QOS_REMOVED',
    severity: 'normal',
    text: 'QoS {ObjectName} was removed by {UserName}.',
  },
  10104: {
    name: 'QOS_UPDATED',
    severity: 'normal',
    text: 'QoS {ObjectName} was updated by {UserName}.',
  },
  10400: {
    name: 'ISCSI_BOND_ADDED',
    severity: 'normal',
    text: 'iSCSI bond {ObjectName} was added by {UserName}.',
  },
  10402: {
    name: 'ISCSI_BOND_UPDATED',
    severity: 'normal',
    text: 'iSCSI bond {ObjectName} was updated by {UserName}.',
  },
  10404: {
    name: 'ISCSI_BOND_REMOVED',
    severity: 'normal',
    text: 'iSCSI bond {ObjectName} was removed by {UserName}.',
  },
  207: {
    name: 'PROVIDER_UPDATED',
    severity: 'normal',
    text: 'Provider {ObjectName} was updated by {UserName}.',
  },
  209: {
    name: 'PROVIDER_REMOVED',
    severity: 'normal',
    text: 'Provider {ObjectName} was removed by {UserName}.',
  },
  213: {
    name: 'PROVIDER_CERTIFICATES_IMPORTED',
    severity: 'normal',
    text: 'The certificates of provider {ObjectName} were imported by {UserName}.',
  },
} as const satisfies Readonly<
  Record<number, { name: string; severity: 'normal' | 'warning' | 'error' | 'alert'; text: string }>
>;
