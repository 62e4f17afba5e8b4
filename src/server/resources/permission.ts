/** Permissions: a role for a user or group on an object or on the whole system. */
import type { EventName } from '../../model/events.ts';
import type { Resource } from '../../model/resource.ts';
import { permissionObjects } from '../../model/resources/permission.ts';
import {
  everyone,
  isSystemWide,
  onSystem,
  permissionCollection,
  permissionsOn,
  superUserRole,
} from '../auth/permissions.ts';
import { type Addressed, define } from '../core/behavior.ts';
import type { CollectionRef } from '../core/collection-ref.ts';
import { type RuleContext, systemCaller } from '../core/context.ts';
import { incomplete } from '../core/fault.ts';

type Permission = Resource<'permission'>;

export const permissionBehavior = define('permission', {
  locate(ctx, ref, id) {
    if (ref.owner) return id === undefined ? ref : withSystemWide(ctx, ref, id);
    // The list at the top is of those on the whole system; others are found there by their id.
    const where = id === undefined ? onSystem : { collection: permissionCollection };
    return { ...ref, options: { where } };
  },

  listed(ctx, { owner, collection }, id) {
    if (!owner || !ctx.site.dialect.engineAnswers) return undefined;
    if (owner.kind === 'user' || owner.kind === 'group') return permissionsOf(ctx, owner);
    const all = permissionsOn(ctx.tx, owner, collection);
    if (id === undefined) return all;
    // An inherited permission is found below the object, but does not name it.
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
      // Below an object it is on that object, whatever else is sent.
      if (ref.owner && !ofPerson && !ref.implied[name]) delete permission[name];
    }
    requireSuperUser(ctx, permission, 'add');
  },

  // Two of the same would outlive the removal of one of them.
  findExisting(ctx, permission, ref) {
    const { collection } = ref;
    const named = [...permissionObjects, 'user', 'group', 'role'] as const;
    const where = Object.fromEntries(
      named.map((name) => [`${name}_id`, permission[name]?.id ?? null]),
    );
    const [object] = ctx.tx.list('permission', { where: { ...where, collection } });
    if (object) tell(ctx, { object, ref }, 'PERMISSION_ADDED', 'SYSTEM_PERMISSION_ADDED');
    return object;
  },

  afterCreate(ctx, target) {
    tell(ctx, target, 'PERMISSION_ADDED', 'SYSTEM_PERMISSION_ADDED');
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
    tell(ctx, { object, ref }, 'PERMISSION_REMOVED', 'SYSTEM_PERMISSION_REMOVED');
    ctx.tx.remove('permission', object.id ?? '', ref.collection);
  },
});

/** The place of one permission below an object: engines also find permissions on the whole system there. */
function withSystemWide(ctx: RuleContext, ref: CollectionRef, id: string): CollectionRef {
  if (!ctx.site.dialect.engineAnswers) return ref;
  const isOnSystem = ctx.tx.count('permission', { where: { ...onSystem, id } }) > 0;
  return isOnSystem ? { ...ref, options: { where: onSystem } } : ref;
}

/** The permissions of a user or group on all objects, with those of the group Everyone. */
function permissionsOf(
  ctx: RuleContext,
  { kind, id }: { readonly kind: string; readonly id: string },
): Permission[] {
  const own = ctx.tx.list('permission', { where: { [`${kind}_id`]: id } });
  if (id === everyone) return own;
  return [...own, ...ctx.tx.list('permission', { where: { group_id: everyone } })];
}

/** Engines do not accept the name of a user or group, and require an object below a user or group. */
function requireWhole(permission: Permission, sent: Permission, ofPerson: boolean): void {
  if (!ofPerson && !sent.user?.id && !sent.group?.id) {
    throw incomplete('Permission', ['user.id|group.id'], 'add');
  }
  if (ofPerson && permissionObjects.every((name) => !permission[name]?.id)) {
    const objects = permissionObjects.map((name) => `${name}.id`).join('|');
    throw incomplete('Permission', [objects], 'add');
  }
}

/** Roles of administrators are given and taken by those who may do everything. */
function requireSuperUser(ctx: RuleContext, { role }: Permission, action: string): void {
  if (ctx.caller.superUser || !role?.id) return;
  const { administrative, name } = ctx.tx.get('role', role.id) ?? {};
  if (administrative) ctx.refuse('PERMISSION_NEEDS_SUPER_USER', { action, role: name });
}

/** Writes one of two events: for a permission on an object, or for one on the whole system. */
function tell(
  ctx: RuleContext,
  { object: permission, ref }: Addressed<'permission'>,
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
