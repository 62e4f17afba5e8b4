/**
 * Visibility filter of a request: whether the response contains only objects with permissions of
 * the user.
 */

import { services } from '../../model/derive/services.ts';
import { listHolderIds } from '../auth/permissions.ts';
import { findBehavior } from '../core/behavior.ts';
import { type CollectionRef, findTopCollection, isStored } from '../core/collection-ref.ts';
import type { RuleContext, VisibilityFilter } from '../core/context.ts';
import { formatTypeTitle, notFound, Refusal } from '../core/fault.ts';
import { allOf, always, idAmong, never, type SqlCondition } from '../store/conditions.ts';
import { readStructureVersion } from '../store/counters.ts';
import { getKindType, type KindName } from '../store/kinds.ts';
import { createTest } from '../store/temporary-tables.ts';
import type { Transaction } from '../store/transaction.ts';
import { Visibility, VisibilityCache } from '../store/visibility.ts';
import { isPublic } from '../store/visible-kinds.ts';
import { redacted } from './redact.ts';
import { type ApiRequest, booleanParameter } from './request.ts';

/**
 * Administrators see all objects unless they set the filter. Other users see objects with
 * permissions, and may not disable the filter.
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
 * Filter of the visible objects; undefined if all are visible. `reads`: whether the request
 * changes nothing.
 */
export function createVisibilityFilter(
  ctx: RuleContext,
  request: ApiRequest,
  reads: boolean,
): VisibilityFilter | undefined {
  if (!isFiltered(ctx, request)) return undefined;
  const visibility = new Visibility(
    ctx.tx,
    ctx.caller.userId,
    listHolderIds(ctx.tx, ctx.caller),
    reads ? getVisibilityCache(ctx.tx, ctx.caller.userId) : undefined,
  );
  if (visibility.isWhole) return undefined;
  const seen = new Map<string, boolean>();
  const tests = new Map<string, (id: string) => boolean>();
  const testFor = (kind: KindName, inside: boolean) => {
    const key = `${kind} ${inside}`;
    const condition = visibility.ofOne(kind, inside) ?? always;
    const test = tests.get(key) ?? createTest(ctx.tx, kind, condition);
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
      const root = findDecidingObject(ctx.tx, { kind, id });
      // A computed object is visible with its owner.
      return !root || visible(root.kind, root.id, root.kind !== kind || root.id !== id);
    },
    part: (ref) => visiblePart(ctx, ref, visibility, visible),
    enter(service, ids) {
      const [, top = '', parameter] = service.split('/');
      const type = services[`/${top}`]?.type;
      const id = ids[0];
      if (!type || !parameter || id === undefined || !isStored(type)) return;
      if (!visible(type, id, false))
        throw notFound(`${formatTypeTitle(type)} ${id} does not exist.`);
    },
  };
  return filter;
}

/** Cached filters of users, until permissions change. */
interface CachesByUser {
  version: string;
  readonly byUser: Map<string, VisibilityCache>;
}

const cachesByStore = new WeakMap<Transaction, CachesByUser>();
/** Maximum cached users. Each can take 100 KB. */
const maxUsers = 200;

function getVisibilityCache(tx: Transaction, user: string): VisibilityCache {
  const version = readStructureVersion(tx);
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

/** Views of objects with their own visibility. */
const views: ReadonlySet<KindName> = new Set([
  'attached_storage_domain',
  'cluster_network',
  'domain_vm',
  'domain_template',
]);

type IsVisible = (kind: KindName, id: string, inside: boolean) => boolean;

/** Restricts a collection to visible objects. Refuses a collection with a hidden owner with 404. */
function visiblePart(
  ctx: RuleContext,
  ref: CollectionRef,
  visibility: Visibility,
  visible: IsVisible,
): CollectionRef {
  const root = ref.owner && findDecidingObject(ctx.tx, ref.owner, ref.collection);
  const isRoot = root?.kind === ref.owner?.kind && root?.id === ref.owner?.id;
  if (root && !visible(root.kind, root.id, !isRoot)) {
    const { kind, id } = ref.owner ?? root;
    throw notFound(`${formatTypeTitle(getKindType(kind))} ${id} does not exist.`);
  }
  if (root && !isOwn(ctx, root)) return none(ctx, ref, root);
  if (ref.owner && !isRoot) requireKnown(ctx.tx, ref.owner, visible);
  const nested = ref.collection.split('/').length > 2;
  if (root && views.has(ref.kind)) {
    const type = getKindType(ref.kind);
    const condition = visibility.ofOne(type);
    if (!condition) return ref;
    return restricted(ref, idAmong(type, condition));
  }
  if (root && (nested || (ref.kind === 'permission' && !isPublic(root.kind)))) {
    // Objects in a collection are visible with its owner, but not with a parent of the owner.
    return visible(root.kind, root.id, true) ? ref : none(ctx, ref, root);
  }
  const ofOne = visibility.ofOne(ref.kind);
  return ofOne ? { ...ref, visible: ofOne } : ref;
}

/** Refuses with 404 a collection below a view of a hidden object: a VM on a storage domain. */
function requireKnown(tx: Transaction, { kind, id }: ObjectKey, visible: IsVisible): void {
  const type = getKindType(kind);
  if (findTopCollection(type) === undefined || tx.findCollection(type, id) === undefined) return;
  if (!visible(type, id, true)) throw notFound(`${formatTypeTitle(type)} ${id} does not exist.`);
}

/** Restricts a collection to no objects. Refuses a computed collection with 404. */
function none(ctx: RuleContext, ref: CollectionRef, { kind, id }: ObjectKey): CollectionRef {
  if (findBehavior(ctx, ref.kind)?.compute) {
    throw notFound(
      `${formatTypeTitle(getKindType(kind))} ${id} does not show its contents to this user.`,
    );
  }
  return restricted(ref, never);
}

/** Objects of a user are hidden from other users. */
function isOwn(ctx: RuleContext, { kind, id }: ObjectKey): boolean {
  return kind !== 'user' || id === ctx.caller.userId;
}

interface ObjectKey {
  readonly kind: KindName;
  readonly id: string;
}

/**
 * The object that decides the visibility of another one: itself, or the first object in the path of
 * its collection. Undefined for an unknown object.
 */
function findDecidingObject(
  tx: Transaction,
  object: ObjectKey,
  within?: string,
): ObjectKey | undefined {
  const type = getKindType(object.kind);
  if (findTopCollection(type) !== undefined && type === object.kind) return object;
  const path = tx.findCollection(object.kind, object.id) ?? within;
  if (path === undefined) return undefined;
  const [, top = '', id = ''] = path.split('/');
  const above = services[`/${top}`]?.type;
  return above && id ? { kind: above, id } : object;
}

function restricted(ref: CollectionRef, to: SqlCondition): CollectionRef {
  const { condition } = ref.options;
  return { ...ref, options: { ...ref.options, condition: allOf(condition, to) ?? to } };
}
