/** Predefined scheduling policies and their units. */

export interface SchedulingUnit {
  readonly id: string;
  readonly name: string;
  /** Absent for units that combine the results of others. */
  readonly type?: 'filter' | 'weight' | 'load_balancing';
  readonly description: string;
  /** Names of the policy properties that the unit reads. */
  readonly properties?: readonly (keyof typeof propertyPatterns)[];
}

/** Patterns of the values of policy properties. */
export const propertyPatterns = {
  MinFreeMemoryForUnderUtilized: '^([1-9][0-9]*)$',
  HighUtilization: '^([5-9][0-9])$',
  CpuOverCommitDurationMinutes: '^([1-9][0-9]*)$',
  VCpuToPhysicalCpuRatio: '^([0-2](\\.([0-9]+))?)$',
  MaxFreeMemoryForOverUtilized: '^([1-9][0-9]*)$',
  HostsInReserve: '^[0-9][0-9]*$',
  LowUtilization: '^([0-9]|[1-4][0-9])$',
  EnableAutomaticHostPowerManagement: '^(true|false)$',
  HeSparesCount: '^([0-9][0-9]*)$',
  MaximumAllowedSwapUsage: '^1?[0-9]?[0-9]$',
  HighVmCount: '^([0-9]|[1-9][0-9]+)$',
  SpmVmGrace: '^([0-9]|[1-9][0-9]+)$',
  MigrationThreshold: '^([2-9]|[1-9][0-9]+)$',
  ScaleDown: '(100|[1-9]|[1-9][0-9])$',
} as const;

/** In the order in which engines list them. */
export const schedulingUnits: readonly SchedulingUnit[] = [
  {
    id: '7db4ab05-81ab-42e8-868a-aee2df483ed2',
    name: 'OptimalForEvenDistribution',
    type: 'load_balancing',
    description: 'Moves VMs from busy hosts to the least busy host.',
    properties: [
      'MinFreeMemoryForUnderUtilized',
      'HighUtilization',
      'CpuOverCommitDurationMinutes',
      'VCpuToPhysicalCpuRatio',
      'MaxFreeMemoryForOverUtilized',
    ],
  },
  {
    id: 'e659c871-0bf1-4ccc-b748-f28f5d08ddda',
    name: 'Migration',
    type: 'filter',
    description: 'Rejects the host that a migrating VM leaves.',
  },
  {
    id: '98842bc5-4094-4b83-8224-7b50f86a94c9',
    name: 'CPUOverloaded',
    type: 'filter',
    description: 'Rejects hosts with a CPU load above the limit.',
    properties: ['HighUtilization', 'CpuOverCommitDurationMinutes'],
  },
  {
    id: '0c89f215-9c4f-4bbb-8419-31a2d43ae7ea',
    name: 'BasicWeighting',
    description: 'Adds up the weights of each host.',
  },
  {
    id: 'b280e7de-5df8-401e-b004-a1414d79a687',
    name: 'RankSelector',
    description: 'Ranks hosts by each weight and adds up the ranks.',
  },
  {
    id: '84e6ddee-ab0d-42dd-82f0-c297779db566',
    name: 'VmAffinityGroups',
    type: 'filter',
    description: 'Rejects hosts that break hard affinity between VMs.',
  },
  {
    id: '84e6ddee-ab0d-42dd-82f0-c298889db568',
    name: 'InClusterUpgrade',
    type: 'weight',
    description: 'Prefers hosts with a newer operating system.',
  },
  {
    id: '84e6ddee-ab0d-42dd-82f0-c297779db567',
    name: 'VmAffinityGroups',
    type: 'weight',
    description: 'Prefers hosts that satisfy soft affinity between VMs.',
  },
  {
    id: 'fcbfe4b1-b83e-4428-b9d3-b3d348b93be6',
    name: 'NUMA',
    type: 'filter',
    description: 'Rejects hosts whose NUMA nodes do not fit the VM.',
  },
  {
    id: '7db4ab05-81ab-42e8-868a-aee2df483edb',
    name: 'OptimalForCpuEvenDistribution',
    type: 'weight',
    description: 'Prefers hosts with low CPU load.',
    properties: ['VCpuToPhysicalCpuRatio'],
  },
  {
    id: '38440000-8cf0-14bd-c43e-10b96e4ef00a',
    name: 'None',
    type: 'load_balancing',
    description: 'Balances no load.',
  },
  {
    id: '84e6ddee-ab0d-42dd-82f0-c298889db567',
    name: 'InClusterUpgrade',
    type: 'filter',
    description: 'Rejects hosts with an older operating system than the current host.',
  },
  {
    id: '71931e14-f0e6-4f91-a7c8-d494a26e3a09',
    name: 'CPU for high performance VMs',
    type: 'weight',
    description: 'Prefers hosts with more CPU sockets, cores and threads for high performance VMs.',
  },
  {
    id: 'c9ddbb34-0e1d-4061-a8d7-b0893fa80932',
    name: 'Memory',
    type: 'filter',
    description: 'Rejects hosts without enough free memory.',
  },
  {
    id: '98e92667-6161-41fb-b3fa-34f820ccbc4b',
    name: 'HA',
    type: 'weight',
    description: 'Prefers hosts with a high score of the hosted engine.',
  },
  {
    id: '6d636bf6-a35c-4f9d-b68d-0731f720cddc',
    name: 'CPU',
    type: 'filter',
    description: 'Rejects hosts with fewer CPUs than the VM.',
  },
  {
    id: '736999d0-1023-46a4-9a75-1316ed50e15b',
    name: 'OptimalForCpuPowerSaving',
    type: 'weight',
    description: 'Prefers hosts with high CPU load.',
    properties: ['HighUtilization'],
  },
  {
    id: '9dfe6086-646d-43b8-8eef-4d94de8472c8',
    name: 'OptimalForMemoryPowerSaving',
    type: 'weight',
    description: 'Prefers hosts with little free memory.',
    properties: ['MinFreeMemoryForUnderUtilized', 'MaxFreeMemoryForOverUtilized'],
  },
  {
    id: '736999d0-1023-46a4-9a75-1316ed50e151',
    name: 'OptimalForPowerSaving',
    type: 'load_balancing',
    description: 'Moves VMs to fewer hosts and shuts down empty hosts.',
    properties: [
      'MinFreeMemoryForUnderUtilized',
      'HighUtilization',
      'HostsInReserve',
      'LowUtilization',
      'CpuOverCommitDurationMinutes',
      'EnableAutomaticHostPowerManagement',
      'MaxFreeMemoryForOverUtilized',
    ],
  },
  {
    id: '1b14ac11-20e9-4593-a149-2eb83c60a330',
    name: 'CPU and NUMA pinning compatibility',
    type: 'weight',
    description: 'Prefers hosts that leave pinned CPUs free for other VMs.',
  },
  {
    id: '53bff075-8306-446f-a53b-9c872a29d197',
    name: 'HostedEngineSpares',
    type: 'filter',
    description: 'Rejects hosts whose free memory is reserved for the hosted engine.',
    properties: ['HeSparesCount'],
  },
  {
    id: '43b9e654-337f-4b0d-a896-cbb22ce5a7fc',
    name: 'Swap',
    type: 'filter',
    description: 'Rejects hosts that use more swap space than the limit.',
    properties: ['MaximumAllowedSwapUsage'],
  },
  {
    id: 'e69808a9-8a41-40f1-94ba-dd5d385d82d8',
    name: 'VmToHostsAffinityGroups',
    type: 'filter',
    description: 'Rejects hosts that break hard affinity between VMs and hosts.',
  },
  {
    id: 'd58c8e32-44e1-418f-9222-52cd887bf9e0',
    name: 'OptimalForEvenGuestDistribution',
    type: 'load_balancing',
    description: '',
    properties: [
      'MinFreeMemoryForUnderUtilized',
      'MaxFreeMemoryForOverUtilized',
      'HighVmCount',
      'SpmVmGrace',
      'MigrationThreshold',
    ],
  },
  {
    id: '427aed70-dae3-48ba-8fe9-a902a9d563c8',
    name: 'VmToHostsAffinityGroups',
    type: 'weight',
    description: 'Prefers hosts that satisfy soft affinity between VMs and hosts.',
  },
  {
    id: '3ba8c988-f779-42c0-90ce-caa8243edee7',
    name: 'OptimalForEvenGuestDistribution',
    type: 'weight',
    description: '',
    properties: ['SpmVmGrace'],
  },
  {
    id: 'e659c871-0bf1-4ccc-b748-f28f5d08dffd',
    name: 'HA',
    type: 'filter',
    description: 'Rejects hosts without a score of the hosted engine for its VM.',
  },
  {
    id: '0bd8fef9-bcb4-4250-9998-410f01608d9b',
    name: 'ClusterInMaintenance',
    type: 'filter',
    description: 'Starts only highly available VMs while the cluster is in maintenance.',
  },
  {
    id: '7f262d70-6cac-11e3-981f-0800200c9a66',
    name: 'OptimalForHaReservation',
    type: 'weight',
    description: 'Prefers hosts with few highly available VMs.',
    properties: ['ScaleDown'],
  },
  {
    id: '58894b5b-d55d-4f85-8f82-5bf217e640b0',
    name: 'Emulated-Machine',
    type: 'filter',
    description: 'Rejects hosts without the emulated machine of the VM.',
  },
  {
    id: '4134247a-9c58-4b9a-8593-530bb9e37c59',
    name: 'OptimalForMemoryEvenDistribution',
    type: 'weight',
    description: 'Prefers hosts with much free memory.',
  },
  {
    id: 'aae8c702-4756-4934-b84c-8daf59efc134',
    name: 'Host-hooks',
    type: 'filter',
    description: 'Rejects hosts without the hooks that the VM needs.',
  },
  {
    id: '23e07b34-66dd-4735-bc45-bcddded02c05',
    name: 'HugePages',
    type: 'filter',
    description: 'Rejects hosts without enough free huge pages.',
  },
  {
    id: 'f58c1cb9-d91f-48a6-a196-c6d22fb10c4e',
    name: 'Fit VM to single host NUMA node',
    type: 'weight',
    description: 'Prefers hosts with a NUMA node that holds the complete VM.',
  },
  {
    id: '47ea3cd0-8a2f-438d-9f63-49534178882a',
    name: 'Migration-Tsc-Frequency',
    type: 'filter',
    description: 'Rejects hosts with another TSC frequency.',
  },
  {
    id: '591cdb81-ba67-45b4-9642-e28f61a97d57',
    name: 'PreferredHosts',
    type: 'weight',
    description: 'Prefers the hosts that the VM names.',
  },
  {
    id: '72163d1c-9468-4480-99d9-0888664eb143',
    name: 'Network',
    type: 'filter',
    description: 'Rejects hosts without the networks of the VM.',
  },
];

export interface PredefinedPolicy {
  readonly id: string;
  readonly name: string;
  /** Name of the unit that balances the load. */
  readonly balance: string;
  readonly properties: Readonly<Record<string, string>>;
}

const overload = { HighUtilization: '80', CpuOverCommitDurationMinutes: '2' };

/** In the order in which engines list them. */
export const schedulingPolicies: readonly PredefinedPolicy[] = [
  {
    id: '5a2b0939-7d46-4b73-a469-e9c2c7fc6a53',
    name: 'power_saving',
    balance: 'OptimalForPowerSaving',
    properties: {
      HighUtilization: '80',
      LowUtilization: '20',
      HeSparesCount: '0',
      CpuOverCommitDurationMinutes: '2',
    },
  },
  {
    id: 'b4ed2332-a7ac-4d5f-9596-99a439cb2812',
    name: 'none',
    balance: 'None',
    properties: overload,
  },
  {
    id: '7677771e-5eab-422e-83fa-dc04080d21b7',
    name: 'cluster_maintenance',
    balance: 'None',
    properties: overload,
  },
  {
    id: '20d25257-b4bd-4589-92a6-c4c5c5d3fd1a',
    name: 'evenly_distributed',
    balance: 'OptimalForEvenDistribution',
    properties: {
      HighUtilization: '80',
      HeSparesCount: '0',
      CpuOverCommitDurationMinutes: '2',
      VCpuToPhysicalCpuRatio: '0',
    },
  },
  {
    id: '8d5d7bec-68de-4a67-b53e-0ac54686d579',
    name: 'vm_evenly_distributed',
    balance: 'OptimalForEvenGuestDistribution',
    properties: {
      HighUtilization: '80',
      HeSparesCount: '0',
      CpuOverCommitDurationMinutes: '2',
      HighVmCount: '10',
      SpmVmGrace: '5',
      MigrationThreshold: '5',
    },
  },
];

/** Filters of every predefined policy, in order. */
export const policyFilters = [
  'CPU',
  'CPUOverloaded',
  'Emulated-Machine',
  'HA',
  'Swap',
  'Memory',
  'NUMA',
  'HugePages',
  'Migration',
  'VmAffinityGroups',
  'VmToHostsAffinityGroups',
  'Network',
  'HostedEngineSpares',
  'Migration-Tsc-Frequency',
  'Host-hooks',
] as const;

const commonWeights = [
  ['PreferredHosts', 99],
  ['HA', 1],
  ['OptimalForHaReservation', 1],
  ['VmAffinityGroups', 1],
  ['VmToHostsAffinityGroups', 20],
  ['CPU for high performance VMs', 4],
  ['CPU and NUMA pinning compatibility', 5],
] as const;

/** Weights of a predefined policy: names of units with their factors. */
export function listPolicyWeights(policy: string): readonly (readonly [string, number])[] {
  if (policy === 'power_saving') {
    return [['OptimalForCpuPowerSaving', 2], ['OptimalForMemoryPowerSaving', 1], ...commonWeights];
  }
  if (policy === 'vm_evenly_distributed') {
    return [['OptimalForEvenGuestDistribution', 2], ...commonWeights];
  }
  return [
    ['OptimalForCpuEvenDistribution', 2],
    ['OptimalForMemoryEvenDistribution', 1],
    ...commonWeights,
  ];
}
