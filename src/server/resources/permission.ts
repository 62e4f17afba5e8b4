/** Permissions: a role for a user or group on an object or on the whole system. */
import type { EventName } from '../../model/events.ts';
import type { Resource } from '../../model/resource.ts';
import { everyone } from '../../model/resources/group.ts';
import { permissionObjects } from '../../model/resources/permission.ts';
import { superUserRole } from '../../model/resources/role.ts';
import {
  isSystemWide,
  listApplicablePermissions,
  onSystem,
  permissionCollection,
} from '../auth/permissions.ts';
import { defineBehavior, type LocatedObject } from '../core/behavior.ts';
import type { CollectionRef } from '../core/collection-ref.ts';
import { type RuleContext, systemCaller } from '../core/context.ts';
import { incomplete } from '../core/fault.ts';

type Permission = Resource<'permission'>;

export const permissionBehavior = defineBehavior('permission', {
  locate(ctx, ref, id) {
    if (ref.owner) return id === undefined ? ref : withSystemWide(ctx, ref, id);
    // The top-level list contains system-wide permissions; lookups by id find all.
    const where = id === undefined ? onSystem : { collection: permissionCollection };
    return { ...ref, options: { where } };
  },

  listed(ctx, { owner, collection }, id) {
    if (!owner || !ctx.site.dialect.engineAnswers) return undefined;
    if (owner.kind === 'user' || owner.kind === 'group') return listAllPermissions(ctx, owner);
    const all = listApplicablePermissions(ctx.tx, owner, collection);
    if (id === undefined) return all;
    // An inherited permission is visible below the object but does not refer to it.
    const one = all.find((permission) => permission.id === id);
    return one ? [{ ...one, [owner.kind]: undefined }] : [];
  },

  beforeCreate(ctx, permission, ref, sent) {
    const ofPerson = ref.owner?.kind === 'user' || ref.owner?.kind === 'group';
    if (!permission.user?.id && !permission.group?.id) {
      throw incomplete('Permission', ['user.id|group.id'], 'add');
    }
    const isClient = ctx.caller.userId !== systemCaller.userId;
    if (ctx.site.dialect.engineRefusals && isClient) requireWhole(permission, sent, ofPerson);
    for (const name of permissionObjects) {
      // Below an object, the permission applies to that object, regardless of other sent
      // references.
      if (ref.owner && !ofPerson && !ref.implied[name]) delete permission[name];
    }
    requireSuperUser(ctx, permission, 'add');
  },

  // A duplicate would remain after the removal of the other permission.
  findExisting(ctx, permission, ref) {
    const { collection } = ref;
    const named = [...permissionObjects, 'user', 'group', 'role'] as const;
    const where = Object.fromEntries(
      named.map((name) => [`${name}_id`, permission[name]?.id ?? null]),
    );
    const [object] = ctx.tx.list('permission', { where: { ...where, collection } });
    if (object)
      writePermissionEvent(ctx, { object, ref }, 'PERMISSION_ADDED', 'SYSTEM_PERMISSION_ADDED');
    return object;
  },

  afterCreate(ctx, target) {
    writePermissionEvent(ctx, target, 'PERMISSION_ADDED', 'SYSTEM_PERMISSION_ADDED');
  },

  beforeDelete(ctx, { object, ref }) {
    requireSuperUser(ctx, object, 'remove');
    if (ref.collection !== permissionCollection || !isSystemWide(object)) return;
    if (object.group?.id === everyone) ctx.refuse('PERMISSION_OF_EVERYONE', { action: 'remove' });
    if (object.role?.id !== superUserRole) return;
    const others = ctx.tx
      .list('permission', {
        where: { role_id: superUserRole, collection: permissionCollection },
      })
      .filter((other) => other.id !== object.id && isSystemWide(other));
    if (others.length === 0) ctx.refuse('LAST_SUPER_USER', { action: 'remove' });
  },

  remove(ctx, { object, ref }) {
    writePermissionEvent(ctx, { object, ref }, 'PERMISSION_REMOVED', 'SYSTEM_PERMISSION_REMOVED');
    ctx.tx.remove('permission', object.id ?? '', ref.collection);
  },
});

/**
 * The collection of one permission below an object. Engines also find system-wide permissions
 * there.
 */
function withSystemWide(ctx: RuleContext, ref: CollectionRef, id: string): CollectionRef {
  if (!ctx.site.dialect.engineAnswers) return ref;
  const isOnSystem = ctx.tx.count('permission', { where: { ...onSystem, id } }) > 0;
  return isOnSystem ? { ...ref, options: { where: onSystem } } : ref;
}

/** The permissions of a user or group on all objects, including those of the group Everyone. */
function listAllPermissions(
  ctx: RuleContext,
  { kind, id }: { readonly kind: string; readonly id: string },
): Permission[] {
  const own = ctx.tx.list('permission', { where: { [`${kind}_id`]: id } });
  if (id === everyone) return own;
  return [...own, ...ctx.tx.list('permission', { where: { group_id: everyone } })];
}

/** Engines refuse users and groups by name, and require an object below a user or group. */
function requireWhole(permission: Permission, sent: Permission, ofPerson: boolean): void {
  if (!ofPerson && !sent.user?.id && !sent.group?.id) {
    throw incomplete('Permission', ['user.id|group.id'], 'add');
  }
  if (ofPerson && permissionObjects.every((name) => !permission[name]?.id)) {
    const objects = permissionObjects.map((name) => `${name}.id`).join('|');
    throw incomplete('Permission', [objects], 'add');
  }
}

/** Only super users grant and revoke administrator roles. */
function requireSuperUser(ctx: RuleContext, { role }: Permission, action: string): void {
  if (ctx.caller.superUser || !role?.id) return;
  const { administrative, name } = ctx.tx.get('role', role.id) ?? {};
  if (administrative) ctx.refuse('PERMISSION_NEEDS_SUPER_USER', { action, role: name });
}

/**
 * Writes one of two events: `one` for a permission on an object, `system` for a system-wide one.
 */
function writePermissionEvent(
  ctx: RuleContext,
  { object: permission, ref }: LocatedObject<'permission'>,
  one: EventName,
  system: EventName,
): void {
  const named = permissionObjects.find((name) => permission[name]?.id);
  const stored = ref.collection === permissionCollection ? undefined : ref.owner;
  const on = named ? { kind: named, id: permission[named]?.id ?? '' } : stored;
  const object = on && ctx.tx.get(on.kind, on.id);
  const user = permission.user?.id ? ctx.tx.get('user', permission.user.id) : undefined;
  const group = permission.group?.id ? ctx.tx.get('group', permission.group.id) : undefined;
  ctx.event(on ? one : system, named && object ? { [named]: object } : {}, {
    SubjectName: user?.user_name ?? group?.name ?? '<none>',
    RoleName: ctx.tx.get('role', permission.role?.id ?? '')?.name ?? '<none>',
    ObjectType: on?.kind.replaceAll('_', ' '),
    ObjectName: object?.name,
  });
}
