/** Faults of users, groups, roles, tags and scheduling policies. */
import type { FaultTexts } from '../notation/faults.ts';

export const identityFaults = {
  DOMAIN_UNKNOWN: {
    status: 400,
    text: 'Cannot {action} user or group. The domain does not exist.',
  },
  SSH_KEY_INVALID: {
    status: 400,
    text: 'Cannot {action} SSH key. It is no public key in the form of OpenSSH.',
  },
  USER_OPTION_NOT_JSON: {
    status: 400,
    text: 'Cannot {action} user option. Its content is no JSON document.',
  },
  NOT_IN_DIRECTORY: {
    status: 404,
    text: 'Cannot {action} {type}. The directory of {domain} has no entry called {name}.',
  },
  USER_IS_ADMINISTRATOR: {
    status: 409,
    text: 'Cannot {action} User. The administrator of the service cannot be removed.',
  },
  USER_EXISTS: { status: 400, text: 'Cannot {action} User. {name} exists already.' },
  USER_IS_CALLER: { status: 409, text: 'Cannot {action} User. Users cannot remove themselves.' },
  PROFILE_IS_FULL: {
    status: 409,
    text: 'Cannot {action} {type}. The user has {max} of them, as many as a user can have; remove one first.',
  },
  PROFILE_OBJECT_TOO_LARGE: {
    status: 413,
    text: 'Cannot {action} {type}. It takes {bytes} bytes; at most {max} are allowed.',
  },
  PROFILE_TOO_LARGE: {
    status: 413,
    text: 'Cannot {action} {type}. The profile of the user would take more than {max} bytes; remove something first.',
  },
  GROUP_IS_BUILT_IN: {
    status: 409,
    text: 'Cannot {action} Group. Everyone is built in and stays.',
  },
  ROLE_WITHOUT_PERMITS: { status: 400, text: 'Cannot {action} Role. It needs permits.' },
  ROLE_IS_READ_ONLY: {
    status: 409,
    text: 'Cannot {action} Role. Roles that come with the service do not change.',
  },
  ROLE_TYPE_FIXED: {
    status: 400,
    text: 'Cannot {action} Role. Whether it is for administrators does not change.',
  },
  ROLE_PERMIT_OF_ADMINISTRATORS: {
    status: 409,
    text: 'Cannot {action} Role. The permit {permit} is for roles of administrators.',
  },
  PERMISSION_NEEDS_SUPER_USER: {
    status: 403,
    text: 'Cannot {action} Permission. Only a super user of the system gives and takes roles of administrators: {role}.',
  },
  PERMISSION_OF_EVERYONE: {
    status: 409,
    text: 'Cannot {action} Permission. The system permissions of Everyone cannot be removed.',
  },
  TAG_IS_ROOT: { status: 400, text: 'Cannot {action} Tag. The root tag cannot be changed.' },
  TAG_BELOW_ITSELF: {
    status: 409,
    text: 'Cannot {action} Tag. A tag cannot be moved below itself or one of its children.',
  },
  POLICY_UNIT_IS_INTERNAL: {
    status: 409,
    text: 'Cannot {action} Policy Unit {name}. It is a part of the service.',
  },
  POLICY_PROPERTY_UNKNOWN: {
    status: 400,
    text: 'Cannot {action} SchedulingPolicy. The property {name} belongs to none of its units; add the unit first.',
  },
  POLICY_IS_LOCKED: {
    status: 400,
    text: 'Cannot {action} Cluster Policy. {name} comes with the service and does not change.',
  },
  POLICY_UNIT_UNFIT: {
    status: 400,
    text: 'Cannot {action} Policy Unit. {unit} is not a unit that can be a {place}.',
  },
  POLICY_UNIT_TWICE: {
    status: 409,
    text: 'Cannot {action} Policy Unit. The policy has {unit}, or another balance, already.',
  },
} as const satisfies FaultTexts;
