/** What a storage domain shows below `vms` and `templates`: what is in the inventory, or what is not. */

import type { Place } from '../../core/collection-ref.ts';
import type { RuleContext } from '../../core/context.ts';
import { referringCondition } from '../../store/conditions.ts';
import type { KindName } from '../../store/kinds.ts';
import { table } from '../../store/schema.ts';

/**
 * The place of machines or templates of a domain. An export domain holds what was exported to it;
 * a data domain shows what the inventory has on it, and with `unregistered` what it has not.
 */
export function placeOn(
  ctx: RuleContext,
  place: Place,
  kind: 'vm' | 'template',
  id: string | undefined,
): Place {
  const domain = ctx.tx.get('storage_domain', place.owner?.id ?? '');
  const stored = id !== undefined && ctx.tx.get(place.kind, id, place.collection) !== undefined;
  const unregistered = ctx.parameters.flag('unregistered') === true;
  if (domain?.type !== 'data' || stored || (id === undefined && unregistered)) return place;
  const disks = referringCondition('disk', 'storage_domains', domain.id ?? '');
  const attachments = table('disk_attachment' satisfies KindName);
  const condition = {
    sql: `id IN (SELECT [${kind}_id] FROM ${attachments} WHERE ${disks.sql})`,
    values: disks.values,
  };
  return { ...place, kind, collection: `/${kind}s`, options: { condition } };
}
