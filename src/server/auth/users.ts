/** Who a signed-in user is, and what that makes of the caller. */
import type { Caller } from '../rules/context.ts';
import type { Transaction } from '../store/transaction.ts';

/** Id of the role SuperUser. */
export const superUserRole = '00000000-0000-0000-0000-000000000001';
/** Id of the group that every user belongs to. */
export const everyone = 'eee00000-0000-0000-0000-123456789eee';

const objectColumns = [
  'data_center_id',
  'cluster_id',
  'host_id',
  'storage_domain_id',
  'vm_id',
  'vm_pool_id',
  'template_id',
  'disk_id',
] as const;

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
  const permissions = tx.list('permission', { where: { user_id: user.id } });
  const superUser =
    tx.count('permission', {
      where: {
        user_id: user.id,
        role_id: superUserRole,
        ...Object.fromEntries(objectColumns.map((column) => [column, null])),
      },
    }) > 0;
  const administrator =
    superUser ||
    permissions.some(({ role }) => role?.id && tx.get('role', role.id)?.administrative === true);
  return { userId: user.id, userName, administrator, superUser };
}
