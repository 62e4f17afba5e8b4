/** Add, list, get, update, remove and actions of any kind, as the model and its rules say. */

import type { Operation } from '../../model/index.ts';
import type { ActionResult, Addressed, EventChoice, Parameters } from '../core/behavior.ts';
import { changedMembers } from '../core/changed-members.ts';
import { locationOf, type Place } from '../core/collection-ref.ts';
import { type EventSubjects, type RuleContext, subjectWords } from '../core/context.ts';
import { notFound, Refusal, titleOf, typeWord } from '../core/fault.ts';
import { settleIcons } from '../core/icons.ts';
import {
  applyDefaults,
  checkName,
  merge,
  requireForAction,
  requireOnAdd,
  resolveReferences,
  settable,
} from '../core/input.ts';
import { erase } from '../core/removal.ts';
import { allOf, type ListOptions } from '../store/conditions.ts';
import type { StoredObject } from '../store/kinds.ts';
import { listKeys } from '../store/list-keys.ts';
import type { Slices } from '../store/slices.ts';
import { unwatched } from './call-log.ts';
import { addMember, removeMember } from './members.ts';
import { present } from './presentation.ts';

type Target = Addressed<never> & { readonly object: StoredObject };

/** The place of a path as its kind and the parameters of the request will have it. */
export function located(ctx: RuleContext, place: Place, id?: string): Place {
  return ctx.behavior(place.kind)?.locate?.(ctx, place, id) ?? place;
}

/** Finds the addressed object, or refuses with 404. */
export function find(ctx: RuleContext, place: Place, id: string): Target {
  const { where } = place.options;
  const condition = allOf(place.options.condition, place.visible?.ofOne);
  const compute = ctx.behavior(place.kind)?.compute;
  const object = compute
    ? compute(ctx, place, id).find((one) => one['id'] === id)
    : ctx.tx.first(place.kind, { where: { ...where, id }, condition });
  if (!object) throw notFound(`${titleOf(place.type)} ${id} does not exist.`);
  return { place, object: object as StoredObject } as unknown as Target;
}

/** Keys of the objects of a collection that meet further conditions, in order. */
function keys(ctx: RuleContext, place: Place, options: ListOptions): Slices<number[]> {
  const { where, condition } = place.options;
  const all = { ...options, where: { ...where, ...options.where } };
  return listKeys(ctx.tx, place.kind, all, condition, place.visible);
}

/** Objects of a collection that are read together. */
export interface Part {
  /** Which they are in the store; undefined where they are made up. */
  readonly keys?: readonly number[];
  readonly objects: () => readonly StoredObject[];
}

/** The objects of a collection. Which they are is settled at once; they are read as they are needed. */
export function* read(
  ctx: RuleContext,
  place: Place,
  options: ListOptions,
): Slices<readonly Part[]> {
  const compute = ctx.behavior(place.kind)?.compute;
  if (compute) {
    const made = compute(ctx, place).slice(0, options.limit);
    return [{ objects: () => made }];
  }
  const found = yield* keys(ctx, place, options);
  return Array.from({ length: Math.ceil(found.length / partSize) }, (_, index) => {
    const part = found.slice(index * partSize, (index + 1) * partSize);
    return { keys: part, objects: () => ctx.tx.byKeys(place.kind, part) };
  });
}

/** Objects that are read at once: one by one costs more, and all of them more memory. */
export const partSize = 25;

/** Adds an object; returns it as it is at the end of the transaction. */
export function add(ctx: RuleContext, place: Place, sent: StoredObject): StoredObject {
  const rules = ctx.behavior(place.kind);
  requireOnAdd(ctx.site.dialect, place, sent);
  if (place.members) return addMember(ctx, place, sent);
  if (rules?.attach) return rules.attach(ctx, place, sent);
  const object = settable(place.type, sent, 'C');
  resolveReferences(ctx.tx, place.type, object);
  settleIcons(ctx.tx, object);
  Object.assign(object, place.implied);
  object['id'] = ctx.site.newId();
  rules?.beforeCreate?.(ctx, object, place, sent);
  const same = rules?.findExisting?.(ctx, object, place);
  if (same) return same;
  applyDefaults(place.type, object);
  checkName(ctx.tx, place, object, 'add');
  ctx.tx.insert(place.kind, place.collection, object);
  const target = { place, object } as Target;
  if (rules?.events?.add !== undefined) report(ctx, rules.events.add, target);
  rules?.afterCreate?.(ctx, target, sent);
  return current(ctx, place, String(object['id'])) ?? object;
}

/**
 * Changes an object; only the members that were sent and say something new: what was read and comes
 * back as it was changes nothing. Returns its new form.
 */
export function update(ctx: RuleContext, target: Target, sent: StoredObject): StoredObject {
  const { place } = target;
  const before = target.object;
  if (sent['id'] !== undefined && sent['id'] !== before['id']) {
    throw new Refusal(409, 'Broken immutability constraint', 'Attempt to set immutable field: id');
  }
  const rules = ctx.behavior(place.kind);
  const whole = shownWhole(ctx, place, before);
  const shown = ctx.sight?.shows(place.type, whole) ?? whole;
  const news = changedMembers(place.type, sent, shown);
  if (Object.keys(news).length === 0) {
    if (rules?.events?.update !== undefined) report(ctx, rules.events.update, target);
    return before;
  }
  if (rules?.replace) return rules.replace(ctx, target, news);
  const changes = settable(place.type, news, 'U');
  resolveReferences(ctx.tx, place.type, changes);
  settleIcons(ctx.tx, changes);
  const after = merge(before, changes);
  rules?.beforeUpdate?.(ctx, before, after, place, news);
  if (changes['name'] !== undefined) checkName(ctx.tx, place, after, 'edit');
  ctx.tx.update(place.kind, after, place.collection);
  const changed = { place, object: after } as Target;
  if (rules?.events?.update !== undefined) report(ctx, rules.events.update, changed);
  if (before['name'] !== after['name']) reportNewName(ctx, before, changed);
  rules?.afterUpdate?.(ctx, before as never, changed);
  return current(ctx, place, String(before['id'])) ?? after;
}

/** The object as it is shown to those who ask for everything. */
function shownWhole(ctx: RuleContext, place: Place, object: StoredObject): StoredObject {
  const view = { ctx, apiPath: '', allContent: true, everything: true };
  const { service, path } = locationOf(place, String(object['id']));
  return present(view, place.kind, object, service, path);
}

/** Removes an object, or begins to. */
export function remove(ctx: RuleContext, target: Target, parameters: Parameters): void {
  if (target.place.members) {
    removeMember(ctx, target.place, String(target.object['id']));
    return;
  }
  const rules = ctx.behavior(target.place.kind);
  rules?.beforeDelete?.(ctx, target, parameters);
  if (rules?.remove) {
    rules.remove(ctx, target, parameters);
    return;
  }
  if (rules?.events?.remove !== undefined) report(ctx, rules.events.remove, target);
  erase(ctx, target);
}

/** Runs an action. */
export function act(
  ctx: RuleContext,
  target: Target,
  operation: Operation,
  body: StoredObject,
): ActionResult {
  const action = ctx.behavior(target.place.kind)?.actions?.[operation.name];
  if (!action) throw unserved(operation);
  requireForAction(operation, unwatched(body));
  return action(ctx, target, body);
}

/** Runs an action of a collection, or removes several of its objects. */
export function actOnCollection(
  ctx: RuleContext,
  place: Place,
  operation: Operation,
  body: StoredObject,
  parameters: Parameters,
): ActionResult {
  const rules = ctx.behavior(place.kind);
  const rule =
    operation.name === 'remove' ? rules?.removeMany : rules?.collectionActions?.[operation.name];
  if (!rule) throw unserved(operation);
  requireForAction(operation, unwatched(body));
  return rule(ctx, place, body, parameters);
}

/** The coverage test finds operations of the model without a rule: to call one is a bug. */
function unserved({ http, path, name }: Operation): Error {
  return new Error(`There is no rule for ${http} ${path} (${name}).`);
}

/** Writes the event that the rules of a kind declare. */
function report(ctx: RuleContext, choice: EventChoice, target: Target): void {
  const event =
    typeof choice === 'string'
      ? choice
      : typeof choice === 'function'
        ? choice(target.object)
        : choice[target.place.owner?.kind ?? 'vm'];
  if (event !== undefined) ctx.event(event, subjectsOf(ctx, target), wordsOf(ctx, target));
}

/** Names of the object and of what it belongs to, by their types: `NicName`, `QuotaName`. */
function wordsOf(ctx: RuleContext, { place, object }: Target): Record<string, string> {
  const { owner } = place;
  const belongsTo = owner && ctx.tx.get(owner.kind, owner.id);
  const nameOf = (one: StoredObject) => String(one['name'] ?? one['alias'] ?? one['id']);
  const name = nameOf(object);
  return {
    ...(belongsTo ? { [wordOf(owner.kind)]: nameOf(belongsTo) } : {}),
    [wordOf(place.type)]: name,
    ObjectName: name,
  };
}

/**
 * An instance type is told of as what it is: a template without disks. `UserName` is who did it, not
 * whom it was done to.
 */
const otherWords: Readonly<Record<string, string>> = {
  instance_type: 'TemplateName',
  user: 'TheirName',
};

function wordOf(type: string): string {
  return otherWords[type] ?? `${titleOf(type)}Name`;
}

/** Kinds of objects of which an event tells the old name when they get another. */
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

function reportNewName(ctx: RuleContext, before: StoredObject, target: Target): void {
  if (!renamed.has(target.place.kind)) return;
  const name = target.object['name'];
  const words = {
    EntityType: typeWord(target.place.type),
    OldName: String(before['name']),
    NewName: String(name),
  };
  ctx.event('OBJECT_RENAMED', subjectsOf(ctx, target), words);
}

/** An event about an object refers to it, and to the objects that it belongs to. */
function subjectsOf(ctx: RuleContext, { place, object }: Target): EventSubjects {
  const { owner } = place;
  const belongsTo = owner && (ctx.tx.get(owner.kind, owner.id) as StoredObject | undefined);
  const subjects: Record<string, StoredObject> = {};
  for (const name of Object.keys(subjectWords)) {
    const found =
      (name === place.type ? object : undefined) ??
      (name === owner?.kind ? belongsTo : undefined) ??
      object[name] ??
      belongsTo?.[name];
    if (typeof found === 'object' && found !== null) subjects[name] = found as StoredObject;
  }
  return subjects;
}

function current(ctx: RuleContext, place: Place, id: string): StoredObject | undefined {
  return ctx.tx.get(place.kind, id, place.collection);
}
