/** Removal of objects: refused while they are in use, with what is kept below them, and from the lists that name them. */
import { isRecord, type StoredObject } from '../store/kinds.ts';
import type { CollectionRef } from './collection-ref.ts';
import type { RuleContext } from './context.ts';
import { refused, typeLabel } from './fault.ts';

/** Deletes an object with everything that is kept below it. */
export function erase(
  ctx: RuleContext,
  { ref, object }: { ref: Pick<CollectionRef, 'kind' | 'collection'>; object: StoredObject },
): void {
  const id = String(object['id']);
  ctx.tx.remove(ref.kind, id, ref.collection);
  const path = `${ref.collection}/${id}`;
  for (const kind of ctx.tx.kindsBelow(path)) ctx.tx.removeBelow(kind, path);
}

/** Objects whose list attributes name this one lose that entry. */
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

/** Refuses the removal of an object that others refer to. */
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
    type: typeLabel(target.ref.type),
    name: String(target.object['name'] ?? target.object['id']),
    users: `${what} ${names.join(', ')}`,
  });
}
