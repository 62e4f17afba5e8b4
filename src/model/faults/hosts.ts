/** Faults of hosts. */
import type { FaultTexts } from '../notation/faults.ts';

export const hostFaults = {
  HOST_ALREADY_UP: { status: 409, text: 'Cannot {action} Host. The host is already up.' },
  HOST_NON_RESPONSIVE: { status: 409, text: 'Cannot {action} Host. The host does not respond.' },
  HOST_STATUS_ILLEGAL: {
    status: 409,
    text: 'Cannot {action} Host. The host is in status {status}, in which this is not possible.',
  },
  HOST_STATUS_MUST_BE: {
    status: 409,
    text: 'Cannot {action} Host. The host is in status {status}; it must be one of: {allowed}.',
  },
  HOST_NEVER_REACHED: {
    status: 409,
    text: 'Cannot {action} Host. It has no hardware id: it was never installed.',
  },
  HOST_ADDRESS_IN_USE: {
    status: 409,
    text: 'Cannot {action} Host. Host {name} has the address {address} already.',
  },
  HOST_ADDRESS_INVALID: {
    status: 400,
    text: 'Cannot {action} Host. "{address}" is neither a host name nor an IP address.',
  },
  HOST_ADDRESS_FIXED: {
    status: 400,
    text: 'Cannot {action} Host. The address can only be changed while installation has failed.',
  },
  HOST_PORT_NEEDS_INSTALL: {
    status: 400,
    text: 'Cannot {action} Host. The port is changed by installing the host again.',
  },
  HOST_STATUS_NOT_VALID_FOR_UPDATE: {
    status: 409,
    text: 'Cannot {action} Host. {attributes} cannot be changed while the host is {status}; switch it to maintenance first.',
  },
  HOST_PASSWORD_EMPTY: {
    status: 400,
    text: 'Cannot {action} Host. Installing with a password needs one (root_password); or use a public key (ssh.authentication_method).',
  },
  HOST_LOCAL_STORAGE_TAKEN: {
    status: 400,
    text: 'Cannot {action} Host. A data center with local storage has one host at most.',
  },
  HOST_ENGINE_BOTH: {
    status: 400,
    text: 'Cannot {action} Host. The self-hosted engine cannot be deployed and undeployed in one operation.',
  },
  HOST_OTHER_ARCHITECTURE: {
    status: 409,
    text: 'Cannot {action} Host. Its architecture is not that of cluster {cluster}.',
  },
  HOST_CANNOT_BE_APPROVED: {
    status: 409,
    text: 'Cannot {action} Host. The host is in status {status}; only a host that awaits approval can be approved.',
  },
  HOST_CANNOT_BE_INSTALLED: {
    status: 409,
    text: 'Cannot {action} Host. The host is in status {status}; switch it to maintenance first.',
  },
  HOST_CANNOT_BE_UPGRADED: {
    status: 409,
    text: 'Cannot {action} Host. A host in status {status} cannot be upgraded.',
  },
  HOST_CANNOT_CHECK_UPGRADE: {
    status: 409,
    text: 'Cannot {action} Host. The host cannot check for updates in status {status}.',
  },
  HOST_HAS_NO_UPDATES: {
    status: 409,
    text: 'Cannot {action} Host. No updates are available; check for updates with upgradecheck.',
  },
  HOST_CANNOT_ENROLL_CERTIFICATE: {
    status: 409,
    text: 'Cannot {action} Host. The host is in status {status}; a certificate is enrolled in maintenance.',
  },

  HOST_ALREADY_IN_MAINTENANCE: {
    status: 409,
    text: 'Cannot {action} Host. The host is already in maintenance.',
  },
  HOST_CANNOT_BE_MAINTAINED: {
    status: 409,
    text: 'Cannot {action} Host. The host is in status {status}, from which it cannot go to maintenance.',
  },
  HOST_RUNS_VMS: {
    status: 409,
    text: 'Cannot {action} Host. VMs run on it and no other host of the cluster is up: {names}.',
  },
  HOST_RUNS_PINNED_VMS: {
    status: 409,
    text: 'Cannot {action} Host. Host {name} runs VMs that cannot migrate: {names}.',
  },
  HOST_RUNS_IMMOVABLE_VM: {
    status: 409,
    text: 'Cannot {action} Host. VM {vm} cannot migrate: {detail}.',
  },
  HOST_LOST_WITH_VMS: {
    status: 409,
    text: 'Cannot {action} Host. The host does not respond and VMs run on it: {names}. Confirm that it was rebooted (fence manual) first.',
  },
  HOST_LOST_AS_SPM: {
    status: 409,
    text: 'Cannot {action} Host. The host does not respond and is the storage pool manager. Confirm that it was rebooted (fence manual) first.',
  },
  HOST_IS_BUSY_SPM: {
    status: 409,
    text: 'Cannot {action} Host. It is the storage pool manager and works on disks: {names}.',
  },
  HOST_IS_CONTENDING_SPM: {
    status: 409,
    text: 'Cannot {action} Host. It is about to become the storage pool manager.',
  },
  HOST_HAS_TRANSFERS: {
    status: 409,
    text: 'Cannot {action} Host. Image transfers run on it.',
  },
  HOST_RUNS_AFFINE_VMS: {
    status: 409,
    text: 'Cannot {action} Host. VMs on it must stay together (affinity group {group}): {names}.',
  },
  HOST_GLUSTER_NOT_SUPPORTED: {
    status: 400,
    text: 'Cannot {action} Host. Its cluster has no Gluster service that could be stopped.',
  },
  HOST_GLUSTER_QUORUM: {
    status: 409,
    text: 'Cannot {action} Host. Without it these volumes have no quorum: {names}.',
  },

  HOST_CANNOT_BE_REMOVED: {
    status: 409,
    text: 'Cannot {action} Host. The host is in status {status}; move it to maintenance first.',
  },
  HOST_HAS_VMS: { status: 409, text: 'Cannot {action} Host. VMs run on it: {names}.' },
  HOST_HAS_PINNED_VMS: {
    status: 409,
    text: 'Cannot {action} Host. VMs are pinned to it: {names}.',
  },
  HOST_HAS_LOCAL_STORAGE: {
    status: 409,
    text: 'Cannot {action} Host. Its data center has local storage domains: {names}.',
  },
  HOST_HAS_BRICKS: {
    status: 409,
    text: 'Cannot {action} Host. Bricks of Gluster volumes lie on it: {names}.',
  },
  HOST_HAS_ASSIGNED_DEVICES: {
    status: 409,
    text: 'Cannot {action} Host. Its devices are assigned to VMs: {names}.',
  },

  SPM_HOST_NOT_UP: {
    status: 409,
    text: 'Cannot {action} Host. The storage pool manager must be up; the host is {status}.',
  },
  SPM_WITHOUT_DATA_CENTER: {
    status: 409,
    text: 'Cannot {action} Host. Its cluster belongs to no data center.',
  },
  SPM_ALREADY: {
    status: 409,
    text: 'Cannot {action} Host. It is the storage pool manager already, or about to be.',
  },
  SPM_NEVER: {
    status: 400,
    text: 'Cannot {action} Host. Its priority of -1 says that it is never the storage pool manager.',
  },
  SPM_IS_BUSY: {
    status: 409,
    text: 'Cannot {action} Host. The storage pool manager works on disks: {names}.',
  },
  SPM_WITHOUT_VIRT: {
    status: 400,
    text: 'Cannot {action} Host. Its cluster runs no VMs (virt_service).',
  },

  FENCING_DISABLED: {
    status: 409,
    text: 'Cannot {action} Host. Power management is not enabled for it, or it has no fence agent.',
  },
  FENCING_WITHOUT_PROXY: {
    status: 409,
    text: 'Cannot {action} Host. No other host is up that could reach its fence agents.',
  },
  FENCING_TOO_SOON: {
    status: 409,
    text: 'Cannot {action} Host. It was fenced less than {seconds} seconds ago.',
  },
  HOST_CANNOT_BE_FENCED_ON: {
    status: 409,
    text: 'Cannot {action} Host. A host in status {status} is not switched on.',
  },
  HOST_CANNOT_BE_FENCED_OFF: {
    status: 409,
    text: 'Cannot {action} Host. A host in status {status} is not switched off; move it to maintenance first.',
  },
  HOST_CONNECTION_INTERMITTENT: {
    status: 409,
    text: 'Cannot {action} Host. The connection to it is intermittent; wait until it is lost or back.',
  },
  FENCING_WITHOUT_AGENT: {
    status: 400,
    text: 'Cannot {action} Host. Power management cannot be enabled without a fence agent; add one first.',
  },
  FENCE_AGENT_UNKNOWN: {
    status: 409,
    text: 'Cannot {action} fence agent. "{agent}" is not one of: {allowed}.',
  },
  FENCE_AGENT_LAST: {
    status: 400,
    text: 'Cannot {action} fence agent. It is the last one of a host with power management enabled.',
  },
} as const satisfies FaultTexts;
