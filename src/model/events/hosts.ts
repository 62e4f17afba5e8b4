/** Events about hosts. Words in `{}` are filled in. */
import type { EventTexts } from './notation.ts';

export const hostEvents = {
  13: {
    name: 'HOST_STATUS_SET',
    severity: 'normal',
    text: 'Status of host {HostName} was set to {HostStatus}.',
  },
  15: {
    name: 'HOST_IN_MAINTENANCE',
    severity: 'normal',
    text: 'Host {HostName} is in maintenance.',
  },
  16: {
    name: 'HOST_ACTIVATION_STARTED',
    severity: 'normal',
    text: 'Activation of host {HostName} initiated by {UserName}.',
  },
  42: {
    name: 'HOST_ADDED',
    severity: 'normal',
    text: 'Host {HostName} was added by {UserName}.',
  },
  43: {
    name: 'HOST_UPDATED',
    severity: 'normal',
    text: 'Host {HostName} configuration was updated by {UserName}.',
  },
  44: {
    name: 'HOST_REMOVED',
    severity: 'normal',
    text: 'Host {HostName} was removed by {UserName}.',
  },
  204: {
    name: 'SPM_SELECTED',
    severity: 'normal',
    text: 'Storage Pool Manager runs on Host {HostName} (data center {DataCenterName}).',
  },
  504: {
    name: 'HOST_INSTALLED',
    severity: 'normal',
    text: 'Host {HostName} installation was finished.',
  },
  600: {
    name: 'HOST_TO_MAINTENANCE_WITH_REASON',
    severity: 'normal',
    text: 'Host {HostName} was switched to maintenance mode by {UserName}{Reason}.',
  },
  620: {
    name: 'HOST_TO_MAINTENANCE',
    severity: 'normal',
    text: 'Host {HostName} was switched to maintenance mode by {UserName}.',
  },
  12: {
    name: 'HOST_NON_RESPONSIVE',
    severity: 'error',
    text: 'Host {HostName} is non responsive.',
  },
  14: {
    name: 'HOST_REBOOTING',
    severity: 'normal',
    text: 'Host {HostName} is rebooting.',
  },
  17: {
    name: 'HOST_MAINTENANCE_FAILED',
    severity: 'error',
    text: 'Host {HostName} cannot go to maintenance yet: {Reason}',
  },
  18: {
    name: 'HOST_ACTIVATION_FAILED',
    severity: 'error',
    text: 'Activation of host {HostName} failed: {Reason}',
  },
  20: {
    name: 'HOST_FENCED_ON',
    severity: 'normal',
    text: 'Host {HostName} was started by {UserName}.',
  },
  21: {
    name: 'HOST_FENCED_OFF',
    severity: 'normal',
    text: 'Host {HostName} was stopped by {UserName}.',
  },
  41: {
    name: 'HOST_RESTARTED',
    severity: 'normal',
    text: 'Host {HostName} was restarted by {UserName}.',
  },
  159: {
    name: 'SPM_FORCED',
    severity: 'normal',
    text: 'Host {HostName} was selected as Storage Pool Manager by {UserName}.',
  },
  494: {
    name: 'HOST_MANUAL_FENCE',
    severity: 'normal',
    text: 'Manual fence of host {HostName} was started by {UserName}.',
  },
  496: {
    name: 'HOST_FENCE_STATUS',
    severity: 'normal',
    text: 'Power management of host {HostName} answers: {PowerStatus}.',
  },
  498: {
    name: 'HOST_APPROVED',
    severity: 'normal',
    text: 'Host {HostName} was approved by {UserName}.',
  },
  509: {
    name: 'HOST_INSTALLING',
    severity: 'normal',
    text: 'Installing host {HostName}.',
  },
  513: {
    name: 'HOST_VMS_UNKNOWN',
    severity: 'error',
    text: 'Host {HostName} cannot be reached; the state of its VMs is unknown.',
  },
  517: {
    name: 'HOST_NON_OPERATIONAL',
    severity: 'normal',
    text: 'Host {HostName} moved to non-operational state.',
  },
  519: {
    name: 'HOST_LACKS_NETWORKS',
    severity: 'warning',
    text: 'Host {HostName} does not have these required networks of cluster {ClusterName}: {Networks}.',
  },
  606: {
    name: 'HOST_REFRESHED',
    severity: 'normal',
    text: 'Capabilities of host {HostName} were refreshed by {UserName}.',
  },
  840: {
    name: 'HOST_UPGRADE_STARTED',
    severity: 'normal',
    text: 'Upgrade of host {HostName} was started by {UserName}.',
  },
  842: {
    name: 'HOST_UPGRADED',
    severity: 'normal',
    text: 'Upgrade of host {HostName} was finished.',
  },
  844: {
    name: 'HOST_UPDATES_AVAILABLE',
    severity: 'normal',
    text: 'Updates are available for host {HostName}.',
  },
  880: {
    name: 'HOST_CERTIFICATE_STARTED',
    severity: 'normal',
    text: 'Enrolling a certificate for host {HostName} was started by {UserName}.',
  },
  881: {
    name: 'HOST_CERTIFICATE_ENROLLED',
    severity: 'normal',
    text: 'A certificate for host {HostName} was enrolled.',
  },
  884: {
    name: 'HOST_UPDATE_CHECK_STARTED',
    severity: 'normal',
    text: 'Looking for updates of host {HostName} was started.',
  },
  885: {
    name: 'HOST_UPDATES_CHECKED',
    severity: 'normal',
    text: 'Looking for updates of host {HostName} was finished: {Message}.',
  },
  888: {
    name: 'HOST_UPGRADED_REBOOTS',
    severity: 'normal',
    text: 'Upgrade of host {HostName} was finished; it reboots.',
  },
  9000: {
    name: 'FENCING_NOT_CONFIGURED',
    severity: 'alert',
    text: 'Power management of host {HostName} is not configured; it cannot be fenced.',
  },
  9008: {
    name: 'HOST_CONNECTING',
    severity: 'warning',
    text: 'Host {HostName} does not respond; trying to connect.',
  },
  9017: {
    name: 'FENCING_STARTED',
    severity: 'normal',
    text: 'Fencing of host {HostName} was started: {FenceType}.',
  },
  9018: {
    name: 'FENCING_SUCCEEDED',
    severity: 'normal',
    text: 'Fencing of host {HostName} succeeded: {FenceType}.',
  },
  9027: {
    name: 'HOST_CANNOT_BE_FENCED',
    severity: 'warning',
    text: 'Host {HostName} does not respond and cannot be fenced.',
  },
  506: {
    name: 'HA_VM_RESTARTED',
    severity: 'normal',
    text: 'VM {VmName} is highly available and was restarted on host {HostName}.',
  },
  9603: {
    name: 'HA_VM_RESTART_FAILED',
    severity: 'error',
    text: 'VM {VmName} is highly available and could not be restarted: {Reason}',
  },
  4067: {
    name: 'GLUSTER_SERVICE_STARTED',
    severity: 'normal',
    text: 'The Gluster service was started on host {HostName}.',
  },
  4069: {
    name: 'GLUSTER_SERVICE_STOPPED',
    severity: 'normal',
    text: 'The Gluster service was stopped on host {HostName}.',
  },
} as const satisfies EventTexts;
