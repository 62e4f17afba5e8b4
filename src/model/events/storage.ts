/** Events about storage, disks, quotas and providers (specification 6). */
export const storageEvents = {
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
} as const satisfies Readonly<
  Record<number, { name: string; severity: 'normal' | 'warning' | 'error' | 'alert'; text: string }>
>;
