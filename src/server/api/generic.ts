/** Generic handling of all kinds: list, get, add, update and remove, with the behavior of the kind. */

import { isRecord } from '../../records.ts';
import { type EventChoice, findBehavior } from '../core/behavior.ts';
import { pickChanged } from '../core/changed-members.ts';
import { type CollectionRef, locateObject } from '../core/collection-ref.ts';
import { type EventSubjects, type RuleContext, subjectWords } from '../core/context.ts';
import { formatTypeTitle, getTypeLabel, notFound, Refusal } from '../core/fault.ts';
import { storeIcons } from '../core/icons.ts';
import {
  applyDefaults,
  checkName,
  merge,
  pickSettable,
  requireOnAdd,
  resolveReferences,
} from '../core/input.ts';
import { checkLengths } from '../core/lengths.ts';
import { omitMasks } from '../core/masked-secrets.ts';
import { chooseNewId } from '../core/new-id.ts';
import type { Parameters } from '../core/parameters.ts';
import {
  countChange,
  isProfileCollection,
  requireProfileCapacity,
} from '../core/profile-limits.ts';
import { erase } from '../core/removal.ts';
import { allOf, type ListOptions } from '../store/conditions.ts';
import type { StoredObject } from '../store/kinds.ts';
import { listKeys } from '../store/list-keys.ts';
import type { Slices } from '../store/slices.ts';
import { addMember, removeMember } from './members.ts';
import { present } from './presentation.ts';

/** Object of any kind, with its collection. */
export interface ObjectTarget {
  readonly ref: CollectionRef;
  readonly object: StoredObject;
}

/** Collection of a path, after changes by its kind and the parameters of the request. */
export function located(ctx: RuleContext, ref: CollectionRef, id?: string): CollectionRef {
  return findBehavior(ctx, ref.kind)?.locate?.(ctx, ref, id) ?? ref;
}

/** Finds the addressed object, or refuses with 404. */
export function find(ctx: RuleContext, ref: CollectionRef, id: string): ObjectTarget {
  const { where } = ref.options;
  const condition = allOf(ref.options.condition, ref.visible);
  const { compute, listed } = findBehavior(ctx, ref.kind) ?? {};
  const isNamed = (one: StoredObject) => one['id'] === id;
  const object = compute
    ? compute(ctx, ref, id).find(isNamed)
    : (ctx.tx.first(ref.kind, { where: { ...where, id }, condition }) ??
      listed?.(ctx, ref, id)?.find(isNamed));
  if (!object) throw missing(ref, id);
  return { ref, object };
}

/** Finds the stored JSON of the addressed object, or refuses with 404. */
export function findDocument(ctx: RuleContext, ref: CollectionRef, id: string): string {
  const { where } = ref.options;
  const condition = allOf(ref.options.condition, ref.visible);
  const document = ctx.tx.firstDocument(ref.kind, { where: { ...where, id }, condition });
  if (document === undefined) throw missing(ref, id);
  return document;
}

function missing({ type }: CollectionRef, id: string): Refusal {
  return notFound(`${formatTypeTitle(type)} ${id} does not exist.`);
}

/** Keys of the objects of a collection that meet further conditions, in order. */
function keys(ctx: RuleContext, ref: CollectionRef, options: ListOptions): Slices<number[]> {
  const { where, condition } = ref.options;
  const all = { ...options, where: { ...where, ...options.where } };
  return listKeys(ctx.tx, ref.kind, all, condition, ref.visible);
}

/** Part of a collection that is read in one step. */
export interface Part {
  /** Number of objects. Fewer are read if some are deleted before. */
  readonly size: number;
  readonly objects: () => readonly StoredObject[];
  /** Stored JSON of the objects; undefined for computed objects. */
  readonly documents?: () => readonly string[];
}

/** Selection of objects in a collection. */
export interface Listing extends ListOptions {
  /** Ids of computed objects that a search finds, in its order. */
  readonly select?: (ids: readonly string[]) => readonly string[];
}

/** Selects the objects of a collection immediately, and reads them on demand. */
export function* read(
  ctx: RuleContext,
  ref: CollectionRef,
  options: Listing,
): Slices<readonly Part[]> {
  const behavior = findBehavior(ctx, ref.kind);
  const all = behavior?.compute?.(ctx, ref) ?? behavior?.listed?.(ctx, ref);
  if (all) {
    const { select, limit, offset = 0 } = options;
    const byId = new Map(all.map((one) => [String(one['id']), one]));
    const listed = select ? select([...byId.keys()]).flatMap((id) => byId.get(id) ?? []) : all;
    const made = listed.slice(offset, limit === undefined ? undefined : offset + limit);
    return [{ size: made.length, objects: () => made }];
  }
  const found = yield* keys(ctx, ref, options);
  return Array.from({ length: Math.ceil(found.length / partSize) }, (_, index) => {
    const part = found.slice(index * partSize, (index + 1) * partSize);
    return {
      size: part.length,
      objects: () => ctx.tx.byKeys(ref.kind, part),
      documents: () => ctx.tx.documentsByKeys(ref.kind, part),
    };
  });
}

/** Objects that are read together. Single reads cost more time, and larger parts more memory. */
export const partSize = 25;

/** Adds an object. Returns its state at the end of the transaction. */
export function add(ctx: RuleContext, ref: CollectionRef, received: StoredObject): StoredObject {
  const sent = omitMasks(received, ref.type);
  const behavior = findBehavior(ctx, ref.kind);
  requireOnAdd(ctx.site.dialect, ref, sent);
  if (ref.members) return addMember(ctx, ref, sent);
  if (behavior?.attach) return behavior.attach(ctx, ref, sent);
  const object = pickSettable(ref.type, sent, 'C');
  for (const name of behavior?.ignoredOnAdd?.(ctx, sent) ?? []) delete object[name];
  checkLengths(ref.type, object, 'add');
  resolveReferences(ctx.tx, ref.type, object, ctx.site.dialect);
  storeIcons(ctx.tx, object);
  Object.assign(object, ref.implied);
  object['id'] = chooseNewId(ctx, ref.kind, sent);
  behavior?.beforeCreate?.(ctx, object, ref, sent);
  const same = behavior?.findExisting?.(ctx, object, ref);
  if (same) return same;
  applyDefaults(ref.type, object);
  checkName(ctx.tx, ref, object, 'add');
  if (isProfileCollection(ref)) requireProfileCapacity(ctx, ref, object);
  ctx.tx.insert(ref.kind, ref.collection, object);
  const target: ObjectTarget = { ref, object };
  if (behavior?.events?.add !== undefined) report(ctx, behavior.events.add, target);
  behavior?.afterCreate?.(ctx, target, sent);
  return current(ctx, ref, String(object['id'])) ?? object;
}

/**
 * Updates the attributes whose values in the request differ from the shown ones. Returns the new
 * object.
 */
export function update(ctx: RuleContext, target: ObjectTarget, sent: StoredObject): StoredObject {
  const { ref } = target;
  const before = target.object;
  if (sent['id'] !== undefined && sent['id'] !== before['id']) {
    throw new Refusal(409, 'Broken immutability constraint', 'Attempt to set immutable field: id');
  }
  const behavior = findBehavior(ctx, ref.kind);
  const costly = [...(behavior?.costly ?? []), ...Object.keys(behavior?.references ?? {})];
  const everything = costly.some((name) => sent[name] !== undefined);
  const whole = shownWhole(ctx, ref, before, everything);
  const shown = ctx.filter?.shows(ref.type, whole) ?? whole;
  const news = omitMasks(pickChanged(ref.type, sent, shown), ref.type);
  if (Object.keys(news).length === 0) {
    if (isProfileCollection(ref)) countChange(ctx, ref.owner?.id ?? '');
    if (behavior?.events?.update !== undefined) report(ctx, behavior.events.update, target);
    return before;
  }
  if (behavior?.replace) return behavior.replace(ctx, target, news);
  const changes = pickSettable(ref.type, news, 'U');
  checkLengths(ref.type, changes, 'edit');
  resolveReferences(ctx.tx, ref.type, changes, ctx.site.dialect);
  storeIcons(ctx.tx, changes);
  const after = merge(before, changes);
  behavior?.beforeUpdate?.(ctx, before, after, ref, news);
  if (changes['name'] !== undefined) checkName(ctx.tx, ref, after, 'edit');
  if (isProfileCollection(ref)) requireProfileCapacity(ctx, ref, after, before);
  ctx.tx.update(ref.kind, after, ref.collection);
  const changed: ObjectTarget = { ref, object: after };
  if (behavior?.events?.update !== undefined) report(ctx, behavior.events.update, changed);
  if (before['name'] !== after['name']) reportNewName(ctx, before, changed);
  behavior?.afterUpdate?.(ctx, before, changed);
  return current(ctx, ref, String(before['id'])) ?? after;
}

/** Complete representation of an object, to compare it with a request. */
function shownWhole(
  ctx: RuleContext,
  ref: CollectionRef,
  object: StoredObject,
  everything: boolean,
): StoredObject {
  const view = { ctx, apiPath: '', allContent: true, alone: true, everything, complete: true };
  const { service, path } = locateObject(ref, String(object['id']));
  return present(view, ref.kind, object, service, path);
}

/** Removes an object, or starts its removal. */
export function remove(ctx: RuleContext, target: ObjectTarget, parameters: Parameters): void {
  if (target.ref.members) {
    removeMember(ctx, target.ref, String(target.object['id']));
    return;
  }
  const behavior = findBehavior(ctx, target.ref.kind);
  behavior?.beforeDelete?.(ctx, target, parameters);
  if (behavior?.remove) {
    behavior.remove(ctx, target, parameters);
    return;
  }
  if (behavior?.events?.remove !== undefined) report(ctx, behavior.events.remove, target);
  erase(ctx, target);
}

/** Writes the event that the behavior of a kind declares. */
function report(ctx: RuleContext, choice: EventChoice, target: ObjectTarget): void {
  const event =
    typeof choice === 'string'
      ? choice
      : typeof choice === 'function'
        ? choice(target.object)
        : choice[target.ref.owner?.kind ?? 'vm'];
  if (event !== undefined)
    ctx.event(event, findEventSubjects(ctx, target), createMessageParams(ctx, target));
}

/** Names of the object and its owner as parameters of events: `NicName`, `QuotaName`. */
function createMessageParams(
  ctx: RuleContext,
  { ref, object }: ObjectTarget,
): Record<string, string> {
  const { owner } = ref;
  const belongsTo = owner && ctx.tx.get(owner.kind, owner.id);
  const nameOf = (one: StoredObject) => String(one['name'] ?? one['alias'] ?? one['id']);
  const name = nameOf(object);
  return {
    ...(belongsTo ? { [getNameParameter(owner.kind)]: nameOf(belongsTo) } : {}),
    [getNameParameter(ref.type)]: name,
    ObjectName: name,
  };
}

/**
 * Parameters of types with an irregular name. An instance type is a template without disks.
 * `UserName` is the caller, not the changed user.
 */
const otherWords: Readonly<Record<string, string>> = {
  instance_type: 'TemplateName',
  user: 'TheirName',
};

function getNameParameter(type: string): string {
  return otherWords[type] ?? `${formatTypeTitle(type)}Name`;
}

/** Kinds with an event for a changed name. */
const renamed = new Set<string>([
  'vm',
  'vm_pool',
  'host',
  'cluster',
  'data_center',
  'storage_domain',
  'template',
  'quota',
]);

function reportNewName(ctx: RuleContext, before: StoredObject, target: ObjectTarget): void {
  if (!renamed.has(target.ref.kind)) return;
  const name = target.object['name'];
  const messageParams = {
    EntityType: getTypeLabel(target.ref.type),
    OldName: String(before['name']),
    NewName: String(name),
  };
  ctx.event('OBJECT_RENAMED', findEventSubjects(ctx, target), messageParams);
}

/** Subjects of an event: the object, and the objects that it belongs to. */
function findEventSubjects(ctx: RuleContext, { ref, object }: ObjectTarget): EventSubjects {
  const { owner } = ref;
  const belongsTo: StoredObject | undefined = owner && ctx.tx.get(owner.kind, owner.id);
  const subjects: Record<string, StoredObject> = {};
  for (const name of Object.keys(subjectWords)) {
    const found =
      (name === ref.type ? object : undefined) ??
      (name === owner?.kind ? belongsTo : undefined) ??
      object[name] ??
      belongsTo?.[name];
    if (isRecord(found)) subjects[name] = found;
  }
  return subjects;
}

function current(ctx: RuleContext, ref: CollectionRef, id: string): StoredObject | undefined {
  return ctx.tx.get(ref.kind, id, ref.collection);
}
