/** Whether a request sees only what the user has permissions on, and what that leaves of a place. */
import { services } from '../../model/services/index.ts';
import { visibleCondition } from '../auth/visibility.ts';
import { notFound, Refusal } from '../fault.ts';
import type { RuleContext } from '../rules/context.ts';
import { type Place, titleOf, topCollection } from '../rules/places.ts';
import { rulesOf } from '../rules/registry.ts';
import type { SqlCondition } from '../store/conditions.ts';
import { type KindName, typeOfKind } from '../store/kinds.ts';
import { table } from '../store/schema.ts';
import { type ApiRequest, booleanParameter } from './request.ts';

/**
 * Administrators see everything unless they ask for less; other users see what they may, and are
 * refused when they ask for more.
 */
export function isFiltered({ caller }: RuleContext, request: ApiRequest): boolean {
  const asked = booleanParameter(request.parameters.get('filter') ?? request.header('filter'));
  if (asked === false && !caller.administrator) {
    throw new Refusal(
      400,
      'Operation Failed',
      'Query execution failed due to insufficient permissions: only administrators may ask for filter=false.',
    );
  }
  return asked ?? !caller.administrator;
}

/** What a caller sees who does not see everything. */
export interface Sight {
  /** The visible part of a place. Refuses with 404 where its owner is not visible. */
  readonly part: (place: Place) => Place;
  readonly sees: (kind: KindName, id: string) => boolean;
}

/** What the caller sees in the answer to a request; undefined where that is everything. */
export function sightOf(ctx: RuleContext, request: ApiRequest): Sight | undefined {
  if (!isFiltered(ctx, request)) return undefined;
  const seen = new Map<string, boolean>();
  return {
    part: (place) => visiblePart(ctx, place),
    sees(kind, id) {
      const key = `${kind} ${id}`;
      const known = seen.get(key) ?? isVisible(ctx, { kind, id });
      seen.set(key, known);
      return known;
    },
  };
}

/** Views of objects that are visible or not by themselves, from another object. */
const views: ReadonlySet<KindName> = new Set(['attached_storage_domain', 'cluster_network']);

/** The place, restricted to what the caller sees. Refuses with 404 where its owner is not visible. */
function visiblePart(ctx: RuleContext, place: Place): Place {
  const root = rootOf(ctx, place);
  if (root && !isVisible(ctx, root)) {
    const { kind, id } = place.owner ?? root;
    throw notFound(`${titleOf(typeOfKind(kind))} ${id} does not exist.`);
  }
  const nested = place.collection.split('/').length > 2;
  if (root && views.has(place.kind)) {
    const type = typeOfKind(place.kind);
    const visible = visibleCondition(ctx, type);
    if (!visible) return place;
    const sql = `id IN (SELECT id FROM ${table(type)} WHERE ${visible.sql})`;
    return restricted(place, { ...visible, sql });
  }
  if (root && (nested || place.kind === 'permission')) {
    // What is kept below an object is visible with it; not below one that only is on the way.
    if (isVisible(ctx, root, true)) return place;
    if (rulesOf(place.kind)?.compute) {
      throw notFound(`${titleOf(typeOfKind(root.kind))} ${root.id} does not show what is in it.`);
    }
    return restricted(place, { sql: '0', values: [] });
  }
  const visible = visibleCondition(ctx, place.kind);
  return visible ? restricted(place, visible) : place;
}

/** Whether the caller sees an object; `whole`: with everything that is in it. */
function isVisible(
  ctx: RuleContext,
  { kind, id }: { readonly kind: KindName; readonly id: string },
  whole = false,
): boolean {
  const condition = visibleCondition(ctx, kind, whole);
  return !condition || ctx.tx.count(kind, { where: { id }, condition }) > 0;
}

/** The object that a collection is in: of a path of several, the first that is there by itself. */
function rootOf(
  ctx: RuleContext,
  place: Place,
): { readonly kind: KindName; readonly id: string } | undefined {
  const { owner } = place;
  if (!owner || topCollection(owner.kind) !== undefined) return owner;
  const path = ctx.tx.collectionOf(owner.kind, owner.id) ?? place.collection;
  const [, top = '', id = ''] = path.split('/');
  const type = services[`/${top}`]?.type;
  return type && id ? { kind: type as KindName, id } : owner;
}

function restricted(place: Place, to: SqlCondition): Place {
  const { condition } = place.options;
  const both = condition && {
    sql: `(${condition.sql}) AND (${to.sql})`,
    values: [...condition.values, ...to.values],
  };
  return { ...place, options: { ...place.options, condition: both ?? to } };
}
