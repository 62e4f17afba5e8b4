/** Events of hosts. */
import type { EventTexts } from '../notation/events.ts';

export const hostEvents = {
  HOST_STATUS_SET: {
    code: 13,
    severity: 'normal',
    text: 'Status of host {HostName} was set to {HostStatus}.',
  },
  HOST_IN_MAINTENANCE: {
    code: 15,
    severity: 'normal',
    text: 'Host {HostName} is in maintenance.',
  },
  HOST_ACTIVATION_STARTED: {
    code: 16,
    severity: 'normal',
    text: 'Activation of host {HostName} initiated by {UserName}.',
  },
  HOST_ADDED: {
    code: 42,
    severity: 'normal',
    text: 'Host {HostName} was added by {UserName}.',
  },
  HOST_UPDATED: {
    code: 43,
    severity: 'normal',
    text: 'Host {HostName} configuration was updated by {UserName}.',
  },
  HOST_REMOVED: {
    code: 44,
    severity: 'normal',
    text: 'Host {HostName} was removed by {UserName}.',
  },
  SPM_SELECTED: {
    code: 204,
    severity: 'normal',
    text: 'Storage Pool Manager runs on Host {HostName} (data center {DataCenterName}).',
  },
  HOST_INSTALLED: {
    code: 504,
    severity: 'normal',
    text: 'Host {HostName} installation was finished.',
  },
  HOST_TO_MAINTENANCE_WITH_REASON: {
    code: 600,
    severity: 'normal',
    text: 'Host {HostName} was switched to maintenance mode by {UserName}{Reason}.',
  },
  HOST_TO_MAINTENANCE: {
    code: 620,
    severity: 'normal',
    text: 'Host {HostName} was switched to maintenance mode by {UserName}.',
  },
  HOST_NON_RESPONSIVE: {
    code: 12,
    severity: 'error',
    text: 'Host {HostName} is non responsive.',
  },
  HOST_REBOOTING: {
    code: 14,
    severity: 'normal',
    text: 'Host {HostName} is rebooting.',
  },
  HOST_MAINTENANCE_FAILED: {
    code: 17,
    severity: 'error',
    text: 'Host {HostName} cannot go to maintenance yet: {Reason}',
  },
  HOST_ACTIVATION_FAILED: {
    code: 18,
    severity: 'error',
    text: 'Activation of host {HostName} failed: {Reason}',
  },
  HOST_FENCED_ON: {
    code: 20,
    severity: 'normal',
    text: 'Host {HostName} was started by {UserName}.',
  },
  HOST_FENCED_OFF: {
    code: 21,
    severity: 'normal',
    text: 'Host {HostName} was stopped by {UserName}.',
  },
  HOST_RESTARTED: {
    code: 41,
    severity: 'normal',
    text: 'Host {HostName} was restarted by {UserName}.',
  },
  SPM_FORCED: {
    code: 159,
    severity: 'normal',
    text: 'Host {HostName} was selected as Storage Pool Manager by {UserName}.',
  },
  HOST_MANUAL_FENCE: {
    code: 494,
    severity: 'normal',
    text: 'Manual fence of host {HostName} was started by {UserName}.',
  },
  HOST_FENCE_STATUS: {
    code: 496,
    severity: 'normal',
    text: 'Power management of host {HostName} answers: {PowerStatus}.',
  },
  HOST_APPROVED: {
    code: 498,
    severity: 'normal',
    text: 'Host {HostName} was approved by {UserName}.',
  },
  HOST_INSTALLING: {
    code: 509,
    severity: 'normal',
    text: 'Installing host {HostName}.',
  },
  HOST_VMS_UNKNOWN: {
    code: 513,
    severity: 'error',
    text: 'Host {HostName} cannot be reached; the state of its VMs is unknown.',
  },
  HOST_NON_OPERATIONAL: {
    code: 517,
    severity: 'normal',
    text: 'Host {HostName} moved to non-operational state.',
  },
  HOST_LACKS_NETWORKS: {
    code: 519,
    severity: 'warning',
    text: 'Host {HostName} does not have these required networks of cluster {ClusterName}: {Networks}.',
  },
  HOST_REFRESHED: {
    code: 606,
    severity: 'normal',
    text: 'Capabilities of host {HostName} were refreshed by {UserName}.',
  },
  HOST_UPGRADE_STARTED: {
    code: 840,
    severity: 'normal',
    text: 'Upgrade of host {HostName} was started by {UserName}.',
  },
  HOST_UPGRADED: {
    code: 842,
    severity: 'normal',
    text: 'Upgrade of host {HostName} was finished.',
  },
  HOST_UPDATES_AVAILABLE: {
    code: 844,
    severity: 'normal',
    text: 'Updates are available for host {HostName}.',
  },
  HOST_CERTIFICATE_STARTED: {
    code: 880,
    severity: 'normal',
    text: 'Enrolling a certificate for host {HostName} was started by {UserName}.',
  },
  HOST_CERTIFICATE_ENROLLED: {
    code: 881,
    severity: 'normal',
    text: 'A certificate for host {HostName} was enrolled.',
  },
  HOST_UPDATE_CHECK_STARTED: {
    code: 884,
    severity: 'normal',
    text: 'Looking for updates of host {HostName} was started.',
  },
  HOST_UPDATES_CHECKED: {
    code: 885,
    severity: 'normal',
    text: 'Looking for updates of host {HostName} was finished: {Message}.',
  },
  HOST_UPGRADED_REBOOTS: {
    code: 888,
    severity: 'normal',
    text: 'Upgrade of host {HostName} was finished; it reboots.',
  },
  FENCING_NOT_CONFIGURED: {
    code: 9000,
    severity: 'alert',
    text: 'Power management of host {HostName} is not configured; it cannot be fenced.',
  },
  HOST_CONNECTING: {
    code: 9008,
    severity: 'warning',
    text: 'Host {HostName} does not respond; trying to connect.',
  },
  FENCING_STARTED: {
    code: 9017,
    severity: 'normal',
    text: 'Fencing of host {HostName} was started: {FenceType}.',
  },
  FENCING_SUCCEEDED: {
    code: 9018,
    severity: 'normal',
    text: 'Fencing of host {HostName} succeeded: {FenceType}.',
  },
  HOST_CANNOT_BE_FENCED: {
    code: 9027,
    severity: 'warning',
    text: 'Host {HostName} does not respond and cannot be fenced.',
  },
  HA_VM_RESTARTED: {
    code: 506,
    severity: 'normal',
    text: 'VM {VmName} is highly available and was restarted on host {HostName}.',
  },
  HA_VM_RESTART_FAILED: {
    code: 9603,
    severity: 'error',
    text: 'VM {VmName} is highly available and could not be restarted: {Reason}',
  },
  GLUSTER_SERVICE_STARTED: {
    code: 4067,
    severity: 'normal',
    text: 'The Gluster service was started on host {HostName}.',
  },
  GLUSTER_SERVICE_STOPPED: {
    code: 4069,
    severity: 'normal',
    text: 'The Gluster service was stopped on host {HostName}.',
  },
} as const satisfies EventTexts;
