/** Whether a request sees only what the user has permissions on, and what that leaves of a place. */
import { visibleCondition } from '../auth/visibility.ts';
import { notFound, Refusal } from '../fault.ts';
import type { RuleContext } from '../rules/context.ts';
import { type Place, titleOf } from '../rules/places.ts';
import { typeOfKind } from '../store/kinds.ts';
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

/** The place, restricted to what the caller sees. Refuses with 404 where its owner is not visible. */
export function visiblePart(ctx: RuleContext, place: Place): Place {
  const { owner } = place;
  if (owner) {
    const visible = visibleCondition(ctx, owner.kind);
    const found = ctx.tx.count(owner.kind, { where: { id: owner.id }, condition: visible });
    if (found === 0) {
      throw notFound(`${titleOf(typeOfKind(owner.kind))} ${owner.id} does not exist.`);
    }
    // What is kept below a visible object is visible with it.
    if (place.collection.startsWith('/') && place.collection.split('/').length > 2) return place;
  }
  const visible = visibleCondition(ctx, place.kind);
  if (!visible) return place;
  const { condition } = place.options;
  return {
    ...place,
    options: {
      ...place.options,
      condition: condition
        ? {
            sql: `(${condition.sql}) AND (${visible.sql})`,
            values: [...condition.values, ...visible.values],
          }
        : visible,
    },
  };
}
