/**
 * Who holds a permission on what, as SQL that an index answers: the holder, and the path of the
 * object (`/vms/123`), whether the permission names it or is kept below it.
 */
import { services } from '../../model/derive/services.ts';
import { permissionObjects } from '../../model/resources/permission.ts';
import type { KindName } from './kinds.ts';

const objectTypes: ReadonlySet<string> = new Set(permissionObjects);

/** Whether permissions name objects of this type. */
export function isPermissionObject(type: string): boolean {
  return objectTypes.has(type);
}

/** Types whose objects keep the permissions on them below themselves. */
export const permissionKeepers: ReadonlySet<KindName> = new Set(
  Object.entries(services)
    .filter(([path]) => services[`${path}/permissions`] !== undefined)
    .map(([, { type }]) => type)
    .filter((type) => !isPermissionObject(type)),
);

/** Collection of the permissions that name their object, and of those on the whole system. */
const own = '/permissions';

const collections = new Map<string, string>(
  Object.entries(services)
    .filter(([path, { operations }]) => /^\/\w+$/.test(path) && operations['list'] !== undefined)
    .map(([path, { type }]) => [type, path]),
);

/** What the paths of the objects of a type begin with: `/vms/`. */
export function pathPrefix(type: string): string {
  return `${collections.get(type) ?? ''}/`;
}

/** The user or group of a permission. */
const holder = 'coalesce(user_id, group_id)';

/** The path of the object of a permission; empty where it is on the whole system. */
const heldPath = `CASE WHEN collection <> '${own}' THEN substr(collection, 1, length(collection) - ${own.length}) ${permissionObjects
  .map((type) => `WHEN ${type}_id IS NOT NULL THEN '${pathPrefix(type)}' || ${type}_id`)
  .join(' ')} ELSE '' END`;

/** The condition that a permission is held by one of so many users and groups, in the view `held`. */
export function heldBy(count: number): string {
  return `holder IN (${Array.from({ length: count }, () => '?').join(', ')})`;
}

/** What the indexes of a table of permissions are on, by their names: holder with path, and with role. */
export function heldIndexes(name: string): ReadonlyMap<string, string> {
  return new Map([
    [`${name}_held`, `((${holder}), (${heldPath}), role_id)`],
    [`${name}_roles`, `((${holder}), role_id)`],
  ]);
}

/** What the view `held` selects from such a table: id, holder, path and role_id. */
export function heldSelect(name: string): string {
  return `SELECT id, ${holder} AS holder, ${heldPath} AS path, role_id FROM ${name}`;
}
