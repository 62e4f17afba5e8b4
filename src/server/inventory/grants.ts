/** Automatic grants of roles by the service, on an object or system-wide. */
import { everyone } from '../../model/resources/group.ts';
import { permissionCollection } from '../auth/permissions.ts';
import type { RuleContext } from '../core/context.ts';

/** The user or group, and the object if permissions can refer to its type. */
interface Grant {
  readonly user?: { readonly id: string };
  readonly group?: { readonly id: string };
  readonly vm?: { readonly id: string };
  readonly disk?: { readonly id: string };
  readonly cluster?: { readonly id: string };
  readonly template?: { readonly id: string };
}

/**
 * Grants the role with this name, if the site has it. `owner` is the path of an object whose type
 * permissions cannot refer to: `/networks/123`. `permission` is the id of the permission.
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

/** Grants everyone a role on an automatically created object, in the dialect of engines. */
export function grantToEveryone(
  ctx: RuleContext,
  role: string,
  owner: string,
  permission?: string,
): void {
  if (!ctx.site.dialect.engineAnswers) return;
  grantRole(ctx, role, { group: { id: everyone } }, owner, permission);
}
