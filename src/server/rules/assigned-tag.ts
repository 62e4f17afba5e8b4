/** Rules of tags on objects: assigning one that exists, and taking it off again. */
import type { Resource } from '../../model/resource.ts';
import { resolveMember } from './input.ts';
import { rules } from './notation.ts';

export const assignedTagRules = rules<'assigned_tag'>({
  kind: 'assigned_tag',

  attach(ctx, place, sent) {
    const id = resolveMember(ctx.tx, 'tag', sent);
    const present = ctx.tx.get('assigned_tag', id, place.collection);
    if (present) return present;
    const tag = ctx.tx.get('tag', id);
    const owner = place.owner;
    const assigned: Resource<'tag'> = {
      id,
      name: tag?.name ?? '',
      ...(owner ? { [owner.kind]: { id: owner.id } } : {}),
    };
    ctx.tx.insert('assigned_tag', place.collection, assigned);
    return assigned;
  },

  present(ctx, assigned) {
    return { ...ctx.tx.get('tag', assigned.id ?? ''), ...assigned };
  },
});
