/** Options of lists (specification 4.3). */

import { searchFields } from '../../model/derive/search.ts';
import type { Dialect } from '../../model/dialect.ts';
import type { Operation } from '../../model/index.ts';
import { listOrder } from '../../model/list-order.ts';
import { parseSearch, SearchError } from '../../search/index.ts';
import { behaviorOf } from '../core/behavior.ts';
import { type CollectionRef, locationOf } from '../core/collection-ref.ts';
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
import { type KindName, typeOfKind } from '../store/kinds.ts';
import { compileSearch } from '../store/search.ts';
import { orderKeys, orderText, type Seen } from '../store/search-values.ts';
import type { TableNames } from '../store/staged.ts';
import type { Listing } from './generic.ts';
import { type ApiRequest, booleanParameter, integerParameter } from './request.ts';

/** What a request says of a list. */
type ListRequest = Pick<ApiRequest, 'parameters'>;

/**
 * The conditions of a list; undefined when it is empty for certain. `names` are for what its search
 * selects from other kinds. Refuses a search that does not
 * parse with 400, unless the dialect finds nothing then.
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
  const max = isWhole ? undefined : maximum(request, searchable);
  const text = (request.parameters.get('search') ?? '').trim();
  if (text !== '' && !searchable) {
    if (!dialect.ignoresSearchWithoutFields) throw notSearchable(ref);
    return { ...orderOf(dialect, ref), limit: max };
  }
  const from = fromCondition(ref, request, dialect);
  const base: ListOptions = {
    ...orderOf(dialect, ref),
    limit: max,
    condition: from,
    range: from,
  };
  if (text === '') return base;
  try {
    // Entries of a directory have fields of their own.
    const type = Object.hasOwn(searchFields, ref.kind) ? ref.kind : ref.type;
    const query = parseSearch(text, type, ctx.now);
    const settings = {
      caseSensitive: booleanParameter(request.parameters.get('case_sensitive')) ?? false,
      seen: ctx.filter && seenIn(ctx.filter),
      measured: (kind: KindName, field: string) => behaviorOf(ctx, kind)?.measure?.(ctx, field),
      names: names.next,
    };
    const offset = query.page === undefined ? 0 : pageOffset(query.page, max);
    if (offset === undefined) return undefined;
    const storedAs = behaviorOf(ctx, ref.kind)?.storedAs;
    if (storedAs) {
      const found = storedAs.map((kind) => [kind, compileSearch(kind, query, settings)] as const);
      const select = (ids: readonly string[]) =>
        found.flatMap(([kind, { condition, orderBy, orderValues }]) =>
          ctx.tx.ids(kind, { condition: allOf(condition, oneOf('id', ids)), orderBy, orderValues }),
        );
      return { limit: max, offset, select };
    }
    const { condition, ...found } = compileSearch(ref.kind, query, settings);
    return { ...base, ...found, offset, condition: allOf(from, condition) };
  } catch (error) {
    if (!(error instanceof SearchError)) throw error;
    if (dialect.badSearchFindsNothing) return undefined;
    throw new Refusal(400, 'Operation Failed', `Cannot parse the search: ${error.message}`);
  }
}

/** The order of a list whose request has none. */
export function orderOf(
  dialect: Dialect,
  { kind, service }: CollectionRef,
): Pick<ListOptions, 'order' | 'orderBy'> {
  const keys = orderKeys(kind, listOrder(dialect, service, typeOfKind(kind)));
  return { order: keys, orderBy: orderText(keys) };
}

/** What is visible of a kind, as a table before the statement: searches lead from kind to kind. */
function seenIn(filter: VisibilityFilter): Seen {
  return (kind) => {
    const visible = filter.condition(kind);
    if (!visible) return undefined;
    return asTable(`visible_${kind}`, kind, visible);
  };
}

/** A search that cannot be made must not answer with what was not asked for. */
function notSearchable(ref: CollectionRef): Refusal {
  const path = locationOf(ref, '').service.replace(/\/\{\w+\}$/, '');
  const detail = `${path} is not searchable.`;
  return new Refusal(400, 'Operation Failed', detail);
}

/** Without a page size the first page holds everything. */
function pageOffset(page: number, max: number | undefined): number | undefined {
  if (page === 1) return 0;
  return max === undefined ? undefined : (page - 1) * max;
}

/** Events from an id on (specification 6); the dialects differ in whether it is included. */
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

/** Collections that engines list whole, whatever `max` says. */
const listedWhole: ReadonlySet<string> = new Set(['/clusterlevels', '/operatingsystems', '/tags']);

/** Refuses a negative `max`: such a list would mean nothing. */
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
