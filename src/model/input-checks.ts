/** Mandatory input: which requirements a deployed engine has in the description of its API, and which in its code. */

/**
 * Collections whose requirements are checked by code alone: refused as incomplete, absent or empty. For all others
 * the description of the API says what is mandatory: that is refused as invalid where it is absent.
 */
const byCode: readonly RegExp[] = [
  /^\/affinitylabels/,
  /\/affinitylabels$/,
  /\/disks$/,
  /\/permissions$/,
  /^\/(clusters\/\{cluster\}|datacenters\/\{datacenter\})\/networks$/,
  /^\/external(vm|template)imports$/,
  /^\/(hosts|storageconnections|storagedomains|vms)$/,
  /^\/(instancetypes|templates|vms)\/\{\w+\}\/nics$/,
  /^\/instancetypes\/\{instancetype\}\/watchdogs$/,
];

/** Requirements that code checks although the description has others of the same collection. */
const requirementsByCode: ReadonlySet<string> = new Set(['/networks data_center.id|name']);

/** Actions whose requirements are checked by code alone. */
const actionsByCode: readonly RegExp[] = [
  /^\/(datacenters\/\{datacenter\}\/)?storagedomains\/\{storagedomain\}\/disks\/\{disk\}\/(copy|export|move)$/,
  /^\/storagedomains\/\{storagedomain\}\/(vms\/\{vm\}|templates\/\{template\})\/(import|register)$/,
  /^\/openstacknetworkproviders\/\{provider\}\/networks\/\{network\}\/import$/,
];

/** Whether the description of the API has the requirement of what is added to a collection. */
export function isMandatoryOnAdd(service: string, requirement: string): boolean {
  if (requirementsByCode.has(`${service} ${requirement}`)) return false;
  return !byCode.some((pattern) => pattern.test(service));
}

/** Whether the description of the API has the requirements of an action, by its path. */
export function isMandatoryInAction(path: string): boolean {
  return !actionsByCode.some((pattern) => pattern.test(path));
}

/** Collections whose objects must name the owner of the collection, although it follows from the path. */
const ownersToBeNamed: ReadonlySet<string> = new Set(['/datacenters/{datacenter}/clusters']);

/** Whether what follows from the path counts as sent. */
export function countsImplied(service: string): boolean {
  return !ownersToBeNamed.has(service);
}
