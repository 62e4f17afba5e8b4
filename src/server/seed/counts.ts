/** How many objects of each kind a generated inventory has. */

export const countNames = [
  'datacenters',
  'clusters',
  'hosts',
  'storagedomains',
  'networks',
  'vms',
  'disks',
] as const;

/** How many there are of each; `disks` is how many of the virtual machines have one. */
export type Counts = Readonly<Record<(typeof countNames)[number], number>>;
