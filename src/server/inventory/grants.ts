/** Grants that the service makes by itself: a role for somebody, on an object or on the whole system. */
import { everyone, permissionCollection } from '../auth/permissions.ts';
import type { RuleContext } from '../core/context.ts';

/** Who gets a role, and the object where permissions can name it. */
interface Grant {
  readonly user?: { readonly id: string };
  readonly group?: { readonly id: string };
  readonly vm?: { readonly id: string };
  readonly disk?: { readonly id: string };
  readonly cluster?: { readonly id: string };
  readonly template?: { readonly id: string };
}

/**
 * Gives a role of this name to somebody; nothing happens where the site has no such role. `owner` is the
 * path of an object whose type permissions cannot name: `/networks/123`. `permission` is the id of the permission.
 */
export function grantRole(
  ctx: RuleContext,
  role: string,
  to: Grant,
  owner?: string,
  permission = ctx.site.newId(),
): void {
  const id = ctx.tx.byName('role', role)?.id;
  if (!id) return;
  const collection = owner === undefined ? permissionCollection : `${owner}/permissions`;
  ctx.tx.insert('permission', collection, { id: permission, role: { id }, ...to });
}

/** Gives everyone a role on an object that comes with another one, as engines do. */
export function grantToEveryone(
  ctx: RuleContext,
  role: string,
  owner: string,
  permission?: string,
): void {
  if (!ctx.site.dialect.engineAnswers) return;
  grantRole(ctx, role, { group: { id: everyone } }, owner, permission);
}
