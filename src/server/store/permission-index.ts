/**
 * Index of permissions by holder and object path (`/vms/123`), as SQL. It covers permissions that
 * refer to the object and those in the collection below it.
 */
import { services } from '../../model/derive/services.ts';
import { permissionObjects } from '../../model/resources/permission.ts';
import type { KindName } from './kinds.ts';

const objectTypes: ReadonlySet<string> = new Set(permissionObjects);

/** Whether permissions have a reference to objects of this type. */
export function isPermissionObject(type: string): boolean {
  return objectTypes.has(type);
}

/** Types with a collection of permissions below their objects. */
export const permissionKeepers: ReadonlySet<KindName> = new Set(
  Object.entries(services)
    .filter(([path]) => services[`${path}/permissions`] !== undefined)
    .map(([, { type }]) => type)
    .filter((type) => !isPermissionObject(type)),
);

/** Collection of permissions with a reference to their object, and of system-wide ones. */
const own = '/permissions';

const collections = new Map<string, string>(
  Object.entries(services)
    .filter(([path, { operations }]) => /^\/\w+$/.test(path) && operations['list'] !== undefined)
    .map(([path, { type }]) => [type, path]),
);

/** Path prefix of the objects of a type: `/vms/`. */
export function pathPrefix(type: string): string {
  return `${collections.get(type) ?? ''}/`;
}

/** The user or group of a permission. */
const holder = 'coalesce(user_id, group_id)';

/** The path of the object of a permission; empty for a system-wide one. */
const heldPath = `CASE WHEN collection <> '${own}' THEN substr(collection, 1, length(collection) - ${own.length}) ${permissionObjects
  .map((type) => `WHEN ${type}_id IS NOT NULL THEN '${pathPrefix(type)}' || ${type}_id`)
  .join(' ')} ELSE '' END`;

/** The condition on the view `held` that one of `count` users and groups holds a permission. */
export function createHolderCondition(count: number): string {
  return `holder IN (${Array.from({ length: count }, () => '?').join(', ')})`;
}

/** Indexed columns of a table of permissions, by index name: holder with path, and with role. */
export function listHeldIndexes(name: string): ReadonlyMap<string, string> {
  return new Map([
    [`${name}_held`, `((${holder}), (${heldPath}), role_id)`],
    [`${name}_roles`, `((${holder}), role_id)`],
  ]);
}

/** The select of the view `held`: id, holder, path and role_id. */
export function selectHeld(name: string): string {
  return `SELECT id, ${holder} AS holder, ${heldPath} AS path, role_id FROM ${name}`;
}
