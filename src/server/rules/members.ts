/** Collections of objects that exist by themselves: putting one in, taking it out. */
import type { StoredObject } from '../store/document.ts';
import type { RuleContext } from './context.ts';
import { resolveMember } from './input.ts';
import type { Place } from './places.ts';

type List = { id: string }[];

/** Puts the object that was sent by id or name into the collection; returns the object. */
export function addMember(ctx: RuleContext, place: Place, sent: StoredObject): StoredObject {
  const id = resolveMember(ctx.tx, place.type, sent);
  changeList(ctx, place, id, (list, entry) =>
    list.some((item) => item.id === entry) ? list : [...list, { id: entry }],
  );
  return (ctx.tx.get(place.kind, id) ?? { id }) as StoredObject;
}

/** Takes an object out of the collection. The object itself stays. */
export function removeMember(ctx: RuleContext, place: Place, id: string): void {
  changeList(ctx, place, id, (list, entry) => list.filter((item) => item.id !== entry));
}

function changeList(
  ctx: RuleContext,
  place: Place,
  memberId: string,
  change: (list: List, entry: string) => List,
): void {
  const { members, owner } = place;
  if (!members || !owner) throw new Error(`${place.service} lists no members.`);
  const byOwner = members.listedBy === 'owner';
  const holder = byOwner ? owner : { kind: place.kind, id: memberId };
  const entry = byOwner ? memberId : owner.id;
  const object = ctx.tx.get(holder.kind, holder.id) as StoredObject | undefined;
  if (!object) return;
  const list = (object[members.attribute] ?? []) as List;
  ctx.tx.update(holder.kind, { ...object, [members.attribute]: change(list, entry) } as never);
}
