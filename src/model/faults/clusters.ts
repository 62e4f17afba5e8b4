/** Faults of data centers and clusters. */
import type { FaultTexts } from '../notation/faults.ts';

export const clusterFaults = {
  CLUSTER_VALUE_MISSING: {
    status: 400,
    text: 'Cannot {action} Cluster. A custom setting has no value: send {attribute}.',
  },
  CLUSTER_IN_MAINTENANCE: {
    status: 409,
    text: 'Cannot {action} VM. Cluster {cluster} is in maintenance: only highly available VMs are started.',
  },
  CLUSTER_WITHOUT_ARCHITECTURE: {
    status: 400,
    text: 'Cannot {action} VM. The architecture of cluster {cluster} is not known yet; add a host or set cpu.type.',
  },
  DATA_CENTER_IS_NOT_UP: {
    status: 409,
    text: 'Cannot {action} {type}. Data center {dataCenter} is {status}, it must be up.',
  },
  DATA_CENTER_IS_UP: {
    status: 409,
    text: 'Cannot {action} Data Center. It is up; put its storage domains into maintenance first.',
  },
  DATA_CENTER_HAS_DOMAINS: {
    status: 409,
    text: 'Cannot {action} Data Center. Storage domains are attached to it: {names}.',
  },
  CLUSTER_CPU_UNKNOWN: {
    status: 400,
    text: 'Cannot {action} Cluster. Compatibility level {level} has no processor type "{cpu}".',
  },
  CLUSTER_LEVEL_UNSUPPORTED: {
    status: 400,
    text: 'Cannot {action} Cluster. Compatibility level {level} is not supported.',
  },
  CLUSTER_LEVEL_BELOW_DATA_CENTER: {
    status: 400,
    text: 'Cannot {action} Cluster. Compatibility level {level} is lower than that of its data center.',
  },
  CLUSTER_LEVEL_BELOW_HOSTS: {
    status: 400,
    text: 'Cannot {action} Cluster. Its compatibility level cannot be lowered while it has hosts.',
  },
  CLUSTER_IN_LOCAL_DATA_CENTER: {
    status: 400,
    text: 'Cannot {action} Cluster. A data center with local storage has one cluster only.',
  },
  CLUSTER_WITHOUT_SERVICE: {
    status: 400,
    text: 'Cannot {action} Cluster. It must run VMs, Gluster or both.',
  },
  CLUSTER_OVERCOMMITS_WITHOUT_MEANS: {
    status: 409,
    text: 'Cannot {action} Cluster. To promise more memory than there is, enable KSM or ballooning.',
  },
  CLUSTER_RNG_SOURCE_IMPLIED: {
    status: 400,
    text: 'Cannot {action} Cluster. The random number source {source} is always there and cannot be required.',
  },
  CLUSTER_WITHOUT_NETWORK: {
    status: 400,
    text: 'Cannot {action} Cluster. The data center has no management network; name one with management_network.',
  },
  CLUSTER_DATA_CENTER_FIXED: {
    status: 409,
    text: 'Cannot {action} Cluster. It stays in its data center.',
  },
  CLUSTER_ARCHITECTURE_FIXED: {
    status: 409,
    text: 'Cannot {action} Cluster. Its processor architecture cannot change while it has hosts or VMs.',
  },
  CLUSTER_SERVICE_IN_USE: {
    status: 409,
    text: 'Cannot {action} Cluster. It still has {objects}, which need the service.',
  },
  CLUSTER_HOSTS_NOT_DOWN: {
    status: 409,
    text: 'Cannot {action} Cluster. These hosts must be down or in maintenance: {names}.',
  },
  CLUSTER_MACS_COLLIDE: {
    status: 409,
    text: 'Cannot {action} Cluster. The new MAC pool allows no duplicates, and {mac} is used in it already.',
  },
  CLUSTER_UPGRADE_RUNS: { status: 409, text: 'Cannot {action} Cluster. Its upgrade {state}.' },
  CLUSTER_HAS_OBJECTS: {
    status: 409,
    text: 'Cannot {action} Cluster. It still has {objects}.',
  },
} as const satisfies FaultTexts;
