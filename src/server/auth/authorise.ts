/** May the caller perform this operation: the permits that the model asks for, where it asks. */
import type { Operation } from '../../model/index.ts';
import { attributesOf, parseKind, primaryPath } from '../../model/index.ts';
import { type Need, permitsByPath, permitsByType } from '../../model/permits.ts';
import { refused } from '../fault.ts';
import type { RuleContext } from '../rules/context.ts';
import { resolveReferences } from '../rules/input.ts';
import type { Place } from '../rules/places.ts';
import { isRecord, type StoredObject } from '../store/document.ts';
import type { KindName } from '../store/kinds.ts';
import { isPermitted } from './permissions.ts';

interface Subject {
  readonly place: Place;
  /** The addressed object, where the path addresses one. */
  readonly object?: StoredObject;
  /** The object or action that was sent. */
  readonly sent: StoredObject;
}

/**
 * Refuses with 403 a change that the caller has not all permits for. Reads need none: what they
 * show is filtered.
 */
export function authorise(ctx: RuleContext, operation: Operation, subject: Subject): void {
  if (ctx.caller.superUser) return;
  const needs =
    permitsByPath[primaryPath(operation.service)]?.[operation.name] ??
    permitsByType[operation.type]?.[operation.name];
  if (!needs) throw refused('NOT_AUTHORIZED', { permit: 'of a super user' });
  for (const need of needs) {
    const objects = objectsOf(ctx, operation, need, subject);
    const granted = objects.every((object) => isPermitted(ctx.tx, ctx.caller, need[0], object));
    if (!granted) throw refused('NOT_AUTHORIZED', { permit: need[0] });
  }
}

type ObjectOrSystem = { readonly kind: KindName; readonly id: string } | undefined;

function objectsOf(
  ctx: RuleContext,
  operation: Operation,
  [, on]: Need,
  { place, object, sent }: Subject,
): ObjectOrSystem[] {
  const [where = '', attribute = ''] = on.split(' ');
  switch (where) {
    case 'self':
      if (attribute) return references(ctx, place.type, attribute, object ?? {});
      return [object ? { kind: place.type, id: String(object['id']) } : undefined];
    case 'owner':
      return [place.owner];
    case 'sent': {
      const type = operation.isAction ? attribute : place.type;
      const whole = operation.isAction
        ? { [attribute]: sent[attribute] }
        : { ...place.implied, ...sent };
      if (!operation.isAction) return references(ctx, type, attribute, whole);
      const reference = sent[attribute];
      return references(ctx, 'disk_profile', attribute, { [attribute]: reference });
    }
    default:
      return [undefined];
  }
}

/** Objects that an attribute refers to; where it refers to none the system must permit it. */
function references(
  ctx: RuleContext,
  type: string,
  attribute: string,
  object: StoredObject,
): ObjectOrSystem[] {
  const declared = attributesOf(type)[attribute];
  const kind = (declared ? parseKind(declared.kind).of : attribute) as KindName;
  const resolved: StoredObject = { [attribute]: structuredClone(object[attribute]) };
  resolveReferences(ctx.tx, type, resolved);
  const value = resolved[attribute];
  const found = (Array.isArray(value) ? value : [value]).flatMap((one: unknown) => {
    const id = isRecord(one) ? one['id'] : undefined;
    return typeof id === 'string' ? [{ kind, id }] : [];
  });
  return found.length > 0 ? found : [undefined];
}
