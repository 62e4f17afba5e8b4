/** Events about networks, and the networks of hosts. Words in `{}` are filled in. */
import type { EventTexts } from './notation.ts';

export const networkEvents = {
  942: {
    name: 'NETWORK_ADDED',
    severity: 'normal',
    text: 'Network {NetworkName} was added to Data Center {DataCenterName} by {UserName}.',
  },
  944: {
    name: 'NETWORK_REMOVED',
    severity: 'normal',
    text: 'Network {NetworkName} was removed from Data Center {DataCenterName} by {UserName}.',
  },
  1114: {
    name: 'NETWORK_UPDATED',
    severity: 'normal',
    text: 'Network {NetworkName} was updated on Data Center {DataCenterName} by {UserName}.',
  },
  1122: {
    name: 'VNIC_PROFILE_ADDED',
    severity: 'normal',
    text: 'VM network interface profile {ObjectName} was added.',
  },
  1124: {
    name: 'VNIC_PROFILE_UPDATED',
    severity: 'normal',
    text: 'VM network interface profile {ObjectName} was updated.',
  },
  1126: {
    name: 'VNIC_PROFILE_REMOVED',
    severity: 'normal',
    text: 'VM network interface profile {ObjectName} was removed.',
  },
  946: {
    name: 'NETWORK_ATTACHED_TO_CLUSTER',
    severity: 'normal',
    text: 'Network {NetworkName} was attached to Cluster {ClusterName}.',
  },
  948: {
    name: 'NETWORK_DETACHED_FROM_CLUSTER',
    severity: 'normal',
    text: 'Network {NetworkName} was detached from Cluster {ClusterName}.',
  },
  1112: {
    name: 'CLUSTER_NETWORK_UPDATED',
    severity: 'normal',
    text: 'Network {NetworkName} was updated on Cluster {ClusterName}.',
  },
  1100: {
    name: 'DISPLAY_NETWORK_CHANGED',
    severity: 'normal',
    text: 'Network {NetworkName} is the display network of Cluster {ClusterName}.',
  },
  1104: {
    name: 'HOST_NETWORKS_SAVED',
    severity: 'normal',
    text: 'The network configuration of host {HostName} was saved.',
  },
  1132: {
    name: 'NETWORK_LABELED',
    severity: 'normal',
    text: 'Network {NetworkName} has the label {Label}.',
  },
  1134: {
    name: 'NETWORK_UNLABELED',
    severity: 'normal',
    text: 'Network {NetworkName} lost the label {Label}.',
  },
  1146: {
    name: 'HOST_NETWORKS_CHANGED',
    severity: 'normal',
    text: '({Sequence}/{Total}): Changes of networks were applied on host {HostName}, by {UserName}.',
  },
  1147: {
    name: 'HOST_NETWORKS_REVERTED',
    severity: 'error',
    text: 'Changes of networks on host {HostName} were undone: {Reason}',
  },
  9421: {
    name: 'NETWORK_ADD_STARTED',
    severity: 'normal',
    text: 'Adding network {NetworkName} to Data Center {DataCenterName} was started by {UserName}.',
  },
  9423: {
    name: 'NETWORK_ADD_NO_HOST',
    severity: 'normal',
    text: 'Adding network {NetworkName}: no host is affected.',
  },
  1140: {
    name: 'SUBNET_REMOVED',
    severity: 'normal',
    text: 'Subnet {ObjectName} was removed by {UserName}.',
  },
  1142: {
    name: 'SUBNET_ADDED',
    severity: 'normal',
    text: 'Subnet {ObjectName} was added by {UserName}.',
  },
  1201: {
    name: 'VIRTUAL_FUNCTIONS_CHANGED',
    severity: 'normal',
    text: 'The virtual functions of interface {NicName} on host {HostName} were configured by {UserName}.',
  },
  1203: {
    name: 'VIRTUAL_FUNCTIONS_NETWORK_ADDED',
    severity: 'normal',
    text: 'Network {NetworkName} was allowed on the virtual functions of interface {HostNicName} on host {HostName} by {UserName}.',
  },
  1205: {
    name: 'VIRTUAL_FUNCTIONS_NETWORK_REMOVED',
    severity: 'normal',
    text: 'Network {NetworkName} is no longer allowed on the virtual functions of interface {HostNicName} on host {HostName}.',
  },
  1207: {
    name: 'VIRTUAL_FUNCTIONS_LABEL_ADDED',
    severity: 'normal',
    text: 'Label {Label} was allowed on the virtual functions of interface {HostNicName} on host {HostName} by {UserName}.',
  },
  1209: {
    name: 'VIRTUAL_FUNCTIONS_LABEL_REMOVED',
    severity: 'normal',
    text: 'Label {Label} is no longer allowed on the virtual functions of interface {HostNicName} on host {HostName}.',
  },
  10700: {
    name: 'MAC_POOL_ADDED',
    severity: 'normal',
    text: 'MAC pool {ObjectName} was added by {UserName}.',
  },
  10702: {
    name: 'MAC_POOL_UPDATED',
    severity: 'normal',
    text: 'MAC pool {ObjectName} was updated by {UserName}.',
  },
  10704: {
    name: 'MAC_POOL_REMOVED',
    severity: 'normal',
    text: 'MAC pool {ObjectName} was removed by {UserName}.',
  },
  9442: {
    name: 'NETWORK_REMOVE_STARTED',
    severity: 'normal',
    text: 'Removing network {NetworkName} from Data Center {DataCenterName} was initiated by {UserName}.',
  },
  9444: {
    name: 'NETWORK_REMOVE_NO_HOST',
    severity: 'normal',
    text: 'Network {NetworkName} was removed from Data Center {DataCenterName}; no host was affected.',
  },
} as const satisfies EventTexts;
