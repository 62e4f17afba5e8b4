/** Authorization of operations: required permits and the objects that they apply to. */

import { permitsWhenSent } from '../../model/derive/permits.ts';
import { getObjectType, isType, listAttributes, type Operation } from '../../model/index.ts';
import type { ConditionalNeed, Need } from '../../model/notation/permits.ts';
import { listNeeds } from '../../model/required-permits.ts';
import { isRecord } from '../../records.ts';
import type { CollectionRef } from '../core/collection-ref.ts';
import type { RuleContext } from '../core/context.ts';
import { Refusal, refused } from '../core/fault.ts';
import { resolveMember, resolveReferences } from '../core/input.ts';
import { getValueAt, isKind, type KindName, type StoredObject } from '../store/kinds.ts';
import { isPermitted } from './permissions.ts';

interface Subject {
  readonly ref: CollectionRef;
  /** The object in the path; undefined for a collection. */
  readonly object?: StoredObject;
  /** The object or action in the request. */
  readonly sent: StoredObject;
}

/**
 * Refuses with 403 a change for which the caller lacks a permit. Reads require none: their results
 * are filtered. Returns the checked objects as `KIND ID`.
 */
export function authorise(
  ctx: RuleContext,
  operation: Operation,
  subject: Subject,
): ReadonlySet<string> {
  const checked = new Set<string>();
  if (ctx.caller.superUser) return checked;
  const needs = listNeeds(operation);
  if (!needs) throw refused('NOT_AUTHORIZED', { permit: 'of a super user' });
  const conditional = permitsWhenSent[operation.type]?.[operation.name] ?? [];
  const further = conditional.filter((one) => applies(ctx, one, subject)).map(({ need }) => need);
  for (const need of [...needs, ...further]) {
    const [permit, objects] = resolveNeed(ctx, operation, need, subject);
    const granted = objects.every((object) => isPermitted(ctx.tx, ctx.caller, permit, object));
    if (!granted) throw refused('NOT_AUTHORIZED', { permit });
    for (const object of objects) if (object) checked.add(`${object.kind} ${object.id}`);
  }
  return checked;
}

/** Whether an operation requires permits that do not depend on the request body. */
export function needsPermitsAhead(operation: Operation): boolean {
  return listNeeds(operation)?.every(({ on }) => on !== 'sent') ?? true;
}

type ObjectOrSystem = { readonly kind: KindName; readonly id: string } | undefined;

/** The permit of a need, and the objects that it applies to. */
function resolveNeed(
  ctx: RuleContext,
  operation: Operation,
  need: Need,
  subject: Subject,
): [permit: string, objects: readonly ObjectOrSystem[]] {
  const { permit, on } = need;
  const mine = subject.ref.owner?.id === ctx.caller.userId;
  if (on === 'own') return [mine ? permit : 'manipulate_users', [undefined]];
  if (on === 'others') return [permit, mine ? [] : [undefined]];
  return [permit, listObjects(ctx, operation, need, subject)];
}

/** Whether the request triggers a conditional permit. Unchanged values do not. */
function applies(
  ctx: RuleContext,
  { sent: path, without, parameter }: ConditionalNeed,
  { object, sent }: Subject,
): boolean {
  if (parameter) return ctx.parameters.flag(parameter[0]) === parameter[1];
  const value = getValueAt(sent, path.split('.'));
  const empty = typeof value === 'object' && value !== null && Object.keys(value).length === 0;
  if (value === undefined || value === '' || empty) return false;
  if (without && getValueAt(sent, without.split('.')) !== undefined) return false;
  const before = object && getValueAt(object, path.split('.'));
  return before === undefined || !isPart(value, before);
}

/** Whether all sent values are already present. */
function isPart(sent: unknown, before: unknown): boolean {
  if (Array.isArray(sent)) {
    return (
      Array.isArray(before) &&
      sent.length === before.length &&
      sent.every((one, index) => isPart(one, before[index]))
    );
  }
  if (!isRecord(sent)) return String(sent) === String(before);
  if (!isRecord(before)) return false;
  const names = typeof sent['id'] === 'string' ? ['id'] : Object.keys(sent);
  return names.every((name) => isPart(sent[name], before[name]));
}

function listObjects(
  ctx: RuleContext,
  operation: Operation,
  { on, path = '' }: Need,
  { ref, object, sent }: Subject,
): ObjectOrSystem[] {
  switch (on) {
    case 'referred':
      return listReferenced(ctx, ref.type, path, object ?? {});
    case 'self':
      return [object ? { kind: ref.type, id: String(object['id']) } : undefined];
    case 'owner':
      return [ref.owner];
    case 'sent':
      return operation.isAction
        ? [resolveNamed(ctx, path, sent[path])]
        : listReferenced(ctx, ref.type, path, { ...ref.implied, ...sent });
    default:
      return [undefined];
  }
}

/** The object in an action element that is named like its type. */
function resolveNamed(ctx: RuleContext, type: string, value: unknown): ObjectOrSystem {
  if (!isRecord(value) || !isType(type)) return undefined;
  if (value['id'] === undefined && value['name'] === undefined) return undefined;
  return absentOr(ctx, () => [{ kind: type, id: resolveMember(ctx.tx, type, value) }])[0];
}

/** Objects that a path of attributes refers to; without any, the system-wide permit is required. */
function listReferenced(
  ctx: RuleContext,
  type: string,
  path: string,
  object: StoredObject,
): ObjectOrSystem[] {
  const [attribute = '', ...rest] = path.split('.');
  const declared = listAttributes(type)[attribute];
  const kind = declared ? getObjectType(declared.kind) : isKind(attribute) ? attribute : undefined;
  if (!kind) return [undefined];
  const inner = object[attribute];
  if (rest.length > 0)
    return listReferenced(ctx, kind, rest.join('.'), isRecord(inner) ? inner : {});
  const resolved: StoredObject = { [attribute]: structuredClone(inner) };
  return absentOr(ctx, () => {
    resolveReferences(ctx.tx, type, resolved);
    const value = resolved[attribute];
    const found = (Array.isArray(value) ? value : [value]).flatMap((one: unknown) => {
      const id = isRecord(one) ? one['id'] : undefined;
      return typeof id === 'string' ? [{ kind, id }] : [];
    });
    return found.length > 0 ? found : [undefined];
  });
}

/**
 * The targets of references. A caller with restricted visibility needs the permit for unknown
 * targets too: the response must not reveal their existence.
 */
function absentOr(ctx: RuleContext, resolve: () => ObjectOrSystem[]): ObjectOrSystem[] {
  if (!ctx.filter) return resolve();
  try {
    return resolve();
  } catch (error) {
    if (error instanceof Refusal && (error.status === 404 || error.status === 400)) {
      return [undefined];
    }
    throw error;
  }
}
