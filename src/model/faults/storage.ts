/** Faults of storage domains, connections and data centers. */
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
    text: 'Cannot {action} Storage Connection. The service sets these mount options automatically: {options}.',
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
  DOMAIN_ATTACHED_ELSEWHERE: {
    status: 409,
    text: 'Cannot {action} Storage Domain {name}. It belongs to {holder}. Detach it there first.',
  },
  DOMAIN_CONTENTS_HERE: {
    status: 409,
    text: 'Cannot {action} Storage Domain {name}. Disks on it are in the inventory already, on another domain: {names}.',
  },
  DOMAIN_WITHOUT_UNITS: {
    status: 400,
    text: 'Cannot {action} Storage. It needs at least one logical unit (storage.logical_units).',
  },
  DOMAIN_LOCAL_ELSEWHERE: {
    status: 409,
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
  DATA_CENTER_HAS_BUSY_HOSTS: {
    status: 409,
    text: 'Cannot {action} Data Center. By force it goes only when its hosts are in maintenance: {names}.',
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
