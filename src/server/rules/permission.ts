/** Rules of permissions: a role for a user or group on an object, or on the whole system. */
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
    ctx.event(850, {}, wordsOf(ctx, object));
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
    ctx.event(852, {}, wordsOf(ctx, object));
    ctx.tx.remove('permission', object.id ?? '', place.collection);
  },
});

function wordsOf(ctx: RuleContext, permission: Permission): Record<string, string> {
  const type = permissionObjects.find((name) => permission[name]?.id);
  const id = type ? permission[type]?.id : undefined;
  const user = permission.user?.id ? ctx.tx.get('user', permission.user.id) : undefined;
  const group = permission.group?.id ? ctx.tx.get('group', permission.group.id) : undefined;
  return {
    SubjectName: user?.user_name ?? group?.name ?? '<none>',
    RoleName: ctx.tx.get('role', permission.role?.id ?? '')?.name ?? '<none>',
    ObjectType: type?.replaceAll('_', ' ') ?? 'system',
    ObjectName: (type && id && ctx.tx.get(type, id)?.name) || 'System',
  };
}
