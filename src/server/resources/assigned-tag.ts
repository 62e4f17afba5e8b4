/** Tags of objects: assignment and removal. */
import type { EventName } from '../../model/events.ts';
import type { Resource } from '../../model/resource.ts';
import { defineBehavior } from '../core/behavior.ts';
import type { CollectionRef } from '../core/collection-ref.ts';
import type { RuleContext } from '../core/context.ts';
import { resolveMember } from '../core/input.ts';
import type { KindName, StoredObject } from '../store/kinds.ts';

type TagChange = 'attached' | 'detached' | 'present';

/** Audit log events of tags, by the kind of the tagged object. */
const eventsByKind: Readonly<Partial<Record<KindName, Readonly<Record<TagChange, EventName>>>>> = {
  vm: {
    attached: 'TAG_ATTACHED_TO_VM',
    detached: 'TAG_DETACHED_FROM_VM',
    present: 'TAG_ON_VM_ALREADY',
  },
  host: {
    attached: 'TAG_ATTACHED_TO_HOST',
    detached: 'TAG_DETACHED_FROM_HOST',
    present: 'TAG_ON_HOST_ALREADY',
  },
  template: {
    attached: 'TAG_ATTACHED_TO_TEMPLATE',
    detached: 'TAG_DETACHED_FROM_TEMPLATE',
    present: 'TAG_ON_TEMPLATE_ALREADY',
  },
  user: {
    attached: 'TAG_ATTACHED_TO_USER',
    detached: 'TAG_DETACHED_FROM_USER',
    present: 'TAG_ON_USER_ALREADY',
  },
  group: {
    attached: 'TAG_ATTACHED_TO_GROUP',
    detached: 'TAG_DETACHED_FROM_GROUP',
    present: 'TAG_ON_GROUP_ALREADY',
  },
};

export const assignedTagBehavior = defineBehavior('assigned_tag', {
  attach(ctx, ref, sent) {
    const id = resolveMember(ctx.tx, 'tag', sent);
    const present = ctx.tx.get('assigned_tag', id, ref.collection);
    if (present) {
      writeTagEvent(ctx, ref, 'present', id);
      return present;
    }
    const tag = ctx.tx.get('tag', id);
    const owner = ref.owner;
    const assigned: Resource<'tag'> = {
      id,
      name: tag?.name ?? '',
      ...(owner ? { [owner.kind]: { id: owner.id } } : {}),
    };
    ctx.tx.insert('assigned_tag', ref.collection, assigned);
    writeTagEvent(ctx, ref, 'attached', id);
    return assigned;
  },

  remove(ctx, { ref, object }) {
    const id = object.id ?? '';
    ctx.tx.remove('assigned_tag', id, ref.collection);
    writeTagEvent(ctx, ref, 'detached', id);
  },

  /** Only the response to an add contains the description. */
  presentChanged(ctx, assigned) {
    const { description } = ctx.tx.get('tag', assigned.id ?? '') ?? {};
    return description === undefined ? {} : { description };
  },

  present(ctx, assigned) {
    const { engineAnswers } = ctx.site.dialect;
    return {
      ...ctx.tx.get('tag', assigned.id ?? ''),
      ...(engineAnswers ? { description: '' } : {}),
      ...assigned,
    };
  },
});

function writeTagEvent(
  ctx: RuleContext,
  { owner }: CollectionRef,
  deed: TagChange,
  tag: string,
): void {
  const code = owner && eventsByKind[owner.kind]?.[deed];
  if (!owner || code === undefined) return;
  const object: StoredObject | undefined = ctx.tx.get(owner.kind, owner.id);
  ctx.event(
    code,
    { [owner.kind]: object },
    {
      TagName: ctx.tx.get('tag', tag)?.name,
      TaggedName: String(object?.['user_name'] ?? object?.['name'] ?? owner.id),
    },
  );
}
