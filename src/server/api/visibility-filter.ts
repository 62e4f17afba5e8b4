/**
 * Visibility filter of a request: whether it is restricted to what the user has permissions on, and
 * what is left of a collection then.
 */

import { services } from '../../model/derive/services.ts';
import { holdersOf } from '../auth/permissions.ts';
import { behaviorOf } from '../core/behavior.ts';
import { type CollectionRef, isStored, topCollection } from '../core/collection-ref.ts';
import type { RuleContext, VisibilityFilter } from '../core/context.ts';
import { notFound, Refusal, titleOf } from '../core/fault.ts';
import { allOf, always, idAmong, never, type SqlCondition } from '../store/conditions.ts';
import { structureVersion } from '../store/counters.ts';
import { type KindName, typeOfKind } from '../store/kinds.ts';
import { testOf } from '../store/staged.ts';
import type { Transaction } from '../store/transaction.ts';
import { Visibility, VisibilityCache } from '../store/visibility.ts';
import { isPublic } from '../store/visible-kinds.ts';
import { redacted } from './redact.ts';
import { type ApiRequest, booleanParameter } from './request.ts';

/**
 * Administrators see everything unless they ask for less; other users see what they may, and are
 * refused when they ask for more.
 */
export function isFiltered({ caller }: RuleContext, request: ApiRequest): boolean {
  const requested = booleanParameter(request.parameters.get('filter') ?? request.header('filter'));
  if (requested === false && !caller.administrator) {
    throw new Refusal(
      400,
      'Operation Failed',
      'Query execution failed due to insufficient permissions: only administrators may ask for filter=false.',
    );
  }
  return requested ?? !caller.administrator;
}

/**
 * What the caller sees in the answer to a request; undefined where that is everything. `reads` says
 * that nothing is changed before the answer.
 */
export function visibilityFilterOf(
  ctx: RuleContext,
  request: ApiRequest,
  reads: boolean,
): VisibilityFilter | undefined {
  if (!isFiltered(ctx, request)) return undefined;
  const visibility = new Visibility(
    ctx.tx,
    ctx.caller.userId,
    holdersOf(ctx.tx, ctx.caller),
    reads ? cacheOf(ctx.tx, ctx.caller.userId) : undefined,
  );
  if (visibility.isWhole) return undefined;
  const seen = new Map<string, boolean>();
  const tests = new Map<string, (id: string) => boolean>();
  const testFor = (kind: KindName, inside: boolean) => {
    const key = `${kind} ${inside}`;
    const condition = visibility.ofOne(kind, inside) ?? always;
    const test = tests.get(key) ?? testOf(ctx.tx, kind, condition);
    tests.set(key, test);
    return test;
  };
  const visible = (kind: KindName, id: string, inside: boolean): boolean => {
    if (isPublic(kind)) return true;
    const key = `${kind} ${id} ${inside}`;
    let known = reads ? seen.get(key) : undefined;
    if (known === undefined) {
      known = testFor(kind, inside)(id);
      seen.set(key, known);
    }
    return known;
  };
  const filter: VisibilityFilter = {
    shows: (type, shown) => redacted(filter, type, shown),
    condition: (kind) => visibility.ofOne(kind),
    sees(kind, id) {
      const root = rootOf(ctx.tx, { kind, id });
      // What is made up when it is asked for belongs to what it is shown in.
      return !root || visible(root.kind, root.id, root.kind !== kind || root.id !== id);
    },
    part: (ref) => visiblePart(ctx, ref, visibility, visible),
    enter(service, ids) {
      const [, top = '', parameter] = service.split('/');
      const type = services[`/${top}`]?.type;
      const id = ids[0];
      if (!type || !parameter || id === undefined || !isStored(type)) return;
      if (!visible(type, id, false)) throw notFound(`${titleOf(type)} ${id} does not exist.`);
    },
  };
  return filter;
}

/** What is kept of users, for as long as it stays the same. */
interface CachesByUser {
  version: string;
  readonly byUser: Map<string, VisibilityCache>;
}

const cachesByStore = new WeakMap<Transaction, CachesByUser>();
/** Users of whom that is kept at most: it may be 100 KB of each. */
const maxUsers = 200;

function cacheOf(tx: Transaction, user: string): VisibilityCache {
  const version = structureVersion(tx);
  let all = cachesByStore.get(tx);
  if (!all || all.version !== version) {
    all = { version, byUser: new Map() };
    cachesByStore.set(tx, all);
  }
  const known = all.byUser.get(user) ?? new VisibilityCache();
  if (all.byUser.size >= maxUsers) all.byUser.clear();
  all.byUser.set(user, known);
  return known;
}

/** Views of objects that are visible or not by themselves, from another object. */
const views: ReadonlySet<KindName> = new Set([
  'attached_storage_domain',
  'cluster_network',
  'domain_vm',
  'domain_template',
]);

type IsVisible = (kind: KindName, id: string, inside: boolean) => boolean;

/** The place, restricted to what the caller sees. Refuses with 404 where its owner is not visible. */
function visiblePart(
  ctx: RuleContext,
  ref: CollectionRef,
  visibility: Visibility,
  visible: IsVisible,
): CollectionRef {
  const root = ref.owner && rootOf(ctx.tx, ref.owner, ref.collection);
  const isRoot = root?.kind === ref.owner?.kind && root?.id === ref.owner?.id;
  if (root && !visible(root.kind, root.id, !isRoot)) {
    const { kind, id } = ref.owner ?? root;
    throw notFound(`${titleOf(typeOfKind(kind))} ${id} does not exist.`);
  }
  if (root && !isOwn(ctx, root)) return none(ctx, ref, root);
  if (ref.owner && !isRoot) requireKnown(ctx.tx, ref.owner, visible);
  const nested = ref.collection.split('/').length > 2;
  if (root && views.has(ref.kind)) {
    const type = typeOfKind(ref.kind);
    const condition = visibility.ofOne(type);
    if (!condition) return ref;
    return restricted(ref, idAmong(type, condition));
  }
  if (root && (nested || (ref.kind === 'permission' && !isPublic(root.kind)))) {
    // What is kept below an object is visible with it; not below one that only is on the way.
    return visible(root.kind, root.id, true) ? ref : none(ctx, ref, root);
  }
  const ofOne = visibility.ofOne(ref.kind);
  return ofOne ? { ...ref, visible: ofOne } : ref;
}

/**
 * Refuses with 404 where a place is below the view of an object that is not visible by itself: a
 * machine on a storage domain.
 */
function requireKnown(tx: Transaction, { kind, id }: ObjectKey, visible: IsVisible): void {
  const type = typeOfKind(kind);
  if (topCollection(type) === undefined || tx.collectionOf(type, id) === undefined) return;
  if (!visible(type, id, true)) throw notFound(`${titleOf(type)} ${id} does not exist.`);
}

/** Nothing of a place. Refuses with 404 where its objects are made up when they are asked for. */
function none(ctx: RuleContext, ref: CollectionRef, { kind, id }: ObjectKey): CollectionRef {
  if (behaviorOf(ctx, ref.kind)?.compute) {
    throw notFound(`${titleOf(typeOfKind(kind))} ${id} does not show its contents to this user.`);
  }
  return restricted(ref, never);
}

/** What belongs to a person is nobody else's business. */
function isOwn(ctx: RuleContext, { kind, id }: ObjectKey): boolean {
  return kind !== 'user' || id === ctx.caller.userId;
}

interface ObjectKey {
  readonly kind: KindName;
  readonly id: string;
}

/**
 * The object that decides whether another one is visible: itself, or the first of the path of its
 * collection. Undefined where there is no such object.
 */
function rootOf(tx: Transaction, object: ObjectKey, within?: string): ObjectKey | undefined {
  const type = typeOfKind(object.kind);
  if (topCollection(type) !== undefined && type === object.kind) return object;
  const path = tx.collectionOf(object.kind, object.id) ?? within;
  if (path === undefined) return undefined;
  const [, top = '', id = ''] = path.split('/');
  const above = services[`/${top}`]?.type;
  return above && id ? { kind: above, id } : object;
}

function restricted(ref: CollectionRef, to: SqlCondition): CollectionRef {
  const { condition } = ref.options;
  return { ...ref, options: { ...ref.options, condition: allOf(condition, to) ?? to } };
}
