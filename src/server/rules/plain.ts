/** Rules of kinds that need little beyond the generic handling: their events, what keeps them. */

import { everyone } from '../auth/permissions.ts';
import { refused } from '../fault.ts';
import type { StoredObject } from '../store/document.ts';
import type { RuleContext } from './context.ts';
import { refuseInUse } from './generic.ts';
import { rules } from './notation.ts';
import type { Place } from './places.ts';

const rootTag = '00000000-0000-0000-0000-000000000000';

function refuseBuiltIn(target: { place: Place; object: StoredObject }, builtIn: boolean): void {
  if (!builtIn) return;
  throw refused('BUILT_IN', {
    action: 'remove',
    type: target.place.type,
    name: String(target.object['name'] ?? target.object['id']),
  });
}

/** Objects of a kind that refer to the target. */
function users(
  ctx: RuleContext,
  kind: 'vm' | 'permission' | 'template',
  column: string,
  id: string,
): StoredObject[] {
  return ctx.tx.list(kind, { where: { [column]: id }, limit: 6 }) as StoredObject[];
}

export const plainRules = [
  rules({ kind: 'bookmark', events: { add: 350, update: 352, remove: 354 } }),
  rules({
    kind: 'tag',
    events: { add: 432, update: 430, remove: 434 },
    prepare(_ctx, tag) {
      tag.parent ??= { id: rootTag };
    },
    removable(_ctx, { place, object }) {
      refuseBuiltIn({ place, object: { ...object } }, object.id === rootTag);
    },
  }),
  rules({
    kind: 'role',
    events: { add: 864, update: 856, remove: 858 },
    prepare(_ctx, role) {
      role.mutable = true;
    },
    removable(ctx, { place, object }) {
      const target = { place, object: { ...object } };
      refuseBuiltIn(target, object.mutable === false);
      refuseInUse(target, users(ctx, 'permission', 'role_id', object.id ?? ''), 'the permissions');
    },
  }),
  rules({
    kind: 'group',
    removable(_ctx, { place, object }) {
      refuseBuiltIn({ place, object: { ...object } }, object.id === everyone);
    },
  }),
  rules({
    kind: 'user',
    removable(ctx, { place, object }) {
      refuseBuiltIn({ place, object: { ...object } }, object.id === ctx.caller.userId);
    },
  }),
];
