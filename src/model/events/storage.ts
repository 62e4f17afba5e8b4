/** Events of storage domains and of what leads to them. */
import type { EventTexts } from './notation.ts';

export const storageEvents = {
  26: {
    name: 'STORAGE_DOMAIN_SPACE_LOW',
    severity: 'warning',
    text: 'Storage Domain {StorageDomainName} is low on space: {FreeSpace} GB are free.',
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
  972: {
    name: 'STORAGE_DOMAIN_EXTENDED',
    severity: 'normal',
    text: 'Storage Domain {StorageDomainName} was extended by {UserName}.',
  },
  981: {
    name: 'STORAGE_DOMAIN_DESTROYED',
    severity: 'normal',
    text: 'Storage Domain {StorageDomainName} was forcibly removed by {UserName}; its storage was not touched.',
  },
  984: {
    name: 'MASTER_MOVED',
    severity: 'normal',
    text: 'Storage Domain {StorageDomainName} is now the master of Data Center {DataCenterName}.',
  },
  1029: {
    name: 'STORAGE_DOMAIN_IN_MAINTENANCE',
    severity: 'normal',
    text: 'Storage Domain {StorageDomainName} (Data Center {DataCenterName}) is in maintenance.',
  },
  1030: {
    name: 'LAST_MASTER_DEACTIVATED',
    severity: 'normal',
    text: 'The last master Storage Domain {StorageDomainName} of Data Center {DataCenterName} was deactivated by {UserName}.',
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
  199: {
    name: 'OVF_STORE_UPDATED',
    severity: 'normal',
    text: 'The OVF store of Storage Domain {StorageDomainName} was updated by {UserName}.',
  },
  1022: {
    name: 'STORAGE_DOMAIN_UNITS_REFRESHED',
    severity: 'normal',
    text: 'The logical units of Storage Domain {StorageDomainName} were read again by {UserName}.',
  },
  1042: {
    name: 'UNIT_REMOVED',
    severity: 'normal',
    text: 'Logical unit {Unit} was removed from Storage Domain {StorageDomainName}.',
  },
  1043: {
    name: 'UNIT_REMOVE_STARTED',
    severity: 'normal',
    text: 'Removal of logical unit {Unit} from Storage Domain {StorageDomainName} was initiated by {UserName}.',
  },
  9505: {
    name: 'STORAGE_DOMAIN_RECOVERED',
    severity: 'normal',
    text: 'Storage Domain {StorageDomainName} (Data Center {DataCenterName}) was activated by the system.',
  },
} as const satisfies EventTexts;
