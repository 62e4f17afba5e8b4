/** Addresses below parents: types whose objects a deployed engine shows below an object that they refer to. */

/** The parent that counts first in its own list, and elsewhere only at the top level. */
export const personalParent = 'user';

export interface ShownBelow {
  /** Attributes that refer to a parent, and the collection of the parent; the first that is set counts. */
  readonly parents: readonly (readonly [attribute: string, collection: string, word: string])[];
  /** Only in the answer to an add or an update; otherwise where they are at the top level. */
  readonly afterChange?: true;
}

/** By type. All have addresses at the top level, too. */
export const shownBelow: Readonly<Record<string, ShownBelow>> = {
  cluster: { afterChange: true, parents: [['data_center', '/datacenters', 'clusters']] },
  network: { afterChange: true, parents: [['data_center', '/datacenters', 'networks']] },
  vnic_profile: { afterChange: true, parents: [['network', '/networks', 'vnicprofiles']] },
  cpu_profile: { parents: [['cluster', '/clusters', 'cpuprofiles']] },
  disk_profile: { parents: [['storage_domain', '/storagedomains', 'diskprofiles']] },
  permission: {
    parents: [
      ['group', '/groups', 'permissions'],
      ['cluster', '/clusters', 'permissions'],
      ['data_center', '/datacenters', 'permissions'],
      ['disk', '/disks', 'permissions'],
      ['host', '/hosts', 'permissions'],
      ['storage_domain', '/storagedomains', 'permissions'],
      ['template', '/templates', 'permissions'],
      ['vm', '/vms', 'permissions'],
      ['vm_pool', '/vmpools', 'permissions'],
      ['user', '/users', 'permissions'],
    ],
  },
};

/** Collections of a parent whose objects are shown without links. */
export const shownWithoutLinks: ReadonlySet<string> = new Set([
  '/clusters/{cluster}/cpuprofiles',
  '/datacenters/{datacenter}/networks',
  '/storagedomains/{storagedomain}/diskprofiles',
]);

/** Objects without an address, by type and name: those that engines add to a list. */
export const unaddressed: Readonly<Record<string, RegExp>> = { statistic: /^hugepages\./ };
