/**
 * What the service says when it refuses (specification 7): the HTTP status and the sentence. Words
 * in `{}` are filled in; the sentence of a refused command is answered in square brackets.
 */
import { hostFaults } from './faults/hosts.ts';
import { jobFaults } from './faults/jobs.ts';
import { networkFaults } from './faults/networks.ts';
import type { FaultTexts } from './faults/notation.ts';
import { storageFaults } from './faults/storage.ts';

export const faults = {
  ...storageFaults,
  ...hostFaults,
  ...networkFaults,
  ...jobFaults,
  NAME_IN_USE: {
    status: 409,
    text: 'Cannot {action} {type}. The name {name} is already used by another object of this kind. Choose another name.',
  },
  NAME_INVALID: {
    status: 400,
    text: 'Cannot {action} {type}. The name "{name}" is not valid: {rule}.',
  },
  NAME_TOO_LONG: {
    status: 400,
    text: 'Cannot {action} {type}. The name has {length} characters, at most {max} are allowed.',
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

  VM_IS_RUNNING: {
    status: 409,
    text: 'Cannot {action} VM. VM is running (status {status}).',
  },
  VM_IS_NOT_RUNNING: { status: 409, text: 'Cannot {action} VM. VM is not running.' },
  VM_IS_NOT_UP: { status: 409, text: 'Cannot {action} VM. VM is not up (status {status}).' },
  VM_IS_NOT_DOWN: { status: 409, text: 'Cannot {action} VM. VM must be down (status {status}).' },
  VM_IS_SUSPENDED: {
    status: 409,
    text: 'Cannot {action} VM. VM is suspended; start it and shut it down, or stop it, first.',
  },
  VM_IS_LOCKED: { status: 409, text: 'Cannot {action} VM. VM is locked. Please try again later.' },
  VM_IS_SAVING_RESTORING: {
    status: 409,
    text: 'Cannot {action} VM. VM is saving or restoring its state.',
  },
  VM_STATUS_ILLEGAL: {
    status: 409,
    text: 'Cannot {action} VM. VM is in status {status}, in which this is not possible.',
  },
  VM_DELETE_PROTECTED: {
    status: 409,
    text: 'Cannot {action} VM. Delete protection is enabled. Switch it off (delete_protected) first.',
  },
  VM_WITHOUT_BOOTABLE_DISK: {
    status: 409,
    text: 'Cannot run VM without at least one bootable disk.',
  },
  VM_MEMORY_BELOW_GUARANTEED: {
    status: 400,
    text: 'Cannot {action} VM. Physical Memory Guaranteed cannot exceed Memory Size.',
  },
  VM_MAX_MEMORY_TOO_SMALL: {
    status: 409,
    text: 'Cannot {action} VM. The maximum memory cannot be smaller than the memory.',
  },
  VM_MUST_BE_DOWN_TO_CHANGE: {
    status: 400,
    text: 'Cannot {action} VM. These attributes can only be changed while the VM is down: {attributes}.',
  },
  AFFINITY_GROUP_NAME_IN_USE: {
    status: 400,
    text: 'Cannot {action} Affinity Group. The name {name} is already used by another affinity group.',
  },
  AFFINITY_GROUP_OTHER_CLUSTER: {
    status: 400,
    text: 'Cannot {action} Affinity Group. {name} is not in the cluster of the group.',
  },
  AFFINITY_GROUP_MEMBER_TWICE: {
    status: 400,
    text: 'Cannot {action} Affinity Group. An object cannot be in it twice.',
  },
  AFFINITY_GROUP_CLUSTER_FIXED: {
    status: 400,
    text: 'Cannot {action} Affinity Group. It stays in its cluster.',
  },
  AFFINITY_RULES_COLLIDE: {
    status: 409,
    text: 'Cannot {action} Affinity Group. Its rule contradicts that of affinity group {other}, which has the same {what}.',
  },
  CLUSTER_IN_MAINTENANCE: {
    status: 409,
    text: 'Cannot {action} VM. Cluster {cluster} is in maintenance: only highly available VMs are started.',
  },
  NO_HOST_UP: {
    status: 400,
    text: 'Cannot {action} VM. There is no host that is up in cluster {cluster}.',
  },
  NO_HOST_FITS: {
    status: 409,
    text: 'Cannot {action} VM. No host satisfies its needs: {reasons}',
  },
  CLUSTER_WITHOUT_ARCHITECTURE: {
    status: 400,
    text: 'Cannot {action} VM. The architecture of cluster {cluster} is not known yet; add a host or set cpu.type.',
  },

  DATA_CENTER_IS_NOT_UP: {
    status: 409,
    text: 'Cannot {action} {type}. Data center {dataCenter} is {status}, it must be up.',
  },
  DATA_CENTER_IS_UP: {
    status: 409,
    text: 'Cannot {action} Data Center. It is up; put its storage domains into maintenance first.',
  },
  DATA_CENTER_HAS_DOMAINS: {
    status: 409,
    text: 'Cannot {action} Data Center. Storage domains are attached to it: {names}.',
  },
  CLUSTER_CPU_UNKNOWN: {
    status: 400,
    text: 'Cannot {action} Cluster. Compatibility level {level} has no processor type "{cpu}".',
  },
  CLUSTER_LEVEL_UNSUPPORTED: {
    status: 400,
    text: 'Cannot {action} Cluster. Compatibility level {level} is not supported.',
  },
  CLUSTER_LEVEL_BELOW_DATA_CENTER: {
    status: 400,
    text: 'Cannot {action} Cluster. Compatibility level {level} is lower than that of its data center.',
  },
  CLUSTER_LEVEL_BELOW_HOSTS: {
    status: 400,
    text: 'Cannot {action} Cluster. Its compatibility level cannot be lowered while it has hosts.',
  },
  CLUSTER_IN_LOCAL_DATA_CENTER: {
    status: 400,
    text: 'Cannot {action} Cluster. A data center with local storage has one cluster only.',
  },
  CLUSTER_WITHOUT_SERVICE: {
    status: 400,
    text: 'Cannot {action} Cluster. It must run virtual machines or Gluster, or both.',
  },
  CLUSTER_OVERCOMMITS_WITHOUT_MEANS: {
    status: 409,
    text: 'Cannot {action} Cluster. To promise more memory than there is, enable KSM or ballooning.',
  },
  CLUSTER_RNG_SOURCE_IMPLIED: {
    status: 400,
    text: 'Cannot {action} Cluster. The random number source {source} is always there and cannot be required.',
  },
  CLUSTER_WITHOUT_NETWORK: {
    status: 400,
    text: 'Cannot {action} Cluster. The data center has no management network; name one with management_network.',
  },
  CLUSTER_DATA_CENTER_FIXED: {
    status: 409,
    text: 'Cannot {action} Cluster. It stays in its data center.',
  },
  CLUSTER_ARCHITECTURE_FIXED: {
    status: 409,
    text: 'Cannot {action} Cluster. Its processor architecture cannot change while it has hosts or VMs.',
  },
  CLUSTER_SERVICE_IN_USE: {
    status: 409,
    text: 'Cannot {action} Cluster. It still has {objects}, which need the service.',
  },
  CLUSTER_HOSTS_NOT_DOWN: {
    status: 409,
    text: 'Cannot {action} Cluster. These hosts must be down or in maintenance: {names}.',
  },
  CLUSTER_IS_DEFAULT: { status: 409, text: 'Cannot {action} Cluster. The default cluster stays.' },
  CLUSTER_MACS_COLLIDE: {
    status: 409,
    text: 'Cannot {action} Cluster. The new MAC pool allows no duplicates, and {mac} is used in it already.',
  },
  CLUSTER_UPGRADE_RUNS: { status: 409, text: 'Cannot {action} Cluster. Its upgrade {state}.' },
  CLUSTER_HAS_OBJECTS: {
    status: 409,
    text: 'Cannot {action} Cluster. It still has {objects}.',
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
  NO_HOST_IN_DATA_CENTER: {
    status: 409,
    text: 'Cannot {action} {type}. There is no host that is up in the data center.',
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

  NIC_NAME_IN_USE: {
    status: 409,
    text: 'Cannot {action} Interface. The VM has an interface named {name} already.',
  },
  MAC_IN_USE: {
    status: 409,
    text: 'Cannot {action} Interface. MAC address {mac} is already used.',
  },
  MAC_INVALID: {
    status: 400,
    text: 'Cannot {action} Interface. "{mac}" is not a MAC address (six pairs of hexadecimal digits).',
  },
  MAC_POOL_EMPTY: { status: 409, text: 'Cannot {action} Interface. The MAC pool is exhausted.' },
  NIC_VM_STATUS_ILLEGAL: {
    status: 409,
    text: 'Cannot {action} Interface. The VM must be up, down or locked (status {status}).',
  },
  NIC_IS_ACTIVE: {
    status: 409,
    text: 'Cannot {action} Interface. It is plugged into a running VM; unplug it first.',
  },
  TEMPLATE_IS_BLANK: { status: 409, text: 'Cannot {action} Template. The Blank template stays.' },

  TRANSFER_IS_OVER: {
    status: 409,
    text: 'Cannot {action} image transfer. It is in phase {status}.',
  },
  TRANSFER_CANNOT_BE_RESUMED: {
    status: 409,
    text: 'Cannot {action} image transfer. Only a paused transfer can be resumed; it is in phase {status}.',
  },
  DOWNLOAD_CANNOT_BE_PAUSED: {
    status: 400,
    text: 'Cannot {action} image transfer. A download cannot be paused.',
  },
  TRANSFER_FORMAT_NEEDS_CONVERSION: {
    status: 409,
    text: 'Cannot {action} image transfer. The disk is {diskFormat} and the transfer asks for {format}; this service does not convert. Transfer it as {diskFormat}.',
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
    text: 'Cannot {action} Permission. It is the last one that makes somebody a super user.',
  },
} as const satisfies FaultTexts;

export type FaultKey = keyof typeof faults;
