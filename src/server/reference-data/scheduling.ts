/** Scheduling policies and the units they are made of. */
export const schedulingUnits: readonly (readonly [
  id: string,
  name: string,
  type: 'filter' | 'weight' | 'load_balancing',
])[] = [
  ['6d636bf6-a35c-4f9d-b68d-0731f720cddc', 'CPU', 'filter'],
  ['98842bc5-4094-4b83-8224-7b50f86a94c9', 'CPUOverloaded', 'filter'],
  ['438b052c-90ab-40e8-9be0-a22560202ea6', 'CPU-Level', 'filter'],
  ['35c2f1a5-8928-48e9-81ac-4c49eb49d60e', 'CPUTopology', 'filter'],
  ['6d636bf6-a35c-4f9d-b68d-0731f731cddc', 'CpuPinning', 'filter'],
  ['0bd8fef9-bcb4-4250-9998-410f01608d9b', 'ClusterInMaintenance', 'filter'],
  ['3e4a7d54-9e7f-11e5-8994-feff819cdc9f', 'Compatibility-Version', 'filter'],
  ['58894b5b-d55d-4f85-8f82-5bf217e640b0', 'Emulated-Machine', 'filter'],
  ['e659c871-0bf1-4ccc-b748-f28f5d08dffd', 'HA', 'filter'],
  ['98e92667-6161-41fb-b3fa-34f820ccbc4b', 'HA', 'weight'],
  ['728a21f1-f97e-4d32-bc3e-b3cc49756abb', 'HostDevice', 'filter'],
  ['aae8c702-4756-4934-b84c-8daf59efc134', 'Host-hooks', 'filter'],
  ['53bff075-8306-446f-a53b-9c872a29d197', 'HostedEngineSpares', 'filter'],
  ['23e07b34-66dd-4735-bc45-bcddded02c05', 'HugePages', 'filter'],
  ['84e6ddee-ab0d-42dd-82f0-c298889db567', 'InClusterUpgrade', 'filter'],
  ['84e6ddee-ab0d-42dd-82f0-c298889db568', 'InClusterUpgrade', 'weight'],
  ['aa604ea6-f758-4d28-8e05-bf5f4a0818bd', 'MDevice', 'filter'],
  ['c9ddbb34-0e1d-4061-a8d7-b0893fa80932', 'Memory', 'filter'],
  ['e659c871-0bf1-4ccc-b748-f28f5d08ddda', 'Migration', 'filter'],
  ['47ea3cd0-8a2f-438d-9f63-49534178882a', 'Migration-Tsc-Frequency', 'filter'],
  ['72163d1c-9468-4480-99d9-0888664eb143', 'Network', 'filter'],
  ['fcbfe4b1-b83e-4428-b9d3-b3d348b93be6', 'NUMA', 'filter'],
  ['12262ab6-9690-4bc3-a2b3-35573b172d54', 'PinToHost', 'filter'],
  ['43b9e654-337f-4b0d-a896-cbb22ce5a7fc', 'Swap', 'filter'],
  ['b454ae40-f767-45b1-949a-7e5bd04d83ab', 'VM leases ready', 'filter'],
  ['84e6ddee-ab0d-42dd-82f0-c297779db566', 'VmAffinityGroups', 'filter'],
  ['84e6ddee-ab0d-42dd-82f0-c297779db567', 'VmAffinityGroups', 'weight'],
  ['e69808a9-8a41-40f1-94ba-dd5d385d82d8', 'VmToHostsAffinityGroups', 'filter'],
  ['427aed70-dae3-48ba-8fe9-a902a9d563c8', 'VmToHostsAffinityGroups', 'weight'],
  ['591cdb81-ba67-45b4-9642-e28f61a97d57', 'PreferredHosts', 'weight'],
  ['71931e14-f0e6-4f91-a7c8-d494a26e3a09', 'CPU for high performance VMs', 'weight'],
  ['1b14ac11-20e9-4593-a149-2eb83c60a330', 'CPU and NUMA pinning compatibility', 'weight'],
  ['f58c1cb9-d91f-48a6-a196-c6d22fb10c4e', 'Fit VM to single host NUMA node', 'weight'],
  ['7db4ab05-81ab-42e8-868a-aee2df483edb', 'OptimalForCpuEvenDistribution', 'weight'],
  ['4134247a-9c58-4b9a-8593-530bb9e37c59', 'OptimalForMemoryEvenDistribution', 'weight'],
  ['736999d0-1023-46a4-9a75-1316ed50e15b', 'CpuPowerSaving', 'weight'],
  ['9dfe6086-646d-43b8-8eef-4d94de8472c8', 'MemoryPowerSaving', 'weight'],
  ['3ba8c988-f779-42c0-90ce-caa8243edee7', 'OptimalForEvenGuestDistribution', 'weight'],
  ['7f262d70-6cac-11e3-981f-0800200c9a66', 'OptimalForHaReservation', 'weight'],
  ['38440000-8cf0-14bd-c43e-10b96e4ef00a', 'None', 'load_balancing'],
  ['7db4ab05-81ab-42e8-868a-aee2df483ed2', 'OptimalForEvenDistribution', 'load_balancing'],
  ['736999d0-1023-46a4-9a75-1316ed50e151', 'OptimalForPowerSaving', 'load_balancing'],
  ['d58c8e32-44e1-418f-9222-52cd887bf9e0', 'OptimalForEvenGuestDistribution', 'load_balancing'],
];

export interface PredefinedPolicy {
  readonly id: string;
  readonly name: string;
  /** Name of the unit that balances the load. */
  readonly balance: string;
  readonly properties: Readonly<Record<string, string>>;
}

/** In the order in which engines list them. */
const overload = { HighUtilization: '80', CpuOverCommitDurationMinutes: '2' };

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
export function policyWeights(policy: string): readonly (readonly [string, number])[] {
  if (policy === 'power_saving') {
    return [['CpuPowerSaving', 2], ['MemoryPowerSaving', 1], ...commonWeights];
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
