/** Whether a caller holds a permit on an object, or on anything that contains it. */
import { containers } from '../../model/permits.ts';
import type { Resource } from '../../model/resource.ts';
import type { Caller } from '../rules/context.ts';
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

/** Whether a permission is for the whole system. */
export function isSystemWide(permission: Permission): boolean {
  return permissionObjects.every((name) => !permission[name]?.id);
}

/** Permissions of a user and of the groups that the user is in. */
export function permissionsOf(tx: Transaction, caller: Caller): Permission[] {
  const groups = tx.get('user', caller.userId)?.groups ?? [];
  return [
    ...tx.list('permission', { where: { user_id: caller.userId } }),
    ...[everyone, ...groups.map(({ id }) => id ?? '')].flatMap((group) =>
      tx.list('permission', { where: { group_id: group } }),
    ),
  ];
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
  const chain = object ? chainOf(tx, object) : new Set<string>();
  return permissionsOf(tx, caller).some((permission) => {
    const covers =
      isSystemWide(permission) ||
      permissionObjects.some((name) => chain.has(`${name} ${permission[name]?.id}`)) ||
      // Kinds that a permission cannot name have their permissions in a collection of their own.
      (object !== undefined && chain.has(`permission ${permission.id}`));
    if (!covers) return false;
    const role = permission.role?.id ? tx.get('role', permission.role.id) : undefined;
    return role?.permits?.some(({ id }) => id === permitId) ?? false;
  });
}

/** The object and everything that contains it, as `kind id`. */
function chainOf(tx: Transaction, start: { kind: KindName; id: string }): Set<string> {
  const chain = new Set<string>();
  const queue: { kind: KindName; id: string }[] = [start];
  for (let next = queue.shift(); next; next = queue.shift()) {
    const { kind, id } = next;
    if (chain.has(`${kind} ${id}`)) continue;
    chain.add(`${kind} ${id}`);
    const collection = tx.collectionOf(kind, id);
    for (const permission of tx.list('permission', {
      where: { collection: `${collection}/${id}/permissions` },
    })) {
      chain.add(`permission ${permission.id}`);
    }
    const object = tx.get(kind, id) as StoredObject | undefined;
    if (!object) continue;
    for (const attribute of containers[kind] ?? []) queue.push(...referred(object, attribute));
    if (kind === 'template') {
      // A template belongs to the data center, whichever cluster it was made in.
      for (const { id: cluster } of referred(object, 'cluster')) {
        const home = tx.get('cluster', cluster) as StoredObject | undefined;
        if (home) queue.push(...referred(home, 'data_center'));
      }
    }
    if (kind === 'disk') {
      for (const { vm } of tx.list('disk_attachment', { where: { disk_id: id } })) {
        if (vm?.id) queue.push({ kind: 'vm', id: vm.id });
      }
    }
  }
  return chain;
}

/** Objects that an attribute refers to; a list attribute is named in the plural. */
function referred(object: StoredObject, attribute: string): { kind: KindName; id: string }[] {
  const value = object[attribute];
  const kind = attribute.replace(/s$/, '') as KindName;
  return (Array.isArray(value) ? value : [value]).flatMap((reference: unknown) => {
    const id = isRecord(reference) ? reference['id'] : undefined;
    return typeof id === 'string' ? [{ kind, id }] : [];
  });
}
