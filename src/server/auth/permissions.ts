/** Permits that a caller holds, and the callers that permissions make administrators. */

import { containedIn } from '../../model/derive/permits.ts';
import type { Resource } from '../../model/resource.ts';
import { permissionObjects } from '../../model/resources/permission.ts';
import { topCollection } from '../core/collection-ref.ts';
import type { Caller } from '../core/context.ts';
import { holdsAdministrativeRole, holdsOnSystem, holdsPermit } from '../store/held-permissions.ts';
import { isRecord, type KindName, kindNamed, type StoredObject } from '../store/kinds.ts';
import type { Transaction } from '../store/transaction.ts';

/** Id of the role SuperUser. */
export const superUserRole = '00000000-0000-0000-0000-000000000001';

/** Takes `admin@internal` apart at the last `@`. */
export function splitUserName(userName: string): { login: string; profile: string } | undefined {
  const at = userName.lastIndexOf('@');
  if (at <= 0 || at === userName.length - 1) return undefined;
  return { login: userName.slice(0, at), profile: userName.slice(at + 1) };
}

/** The caller behind a login name; undefined when the service has no such user. */
export function callerOf(tx: Transaction, userName: string): Caller | undefined {
  const parts = splitUserName(userName);
  if (!parts) return undefined;
  const stored = `${parts.login}@${parts.profile}-authz`;
  const user = tx.find('user', { user_name: stored });
  if (!user?.id) return undefined;
  const caller = { userId: user.id, userName, administrator: false, superUser: false };
  const superUser = hasOnSystem(tx, caller, superUserRole);
  return { ...caller, administrator: superUser || isAdministrator(tx, caller), superUser };
}

type Permission = Resource<'permission'>;

/** Id of the group that every user belongs to. */
export const everyone = 'eee00000-0000-0000-0000-123456789eee';

/**
 * Collection of the permissions that name their object, and of those on the whole system. Those on
 * objects of other types are kept below their object: `/networks/123/permissions`.
 */
export const permissionCollection = '/permissions';

/** Condition of the permissions on the whole system. */
export const onSystem: Readonly<Record<string, string | null>> = {
  collection: permissionCollection,
  ...Object.fromEntries(permissionObjects.map((name) => [`${name}_id`, null])),
};

/** Whether a permission of that collection is for the whole system. */
export function isSystemWide(permission: Permission): boolean {
  return permissionObjects.every((name) => !permission[name]?.id);
}

/** Ids of the groups that a user is in. */
function groupsOf(tx: Transaction, { userId }: Caller): string[] {
  return [everyone, ...(tx.get('user', userId)?.groups ?? []).map(({ id }) => id ?? '')];
}

/** Ids of a user and of the groups that the user is in. */
export function holdersOf(tx: Transaction, caller: Caller): string[] {
  return [caller.userId, ...groupsOf(tx, caller)];
}

/** Whether a user has a role on the whole system. */
function hasOnSystem(tx: Transaction, caller: Caller, role: string): boolean {
  return holdsOnSystem(tx, holdersOf(tx, caller), role);
}

/** Whether a user has a role of administrators, on whatever object. */
function isAdministrator(tx: Transaction, caller: Caller): boolean {
  return holdsAdministrativeRole(tx, holdersOf(tx, caller));
}

/** Whether the caller may do what needs the permit on an object; without one, on the system. */
export function isPermitted(
  tx: Transaction,
  caller: Caller,
  permit: string,
  object?: { readonly kind: KindName; readonly id: string },
): boolean {
  if (caller.superUser) return true;
  const permitId = tx.byName('permit', permit)?.id;
  if (!permitId) return false;
  return holdsPermit(tx, holdersOf(tx, caller), permitId, object ? chainOf(tx, object) : []);
}

interface Link {
  readonly kind: KindName;
  readonly id: string;
}

/** The object and everything that contains it. */
function chainOf(tx: Transaction, start: Link): Link[] {
  const seen = new Set<string>();
  const chain: Link[] = [];
  const queue: Link[] = [start];
  for (let next = queue.shift(); next; next = queue.shift()) {
    const { kind, id } = next;
    if (seen.has(`${kind} ${id}`)) continue;
    seen.add(`${kind} ${id}`);
    chain.push(next);
    const object = tx.get(kind, id);
    if (!object) continue;
    for (const path of containedIn[kind] ?? []) queue.push(...along(tx, object, path.split('.')));
    if (kind === 'disk') {
      for (const { vm } of tx.list('disk_attachment', { where: { disk_id: id } })) {
        if (vm?.id) queue.push({ kind: 'vm', id: vm.id });
      }
    }
  }
  return chain;
}

/**
 * The permissions that apply to an object: its own, those of its parents, and those of the system. Each names the
 * object itself. Permissions of a pool do not apply to its VMs. `own` is the collection of permissions below
 * the object.
 */
export function permissionsOn(tx: Transaction, start: Link, own: string): Permission[] {
  const links = chainOf(tx, start).filter(({ kind }) => kind !== 'vm_pool' || start.kind === kind);
  const below: Permission[] = [];
  const named: Permission[] = tx.list('permission', { where: onSystem });
  for (const { kind, id } of links) {
    if (isPermissionObject(kind)) {
      const where = { collection: permissionCollection, [`${kind}_id`]: id };
      named.push(...tx.list('permission', { where }));
      continue;
    }
    const top = topCollection(kind);
    const collection = id === start.id ? own : top && `${top}/${id}/permissions`;
    if (collection) below.push(...tx.list('permission', { where: { collection } }));
  }
  const self = isPermissionObject(start.kind) ? { [start.kind]: { id: start.id } } : {};
  const others = Object.fromEntries(permissionObjects.map((name) => [name, undefined]));
  return [...below, ...named.map((one) => ({ ...one, ...others, ...self }))];
}

/** Whether permissions can name objects of a kind. Others have their permissions below them. */
function isPermissionObject(kind: string): kind is (typeof permissionObjects)[number] {
  return permissionObjects.some((name) => name === kind);
}

/** Objects that a path of attributes leads to. */
function along(tx: Transaction, object: StoredObject, [first = '', ...rest]: string[]): Link[] {
  const found = referred(object, first);
  if (rest.length === 0) return found;
  return found.flatMap(({ kind, id }) => {
    const next = tx.get(kind, id);
    return next ? along(tx, next, rest) : [];
  });
}

/** Objects that an attribute refers to; a list attribute is named in the plural. */
function referred(object: StoredObject, attribute: string): Link[] {
  const value = object[attribute];
  const kind = kindNamed(attribute.replace(/s$/, ''));
  return (Array.isArray(value) ? value : [value]).flatMap((reference: unknown) => {
    const id = isRecord(reference) ? reference['id'] : undefined;
    return typeof id === 'string' ? [{ kind, id }] : [];
  });
}
