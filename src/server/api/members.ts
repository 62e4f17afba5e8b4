/** Collections of objects that exist by themselves: putting one in, taking it out. */

import type { Place } from '../core/collection-ref.ts';
import type { RuleContext } from '../core/context.ts';
import { resolveMember } from '../core/input.ts';
import type { StoredObject } from '../store/kinds.ts';

type List = { id: string }[];

/** Puts the object that was sent by id or name into the collection; returns the object. */
export function addMember(ctx: RuleContext, place: Place, sent: StoredObject): StoredObject {
  const id = resolveMember(ctx.tx, place.type, sent);
  changeList(ctx, place, id, true);
  return (ctx.tx.get(place.kind, id) ?? { id }) as StoredObject;
}

/** Takes an object out of the collection. The object itself stays. */
export function removeMember(ctx: RuleContext, place: Place, id: string): void {
  changeList(ctx, place, id, false);
}

function changeList(ctx: RuleContext, place: Place, memberId: string, added: boolean): void {
  const { members, owner } = place;
  if (!members || !owner) throw new Error(`${place.service} lists no members.`);
  const byOwner = members.listedBy === 'owner';
  const holder = byOwner ? owner : { kind: place.kind, id: memberId };
  const entry = byOwner ? memberId : owner.id;
  const object = ctx.tx.get(holder.kind, holder.id) as StoredObject | undefined;
  if (!object) return;
  const before = (object[members.attribute] ?? []) as List;
  const others = before.filter((item) => item.id !== entry);
  const after = { ...object, [members.attribute]: added ? [...others, { id: entry }] : others };
  ctx.behavior(holder.kind)?.onMembershipChange?.(ctx, object, after, { id: entry, added });
  ctx.tx.update(holder.kind, after);
}
