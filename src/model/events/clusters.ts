/** Events of data centers, clusters, affinity groups, quotas and limits. */
import type { EventTexts } from '../notation/events.ts';

export const clusterEvents = {
  CLUSTER_ADDED: {
    code: 809,
    severity: 'normal',
    text: 'Cluster {ClusterName} was added by {UserName}.',
  },
  CLUSTER_UPDATED: {
    code: 811,
    severity: 'normal',
    text: 'Cluster {ClusterName} was updated by {UserName}.',
  },
  CLUSTER_REMOVED: {
    code: 813,
    severity: 'normal',
    text: 'Cluster {ClusterName} was removed by {UserName}.',
  },
  DATA_CENTER_ADDED: {
    code: 950,
    severity: 'normal',
    text: 'Data Center {DataCenterName} was added by {UserName}.',
  },
  DATA_CENTER_UPDATED: {
    code: 952,
    severity: 'normal',
    text: 'Data Center {DataCenterName} was updated by {UserName}.',
  },
  DATA_CENTER_REMOVED: {
    code: 954,
    severity: 'normal',
    text: 'Data Center {DataCenterName} was removed by {UserName}.',
  },
  DATA_CENTER_FORCE_REMOVED: {
    code: 918,
    severity: 'normal',
    text: 'Data Center {DataCenterName} was forcibly removed by {UserName}.',
  },
  DATA_CENTER_PROBLEMATIC: {
    code: 980,
    severity: 'warning',
    text: 'Data Center {DataCenterName} does not respond: its master storage domain or its storage pool manager is missing.',
  },
  DATA_CENTER_UP_AGAIN: {
    code: 10810,
    severity: 'normal',
    text: 'Data Center {DataCenterName} is up again.',
  },
  AFFINITY_GROUP_ADDED: {
    code: 10350,
    severity: 'normal',
    text: 'Affinity Group {ObjectName} was added by {UserName}.',
  },
  AFFINITY_GROUP_UPDATED: {
    code: 10352,
    severity: 'normal',
    text: 'Affinity Group {ObjectName} was updated by {UserName}.',
  },
  AFFINITY_GROUP_REMOVED: {
    code: 10354,
    severity: 'normal',
    text: 'Affinity Group {ObjectName} was removed by {UserName}.',
  },
  AFFINITY_LABEL_ADDED: {
    code: 10380,
    severity: 'normal',
    text: 'Affinity Label {ObjectName} was added by {UserName}.',
  },
  AFFINITY_LABEL_UPDATED: {
    code: 10382,
    severity: 'normal',
    text: 'Affinity Label {ObjectName} was updated by {UserName}.',
  },
  AFFINITY_LABEL_REMOVED: {
    code: 10384,
    severity: 'normal',
    text: 'Affinity Label {ObjectName} was removed by {UserName}.',
  },
  QUOTA_ADDED: {
    code: 3000,
    severity: 'normal',
    text: 'Quota {QuotaName} was added by {UserName}.',
  },
  QUOTA_UPDATED: {
    code: 3002,
    severity: 'normal',
    text: 'Quota {QuotaName} was updated by {UserName}.',
  },
  QUOTA_REMOVED: {
    code: 3004,
    severity: 'normal',
    text: 'Quota {QuotaName} was removed by {UserName}.',
  },
  QUOTA_CLUSTER_GRACE: {
    code: 3006,
    severity: 'warning',
    text: 'Quota {QuotaName} is over its limit, within the grace: {Used} of {Limit} ({Resource}) used after a request of {UserName}.',
  },
  QUOTA_CLUSTER_EXCEEDED: {
    code: 3007,
    severity: 'warning',
    text: 'Quota {QuotaName} is over its limit and the grace: {Used} of {Limit} ({Resource}) used after a request of {UserName}.',
  },
  QUOTA_CLUSTER_THRESHOLD: {
    code: 3008,
    severity: 'warning',
    text: 'Quota {QuotaName} is above its threshold: {Used} of {Limit} ({Resource}) used after a request of {UserName}.',
  },
  QUOTA_STORAGE_GRACE: {
    code: 3009,
    severity: 'warning',
    text: 'Quota {QuotaName} is over its limit, within the grace: {Used} of {Limit} ({Resource}) used after a request of {UserName}.',
  },
  QUOTA_STORAGE_EXCEEDED: {
    code: 3010,
    severity: 'warning',
    text: 'Quota {QuotaName} is over its limit and the grace: {Used} of {Limit} ({Resource}) used after a request of {UserName}.',
  },
  QUOTA_STORAGE_THRESHOLD: {
    code: 3011,
    severity: 'warning',
    text: 'Quota {QuotaName} is above its threshold: {Used} of {Limit} ({Resource}) used after a request of {UserName}.',
  },
  NETWORK_QOS_ADDED: {
    code: 10100,
    severity: 'normal',
    text: 'Network QoS {ObjectName} was added by {UserName}.',
  },
  NETWORK_QOS_REMOVED: {
    code: 10102,
    severity: 'normal',
    text: 'Network QoS {ObjectName} was removed by {UserName}.',
  },
  NETWORK_QOS_UPDATED: {
    code: 10104,
    severity: 'normal',
    text: 'Network QoS {ObjectName} was updated by {UserName}.',
  },
  QOS_ADDED: {
    code: 10110,
    severity: 'normal',
    text: 'QoS {ObjectName} was added by {UserName}.',
  },
  QOS_REMOVED: {
    code: 10112,
    severity: 'normal',
    text: 'QoS {ObjectName} was removed by {UserName}.',
  },
  QOS_UPDATED: {
    code: 10114,
    severity: 'normal',
    text: 'QoS {ObjectName} was updated by {UserName}.',
  },
  CLUSTER_UPGRADE_STARTED: {
    code: 892,
    severity: 'normal',
    text: 'Upgrade of Cluster {ClusterName} was started by {UserName}.',
  },
  CLUSTER_UPGRADE_FINISHED: {
    code: 894,
    severity: 'normal',
    text: 'Upgrade of Cluster {ClusterName} was finished by {UserName}.',
  },
  FINISHED_TASKS_CLEANED: {
    code: 9031,
    severity: 'normal',
    text: 'Finished tasks of Data Center {DataCenterName} were cleaned by {UserName}.',
  },
  CLUSTER_NETWORKS_SYNC_STARTED: {
    code: 10906,
    severity: 'normal',
    text: 'Synchronizing the networks of all hosts of Cluster {ClusterName} was initiated by {UserName}.',
  },
  CLUSTER_NETWORKS_SYNC_NO_HOST: {
    code: 10907,
    severity: 'normal',
    text: 'No host of Cluster {ClusterName} has networks to synchronize.',
  },
  CLUSTER_NETWORKS_SYNCED: {
    code: 10908,
    severity: 'normal',
    text: 'Synchronizing the networks of all hosts of Cluster {ClusterName} has been completed.',
  },
  SCHEDULING_POLICY_ADDED: {
    code: 9910,
    severity: 'normal',
    text: 'Scheduling policy {SchedulingPolicyName} was added by {UserName}.',
  },
  SCHEDULING_POLICY_UPDATED: {
    code: 9912,
    severity: 'normal',
    text: 'Scheduling policy {SchedulingPolicyName} was updated by {UserName}.',
  },
  SCHEDULING_POLICY_REMOVED: {
    code: 9914,
    severity: 'normal',
    text: 'Scheduling policy {SchedulingPolicyName} was removed by {UserName}.',
  },
  DISK_PROFILE_ADDED: {
    code: 10120,
    severity: 'normal',
    text: 'Disk profile {ObjectName} was added by {UserName}.',
  },
  DISK_PROFILE_REMOVED: {
    code: 10122,
    severity: 'normal',
    text: 'Disk profile {ObjectName} was removed by {UserName}.',
  },
  DISK_PROFILE_UPDATED: {
    code: 10124,
    severity: 'normal',
    text: 'Disk profile {ObjectName} was updated by {UserName}.',
  },
  CPU_PROFILE_ADDED: {
    code: 10130,
    severity: 'normal',
    text: 'CPU profile {ObjectName} was added by {UserName}.',
  },
  CPU_PROFILE_REMOVED: {
    code: 10132,
    severity: 'normal',
    text: 'CPU profile {ObjectName} was removed by {UserName}.',
  },
  CPU_PROFILE_UPDATED: {
    code: 10134,
    severity: 'normal',
    text: 'CPU profile {ObjectName} was updated by {UserName}.',
  },
  DATA_CENTER_WITHOUT_HOSTS: {
    code: 10811,
    severity: 'alert',
    text: 'Data Center {DataCenterName} does not respond: none of its hosts reports.',
  },
} as const satisfies EventTexts;
