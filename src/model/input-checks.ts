/** Mandatory input of a deployed engine: requirements in the description of its API, and requirements in its code. */

/**
 * Collections with requirements in the code only. The code refuses an absent or empty attribute as incomplete. In
 * all other collections the description of the API marks attributes as mandatory, and an absent one is invalid.
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

/** Requirements in the code for collections that have others in the description. */
const requirementsByCode: ReadonlySet<string> = new Set(['/networks data_center.id|name']);

/**
 * Requirements that commands check, as collection and requirement. Their refusals are those of the
 * operation.
 */
const requirementsByCommand: ReadonlySet<string> = new Set([
  '/clusters/{cluster}/affinitygroups name',
  '/hosts root_password|ssh.authentication_method|ssh.user.password',
]);

/** Whether a command checks the requirement for new objects of a collection, after all other requirements. */
export function isCheckedByCommand(service: string, requirement: string): boolean {
  return requirementsByCommand.has(`${service} ${requirement}`);
}

/** Actions with requirements in the code only. */
const actionsByCode: readonly RegExp[] = [
  /^\/(datacenters\/\{datacenter\}\/)?storagedomains\/\{storagedomain\}\/disks\/\{disk\}\/(copy|export|move)$/,
  /^\/storagedomains\/\{storagedomain\}\/(vms\/\{vm\}|templates\/\{template\})\/(import|register)$/,
  /^\/openstacknetworkproviders\/\{provider\}\/networks\/\{network\}\/import$/,
];

/** Whether the description of the API has the requirement for new objects of a collection. */
export function isMandatoryOnAdd(service: string, requirement: string): boolean {
  if (requirementsByCode.has(`${service} ${requirement}`)) return false;
  return !byCode.some((pattern) => pattern.test(service));
}

/** Whether the description of the API has the requirements of the action at a path. */
export function isMandatoryInAction(path: string): boolean {
  return !actionsByCode.some((pattern) => pattern.test(path));
}

/** Collections in which an empty name counts as sent. The rules for names refuse it. */
const acceptingEmptyNames: ReadonlySet<string> = new Set([
  '/clusters/{cluster}/affinitygroups',
  '/templates',
]);

/** Whether a requirement for new objects of a collection is met by an empty value. */
export function acceptsEmpty(service: string, requirement: string): boolean {
  return requirement === 'name' && acceptingEmptyNames.has(service);
}

/** Collections whose bodies must name the owner, although the path has its id. */
const ownersToBeNamed: ReadonlySet<string> = new Set(['/datacenters/{datacenter}/clusters']);

/** Whether attributes that follow from the path count as sent. */
export function countsImplied(service: string): boolean {
  return !ownersToBeNamed.has(service);
}

/** The patterns for paths of collections, and those for paths of actions. */
export const checkedPaths = { collections: byCode, actions: actionsByCode };

/** Paths of collections in the tables, without their requirements. */
export const checkedCollections: readonly string[] = [
  ...[...requirementsByCode, ...requirementsByCommand].map((one) => one.split(' ')[0] ?? ''),
  ...ownersToBeNamed,
  ...acceptingEmptyNames,
];
