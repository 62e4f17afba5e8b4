/**
 * Authorisation of operations: the permits that the model asks for, and the objects that they must be
 * held on.
 */

import { permitsByPath, permitsByType, permitsWhenSent } from '../../model/derive/permits.ts';
import {
  getObjectType,
  isType,
  listAttributes,
  type Operation,
  primaryPath,
} from '../../model/index.ts';
import type { ConditionalNeed, Need } from '../../model/notation/permits.ts';
import type { CollectionRef } from '../core/collection-ref.ts';
import type { RuleContext } from '../core/context.ts';
import { Refusal, refused } from '../core/fault.ts';
import { resolveMember, resolveReferences } from '../core/input.ts';
import { isKind, isRecord, type KindName, type StoredObject, valueAt } from '../store/kinds.ts';
import { isPermitted } from './permissions.ts';

interface Subject {
  readonly ref: CollectionRef;
  /** The addressed object, where the path addresses one. */
  readonly object?: StoredObject;
  /** The object or action that was sent. */
  readonly sent: StoredObject;
}

/**
 * Refuses with 403 a change that the caller has not all permits for. Reads need none: what they
 * show is filtered. Returns the objects that the permits were asked for: `KIND ID`.
 */
export function authorise(
  ctx: RuleContext,
  operation: Operation,
  subject: Subject,
): ReadonlySet<string> {
  const checked = new Set<string>();
  if (ctx.caller.superUser) return checked;
  const needs = needsOf(operation);
  if (!needs) throw refused('NOT_AUTHORIZED', { permit: 'of a super user' });
  const conditional = permitsWhenSent[operation.type]?.[operation.name] ?? [];
  const further = conditional.filter((one) => applies(ctx, one, subject)).map(({ need }) => need);
  for (const need of [...needs, ...further]) {
    const [permit, objects] = demanded(ctx, operation, need, subject);
    const granted = objects.every((object) => isPermitted(ctx.tx, ctx.caller, permit, object));
    if (!granted) throw refused('NOT_AUTHORIZED', { permit });
    for (const object of objects) if (object) checked.add(`${object.kind} ${object.id}`);
  }
  return checked;
}

/** The permits that an operation always needs; undefined where it is for super users alone. */
function needsOf({ service, type, name }: Operation): readonly Need[] | undefined {
  return permitsByPath[primaryPath(service)]?.[name] ?? permitsByType[type]?.[name];
}

/** Whether an operation needs permits that have nothing to do with what is sent. */
export function needsPermitsAhead(operation: Operation): boolean {
  return needsOf(operation)?.every(({ on }) => on !== 'sent') ?? true;
}

type ObjectOrSystem = { readonly kind: KindName; readonly id: string } | undefined;

/** The permit that a need comes to, and the objects that it must be held on. */
function demanded(
  ctx: RuleContext,
  operation: Operation,
  need: Need,
  subject: Subject,
): [permit: string, objects: readonly ObjectOrSystem[]] {
  const { permit, on } = need;
  const mine = subject.ref.owner?.id === ctx.caller.userId;
  if (on === 'own') return [mine ? permit : 'manipulate_users', [undefined]];
  if (on === 'others') return [permit, mine ? [] : [undefined]];
  return [permit, objectsOf(ctx, operation, need, subject)];
}

/** Whether the request says what makes a further permit necessary. What stays as it is does not. */
function applies(
  ctx: RuleContext,
  { sent: path, without, parameter }: ConditionalNeed,
  { object, sent }: Subject,
): boolean {
  if (parameter) return ctx.parameters.flag(parameter[0]) === parameter[1];
  const value = valueAt(sent, path.split('.'));
  const empty = typeof value === 'object' && value !== null && Object.keys(value).length === 0;
  if (value === undefined || value === '' || empty) return false;
  if (without && valueAt(sent, without.split('.')) !== undefined) return false;
  const before = object && valueAt(object, path.split('.'));
  return before === undefined || !isPart(value, before);
}

/** Whether everything that is sent is there already. */
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

function objectsOf(
  ctx: RuleContext,
  operation: Operation,
  { on, path = '' }: Need,
  { ref, object, sent }: Subject,
): ObjectOrSystem[] {
  switch (on) {
    case 'referred':
      return references(ctx, ref.type, path, object ?? {});
    case 'self':
      return [object ? { kind: ref.type, id: String(object['id']) } : undefined];
    case 'owner':
      return [ref.owner];
    case 'sent':
      return operation.isAction
        ? [named(ctx, path, sent[path])]
        : references(ctx, ref.type, path, { ...ref.implied, ...sent });
    default:
      return [undefined];
  }
}

/** The object that an element of an action names: it is called like its type. */
function named(ctx: RuleContext, type: string, value: unknown): ObjectOrSystem {
  if (!isRecord(value) || !isType(type)) return undefined;
  if (value['id'] === undefined && value['name'] === undefined) return undefined;
  return absentOr(ctx, () => [{ kind: type, id: resolveMember(ctx.tx, type, value) }])[0];
}

/** Objects that a path of attributes refers to; where it refers to none the system must permit it. */
function references(
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
  if (rest.length > 0) return references(ctx, kind, rest.join('.'), isRecord(inner) ? inner : {});
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
 * What references lead to. Whoever does not see everything is asked for the permit also where they
 * lead nowhere: the answer must not tell what is there.
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
