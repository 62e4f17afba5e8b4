/** Rules of permissions: a role for a user or group on an object, or on the whole system. */
import type { EventCode } from '../../model/events.ts';
import type { Resource } from '../../model/resource.ts';
import { isSystemWide, permissionObjects } from '../auth/permissions.ts';
import { superUserRole } from '../auth/users.ts';
import { incomplete } from '../fault.ts';
import type { RuleContext } from './context.ts';
import { rules } from './notation.ts';

type Permission = Resource<'permission'>;

export const permissionRules = rules({
  kind: 'permission',

  prepare(_ctx, permission) {
    if (!permission.user?.id && !permission.group?.id) {
      throw incomplete('Permission', ['user.id|group.id'], 'add');
    }
  },

  added(ctx, { object }) {
    tell(ctx, object, 850, 866);
  },

  removable(ctx, { object }) {
    if (object.role?.id !== superUserRole) return;
    const others = ctx.tx
      .list('permission', { where: { role_id: superUserRole } })
      .filter((other) => other.id !== object.id && isSystemWide(other));
    if (isSystemWide(object) && others.length === 0) {
      ctx.refuse('LAST_SUPER_USER', { action: 'remove' });
    }
  },

  remove(ctx, { object, place }) {
    tell(ctx, object, 852, 868);
    ctx.tx.remove('permission', object.id ?? '', place.collection);
  },
});

/** Writes one of two events: for a permission on an object, or for one on the whole system. */
function tell(ctx: RuleContext, permission: Permission, one: EventCode, system: EventCode): void {
  const type = permissionObjects.find((name) => permission[name]?.id);
  const id = type ? permission[type]?.id : undefined;
  const object = type && id ? ctx.tx.get(type, id) : undefined;
  const user = permission.user?.id ? ctx.tx.get('user', permission.user.id) : undefined;
  const group = permission.group?.id ? ctx.tx.get('group', permission.group.id) : undefined;
  ctx.event(type ? one : system, type && object ? { [type]: object } : {}, {
    SubjectName: user?.user_name ?? group?.name ?? '<none>',
    RoleName: ctx.tx.get('role', permission.role?.id ?? '')?.name ?? '<none>',
    ObjectType: type?.replaceAll('_', ' '),
    ObjectName: object?.name,
  });
}
