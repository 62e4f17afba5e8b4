/** Addresses below parents: the types that a deployed engine shows below an object of their references. */

/**
 * The parent of permissions that comes first in its own list. In other lists it applies at the top level and after
 * a change only.
 */
export const personalParent = 'user';

export interface ShownBelow {
  /** References to a parent, and the collection of the parent. The first reference with a value applies. */
  readonly parents: readonly (readonly [attribute: string, collection: string, segment: string])[];
  /** Whether the parent is the owner of the requested list, of any type. */
  readonly byOwner?: true;
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
      ['user', '/users', 'permissions'],
      ['vm', '/vms', 'permissions'],
      ['vm_pool', '/vmpools', 'permissions'],
    ],
  },
  role: { parents: [['user', '/users', 'roles']], byOwner: true },
};

/**
 * Types whose objects are in two collections of their parent: in a list they have the address of that list; a single
 * object is below the other object, which `attribute` names, in the collection `segment` of the parent.
 */
export const shownInBoth: Readonly<
  Record<string, { readonly parent: string; readonly attribute: string; readonly segment: string }>
> = {
  network_attachment: { parent: 'host', attribute: 'host_nic', segment: 'nics' },
};

/** Collections below a parent that show their objects without links. */
export const shownWithoutLinks: ReadonlySet<string> = new Set([
  '/clusters/{cluster}/cpuprofiles',
  '/datacenters/{datacenter}/networks',
  '/storagedomains/{storagedomain}/diskprofiles',
]);

/** Collections that show only some attributes of their objects, besides id, address and links. */
export const shownInPart: Readonly<Record<string, readonly string[]>> = {
  '/users/{user}/roles': ['name', 'user'],
  '/groups/{group}/roles': ['name', 'user'],
};

/** Members of lists that refer to the owner of their list: attribute and collection, by type. */
export const namingOwners: Readonly<
  Record<string, { readonly attribute: string; readonly collection: string }>
> = {
  permit: { attribute: 'role', collection: '/roles' },
  // The member names a group as a user.
  role: { attribute: 'user', collection: '/users' },
};

/** Objects without an address, by type and pattern of the name. */
export const unaddressed: Readonly<Record<string, RegExp>> = {
  statistic: /^hugepages\.|\.usage\.history$/,
  filter: /^/,
  weight: /^/,
  balance: /^/,
};

/** References without an address, by type. */
export const unaddressedReferences: Readonly<Record<string, readonly string[]>> = {
  disk_snapshot: ['snapshot'],
};

/** Computed objects without any address, also of other objects, by kind. The values are members that they lack. */
export const withoutAddressesInside: Readonly<Record<string, readonly string[]>> = {
  snapshot_cdrom: ['vm'],
  snapshot_disk: ['disk_profile', 'qcow_version', 'quota'],
  snapshot_nic: [],
};
