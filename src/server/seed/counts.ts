/** Object counts of a generated inventory. */

export const countNames = [
  'datacenters',
  'clusters',
  'hosts',
  'storagedomains',
  'networks',
  'vms',
  'disks',
] as const;

/** Number of objects of each kind; `disks` is the number of VMs with a disk. */
export type Counts = Readonly<Record<(typeof countNames)[number], number>>;
