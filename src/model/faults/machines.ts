/** Faults of VMs and scheduling. */
import type { FaultTexts } from '../notation/faults.ts';

export const machineFaults = {
  VM_IS_RUNNING: {
    status: 409,
    text: 'Cannot {action} VM. VM is running (status {status}).',
  },
  VM_IS_NOT_RUNNING: { status: 409, text: 'Cannot {action} VM. VM is not running.' },
  VM_IS_NOT_UP: { status: 409, text: 'Cannot {action} VM. VM is not up (status {status}).' },
  VM_IS_NOT_DOWN: { status: 409, text: 'Cannot {action} VM. VM must be down (status {status}).' },
  VM_IS_FROZEN: {
    status: 409,
    text: 'Cannot {action} VM. The file systems of its guest are frozen.',
  },
  VM_IS_NOT_FROZEN: {
    status: 409,
    text: 'Cannot {action} VM. The file systems of its guest are not frozen.',
  },
  NOT_SUPPORTED_BY_HYPERVISOR: {
    status: 409,
    text: 'Cannot {action} {type}. --hypervisor {hypervisor} does not support this{condition}.',
  },
  HARDWARE_UNSUPPORTED: {
    status: 409,
    text: 'Cannot {action} VM. --hypervisor {hypervisor} does not support {detail}.',
  },
  DEVICE_CHANGE_FAILED: {
    status: 409,
    text: 'Cannot {action} {type}. Its hypervisor reports: {detail}.',
  },
  DEVICE_CHANGE_IN_PROGRESS: {
    status: 409,
    text: 'Cannot {action} {type}. Another change of it is in progress.',
  },
  SCREEN_UNREADABLE: {
    status: 409,
    text: 'Cannot {action} VM. Its hypervisor does not respond. Try again.',
  },
  VM_WITHOUT_SCREEN: {
    status: 409,
    text: 'Cannot {action} VM. It has no graphics console, and so no screen.',
  },
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
    text: 'Cannot {action} VM. Operating system {word} is not available for the architecture {architecture}.',
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
  VM_LOGON_IMPOSSIBLE: {
    status: 400,
    text: 'Cannot {action} VM. The VM is {status}; its guest agent signs users in while it is up.',
  },
  VM_ORIGIN_FIXED: {
    status: 400,
    text: 'Cannot {action} VM. Its origin cannot be changed.',
  },
  VM_SERIAL_NUMBER_MISSING: {
    status: 400,
    text: 'Cannot {action} VM. A custom serial number needs serial_number.value.',
  },
  VM_LEASE_WITHOUT_HA: {
    status: 409,
    text: 'Cannot {action} VM. A lease needs high availability.',
  },
  VM_RNG_SOURCE_UNSUPPORTED: {
    status: 409,
    text: 'Cannot {action} VM. The cluster does not have the random number source {source}.',
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
  VM_CHIPSET_UNSUPPORTED: {
    status: 400,
    text: 'Cannot {action} VM. Operating system {word} does not run with firmware {bios}.',
  },
  VM_TPM_UNSUPPORTED: {
    status: 400,
    text: 'Cannot {action} VM. A TPM needs UEFI firmware and an operating system that supports it (system {word}).',
  },
  VM_DISPLAY_UNSUPPORTED: {
    status: 400,
    text: 'Cannot {action} VM. Operating system {word} does not support video device {video} with protocol {type}, or its firmware does not.',
  },
  VM_SCSI_DISKS_PLUGGED: {
    status: 409,
    text: 'Cannot {action} VM. VirtIO-SCSI cannot be switched off, disks are plugged to it: {names}.',
  },
  VM_CANNOT_MOVE: { status: 409, text: 'Cannot {action} VM: {detail}.' },
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
    text: 'Cannot {action} VM. A snapshot operation is in progress. Please try again later.',
  },
  VM_HAS_SNAPSHOTS: {
    status: 409,
    text: 'Cannot {action} VM. Its disks have snapshots and cannot be detached.',
  },
  VM_DISKS_DEPEND_ON_TEMPLATE: {
    status: 409,
    text: 'Cannot {action} VM. Its disks depend on template {template} and cannot be detached.',
  },
  VM_IN_BACKUP: { status: 409, text: 'Cannot {action} VM. The VM is during a backup operation.' },
  VM_WITHOUT_NIC_TO_BOOT: {
    status: 409,
    text: 'Cannot run VM. It boots from the network and has no NIC.',
  },
  VM_STORAGE_NOT_ACTIVE: {
    status: 409,
    text: 'Cannot {action} VM. Storage domains of its disks are not active: {names}.',
  },
  VM_NETWORK_NOT_IN_CLUSTER: {
    status: 409,
    text: 'Cannot {action} VM. Networks of it are not in cluster {cluster}: {names}.',
  },
  VM_TOOLS_MISSING: {
    status: 409,
    text: 'Cannot {action} VM. No storage domain has a disc with tools for guests.',
  },
  VM_TWO_INITIALIZATIONS: {
    status: 409,
    text: 'Cannot {action} VM. Choose one of use_cloud_init, use_sysprep and use_ignition.',
  },
  VM_NOT_HOSTED_ENGINE: {
    status: 400,
    text: 'Cannot {action} VM. Only the VM of a hosted engine has a maintenance mode.',
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
  AFFINITY_LABEL_IN_USE: {
    status: 409,
    text: 'Cannot {action} Affinity Label. Remove label {name} from its VMs and hosts first.',
  },
  AFFINITY_RULES_COLLIDE: {
    status: 409,
    text: 'Cannot {action} Affinity Group. Its rule contradicts that of affinity group {other}, which has the same {what}.',
  },
  NO_HOST_UP: {
    status: 400,
    text: 'Cannot {action} VM. Cluster {cluster} has no host in status up.',
  },
  NO_HOST_FITS: {
    status: 409,
    text: 'Cannot {action} VM. No host satisfies its needs: {reasons}',
  },
  NO_HOST_IN_DATA_CENTER: {
    status: 409,
    text: 'Cannot {action} {type}. The data center has no host in status up.',
  },
  VM_IS_NOT_DOWN_OR_UP: {
    status: 409,
    text: 'Cannot {action} VM. The VM must be down or up (status {status}).',
  },
} as const satisfies FaultTexts;
