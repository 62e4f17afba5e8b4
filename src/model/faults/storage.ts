/** What the service says when it refuses something about storage, disks, quotas and providers. */
export const storageFaults = {
  CONNECTION_ID_GIVEN: {
    status: 400,
    text: 'Cannot {action} Storage Connection. The service chooses its id; leave it out.',
  },
  CONNECTION_IN_USE: {
    status: 409,
    text: 'Cannot {action} Storage Connection. A connection with the same details exists already.',
  },
  CONNECTION_TYPE_FIXED: {
    status: 400,
    text: 'Cannot {action} Storage Connection. Its type is {type} and cannot be changed.',
  },
  CONNECTION_HAS_USERS: {
    status: 409,
    text: 'Cannot {action} Storage Connection. Storage domains or disks use it: {users}.',
  },
  CONNECTION_HAS_RUNNING_VMS: {
    status: 400,
    text: 'Cannot {action} Storage Connection. VMs that run use disks on it: {users}.',
  },
  CONNECTION_ATTACHED_ALREADY: {
    status: 409,
    text: 'Cannot {action} Storage Connection. Storage domain {name} has it already.',
  },
  CONNECTION_TYPE_DIFFERS: {
    status: 400,
    text: 'Cannot {action} Storage Connection. It is of type {type}, the storage domain of type {domainType}.',
  },
  CONNECTION_INVALID: {
    status: 400,
    text: 'Cannot {action} Storage Connection. "{path}" is not an absolute path without blanks.',
  },
  CONNECTION_OPTIONS_MANAGED: {
    status: 400,
    text: 'Cannot {action} Storage Connection. The service sets these mount options by itself: {options}.',
  },

  DOMAIN_NOT_IN_MAINTENANCE: {
    status: 400,
    text: 'Cannot {action} Storage Connection. Storage domain {name} must be in maintenance or unattached.',
  },
  DOMAIN_STORAGE_TYPE_ILLEGAL: {
    status: 400,
    text: 'Cannot {action} Storage. A storage domain of type {domainType} cannot be on {type} storage.',
  },
  DOMAIN_FORMAT_ILLEGAL: {
    status: 409,
    text: 'Cannot {action} Storage. Storage format {format} does not fit {reason}.',
  },
  DOMAIN_EXISTS: {
    status: 409,
    text: 'Cannot {action} Storage. The service knows it already, as {name}.',
  },
  DOMAIN_WITHOUT_UNITS: {
    status: 400,
    text: 'Cannot {action} Storage. It needs at least one logical unit (storage.logical_units).',
  },
  DOMAIN_LOCAL_ELSEWHERE: {
    status: 400,
    text: 'Cannot {action} Storage. Local storage needs a host of a local data center.',
  },
  DOMAIN_FIELDS_FIXED: {
    status: 400,
    text: 'Cannot {action} Storage. These attributes cannot be changed: {attributes}.',
  },
  DOMAIN_OF_PROVIDER: {
    status: 400,
    text: 'Cannot {action} Storage. It belongs to the provider {name}; remove that instead.',
  },
  DOMAIN_NOT_BLOCK: {
    status: 400,
    text: 'Cannot {action} Storage. Only block storage {what}.',
  },
  DOMAIN_NO_BACKUP: {
    status: 400,
    text: 'Cannot {action} Storage. A storage domain of type {domainType} cannot be a backup domain.',
  },
  DOMAIN_OF_OTHER_KIND: {
    status: 409,
    text: 'Cannot {action} Storage. Local storage and shared storage do not go together in a data center.',
  },
  DOMAIN_ONE_OF_TYPE: {
    status: 409,
    text: 'Cannot {action} Storage. The data center has a storage domain of type {domainType} already: {name}.',
  },
  DOMAIN_HAS_TASKS: {
    status: 409,
    text: 'Cannot {action} Storage. Work is going on with disks on it: {names}.',
  },
  DOMAIN_HAS_ISO_IN_USE: {
    status: 409,
    text: 'Cannot {action} Storage. VMs that run have a file of it in their CD drive: {names}.',
  },
  DOMAIN_HAS_LEASES: {
    status: 409,
    text: 'Cannot {action} Storage. VMs that run have their lease on it: {names}.',
  },
  DOMAIN_HAS_PROTECTED_VMS: {
    status: 409,
    text: 'Cannot {action} Storage. VMs or templates with disks on it are protected from deletion: {names}.',
  },
  DOMAIN_HAS_POOL_VMS: {
    status: 409,
    text: 'Cannot {action} Storage. VMs of pools have disks on it: {names}.',
  },
  DOMAIN_HAS_PREVIEWS: {
    status: 409,
    text: 'Cannot {action} Storage. VMs with disks on it preview a snapshot: {names}.',
  },
  DOMAIN_NEEDS_NO_OTHER_WORK: {
    status: 409,
    text: 'Cannot {action} Storage. Another storage domain of the data center is in process: {names}.',
  },
  MASTER_WITH_NON_DATA_DOMAINS: {
    status: 409,
    text: 'Cannot {action} Storage. It is the master, and storage domains that are no data domains are active: {names}.',
  },
  MASTER_NOT_ACTIVE: {
    status: 409,
    text: 'Cannot {action} Storage. The master storage domain of the data center is not active.',
  },
  MASTER_WITHOUT_SUCCESSOR: {
    status: 409,
    text: 'Cannot {action} Storage. It is the master, and no other data domain of the data center is active.',
  },
  MASTER_ALREADY: {
    status: 409,
    text: 'Cannot {action} Data Center. Storage domain {name} is the master already.',
  },
  MASTER_MUST_BE_ACTIVE: {
    status: 409,
    text: 'Cannot {action} Data Center. Storage domain {name} is {status}; the master must be active.',
  },
  MASTER_MUST_BE_DATA: {
    status: 400,
    text: 'Cannot {action} Data Center. Storage domain {name} is of type {domainType}; the master must be a data domain.',
  },
  DOMAIN_NOT_IN_DATA_CENTER: {
    status: 409,
    text: 'Cannot {action} {type}. Storage domain {name} is not attached to the data center.',
  },

  LEVEL_UNSUPPORTED: {
    status: 400,
    text: 'Cannot {action} Data Center. Compatibility level {level} is not supported; {levels} are.',
  },
  LEVEL_CANNOT_DECREASE: {
    status: 400,
    text: 'Cannot {action} Data Center. Its compatibility level cannot be lowered to {level}.',
  },
  LEVEL_ABOVE_CLUSTERS: {
    status: 400,
    text: 'Cannot {action} Data Center. These clusters are below level {level}: {names}.',
  },
  DATA_CENTER_TOO_LARGE_FOR_LOCAL: {
    status: 400,
    text: 'Cannot {action} Data Center. With local storage it can have one cluster with one host only.',
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
  DISK_NOT_REDUCIBLE: {
    status: 400,
    text: 'Cannot {action} Virtual Disk. Only thin disks (cow) on block storage can give room back.',
  },
  DISK_IS_READ_ONLY: {
    status: 409,
    text: 'Cannot {action} Virtual Disk. It is attached to VM {vm} for reading only.',
  },
  QUOTA_ELSEWHERE: {
    status: 400,
    text: 'Cannot {action} Virtual Disk. Quota {name} belongs to another data center.',
  },
  QUOTA_NOT_A_CONSUMER: {
    status: 403,
    text: 'Cannot {action}. The user may not consume quota {name}.',
  },
  QUOTA_EXCEEDED: {
    status: 409,
    text: 'Cannot {action}. Quota {name} allows {limit} of {what} and some grace; {used} would be used.',
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
  PROFILE_IS_LAST: {
    status: 400,
    text: 'Cannot {action} Profile. {name} is the last one of its {parent}.',
  },
  PROFILE_IN_USE: {
    status: 400,
    text: 'Cannot {action} Profile. {name} is in use by {users}.',
  },
  PROFILE_PARENT_FIXED: {
    status: 400,
    text: 'Cannot {action} Profile. Its {parent} cannot be changed.',
  },
  QOS_DOES_NOT_FIT: {
    status: 400,
    text: 'Cannot {action} Profile. QoS {name} is not of type {type} or belongs to another data center.',
  },
  QOS_NAME_IN_USE: {
    status: 400,
    text: 'Cannot {action} QoS. There is one of type {type} called {name} already.',
  },
  QOS_NEGATIVE: {
    status: 400,
    text: 'Cannot {action} QoS. {attribute} is {value}; it must not be negative.',
  },
  QOS_INCOMPLETE: {
    status: 400,
    text: 'Cannot {action} QoS. These limits go together or are needed: {missing}.',
  },
  QOS_TOTAL_AND_PARTS: {
    status: 400,
    text: 'Cannot {action} QoS. {total} cannot be set together with {parts}.',
  },
  QOS_PEAK_BELOW_AVERAGE: {
    status: 400,
    text: 'Cannot {action} QoS. The largest {direction} rate must not be below the average or granted one.',
  },
  QUOTA_IS_DEFAULT: {
    status: 400,
    text: 'Cannot {action} Quota. {name} is the default quota of its data center.',
  },
  QUOTA_IN_USE: {
    status: 409,
    text: 'Cannot {action} Quota. {name} is in use by {users}.',
  },
  QUOTA_LIMITS_MIXED: {
    status: 409,
    text: 'Cannot {action} Quota Limit. A quota has one limit for everything, or one for each object.',
  },
  BOND_MEMBER_ILLEGAL: {
    status: 400,
    text: 'Cannot {action} iSCSI Bond. It cannot have {member}: {reason}.',
  },

  PROVIDER_ADDRESS_INVALID: {
    status: 400,
    text: 'Cannot {action} Provider. "{url}" is not the address of a web service (http:// or https://).',
  },
  PROVIDER_NEEDS_CREDENTIALS: {
    status: 400,
    text: 'Cannot {action} Provider. With requires_authentication it needs a username and a password.',
  },

  REGISTERED_ALREADY: {
    status: 409,
    text: 'Cannot {action} {name}. It is in the inventory already; make a clone of it instead.',
  },
  DISKS_MISSING: {
    status: 409,
    text: 'Cannot {action} {name}. Disks of it are not there: {names}. It comes without them with allow_partial_import.',
  },

  UNITS_IN_USE: {
    status: 409,
    text: 'Cannot {action} {type}. Logical units are in use already: {units}.',
  },
  UNITS_NOT_THERE: {
    status: 400,
    text: 'Cannot {action} Storage. These logical units are not part of it: {units}.',
  },
  UNITS_ALL: {
    status: 400,
    text: 'Cannot {action} Storage. At least one logical unit must remain.',
  },
  UNITS_WITH_METADATA: {
    status: 400,
    text: 'Cannot {action} Storage. Logical unit {unit} holds its metadata and must remain.',
  },
} as const satisfies Readonly<Record<string, { status: number; text: string }>>;
