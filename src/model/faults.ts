/**
 * What the service says when it refuses (specification 7): the HTTP status and the sentence. Words
 * in `{}` are filled in; the sentence of a refused command is answered in square brackets.
 */

import { diskFaults } from './faults/disks.ts';
import { glusterFaults } from './faults/gluster.ts';
import { hostFaults } from './faults/hosts.ts';
import { identityFaults } from './faults/identity.ts';
import { jobFaults } from './faults/jobs.ts';
import { limitFaults } from './faults/limits.ts';
import { networkFaults } from './faults/networks.ts';
import type { FaultTexts } from './faults/notation.ts';
import { storageFaults } from './faults/storage.ts';

export const faults = {
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
  VM_PROCESSORS_OUT_OF_RANGE: {
    status: 409,
    text: 'Cannot {action} {type}. {attribute} is {value}; it must be from {min} to {max}.',
  },
  VM_PINNING_INVALID: {
    status: 400,
    text: 'Cannot {action} VM. The processors cannot be pinned like this: {what}.',
  },
  VM_PINNING_WITHOUT_HOST: {
    status: 400,
    text: 'Cannot {action} VM. Processors are pinned on a host; name it in placement_policy.',
  },
  VM_MEMORY_NOT_IN_STEPS: {
    status: 400,
    text: 'Cannot {action} VM. Memory changes by multiples of {step} MiB.',
  },
  VM_SYSTEM_UNSUPPORTED: {
    status: 400,
    text: 'Cannot {action} VM. There is no operating system {word} for the architecture {architecture}.',
  },
  VM_TIME_ZONE_UNSUPPORTED: {
    status: 400,
    text: 'Cannot {action} VM. The time zone {zone} is not one of the operating system {word}.',
  },
  VM_MONITORS_ILLEGAL: {
    status: 400,
    text: 'Cannot {action} VM. It cannot have {monitors} monitors: 1, 2 and 4 are possible, with VNC only 1.',
  },
  VM_HOST_IN_OTHER_CLUSTER: {
    status: 409,
    text: 'Cannot {action} VM. Host {host} of the placement policy is not in the cluster of the VM.',
  },
  VM_AVAILABLE_AND_PINNED: {
    status: 409,
    text: 'Cannot {action} VM. It cannot be highly available and pinned to one host.',
  },
  VM_QUEUES_NOT_ENABLED: {
    status: 400,
    text: 'Cannot {action} VM. virtio_scsi_multi_queues needs virtio_scsi_multi_queues_enabled.',
  },
  VM_LEASE_WITHOUT_HA: {
    status: 409,
    text: 'Cannot {action} VM. A lease needs high availability.',
  },
  VM_RNG_SOURCE_UNSUPPORTED: {
    status: 409,
    text: 'Cannot {action} VM. The cluster does not have the random number source {source}.',
  },
  VM_LEVEL_UNSUPPORTED: {
    status: 400,
    text: 'Cannot {action} VM. Compatibility level {level} is not supported.',
  },
  VM_PINNED_TO_ANOTHER_HOST: {
    status: 409,
    text: 'Cannot {action} VM. It runs on host {host}, which the placement policy must name.',
  },
  VM_CLUSTER_IN_OTHER_DATA_CENTER: {
    status: 409,
    text: 'Cannot {action} VM. Cluster {cluster} is in another data center.',
  },
  VM_TEMPLATE_FIXED: {
    status: 400,
    text: 'Cannot {action} VM. Only VMs of a pool can change their template, to another version of it.',
  },
  VM_CREATION_TIME_FIXED: {
    status: 400,
    text: 'Cannot {action} VM. The time of its creation cannot be changed.',
  },
  VM_SCSI_DISKS_PLUGGED: {
    status: 409,
    text: 'Cannot {action} VM. VirtIO-SCSI cannot be switched off, disks are plugged to it: {names}.',
  },
  VM_IS_MIGRATING: { status: 409, text: 'Cannot {action} VM. The VM is migrating.' },
  VM_IS_NOT_MIGRATING: {
    status: 409,
    text: 'Cannot {action} VM. The VM is not migrating.',
  },
  VM_IS_PINNED: { status: 409, text: 'Cannot {action} VM. It is pinned to its host.' },
  VM_MIGRATES_ONLY_BY_FORCE: {
    status: 409,
    text: 'Cannot {action} VM. It only migrates when a user says so: set force.',
  },
  VM_RUNS_THERE_ALREADY: {
    status: 409,
    text: 'Cannot {action} VM. It runs on host {host} already.',
  },
  VM_HOST_IN_OTHER_CLUSTER_TO_MIGRATE: {
    status: 409,
    text: 'Cannot {action} VM. Host {host} is in another cluster; name that with cluster.',
  },
  VM_IN_POOL: { status: 409, text: 'Cannot {action} VM. It belongs to VM pool {pool}.' },
  VM_NOT_IN_POOL: { status: 409, text: 'Cannot {action} VM. It belongs to no VM pool.' },
  VM_IN_POOL_IS_RUNNING: {
    status: 409,
    text: 'Cannot {action} VM. It runs (status {status}); a VM leaves its pool while it is down.',
  },
  VM_IS_STATELESS: { status: 409, text: 'Cannot {action} VM. It is stateless.' },
  VM_STATELESS_AND_AVAILABLE: {
    status: 409,
    text: 'Cannot {action} VM. It cannot be stateless and highly available.',
  },
  VM_IN_PREVIEW: {
    status: 409,
    text: 'Cannot {action} VM. It previews a snapshot; commit or undo that first.',
  },
  VM_HAS_LOCKED_SNAPSHOT: {
    status: 409,
    text: 'Cannot {action} VM. A snapshot of it is being made, restored or removed. Please try again later.',
  },
  VM_HAS_SNAPSHOTS: {
    status: 409,
    text: 'Cannot {action} VM. Its disks cannot be kept: they have snapshots.',
  },
  VM_DISKS_DEPEND_ON_TEMPLATE: {
    status: 409,
    text: 'Cannot {action} VM. Its disks cannot be kept: they depend on template {template}.',
  },
  VM_IN_BACKUP: { status: 409, text: 'Cannot {action} VM. It is being backed up.' },
  VM_WITHOUT_NIC_TO_BOOT: {
    status: 409,
    text: 'Cannot run VM. It boots from the network and has no network interface.',
  },
  VM_STORAGE_NOT_ACTIVE: {
    status: 409,
    text: 'Cannot {action} VM. Storage domains of its disks are not active: {names}.',
  },
  VM_NETWORK_NOT_IN_CLUSTER: {
    status: 409,
    text: 'Cannot {action} VM. Networks of it are not in cluster {cluster}: {names}.',
  },
  VM_TWO_INITIALIZATIONS: {
    status: 409,
    text: 'Cannot {action} VM. Choose one of use_cloud_init, use_sysprep and use_ignition.',
  },
  VM_NOT_HOSTED_ENGINE: {
    status: 400,
    text: 'Cannot {action} VM. Only the VM of a hosted engine has a maintenance of its own.',
  },
  TEMPLATE_IN_OTHER_DATA_CENTER: {
    status: 400,
    text: 'Cannot {action} VM. Template {name} does not exist in the data center.',
  },
  TEMPLATE_IS_LOCKED: {
    status: 409,
    text: 'Cannot {action} {type}. Template {name} is {status}. Please try again later.',
  },
  STORAGE_OF_TEMPLATE_MISSING: {
    status: 400,
    text: 'Cannot {action} {type}. Storage domain {name} of disk {disk} is not active.',
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

  SNAPSHOT_DOES_NOT_EXIST: {
    status: 400,
    text: 'Cannot {action} {type}. There is no such snapshot.',
  },
  SNAPSHOT_IS_ACTIVE: {
    status: 400,
    text: 'Cannot {action} Snapshot. The active one is the present of the VM.',
  },
  SNAPSHOT_IS_BUSY: {
    status: 409,
    text: 'Cannot {action} Snapshot. It is {status}. Please try again later.',
  },
  SNAPSHOT_NOT_IN_PREVIEW: {
    status: 409,
    text: 'Cannot {action} Snapshot. The VM previews none.',
  },
  SNAPSHOT_NOT_REGULAR: {
    status: 409,
    text: 'Cannot {action} Snapshot. It is not one that a user has taken.',
  },
  DISK_SNAPSHOT_UNSUPPORTED: {
    status: 400,
    text: 'Cannot {action} Snapshot. Disk {names} is shareable or a logical unit, which snapshots do not keep.',
  },
  DISKS_NOT_ATTACHED: {
    status: 400,
    text: 'Cannot {action} Snapshot. Disk {names} is not attached to the VM.',
  },
  VM_IS_NOT_DOWN_OR_UP: {
    status: 409,
    text: 'Cannot {action} VM. The VM must be down or up (status {status}).',
  },

  MAC_MULTICAST: {
    status: 400,
    text: 'Cannot {action} Interface. {mac} is the address of a group of stations.',
  },
  NIC_CANNOT_CHANGE_PLUGGED: {
    status: 409,
    text: 'Cannot {action} Interface. MAC address and type cannot change while it is plugged into a running VM.',
  },
  NIC_NETWORK_NOT_IN_CLUSTER: {
    status: 409,
    text: 'Cannot {action} Interface. Network {network} is not in cluster {cluster}.',
  },
  NIC_NETWORK_NOT_FOR_VMS: {
    status: 409,
    text: 'Cannot {action} Interface. Network {network} is not a network of VMs.',
  },
  NIC_INTERFACE_UNSUITABLE: {
    status: 409,
    text: 'Cannot {action} Interface. The type {interface} does not suit the profile: passthrough needs both or none.',
  },
  CDROM_EXISTS: { status: 409, text: 'Cannot {action} CD-ROM. Every VM has exactly one.' },
  CDROM_FILE_INVALID: {
    status: 400,
    text: 'Cannot {action} CD-ROM. "{file}" is neither the id of a disk nor the name of an ISO file.',
  },
  CDROM_WITHOUT_LIBRARY: {
    status: 409,
    text: 'Cannot {action} CD-ROM. No active storage domain has ISO files.',
  },
  WATCHDOG_EXISTS: { status: 409, text: 'Cannot {action} Watchdog. There is one already.' },
  WATCHDOG_MODEL_UNSUPPORTED: {
    status: 400,
    text: 'Cannot {action} Watchdog. The model {model} is not one of the architecture of the VM.',
  },
  CONSOLE_EXISTS: {
    status: 400,
    text: 'Cannot {action} Graphics Console. There is one with the protocol {protocol} already.',
  },
  NUMA_INDEX_TAKEN: {
    status: 400,
    text: 'Cannot {action} NUMA node. There is one with the index {index} already.',
  },
  NUMA_INDEX_GAP: {
    status: 400,
    text: 'Cannot {action} NUMA node. The indexes must be 0, 1, 2 and so on, without a gap.',
  },
  NUMA_MORE_NODES_THAN_CPUS: {
    status: 400,
    text: 'Cannot {action} NUMA node. The VM has {processors} virtual processors, and cannot have more nodes.',
  },
  NUMA_MEMORY_TOO_BIG: {
    status: 400,
    text: 'Cannot {action} NUMA node. The nodes together would have more memory than the VM.',
  },
  NUMA_PINNED_WITHOUT_HOST: {
    status: 400,
    text: 'Cannot {action} NUMA node. Nodes are pinned on a host; name it in placement_policy.',
  },
  HOST_DEVICE_VM_NOT_PINNED: {
    status: 409,
    text: 'Cannot {action} Host Device. The VM must be pinned to one host (placement_policy).',
  },
  HOST_DEVICE_NOT_FOUND: {
    status: 400,
    text: 'Cannot {action} Host Device. Host {host} has no device {name}.',
  },
  BACKUP_NOT_READY: {
    status: 409,
    text: 'Cannot {action} backup. It is in phase {status}, not ready.',
  },
  BACKUP_WITHOUT_DISKS: { status: 400, text: 'Cannot {action} VM. Name the disks (disks).' },
  BACKUP_NOT_INCREMENTAL: {
    status: 409,
    text: 'Cannot {action} VM. Changes of disk {names} are not recorded; set its backup to incremental.',
  },
  CHECKPOINT_DOES_NOT_EXIST: {
    status: 400,
    text: 'Cannot {action} VM. It has no checkpoint {id}.',
  },
  CHECKPOINT_IS_NEEDED: {
    status: 409,
    text: 'Cannot {action} checkpoint. Later ones build on the earlier: remove the oldest first.',
  },

  TEMPLATE_IS_BUSY: {
    status: 409,
    text: 'Cannot {action} Template. Template {name} is {status}. Please try again later.',
  },
  TEMPLATE_SOURCE_NOT_DOWN: {
    status: 409,
    text: 'Cannot {action} VM. The VM is locked or still running (status {status}).',
  },
  TEMPLATE_HAS_VMS: {
    status: 409,
    text: 'Cannot {action} Template. VMs or pools depend on it: {names}.',
  },
  TEMPLATE_HAS_VERSIONS: {
    status: 409,
    text: 'Cannot {action} Template. There are versions of it: {names}.',
  },
  TEMPLATE_DELETE_PROTECTED: {
    status: 409,
    text: 'Cannot {action} Template. Delete protection is enabled. Switch it off (delete_protected) first.',
  },
  TEMPLATE_VERSION_NAMED: {
    status: 400,
    text: 'Cannot edit Template. A version has the name of its base; change version_name instead.',
  },
  TEMPLATE_VERSION_IS_NO_BASE: {
    status: 400,
    text: 'Cannot {action} Template. {name} is a version itself, and cannot have versions.',
  },
  TEMPLATE_BLANK_HAS_NO_VERSIONS: {
    status: 400,
    text: 'Cannot {action} Template. The Blank template cannot have versions.',
  },
  POOL_NAME_INVALID: {
    status: 400,
    text: 'Cannot {action} VM pool. Its name has one run of question marks at most.',
  },
  POOL_OF_BLANK: {
    status: 409,
    text: 'Cannot {action} VM pool. It cannot be made of the Blank template.',
  },
  POOL_WITHOUT_VMS: { status: 400, text: 'Cannot {action} VM pool. Its size must not be zero.' },
  POOL_PRESTARTS_TOO_MANY: {
    status: 409,
    text: 'Cannot {action} VM pool. It cannot start more VMs in advance than it has.',
  },
  POOL_SHRINKS: { status: 400, text: 'Cannot {action} VM pool. Its size can only grow.' },
  POOL_ATTRIBUTE_FIXED: {
    status: 400,
    text: 'Cannot {action} VM pool. The attribute {attribute} cannot be changed.',
  },
  POOL_IS_EXHAUSTED: { status: 409, text: 'Cannot {action} VM. The pool has no free VM.' },
  POOL_USER_HAS_ENOUGH: {
    status: 409,
    text: 'Cannot {action} VM. The user has as many VMs of the pool as allowed.',
  },
  EXPORT_TARGET_MISSING: {
    status: 400,
    text: 'Cannot {action}. Say where to: storage_domain, or host with directory.',
  },
  EXPORT_TO_OTHER_DATA_CENTER: {
    status: 409,
    text: 'Cannot {action}. Storage domain {name} is in another data center.',
  },
  EXPORTED_ALREADY: {
    status: 409,
    text: 'Cannot {action}. {name} has been exported there already; exclusive replaces it.',
  },
  EXPORT_DIRECTORY_INVALID: {
    status: 400,
    text: 'Cannot {action}. "{directory}" is not the absolute path of a directory on the host.',
  },
  IMPORT_FILE_MISSING: {
    status: 400,
    text: 'Cannot {action}. There is no such file on a host: {url}.',
  },

  NIC_NAME_IN_USE: {
    status: 409,
    text: 'Cannot {action} Interface. The VM has an interface named {name} already.',
  },
  MAC_IN_USE: {
    status: 409,
    text: 'Cannot {action} Interface. MAC address {mac} is already used by VM {vm}.',
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
  TRANSFER_OF_ONE_IMAGE: {
    status: 400,
    text: 'Cannot {action} image transfer. It is of a disk or of a snapshot, not of both.',
  },
  TRANSFER_ONLY_READS: {
    status: 409,
    text: 'Cannot {action} image transfer. From {what} can only be downloaded.',
  },
  TRANSFER_BACKUP_NOT_READY: {
    status: 409,
    text: 'Cannot {action} image transfer. The backup is in phase {phase}; it must be ready.',
  },
  TRANSFER_NOT_IN_BACKUP: {
    status: 400,
    text: 'Cannot {action} image transfer. Disk {name} is not part of the backup.',
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
