/** Addresses below parents: the types that a deployed engine shows below an object of their references. */

/** The parent that comes first in its own list. In other lists it applies at the top level only. */
export const personalParent = 'user';

export interface ShownBelow {
  /** References to a parent, and the collection of the parent. The first reference with a value applies. */
  readonly parents: readonly (readonly [attribute: string, collection: string, word: string])[];
  /** Only in the response to an add or an update. Otherwise the address is at the top level. */
  readonly afterChange?: true;
  /** Also if the request addresses the object below its parent. */
  readonly addressedBelow?: true;
}

/** By type. All types have addresses at the top level, too. */
export const shownBelow: Readonly<Record<string, ShownBelow>> = {
  cluster: { afterChange: true, parents: [['data_center', '/datacenters', 'clusters']] },
  network: { afterChange: true, parents: [['data_center', '/datacenters', 'networks']] },
  vnic_profile: {
    afterChange: true,
    addressedBelow: true,
    parents: [['network', '/networks', 'vnicprofiles']],
  },
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

/**
 * Types whose objects are in two collections of their parent: in a list they have the address of that list; a single
 * object is below the other object, which `attribute` names, in the collection `word` of the parent.
 */
export const shownBeside: Readonly<
  Record<string, { readonly parent: string; readonly attribute: string; readonly word: string }>
> = {
  network_attachment: { parent: 'host', attribute: 'host_nic', word: 'nics' },
};

/** Collections below a parent that show their objects without links. */
export const shownWithoutLinks: ReadonlySet<string> = new Set([
  '/clusters/{cluster}/cpuprofiles',
  '/datacenters/{datacenter}/networks',
  '/storagedomains/{storagedomain}/diskprofiles',
]);

/** Objects without an address, by type and pattern of the name. */
export const unaddressed: Readonly<Record<string, RegExp>> = { statistic: /^hugepages\./ };
