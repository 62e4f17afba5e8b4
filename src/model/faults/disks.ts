/** Faults of disks, images and attachments. */
export const diskFaults = {
  DISK_IS_OVF_STORE: {
    status: 409,
    text: 'Cannot {action} Virtual Disk. It keeps the configurations of the machines of its storage domain.',
  },
  DISK_FLOATS: {
    status: 409,
    text: 'Cannot {action} Virtual Disk. A disk without a VM cannot be plugged in (active).',
  },
  DISK_EXISTS: { status: 409, text: 'Cannot {action} Virtual Disk. There is a disk {id} already.' },
  DISK_TOO_LARGE: {
    status: 409,
    text: 'Cannot {action} Virtual Disk. Its size {size} is more than block storage allows: {max} bytes.',
  },
  DISK_TOO_LARGE_FOR_FILES: {
    status: 400,
    text: 'Cannot {action} Virtual Disk. Its size {size} is more than file storage allows: {max} bytes.',
  },
  DISK_TOO_LARGE_FOR_FILE_SYSTEM: {
    status: 400,
    text: 'Cannot {action} Virtual Disk. The file system of its storage has no files of {size} bytes.',
  },
  DISK_PROFILE_ELSEWHERE: {
    status: 400,
    text: 'Cannot {action} Virtual Disk. The disk profile does not belong to storage domain {name}.',
  },
  DISK_NOT_SHAREABLE_ON_GLUSTER: {
    status: 409,
    text: 'Cannot {action} Virtual Disk. Disks on Gluster storage cannot be shareable.',
  },
  DISK_SGIO_NEEDS_UNIT: {
    status: 400,
    text: 'Cannot {action} Virtual Disk. Unfiltered SCSI commands need a logical unit, not an image.',
  },
  DISK_HAS_ONE_UNIT: {
    status: 400,
    text: 'Cannot {action} Virtual Disk. A disk is one logical unit.',
  },
  DISK_IS_A_UNIT: {
    status: 400,
    text: 'Cannot {action} Virtual Disk. It is a logical unit; this is possible with images only.',
  },
  DISK_NOT_A_UNIT: {
    status: 400,
    text: 'Cannot {action} Virtual Disk. It is an image; this is possible with logical units only.',
  },
  DISK_OF_TEMPLATE: {
    status: 400,
    text: 'Cannot {action} Virtual Disk. It belongs to template {name}.',
  },
  DISK_IN_CD_DRIVE: {
    status: 409,
    text: 'Cannot {action} Virtual Disk. It is in the CD drive of VMs: {names}.',
  },
  DISK_IS_THERE: {
    status: 400,
    text: 'Cannot {action} Virtual Disk. It is on storage domain {name} already.',
  },
  DOMAIN_IN_OTHER_DATA_CENTER: {
    status: 409,
    text: 'Cannot {action} Virtual Disk. Storage domain {name} is in another data center.',
  },
  DISK_HAS_SNAPSHOTS: {
    status: 400,
    text: 'Cannot {action} Virtual Disk. It has snapshots.',
  },
  DISK_PREALLOCATED: {
    status: 400,
    text: 'Cannot {action} Virtual Disk. It is preallocated.',
  },
  DISK_NOT_SPARSIFIABLE: {
    status: 400,
    text: 'Cannot {action} Virtual Disk. It has the format cow.',
  },
  DISK_CONTENT_TYPE_ILLEGAL: {
    status: 409,
    text: 'Cannot {action} Virtual Disk. Its content type is {contentType}.',
  },
  DISK_NOT_REDUCIBLE: {
    status: 400,
    text: 'Cannot {action} Virtual Disk. Only thin disks (cow) on block storage can give room back.',
  },
  DISK_IS_READ_ONLY: {
    status: 409,
    text: 'Cannot {action} Virtual Disk. It is attached to VM {vm} for reading only.',
  },
  DISK_WITH_SNAPSHOTS_STAYS: {
    status: 409,
    text: 'Cannot {action} Virtual Disk. Snapshots of the VM keep images of it; remove those first.',
  },
  DISK_WITH_SNAPSHOTS_NOT_SHAREABLE: {
    status: 409,
    text: 'Cannot {action} Virtual Disk. A disk with snapshots cannot be shareable.',
  },
  DISK_IS_SHARED: {
    status: 409,
    text: 'Cannot {action} Virtual Disk. Several VMs share it.',
  },
  DISK_COPY_NOT_NAMED: {
    status: 400,
    text: 'Cannot {action} Virtual Disk. Name the storage domain of the copy with the parameter storage_domain.',
  },
  DISK_LAST_COPY: {
    status: 409,
    text: 'Cannot {action} Virtual Disk. It is the last copy of the disk of a template.',
  },
  INTERFACE_NOT_READ_ONLY: {
    status: 400,
    text: 'Cannot {action} Virtual Disk. Disks on {interface} cannot be read-only.',
  },
  INTERFACE_NOT_HOT_PLUGGABLE: {
    status: 400,
    text: 'Cannot {action} Virtual Disk. Disks on {interface} cannot be plugged in or out while the VM runs.',
  },
  VIRTIO_SCSI_DISABLED: {
    status: 409,
    text: 'Cannot {action} Virtual Disk. The VM has no VirtIO SCSI controller (virtio_scsi).',
  },
  SLOTS_EXCEEDED: {
    status: 409,
    text: 'Cannot {action} Virtual Disk. The VM has room for {max} devices on {interface}.',
  },
  IMAGE_IS_ACTIVE: {
    status: 409,
    text: 'Cannot {action} Disk Snapshot. It is the active image of the disk.',
  },
  IMAGE_OF_BUSY_SNAPSHOT: {
    status: 409,
    text: 'Cannot {action} Disk Snapshot. Its snapshot is in status {status}.',
  },
  REGISTERED_ALREADY: {
    status: 409,
    text: 'Cannot {action} {name}. It is in the inventory already; make a clone of it instead.',
  },
  DISKS_MISSING: {
    status: 409,
    text: 'Cannot {action} {name}. Disks of it are not there: {names}. It comes without them with allow_partial_import.',
  },
} as const satisfies Readonly<Record<string, { status: number; text: string }>>;
