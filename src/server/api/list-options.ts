/** Options of lists (specification 4.3). */

import { searchedWithoutText, searchFields } from '../../model/derive/search.ts';
import type { Dialect } from '../../model/dialect.ts';
import type { Operation } from '../../model/index.ts';
import { listedWhole, neverFiltered } from '../../model/list-limits.ts';
import { listOrder } from '../../model/list-order.ts';
import {
  type Expression,
  parseSearch,
  SearchError,
  type SearchQuery,
  SearchValueError,
  UnknownField,
} from '../../search/index.ts';
import { findBehavior } from '../core/behavior.ts';
import { type CollectionRef, locateObject } from '../core/collection-ref.ts';
import type { RuleContext, VisibilityFilter } from '../core/context.ts';
import { Refusal } from '../core/fault.ts';
import {
  allOf,
  asTable,
  type ListOptions,
  numberFrom,
  oneOf,
  type SqlCondition,
} from '../store/conditions.ts';
import { getKindType, type KindName } from '../store/kinds.ts';
import { compileSearch, type SearchSettings } from '../store/search.ts';
import { orderKeys, orderText, type VisibilityConditions } from '../store/search-values.ts';
import type { TableNames } from '../store/temporary-tables.ts';
import type { Listing } from './generic.ts';
import { type ApiRequest, booleanParameter, integerParameter } from './request.ts';

/** Parameters of a list. */
type ListRequest = Pick<ApiRequest, 'parameters'>;

/**
 * Conditions of a list; undefined if it is always empty. `names` are for subqueries of its search.
 * Refuses a malformed search with 400, unless the dialect finds nothing.
 */
export function listOptions(
  ctx: RuleContext,
  ref: CollectionRef,
  request: ListRequest,
  dialect: Dialect,
  operation: Operation,
  names: TableNames,
): Listing | undefined {
  const searchable = operation.query.includes('search') && searchFields[ref.type] !== undefined;
  const isWhole = dialect.engineAnswers && listedWhole.has(ref.collection);
  // An engine searches in lists with this parameter, also without fields.
  const isSearch = dialect.engineRefusals && operation.query.includes('search');
  const max = isWhole ? undefined : maximum(request, searchable || isSearch);
  if (dialect.engineRefusals && neverFiltered.has(ref.collection) && requestsFilter(request)) {
    throw new Refusal(400, 'Operation Failed', `${ref.collection} cannot be filtered.`);
  }
  const last = dialect.engineAnswers ? findBehavior(ctx, ref.kind)?.alwaysListed : undefined;
  if (last !== undefined && !ref.owner) return listedWith(last, max);
  const text = (request.parameters.get('search') ?? '').trim();
  if (text !== '' && !searchable) {
    if (!dialect.ignoresSearchWithoutFields) throw notSearchable(ref);
    return { ...getDefaultOrder(dialect, ref), limit: max };
  }
  const from = fromCondition(ref, request, dialect);
  const base: ListOptions = {
    ...getDefaultOrder(dialect, ref),
    limit: max,
    condition: from,
    range: from,
  };
  if (text === '') return base;
  try {
    // Entries of a directory have different fields.
    const type = Object.hasOwn(searchFields, ref.kind) ? ref.kind : ref.type;
    const query = parseSearch(text, type, ctx.now, dialect.badSearchFindsNothing);
    if (dialect.engineRefusals && searchedWithoutText.includes(type) && hasText(query.where)) {
      throw searchRefusal(new SearchError('text without a field', 0, ['a field and a relation']));
    }
    const settings = createSearchSettings(ctx, request, names);
    const offset = query.page === undefined ? 0 : pageOffset(query.page, max);
    if (offset === undefined) return undefined;
    const storedAs = findBehavior(ctx, ref.kind)?.storedAs;
    if (storedAs) {
      return { limit: max, offset, select: searchStored(ctx, storedAs, query, settings) };
    }
    const { condition, ...found } = compileSearch(ref.kind, query, settings);
    return { ...base, ...found, offset, condition: allOf(from, condition) };
  } catch (error) {
    if (!(error instanceof SearchError)) throw error;
    const isRefused =
      error instanceof SearchValueError ||
      (error instanceof UnknownField && searchedWithoutText.includes(ref.type));
    if (dialect.badSearchFindsNothing && !isRefused) return undefined;
    throw searchRefusal(error);
  }
}

function createSearchSettings(
  ctx: RuleContext,
  request: ListRequest,
  names: TableNames,
): SearchSettings {
  return {
    caseSensitive: booleanParameter(request.parameters.get('case_sensitive')) ?? false,
    seen: ctx.filter && seenIn(ctx.filter),
    measured: (kind, field) => findBehavior(ctx, kind)?.measure?.(ctx, field),
    names: names.next,
  };
}

/** Selects the computed objects whose stored kinds match a search. */
function searchStored(
  ctx: RuleContext,
  kinds: readonly KindName[],
  query: SearchQuery,
  settings: SearchSettings,
): (ids: readonly string[]) => readonly string[] {
  const found = kinds.map((kind) => [kind, compileSearch(kind, query, settings)] as const);
  return (ids) =>
    found.flatMap(([kind, { condition, orderBy, orderValues }]) =>
      ctx.tx.ids(kind, { condition: allOf(condition, oneOf('id', ids)), orderBy, orderValues }),
    );
}

function searchRefusal({ message }: SearchError): Refusal {
  return new Refusal(400, 'Operation Failed', `Cannot parse the search: ${message}`);
}

/** Whether a search contains text for all fields of its objects. */
function hasText(where: Expression | undefined): boolean {
  if (where?.op === 'all' || where?.op === 'any') return where.of.some(hasText);
  return where?.op === 'text' && !where.through;
}

/** List of at most `max` objects, and the root tag. */
function listedWith(last: string, max: number | undefined): Listing {
  return { select: (ids) => [...ids.filter((id) => id !== last).slice(0, max), last] };
}

/** Default order of a list. */
export function getDefaultOrder(
  dialect: Dialect,
  { kind, service }: CollectionRef,
): Pick<ListOptions, 'order' | 'orderBy'> {
  const keys = orderKeys(kind, listOrder(dialect, service, getKindType(kind)));
  return { order: keys, orderBy: orderText(keys) };
}

/** Visible objects of a kind as a common table expression, because searches join kinds. */
function seenIn(filter: VisibilityFilter): VisibilityConditions {
  return (kind) => {
    const visible = filter.condition(kind);
    if (!visible) return undefined;
    return asTable(`visible_${kind}`, kind, visible);
  };
}

/** A search without fields must not return unrequested objects. */
function notSearchable(ref: CollectionRef): Refusal {
  const path = locateObject(ref, '').service.replace(/\/\{\w+\}$/, '');
  const detail = `${path} is not searchable.`;
  return new Refusal(400, 'Operation Failed', detail);
}

/** Without a page size, the first page contains all objects. */
function pageOffset(page: number, max: number | undefined): number | undefined {
  if (page === 1) return 0;
  return max === undefined ? undefined : (page - 1) * max;
}

/** Events after an id (specification 6). The dialects differ in whether it is included. */
function fromCondition(
  ref: CollectionRef,
  request: ListRequest,
  dialect: Dialect,
): SqlCondition | undefined {
  if (ref.kind !== 'event') return undefined;
  const from = integerParameter(request.parameters.get('from'));
  if (from === undefined || from <= 0) return undefined;
  return numberFrom('index', from, dialect.eventsFromExclusive);
}

function requestsFilter({ parameters }: ListRequest): boolean {
  return booleanParameter(parameters.get('filter')) === true;
}

/** Refuses a negative `max`. */
function maximum(request: ListRequest, searchable: boolean): number | undefined {
  const max = integerParameter(request.parameters.get('max'));
  if (max === undefined || (max === -1 && !searchable)) return undefined;
  if (max < 0) {
    throw new Refusal(
      400,
      'Operation Failed',
      `The maximum number of objects must not be negative: max=${max}.`,
    );
  }
  return max;
}
