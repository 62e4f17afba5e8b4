/** Faults of quotas, QoS, profiles, iSCSI bonds and providers. */
export const limitFaults = {
  QUOTA_ELSEWHERE: {
    status: 400,
    text: 'Cannot {action} Virtual Disk. Quota {name} belongs to another data center.',
  },
  QUOTA_UNUSABLE: {
    status: 400,
    text: 'Cannot {action} VM. Quota {name} has no limit for clusters, or belongs to another data center.',
  },
  STORAGE_QUOTA_UNUSABLE: {
    status: 400,
    text: 'Cannot {action} Virtual Disk. Quota {name} has no limit for storage.',
  },
  QUOTA_NOT_A_CONSUMER: {
    status: 403,
    text: 'Cannot {action}. The user may not consume quota {name}.',
  },
  QUOTA_EXCEEDED: {
    status: 409,
    text: 'Cannot {action} {type}. Quota {name} allows {limit} {what} and some grace; {used} would be used.',
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
    text: 'Cannot {action} QoS. A quality of service entry of type {type} is already named {name}.',
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
  PROVIDER_ADDRESS_IN_USE: {
    status: 400,
    text: 'Cannot {action} Provider. Another image provider has the address {url}.',
  },
  PROVIDER_UNREACHABLE: {
    status: 400,
    text: 'Cannot {action} Provider. No response from {url}, the address of {name}.',
  },
  CERTIFICATE_INVALID: {
    status: 400,
    text: 'Cannot {action} certificates. One of them is no X.509 certificate in PEM or base64 form.',
  },
  PROVIDER_NEEDS_CREDENTIALS: {
    status: 400,
    text: 'Cannot {action} Provider. With requires_authentication it needs a username and a password.',
  },
} as const satisfies Readonly<Record<string, { status: number; text: string }>>;
