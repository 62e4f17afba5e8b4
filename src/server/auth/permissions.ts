/** Whether a caller holds a permit on an object, or on anything that contains it. */
import { containers } from '../../model/permits.ts';
import type { Resource } from '../../model/resource.ts';
import type { Caller } from '../rules/context.ts';
import type { Where } from '../store/conditions.ts';
import { isRecord, type StoredObject } from '../store/document.ts';
import type { KindName } from '../store/kinds.ts';
import type { Transaction } from '../store/transaction.ts';

type Permission = Resource<'permission'>;

/** Id of the group that every user belongs to. */
export const everyone = 'eee00000-0000-0000-0000-123456789eee';

/** Types that a permission can name as its object. */
export const permissionObjects = [
  'data_center',
  'cluster',
  'host',
  'storage_domain',
  'vm',
  'vm_pool',
  'template',
  'disk',
] as const;

/**
 * Collection of the permissions that name their object, and of those on the whole system. Those on
 * objects of other types are kept below their object: `/networks/123/permissions`.
 */
export const permissionCollection = '/permissions';

/** Whether a permission of that collection is for the whole system. */
export function isSystemWide(permission: Permission): boolean {
  return permissionObjects.every((name) => !permission[name]?.id);
}

/** Ids of the groups that a user is in. */
export function groupsOf(tx: Transaction, { userId }: Caller): string[] {
  return [everyone, ...(tx.get('user', userId)?.groups ?? []).map(({ id }) => id ?? '')];
}

function holders(tx: Transaction, caller: Caller): Where[] {
  return [
    { user_id: caller.userId },
    ...groupsOf(tx, caller).map((group) => ({ group_id: group })),
  ];
}

/**
 * Permissions of a user and of the groups that the user is in: those that name their object, and
 * those on the whole system.
 */
export function permissionsOf(tx: Transaction, caller: Caller): Permission[] {
  return holders(tx, caller).flatMap((where) =>
    tx.list('permission', { where: { ...where, collection: permissionCollection } }),
  );
}

/** Whether a user has a role of administrators, on whatever object. */
export function isAdministrator(tx: Transaction, caller: Caller): boolean {
  // What everybody may do on single objects is never administrative, and there is much of it.
  const elsewhere = holders(tx, caller)
    .filter(({ group_id }) => group_id !== everyone)
    .flatMap((where) => tx.list('permission', { where }));
  return [...permissionsOf(tx, caller), ...elsewhere].some(
    ({ role }) => role?.id && tx.get('role', role.id)?.administrative === true,
  );
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
  const chain = object ? chainOf(tx, object) : [];
  const keys = new Set(chain.map(({ kind, id }) => `${kind} ${id}`));
  const named = permissionsOf(tx, caller).filter(
    (permission) =>
      isSystemWide(permission) ||
      permissionObjects.some((name) => keys.has(`${name} ${permission[name]?.id}`)),
  );
  const groups = new Set(groupsOf(tx, caller));
  const kept = chain.flatMap((one) =>
    keptBelow(tx, one).filter(
      ({ user, group }) => user?.id === caller.userId || groups.has(group?.id ?? ''),
    ),
  );
  return [...named, ...kept].some(({ role }) =>
    tx.get('role', role?.id ?? '')?.permits?.some(({ id }) => id === permitId),
  );
}

interface Link {
  readonly kind: KindName;
  readonly id: string;
}

/** Permissions on an object of a type that a permission cannot name. */
function keptBelow(tx: Transaction, { kind, id }: Link): Permission[] {
  if ((permissionObjects as readonly string[]).includes(kind)) return [];
  const collection = `${tx.collectionOf(kind, id)}/${id}/permissions`;
  return tx.list('permission', { where: { collection } });
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
    const object = tx.get(kind, id) as StoredObject | undefined;
    if (!object) continue;
    for (const path of containers[kind] ?? []) queue.push(...along(tx, object, path.split('.')));
    if (kind === 'disk') {
      for (const { vm } of tx.list('disk_attachment', { where: { disk_id: id } })) {
        if (vm?.id) queue.push({ kind: 'vm', id: vm.id });
      }
    }
  }
  return chain;
}

/** Objects that a path of attributes leads to. */
function along(tx: Transaction, object: StoredObject, [first = '', ...rest]: string[]): Link[] {
  const found = referred(object, first);
  if (rest.length === 0) return found;
  return found.flatMap(({ kind, id }) => {
    const next = tx.get(kind, id) as StoredObject | undefined;
    return next ? along(tx, next, rest) : [];
  });
}

/** Objects that an attribute refers to; a list attribute is named in the plural. */
function referred(object: StoredObject, attribute: string): Link[] {
  const value = object[attribute];
  const kind = attribute.replace(/s$/, '') as KindName;
  return (Array.isArray(value) ? value : [value]).flatMap((reference: unknown) => {
    const id = isRecord(reference) ? reference['id'] : undefined;
    return typeof id === 'string' ? [{ kind, id }] : [];
  });
}
