/** Permits of a caller, and administrator status from permissions. */

import { containedIn } from '../../model/derive/permits.ts';
import type { Resource } from '../../model/resource.ts';
import { everyone } from '../../model/resources/group.ts';
import { permissionObjects } from '../../model/resources/permission.ts';
import { superUserRole } from '../../model/resources/role.ts';
import { isRecord } from '../../records.ts';
import { findTopCollection } from '../core/collection-ref.ts';
import type { Caller } from '../core/context.ts';
import { holdsAdministrativeRole, holdsOnSystem, holdsPermit } from '../store/held-permissions.ts';
import { type KindName, requireKind, type StoredObject } from '../store/kinds.ts';
import type { Transaction } from '../store/transaction.ts';

/** Splits `admin@internal` at the last `@`. */
export function splitUserName(userName: string): { login: string; profile: string } | undefined {
  const at = userName.lastIndexOf('@');
  if (at <= 0 || at === userName.length - 1) return undefined;
  return { login: userName.slice(0, at), profile: userName.slice(at + 1) };
}

/** The caller with a login name; undefined if the service has no such user. */
export function findCallerByName(tx: Transaction, userName: string): Caller | undefined {
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

/**
 * Collection of permissions with a reference to their object, and of system-wide ones. Permissions
 * on objects of other types are in the collection of the object: `/networks/123/permissions`.
 */
export const permissionCollection = '/permissions';

/** Condition of system-wide permissions. */
export const onSystem: Readonly<Record<string, string | null>> = {
  collection: permissionCollection,
  ...Object.fromEntries(permissionObjects.map((name) => [`${name}_id`, null])),
};

/** Whether a permission in that collection is system-wide. */
export function isSystemWide(permission: Permission): boolean {
  return permissionObjects.every((name) => !permission[name]?.id);
}

/** Ids of the groups of a user. */
function listGroupIds(tx: Transaction, { userId }: Caller): string[] {
  return [everyone, ...(tx.get('user', userId)?.groups ?? []).map(({ id }) => id ?? '')];
}

/** Ids of a user and of the groups of the user. */
export function listHolderIds(tx: Transaction, caller: Caller): string[] {
  return [caller.userId, ...listGroupIds(tx, caller)];
}

/** Whether a user has a system-wide role. */
function hasOnSystem(tx: Transaction, caller: Caller, role: string): boolean {
  return holdsOnSystem(tx, listHolderIds(tx, caller), role);
}

/** Whether a user has an administrator role on any object. */
function isAdministrator(tx: Transaction, caller: Caller): boolean {
  return holdsAdministrativeRole(tx, listHolderIds(tx, caller));
}

/** Whether the caller has the permit on an object, or without an object system-wide. */
export function isPermitted(
  tx: Transaction,
  caller: Caller,
  permit: string,
  object?: { readonly kind: KindName; readonly id: string },
): boolean {
  if (caller.superUser) return true;
  const permitId = tx.byName('permit', permit)?.id;
  if (!permitId) return false;
  return holdsPermit(
    tx,
    listHolderIds(tx, caller),
    permitId,
    object ? listAncestors(tx, object) : [],
  );
}

interface Link {
  readonly kind: KindName;
  readonly id: string;
}

/** The object and all its ancestors. */
function listAncestors(tx: Transaction, start: Link): Link[] {
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
    for (const path of containedIn[kind] ?? [])
      queue.push(...followPath(tx, object, path.split('.')));
    if (kind === 'disk') {
      for (const { vm } of tx.list('disk_attachment', { where: { disk_id: id } })) {
        if (vm?.id) queue.push({ kind: 'vm', id: vm.id });
      }
    }
  }
  return chain;
}

/**
 * The permissions that apply to an object: its own, those of its parents, and those of the system.
 * Each names the object itself. Permissions of a pool do not apply to its VMs. `own` is the
 * collection of permissions below the object.
 */
export function listApplicablePermissions(tx: Transaction, start: Link, own: string): Permission[] {
  const links = listAncestors(tx, start).filter(
    ({ kind }) => kind !== 'vm_pool' || start.kind === kind,
  );
  const below: Permission[] = [];
  const named: Permission[] = tx.list('permission', { where: onSystem });
  for (const { kind, id } of links) {
    if (isPermissionObject(kind)) {
      const where = { collection: permissionCollection, [`${kind}_id`]: id };
      named.push(...tx.list('permission', { where }));
      continue;
    }
    const top = findTopCollection(kind);
    const collection = id === start.id ? own : top && `${top}/${id}/permissions`;
    if (collection) below.push(...tx.list('permission', { where: { collection } }));
  }
  const self = isPermissionObject(start.kind) ? { [start.kind]: { id: start.id } } : {};
  const others = Object.fromEntries(permissionObjects.map((name) => [name, undefined]));
  return [...below, ...named.map((one) => ({ ...one, ...others, ...self }))];
}

/**
 * Whether permissions can refer to objects of a kind. Other kinds have a collection of permissions.
 */
function isPermissionObject(kind: string): kind is (typeof permissionObjects)[number] {
  return permissionObjects.some((name) => name === kind);
}

/** Objects at the end of a path of attributes. */
function followPath(
  tx: Transaction,
  object: StoredObject,
  [first = '', ...rest]: string[],
): Link[] {
  const found = listTargets(object, first);
  if (rest.length === 0) return found;
  return found.flatMap(({ kind, id }) => {
    const next = tx.get(kind, id);
    return next ? followPath(tx, next, rest) : [];
  });
}

/** Targets of an attribute; a list attribute has a plural name. */
function listTargets(object: StoredObject, attribute: string): Link[] {
  const value = object[attribute];
  const kind = requireKind(attribute.replace(/s$/, ''));
  return (Array.isArray(value) ? value : [value]).flatMap((reference: unknown) => {
    const id = isRecord(reference) ? reference['id'] : undefined;
    return typeof id === 'string' ? [{ kind, id }] : [];
  });
}
