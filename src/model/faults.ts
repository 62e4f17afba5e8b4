/**
 * Faults of the service (specification 7): HTTP status and text. Placeholders in `{}` are replaced.
 * Responses enclose the text of a refused command in square brackets.
 */

import { clusterFaults } from './faults/clusters.ts';
import { deviceFaults } from './faults/devices.ts';
import { diskFaults } from './faults/disks.ts';
import { glusterFaults } from './faults/gluster.ts';
import { hostFaults } from './faults/hosts.ts';
import { identityFaults } from './faults/identity.ts';
import { jobFaults } from './faults/jobs.ts';
import { limitFaults } from './faults/limits.ts';
import { machineFaults } from './faults/machines.ts';
import { networkFaults } from './faults/networks.ts';
import { storageFaults } from './faults/storage.ts';
import { templateFaults } from './faults/templates.ts';
import type { FaultTexts } from './notation/faults.ts';
import { type DeclaredFaultKey, declaredFaults } from './resources/index.ts';

const sharedFaults = {
  ...clusterFaults,
  ...templateFaults,
  ...deviceFaults,
  ...machineFaults,
  ...diskFaults,
  ...limitFaults,
  ...storageFaults,
  ...glusterFaults,
  ...hostFaults,
  ...networkFaults,
  ...jobFaults,
  ...identityFaults,
  NAME_IN_USE: {
    status: 409,
    text: 'Cannot {action} {type}. The name {name} is already used by another object of this kind. Choose another name.',
  },
  ID_IN_USE: {
    status: 409,
    text: 'Cannot {action} {type}. An object with the id {id} already exists.',
  },
  NAME_INVALID: {
    status: 400,
    text: 'Cannot {action} {type}. The name "{name}" is not valid: {rule}.',
  },
  NAME_TOO_LONG: {
    status: 400,
    text: 'Cannot {action} {type}. The name has {length} characters, at most {max} are allowed.',
  },
  TEXT_LENGTH: {
    status: 400,
    text: 'Cannot {action} {type}. {attribute} has {length} characters; it must have from {min} to {max}.',
  },
  VALUE_OUT_OF_RANGE: {
    status: 400,
    text: 'Cannot {action} {type}. {attribute} is {value}; it must be from {min} to {max}.',
  },
  NOT_AUTHORIZED: {
    status: 403,
    text: 'The user is not authorized to perform this action: the permit {permit} is missing.',
  },
  OBJECT_IN_USE: {
    status: 409,
    text: 'Cannot {action} {type}. {name} is in use by {users}.',
  },
  OBJECT_IS_LOCKED: {
    status: 409,
    text: 'Cannot {action} {type}. Related operation is currently in progress. Please try again later.',
  },
  BUILT_IN: {
    status: 409,
    text: 'Cannot {action} {type}. {name} belongs to the service itself.',
  },

  STORAGE_DOMAIN_STATUS_ILLEGAL: {
    status: 409,
    text: 'Cannot {action} Storage. The relevant storage domain is in status {status}.',
  },
  STORAGE_DOMAIN_ATTACHED: {
    status: 409,
    text: 'Cannot {action} Storage. It is attached to a data center; detach it first.',
  },
  STORAGE_DOMAIN_TYPE_ILLEGAL: {
    status: 400,
    text: 'Cannot {action} {type}. Storage domain {name} is of type {domainType}.',
  },
  STORAGE_DOMAIN_NOT_SPECIFIED: {
    status: 400,
    text: 'Cannot {action} Virtual Disk. A storage domain was not specified (storage_domains).',
  },
  STORAGE_DOMAIN_HAS_NO_SPACE: {
    status: 409,
    text: 'Cannot {action} {type}. Low disk space on storage domain {name}: {available} bytes are free above its limit, {needed} are needed.',
  },
  FIRST_DOMAIN_MUST_BE_DATA: {
    status: 409,
    text: 'Cannot {action} Storage. The first storage domain of a data center must be a data domain.',
  },
  MASTER_WITH_OTHER_DOMAINS: {
    status: 409,
    text: 'Cannot {action} Storage. It is the master and other storage domains are attached; detach those first.',
  },
  DOMAIN_HAS_RUNNING_VMS: {
    status: 409,
    text: 'Cannot {action} Storage. VMs with disks on it are not down: {names}.',
  },
  DOMAIN_HAS_TRANSFERS: {
    status: 409,
    text: 'Cannot {action} Storage. Disks on it are being uploaded or downloaded.',
  },
  HOST_PARAMETER_MISSING: {
    status: 400,
    text: 'Cannot {action} Storage. Name the host that does the work with the parameter host.',
  },

  DISK_SIZE_ZERO: {
    status: 400,
    text: 'Cannot {action} Virtual Disk. Its size must not be zero.',
  },
  DISK_IS_LOCKED: {
    status: 409,
    text: 'Cannot {action} {type}. Disk is locked: {names}. Please try again later.',
  },
  DISK_IS_ILLEGAL: { status: 409, text: 'Cannot {action} {type}. Disk {names} is illegal.' },
  DISK_IS_IN_USE: {
    status: 409,
    text: 'Cannot {action} Virtual Disk. It is plugged to a VM that is not down: {names}.',
  },
  DISK_FORMAT_UNSUPPORTED: {
    status: 409,
    text: 'Cannot {action} Virtual Disk. Disk configuration ({format} {allocation}) is incompatible with the storage domain type.',
  },
  DISK_SIZE_TOO_SMALL: {
    status: 400,
    text: 'Cannot {action} Virtual Disk. The requested size {size} is smaller than the present size {present}.',
  },
  DISK_ALREADY_ATTACHED: {
    status: 409,
    text: 'Cannot {action} Virtual Disk. It is already attached to VM {vm}.',
  },
  DISK_BOOT_IN_USE: {
    status: 409,
    text: 'Cannot {action} Virtual Disk. Disk {other} of the VM is bootable already.',
  },
  DISK_ONLY_QCOW_VERSION: {
    status: 400,
    text: 'Cannot {action} Virtual Disk. Only qcow_version can be changed here; change the rest through the disk attachment.',
  },
  DISK_RAW_HAS_NO_VERSION: {
    status: 400,
    text: 'Cannot {action} Virtual Disk. A raw disk has no qcow version.',
  },
  DISK_NOT_SHAREABLE: {
    status: 409,
    text: 'Cannot {action} Virtual Disk. A shareable disk must have the format raw.',
  },

  EVENT_ORIGIN_RESERVED: {
    status: 400,
    text: 'Cannot {action} External Event. The origin {origin} is that of the service itself.',
  },
  EVENT_CUSTOM_ID_IN_USE: {
    status: 400,
    text: 'Cannot {action} External Event. Origin {origin} has an event with custom id {customId} already.',
  },
  LAST_SUPER_USER: {
    status: 409,
    text: 'Cannot {action} Permission. It is the last permission of a super user.',
  },
} as const satisfies FaultTexts;

export type SharedFaultKey = keyof typeof sharedFaults;

/** Texts of the shared faults. */
export type SharedFaultText = (typeof sharedFaults)[SharedFaultKey]['text'];

export type FaultKey = SharedFaultKey | DeclaredFaultKey;

/** Shared faults, and faults of one resource. */
export const faults: Readonly<Record<FaultKey, FaultTexts[string]>> = {
  ...sharedFaults,
  ...declaredFaults,
};
