/** Events of networks and host networks. */
import type { EventTexts } from '../notation/events.ts';

export const networkEvents = {
  NETWORK_ADDED: {
    code: 942,
    severity: 'normal',
    text: 'Network {NetworkName} was added to Data Center {DataCenterName} by {UserName}.',
  },
  NETWORK_REMOVED: {
    code: 944,
    severity: 'normal',
    text: 'Network {NetworkName} was removed from Data Center {DataCenterName} by {UserName}.',
  },
  NETWORK_UPDATED: {
    code: 1114,
    severity: 'normal',
    text: 'Network {NetworkName} was updated on Data Center {DataCenterName} by {UserName}.',
  },
  VNIC_PROFILE_ADDED: {
    code: 1122,
    severity: 'normal',
    text: 'VM network interface profile {ObjectName} was added.',
  },
  VNIC_PROFILE_UPDATED: {
    code: 1124,
    severity: 'normal',
    text: 'VM network interface profile {ObjectName} was updated.',
  },
  VNIC_PROFILE_REMOVED: {
    code: 1126,
    severity: 'normal',
    text: 'VM network interface profile {ObjectName} was removed.',
  },
  NETWORK_ATTACHED_TO_CLUSTER: {
    code: 946,
    severity: 'normal',
    text: 'Network {NetworkName} was attached to Cluster {ClusterName}.',
  },
  NETWORK_DETACHED_FROM_CLUSTER: {
    code: 948,
    severity: 'normal',
    text: 'Network {NetworkName} was detached from Cluster {ClusterName}.',
  },
  CLUSTER_NETWORK_UPDATED: {
    code: 1112,
    severity: 'normal',
    text: 'Network {NetworkName} was updated on Cluster {ClusterName}.',
  },
  DISPLAY_NETWORK_CHANGED: {
    code: 1100,
    severity: 'normal',
    text: 'Network {NetworkName} is the display network of Cluster {ClusterName}.',
  },
  HOST_NETWORKS_SAVED: {
    code: 1104,
    severity: 'normal',
    text: 'The network configuration of host {HostName} was saved.',
  },
  NETWORK_LABELED: {
    code: 1132,
    severity: 'normal',
    text: 'Network {NetworkName} has the label {Label}.',
  },
  NETWORK_UNLABELED: {
    code: 1134,
    severity: 'normal',
    text: 'Network {NetworkName} lost the label {Label}.',
  },
  HOST_NETWORKS_CHANGED: {
    code: 1146,
    severity: 'normal',
    text: '({Sequence}/{Total}): Changes of networks were applied on host {HostName}, by {UserName}.',
  },
  HOST_NETWORKS_REVERTED: {
    code: 1147,
    severity: 'error',
    text: 'Changes of networks on host {HostName} were undone: {Reason}',
  },
  NETWORK_ADD_STARTED: {
    code: 9421,
    severity: 'normal',
    text: 'Adding network {NetworkName} to Data Center {DataCenterName} was started by {UserName}.',
  },
  NETWORK_ADD_NO_HOST: {
    code: 9423,
    severity: 'normal',
    text: 'Adding network {NetworkName}: no host is affected.',
  },
  SUBNET_REMOVED: {
    code: 1140,
    severity: 'normal',
    text: 'Subnet {ObjectName} was removed by {UserName}.',
  },
  SUBNET_ADDED: {
    code: 1142,
    severity: 'normal',
    text: 'Subnet {ObjectName} was added by {UserName}.',
  },
  VIRTUAL_FUNCTIONS_CHANGED: {
    code: 1201,
    severity: 'normal',
    text: 'The virtual functions of interface {NicName} on host {HostName} were configured by {UserName}.',
  },
  VIRTUAL_FUNCTIONS_NETWORK_ADDED: {
    code: 1203,
    severity: 'normal',
    text: 'Network {NetworkName} was allowed on the virtual functions of interface {HostNicName} on host {HostName} by {UserName}.',
  },
  VIRTUAL_FUNCTIONS_NETWORK_REMOVED: {
    code: 1205,
    severity: 'normal',
    text: 'Network {NetworkName} is no longer allowed on the virtual functions of interface {HostNicName} on host {HostName}.',
  },
  VIRTUAL_FUNCTIONS_LABEL_ADDED: {
    code: 1207,
    severity: 'normal',
    text: 'Label {Label} was allowed on the virtual functions of interface {HostNicName} on host {HostName} by {UserName}.',
  },
  VIRTUAL_FUNCTIONS_LABEL_REMOVED: {
    code: 1209,
    severity: 'normal',
    text: 'Label {Label} is no longer allowed on the virtual functions of interface {HostNicName} on host {HostName}.',
  },
  NETWORK_REMOVE_STARTED: {
    code: 9442,
    severity: 'normal',
    text: 'Removing network {NetworkName} from Data Center {DataCenterName} was initiated by {UserName}.',
  },
  NETWORK_REMOVE_NO_HOST: {
    code: 9444,
    severity: 'normal',
    text: 'Network {NetworkName} was removed from Data Center {DataCenterName}; no host was affected.',
  },
} as const satisfies EventTexts;
