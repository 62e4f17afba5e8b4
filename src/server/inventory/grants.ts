/** Grants that the service makes by itself: a role for somebody, on an object or on the whole system. */
import { permissionCollection } from '../auth/permissions.ts';
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
 * path of an object whose type permissions cannot name: `/networks/123`.
 */
export function grantRole(ctx: RuleContext, role: string, to: Grant, owner?: string): void {
  const id = ctx.tx.byName('role', role)?.id;
  if (!id) return;
  const collection = owner === undefined ? permissionCollection : `${owner}/permissions`;
  ctx.tx.insert('permission', collection, { id: ctx.site.newId(), role: { id }, ...to });
}
