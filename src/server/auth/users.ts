/** Who a signed-in user is, and what that makes of the caller. */
import type { Caller } from '../core/context.ts';
import type { Transaction } from '../store/transaction.ts';
import { hasOnSystem, isAdministrator } from './permissions.ts';

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
