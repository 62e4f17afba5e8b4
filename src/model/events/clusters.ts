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
    text: 'Quota {ObjectName} was added by {UserName}.',
  },
  3002: {
    name: 'QUOTA_UPDATED',
    severity: 'normal',
    text: 'Quota {ObjectName} was updated by {UserName}.',
  },
  3004: {
    name: 'QUOTA_REMOVED',
    severity: 'normal',
    text: 'Quota {ObjectName} was removed by {UserName}.',
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
    name: 'QOS_ADDED',
    severity: 'normal',
    text: 'QoS {ObjectName} was added by {UserName}.',
  },
  10102: {
    name: 'QOS_REMOVED',
    severity: 'normal',
    text: 'QoS {ObjectName} was removed by {UserName}.',
  },
  10104: {
    name: 'QOS_UPDATED',
    severity: 'normal',
    text: 'QoS {ObjectName} was updated by {UserName}.',
  },
} as const satisfies EventTexts;
