/** Faults of snapshots, NICs and other VM devices. */
import type { FaultTexts } from '../notation/faults.ts';

export const deviceFaults = {
  SNAPSHOT_DOES_NOT_EXIST: {
    status: 400,
    text: 'Cannot {action} {type}. Snapshot not found.',
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
    status: 400,
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
  DISK_NOT_IN_SNAPSHOT: {
    status: 400,
    text: 'Cannot {action} Virtual Disk. The snapshot does not keep disk {names}.',
  },
  DISK_SNAPSHOT_ATTACHED: {
    status: 409,
    text: 'Cannot {action} {type}. Disk snapshots are attached to other VMs (disk/snapshot/VM): {names}. Please detach them from those VMs and try again.',
  },
  DISK_SNAPSHOT_FIXED: {
    status: 409,
    text: 'Cannot {action} Virtual Disk. The image of a disk in a snapshot cannot be changed.',
  },
  DISKS_NOT_ATTACHED: {
    status: 400,
    text: 'Cannot {action} Snapshot. Disk {names} is not attached to the VM.',
  },
  MAC_MULTICAST: {
    status: 400,
    text: 'Cannot {action} Interface. {mac} is a multicast address.',
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
  CDROM_EXISTS: { status: 400, text: 'Cannot {action} CD-ROM. Every VM has exactly one.' },
  CDROM_FILE_INVALID: {
    status: 400,
    text: 'Cannot {action} CD-ROM. "{file}" is neither the id of a disk nor the name of an ISO file.',
  },
  CONSOLE_UNAVAILABLE: {
    status: 400,
    text: 'Cannot {action} VM. Its console is available only while the VM runs.',
  },
  CDROM_WITHOUT_LIBRARY: {
    status: 400,
    text: 'Cannot {action} CD-ROM. No active storage domain has ISO files.',
  },
  WATCHDOG_EXISTS: { status: 409, text: 'Cannot {action} Watchdog. The VM already has one.' },
  WATCHDOG_MODEL_UNSUPPORTED: {
    status: 400,
    text: 'Cannot {action} Watchdog. The model {model} is not one of the architecture of the VM.',
  },
  CONSOLE_EXISTS: {
    status: 400,
    text: 'Cannot {action} Graphics Console. A console with the protocol {protocol} already exists.',
  },
  NUMA_INDEX_TAKEN: {
    status: 400,
    text: 'Cannot {action} NUMA node. A node with the index {index} already exists.',
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
    text: 'Cannot {action} VM backup. The VM backup is not in READY phase, backup phase is {status}.',
  },
  BACKUP_NOT_CONSISTENT: {
    status: 409,
    text: 'Cannot {action} VM. Its guest cannot freeze its file systems now, and consistency is required.',
  },
  BACKUP_WITHOUT_DISKS: { status: 400, text: 'Cannot {action} VM. Name the disks (disks).' },
  BACKUP_DISKS_NOT_ATTACHED: {
    status: 400,
    text: 'Cannot {action} VM. Disks are not attached to it: {names}.',
  },
  BACKUP_DISKS_NOT_ACTIVE: {
    status: 409,
    text: 'Cannot {action} VM. Disks are not active in VM {vm}: {names}.',
  },
  BACKUP_VM_NOT_UP_OR_DOWN: {
    status: 409,
    text: 'Cannot {action} VM. The Virtual Machine should be in Up or Down status.',
  },
  BACKUP_DESCRIPTION_TOO_LONG: {
    status: 400,
    text: 'Cannot {action} VM. The description of a backup has at most {max} characters.',
  },
  BACKUP_EXISTS: { status: 400, text: 'Cannot {action} VM. The backup {id} already exists.' },
  BACKUP_HAS_TRANSFERS: {
    status: 409,
    text: 'Cannot {action} VM backup. There is an active image transfer for VM backup.',
  },
  CHECKPOINT_DOES_NOT_EXIST: {
    status: 400,
    text: "Cannot {action} VM. Checkpoint ID {id} doesn't exist.",
  },
  CHECKPOINT_INVALID: {
    status: 400,
    text: 'Cannot {action} VM. Checkpoint ID {id} is invalid and should be removed.',
  },
  CHECKPOINT_IS_NEEDED: {
    status: 409,
    text: 'Cannot {action} checkpoint. Later ones build on the earlier: remove the oldest first.',
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
} as const satisfies FaultTexts;
