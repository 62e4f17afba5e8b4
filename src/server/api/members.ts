/** Collections of independent objects: add and remove a member. */

import { isRecord } from '../../records.ts';
import { findBehavior } from '../core/behavior.ts';
import type { CollectionRef } from '../core/collection-ref.ts';
import type { RuleContext } from '../core/context.ts';
import { getUnknownMemberStatus, resolveMember } from '../core/input.ts';
import type { StoredObject } from '../store/kinds.ts';

/** Adds the object with the sent id or name to the collection, and returns it. */
export function addMember(ctx: RuleContext, ref: CollectionRef, sent: StoredObject): StoredObject {
  const status = getUnknownMemberStatus(ref, sent);
  const id = resolveMember(ctx.tx, ref.type, sent, status);
  changeList(ctx, ref, id, true);
  return ctx.tx.get(ref.kind, id) ?? { id };
}

/** Removes an object from the collection, without deleting it. */
export function removeMember(ctx: RuleContext, ref: CollectionRef, id: string): void {
  changeList(ctx, ref, id, false);
}

function changeList(ctx: RuleContext, ref: CollectionRef, memberId: string, added: boolean): void {
  const { members, owner } = ref;
  if (!members || !owner) throw new Error(`${ref.service} lists no members.`);
  const byOwner = members.listedBy === 'owner';
  const holder = byOwner ? owner : { kind: ref.kind, id: memberId };
  const entry = byOwner ? memberId : owner.id;
  const object: StoredObject | undefined = ctx.tx.get(holder.kind, holder.id);
  if (!object) return;
  const before = object[members.attribute];
  const others = Array.isArray(before)
    ? before.filter((item: unknown) => !isRecord(item) || item['id'] !== entry)
    : [];
  const after = { ...object, [members.attribute]: added ? [...others, { id: entry }] : others };
  findBehavior(ctx, holder.kind)?.onMembershipChange?.(ctx, object, after, { id: entry, added });
  ctx.tx.update(holder.kind, after);
}
