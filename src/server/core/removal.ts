/** Removal of objects, their sub-collections and the references to them. */
import { isRecord } from '../../records.ts';
import type { StoredObject } from '../store/kinds.ts';
import type { CollectionRef } from './collection-ref.ts';
import type { RuleContext } from './context.ts';
import { getTypeLabel, refused } from './fault.ts';

/** Deletes an object and all objects below it. */
export function erase(
  ctx: RuleContext,
  { ref, object }: { ref: Pick<CollectionRef, 'kind' | 'collection'>; object: StoredObject },
): void {
  const id = String(object['id']);
  ctx.tx.remove(ref.kind, id, ref.collection);
  const path = `${ref.collection}/${id}`;
  for (const kind of ctx.tx.kindsBelow(path)) ctx.tx.removeBelow(kind, path);
}

/** Removes an object from all list attributes that refer to it. */
export function forgetReferences(ctx: RuleContext, id: string): void {
  for (const { kind, attribute } of ctx.tx.listsNaming(id)) {
    const holders: readonly StoredObject[] = ctx.tx.referring(kind, attribute, id);
    for (const holder of holders) {
      const list = holder[attribute];
      if (!Array.isArray(list)) continue;
      const left = list.filter((item: unknown) => !isRecord(item) || item['id'] !== id);
      ctx.tx.update(kind, { ...holder, [attribute]: left });
    }
  }
}

/** Refuses the removal of an object with references to it. */
export function refuseInUse(
  target: { ref: CollectionRef; object: StoredObject },
  users: readonly StoredObject[],
  what: string,
): void {
  if (users.length === 0) return;
  const names = users.slice(0, 5).map((user) => String(user['name'] ?? user['id']));
  if (users.length > 5) names.push('...');
  throw refused('OBJECT_IN_USE', {
    action: 'remove',
    type: getTypeLabel(target.ref.type),
    name: String(target.object['name'] ?? target.object['id']),
    users: `${what} ${names.join(', ')}`,
  });
}
