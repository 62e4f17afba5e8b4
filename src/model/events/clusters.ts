/** Events of data centers, clusters, and what belongs to them: affinity, quotas, limits. */
import type { EventTexts } from './notation.ts';

export const clusterEvents = {
  809: {
    name: 'CLUSTER_ADDED',
    severity: 'normal',
    text: 'Cluster {ClusterName} was added by {UserName}.',
  },
  811: {
    name: 'CLUSTER_UPDATED',
    severity: 'normal',
    text: 'Cluster {ClusterName} was updated by {UserName}.',
  },
  813: {
    name: 'CLUSTER_REMOVED',
    severity: 'normal',
    text: 'Cluster {ClusterName} was removed by {UserName}.',
  },
  950: {
    name: 'DATA_CENTER_ADDED',
    severity: 'normal',
    text: 'Data Center {DataCenterName} was added by {UserName}.',
  },
  952: {
    name: 'DATA_CENTER_UPDATED',
    severity: 'normal',
    text: 'Data Center {DataCenterName} was updated by {UserName}.',
  },
  954: {
    name: 'DATA_CENTER_REMOVED',
    severity: 'normal',
    text: 'Data Center {DataCenterName} was removed by {UserName}.',
  },
  918: {
    name: 'DATA_CENTER_FORCE_REMOVED',
    severity: 'normal',
    text: 'Data Center {DataCenterName} was forcibly removed by {UserName}.',
  },
  980: {
    name: 'DATA_CENTER_PROBLEMATIC',
    severity: 'warning',
    text: 'Data Center {DataCenterName} does not respond: its master storage domain or its storage pool manager is missing.',
  },
  10810: {
    name: 'DATA_CENTER_UP_AGAIN',
    severity: 'normal',
    text: 'Data Center {DataCenterName} is up again.',
  },
  10350: {
    name: 'AFFINITY_GROUP_ADDED',
    severity: 'normal',
    text: 'Affinity Group {ObjectName} was added by {UserName}.',
  },
  10352: {
    name: 'AFFINITY_GROUP_UPDATED',
    severity: 'normal',
    text: 'Affinity Group {ObjectName} was updated by {UserName}.',
  },
  10354: {
    name: 'AFFINITY_GROUP_REMOVED',
    severity: 'normal',
    text: 'Affinity Group {ObjectName} was removed by {UserName}.',
  },
  10380: {
    name: 'AFFINITY_LABEL_ADDED',
    severity: 'normal',
    text: 'Affinity Label {ObjectName} was added by {UserName}.',
  },
  10382: {
    name: 'AFFINITY_LABEL_UPDATED',
    severity: 'normal',
    text: 'Affinity Label {ObjectName} was updated by {UserName}.',
  },
  10384: {
    name: 'AFFINITY_LABEL_REMOVED',
    severity: 'normal',
    text: 'Affinity Label {ObjectName} was removed by {UserName}.',
  },
  3000: {
    name: 'QUOTA_ADDED',
    severity: 'normal',
    text: 'Quota {QuotaName} was added by {UserName}.',
  },
  3002: {
    name: 'QUOTA_UPDATED',
    severity: 'normal',
    text: 'Quota {QuotaName} was updated by {UserName}.',
  },
  3004: {
    name: 'QUOTA_REMOVED',
    severity: 'normal',
    text: 'Quota {QuotaName} was removed by {UserName}.',
  },
  3006: {
    name: 'QUOTA_CLUSTER_GRACE',
    severity: 'warning',
    text: 'Quota {QuotaName} is over its limit, within the grace: {Used} of {Limit} ({Resource}) used after a request of {UserName}.',
  },
  3007: {
    name: 'QUOTA_CLUSTER_EXCEEDED',
    severity: 'warning',
    text: 'Quota {QuotaName} is over its limit and the grace: {Used} of {Limit} ({Resource}) used after a request of {UserName}.',
  },
  3008: {
    name: 'QUOTA_CLUSTER_THRESHOLD',
    severity: 'warning',
    text: 'Quota {QuotaName} is above its threshold: {Used} of {Limit} ({Resource}) used after a request of {UserName}.',
  },
  3009: {
    name: 'QUOTA_STORAGE_GRACE',
    severity: 'warning',
    text: 'Quota {QuotaName} is over its limit, within the grace: {Used} of {Limit} ({Resource}) used after a request of {UserName}.',
  },
  3010: {
    name: 'QUOTA_STORAGE_EXCEEDED',
    severity: 'warning',
    text: 'Quota {QuotaName} is over its limit and the grace: {Used} of {Limit} ({Resource}) used after a request of {UserName}.',
  },
  3011: {
    name: 'QUOTA_STORAGE_THRESHOLD',
    severity: 'warning',
    text: 'Quota {QuotaName} is above its threshold: {Used} of {Limit} ({Resource}) used after a request of {UserName}.',
  },
  10100: {
    name: 'NETWORK_QOS_ADDED',
    severity: 'normal',
    text: 'Network QoS {ObjectName} was added by {UserName}.',
  },
  10102: {
    name: 'NETWORK_QOS_REMOVED',
    severity: 'normal',
    text: 'Network QoS {ObjectName} was removed by {UserName}.',
  },
  10104: {
    name: 'NETWORK_QOS_UPDATED',
    severity: 'normal',
    text: 'Network QoS {ObjectName} was updated by {UserName}.',
  },
  10110: {
    name: 'QOS_ADDED',
    severity: 'normal',
    text: 'QoS {ObjectName} was added by {UserName}.',
  },
  10112: {
    name: 'QOS_REMOVED',
    severity: 'normal',
    text: 'QoS {ObjectName} was removed by {UserName}.',
  },
  10114: {
    name: 'QOS_UPDATED',
    severity: 'normal',
    text: 'QoS {ObjectName} was updated by {UserName}.',
  },
  892: {
    name: 'CLUSTER_UPGRADE_STARTED',
    severity: 'normal',
    text: 'Upgrade of Cluster {ClusterName} was started by {UserName}.',
  },
  894: {
    name: 'CLUSTER_UPGRADE_FINISHED',
    severity: 'normal',
    text: 'Upgrade of Cluster {ClusterName} was finished by {UserName}.',
  },
  9031: {
    name: 'FINISHED_TASKS_CLEANED',
    severity: 'normal',
    text: 'Finished tasks of Data Center {DataCenterName} were cleaned by {UserName}.',
  },
  10906: {
    name: 'CLUSTER_NETWORKS_SYNC_STARTED',
    severity: 'normal',
    text: 'Synchronizing the networks of all hosts of Cluster {ClusterName} was initiated by {UserName}.',
  },
  10907: {
    name: 'CLUSTER_NETWORKS_SYNC_NO_HOST',
    severity: 'normal',
    text: 'No host of Cluster {ClusterName} has networks to synchronize.',
  },
  10908: {
    name: 'CLUSTER_NETWORKS_SYNCED',
    severity: 'normal',
    text: 'Synchronizing the networks of all hosts of Cluster {ClusterName} has been completed.',
  },
  9910: {
    name: 'SCHEDULING_POLICY_ADDED',
    severity: 'normal',
    text: 'Scheduling policy {SchedulingPolicyName} was added by {UserName}.',
  },
  9912: {
    name: 'SCHEDULING_POLICY_UPDATED',
    severity: 'normal',
    text: 'Scheduling policy {SchedulingPolicyName} was updated by {UserName}.',
  },
  9914: {
    name: 'SCHEDULING_POLICY_REMOVED',
    severity: 'normal',
    text: 'Scheduling policy {SchedulingPolicyName} was removed by {UserName}.',
  },
  10120: {
    name: 'DISK_PROFILE_ADDED',
    severity: 'normal',
    text: 'Disk profile {ObjectName} was added by {UserName}.',
  },
  10122: {
    name: 'DISK_PROFILE_REMOVED',
    severity: 'normal',
    text: 'Disk profile {ObjectName} was removed by {UserName}.',
  },
  10124: {
    name: 'DISK_PROFILE_UPDATED',
    severity: 'normal',
    text: 'Disk profile {ObjectName} was updated by {UserName}.',
  },
  10130: {
    name: 'CPU_PROFILE_ADDED',
    severity: 'normal',
    text: 'CPU profile {ObjectName} was added by {UserName}.',
  },
  10132: {
    name: 'CPU_PROFILE_REMOVED',
    severity: 'normal',
    text: 'CPU profile {ObjectName} was removed by {UserName}.',
  },
  10134: {
    name: 'CPU_PROFILE_UPDATED',
    severity: 'normal',
    text: 'CPU profile {ObjectName} was updated by {UserName}.',
  },
  10811: {
    name: 'DATA_CENTER_WITHOUT_HOSTS',
    severity: 'alert',
    text: 'Data Center {DataCenterName} does not respond: none of its hosts reports.',
  },
} as const satisfies EventTexts;
