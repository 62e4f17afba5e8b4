/** Events of storage domains and connections. */
import type { EventTexts } from '../notation/events.ts';

export const storageEvents = {
  STORAGE_DOMAIN_SPACE_LOW: {
    code: 26,
    severity: 'warning',
    text: 'Storage Domain {StorageDomainName} is low on space: {FreeSpace} GB are free.',
  },
  STORAGE_DOMAIN_ADDED: {
    code: 956,
    severity: 'normal',
    text: 'Storage Domain {StorageDomainName} was added by {UserName}.',
  },
  STORAGE_DOMAIN_UPDATED: {
    code: 958,
    severity: 'normal',
    text: 'Storage Domain {StorageDomainName} was updated by {UserName}.',
  },
  STORAGE_DOMAIN_REMOVED: {
    code: 960,
    severity: 'normal',
    text: 'Storage Domain {StorageDomainName} was removed by {UserName}.',
  },
  STORAGE_DOMAIN_ATTACHED: {
    code: 962,
    severity: 'normal',
    text: 'Storage Domain {StorageDomainName} was attached to Data Center {DataCenterName} by {UserName}.',
  },
  STORAGE_DOMAIN_ATTACH_FAILED: {
    code: 963,
    severity: 'error',
    text: 'Storage Domain {StorageDomainName} could not be attached to Data Center {DataCenterName}: the storage could not be read.',
  },
  STORAGE_DOMAIN_DETACH_FAILED: {
    code: 965,
    severity: 'error',
    text: 'Storage Domain {StorageDomainName} could not be detached from Data Center {DataCenterName}: it could not be written to the storage.',
  },
  STORAGE_DOMAIN_DETACHED: {
    code: 964,
    severity: 'normal',
    text: 'Storage Domain {StorageDomainName} was detached from Data Center {DataCenterName} by {UserName}.',
  },
  STORAGE_DOMAIN_ACTIVATED: {
    code: 966,
    severity: 'normal',
    text: 'Storage Domain {StorageDomainName} (Data Center {DataCenterName}) was activated by {UserName}.',
  },
  STORAGE_DOMAIN_DEACTIVATION_STARTED: {
    code: 968,
    severity: 'normal',
    text: 'Storage Domain {StorageDomainName} (Data Center {DataCenterName}) was deactivated and moved to preparing for maintenance by {UserName}.',
  },
  STORAGE_DOMAIN_EXTENDED: {
    code: 972,
    severity: 'normal',
    text: 'Storage Domain {StorageDomainName} was extended by {UserName}.',
  },
  STORAGE_DOMAIN_DESTROYED: {
    code: 981,
    severity: 'normal',
    text: 'Storage Domain {StorageDomainName} was forcibly removed by {UserName}; its storage was not touched.',
  },
  MASTER_MOVED: {
    code: 984,
    severity: 'normal',
    text: 'Storage Domain {StorageDomainName} is now the master of Data Center {DataCenterName}.',
  },
  STORAGE_DOMAIN_IN_MAINTENANCE: {
    code: 1029,
    severity: 'normal',
    text: 'Storage Domain {StorageDomainName} (Data Center {DataCenterName}) is in maintenance.',
  },
  LAST_MASTER_DEACTIVATED: {
    code: 1030,
    severity: 'normal',
    text: 'The last master Storage Domain {StorageDomainName} of Data Center {DataCenterName} was deactivated by {UserName}.',
  },
  ISCSI_BOND_ADDED: {
    code: 10400,
    severity: 'normal',
    text: 'iSCSI bond {ObjectName} was added by {UserName}.',
  },
  ISCSI_BOND_UPDATED: {
    code: 10402,
    severity: 'normal',
    text: 'iSCSI bond {ObjectName} was updated by {UserName}.',
  },
  ISCSI_BOND_REMOVED: {
    code: 10404,
    severity: 'normal',
    text: 'iSCSI bond {ObjectName} was removed by {UserName}.',
  },
  OVF_STORE_UPDATED: {
    code: 199,
    severity: 'normal',
    text: 'The OVF store of Storage Domain {StorageDomainName} was updated by {UserName}.',
  },
  STORAGE_DOMAIN_UNITS_REFRESHED: {
    code: 1022,
    severity: 'normal',
    text: 'The logical units of Storage Domain {StorageDomainName} were read again by {UserName}.',
  },
  UNIT_REMOVED: {
    code: 1042,
    severity: 'normal',
    text: 'Logical unit {Unit} was removed from Storage Domain {StorageDomainName}.',
  },
  UNIT_REMOVE_STARTED: {
    code: 1043,
    severity: 'normal',
    text: 'Removal of logical unit {Unit} from Storage Domain {StorageDomainName} was initiated by {UserName}.',
  },
  STORAGE_DOMAIN_RECOVERED: {
    code: 9505,
    severity: 'normal',
    text: 'Storage Domain {StorageDomainName} (Data Center {DataCenterName}) was activated by the system.',
  },
} as const satisfies EventTexts;
