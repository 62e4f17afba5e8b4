/** Options of lists (specification 4.3), and the cache of encoded lists. */

import { searchFields } from '../../model/derive/search.ts';
import type { Dialect } from '../../model/dialect.ts';
import type { Operation } from '../../model/index.ts';
import { parseSearch, SearchError } from '../../search/index.ts';
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
import type { KindName } from '../store/kinds.ts';
import { compileSearch } from '../store/search.ts';
import { defaultKeys, defaultOrder, type Seen } from '../store/search-values.ts';
import type { TableNames } from '../store/staged.ts';
import type { Store } from '../store/store.ts';
import type { Call } from './call.ts';
import type { Listing, Part } from './generic.ts';
import { type ApiRequest, booleanParameter, integerParameter } from './request.ts';

/** Bytes that are kept at most. */
const maxSize = 16 * 1024 * 1024;
/** Keys that are remembered at most. */
const maxRequestedOnce = 1_000;

export class ListCache {
  readonly #store: Pick<Store, 'version'>;
  /** Asked for once. To keep every part costs whoever walks through all pages more than it gives. */
  readonly #requestedOnce = new Set<string>();
  /** Asked for at least twice, in the order in which they were made. */
  readonly #parts = new Map<string, Uint8Array>();
  #version = -1;
  #size = 0;

  constructor(store: Pick<Store, 'version'>) {
    this.#store = store;
  }

  /** The part with this key; made anew unless it was kept and the store is as it was then. */
  part(key: string, make: () => Uint8Array): Uint8Array {
    if (this.#version !== this.#store.version) this.#forget();
    const stored = this.#parts.get(key);
    if (stored) return stored;
    const made = make();
    if (this.#requestedOnce.delete(key)) this.#keep(key, made);
    else if (this.#requestedOnce.size < maxRequestedOnce) this.#requestedOnce.add(key);
    else this.#requestedOnce.clear();
    return made;
  }

  #forget(): void {
    this.#requestedOnce.clear();
    this.#parts.clear();
    this.#size = 0;
    this.#version = this.#store.version;
  }

  #keep(key: string, made: Uint8Array): void {
    this.#parts.set(key, made);
    this.#size += made.length;
    for (const [oldest, { length }] of this.#parts) {
      if (this.#size <= maxSize) break;
      this.#parts.delete(oldest);
      this.#size -= length;
    }
  }
}

/** Parts of longer lists are not worth the memory: nobody asks for them again and again. */
const maxCachedLength = 40;

/**
 * What tells the parts of a list from those of others, for as long as the store does not change;
 * undefined where what is shown may change without it.
 */
export function listKey(
  { request }: Call,
  ctx: RuleContext,
  kind: KindName,
  parts: readonly Part[],
): string | undefined {
  const behavior = ctx.behavior(kind);
  const lasts = behavior?.present === undefined || behavior.presentsStored === true;
  if (!lasts || parts.length > maxCachedLength || parts.some(({ keys }) => !keys)) return undefined;
  const { apiPath, segments, parameters } = request;
  const header = request.header('all-content');
  return JSON.stringify([ctx.caller.userId, apiPath, segments, [...parameters], header]);
}

/**
 * The conditions of a list; undefined when it is empty for certain. `names` are for what its search
 * selects from other kinds. Refuses a search that does not
 * parse with 400, unless the dialect finds nothing then.
 */
export function listOptions(
  ctx: RuleContext,
  ref: CollectionRef,
  request: ApiRequest,
  dialect: Dialect,
  operation: Operation,
  names: TableNames,
): Listing | undefined {
  const searchable = operation.query.includes('search') && searchFields[ref.type] !== undefined;
  const max = maximum(request, searchable);
  const text = (request.parameters.get('search') ?? '').trim();
  if (text !== '' && !searchable) {
    if (!dialect.ignoresSearchWithoutFields) throw notSearchable(ref);
    return { ...defaultOrderOf(ref.kind), limit: max };
  }
  const from = fromCondition(ref, request, dialect);
  const base: ListOptions = { ...defaultOrderOf(ref.kind), limit: max, condition: from };
  if (text === '') return base;
  try {
    // Entries of a directory have fields of their own.
    const type = Object.hasOwn(searchFields, ref.kind) ? ref.kind : ref.type;
    const query = parseSearch(text, type, ctx.now);
    const settings = {
      caseSensitive: booleanParameter(request.parameters.get('case_sensitive')) ?? false,
      seen: ctx.filter && seenIn(ctx.filter),
      measured: (kind: KindName, field: string) => ctx.behavior(kind)?.measure?.(ctx, field),
      names: names.next,
    };
    const offset = query.page === undefined ? 0 : pageOffset(query.page, max);
    if (offset === undefined) return undefined;
    const storedAs = ctx.behavior(ref.kind)?.storedAs;
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
    throw new Refusal(400, 'Operation Failed', `The search does not parse: ${error.message}`);
  }
}

function defaultOrderOf(kind: KindName): Pick<ListOptions, 'order' | 'orderBy'> {
  return { order: defaultKeys(kind), orderBy: defaultOrder(kind) };
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
  const detail = `${path} cannot be searched: its objects have no fields to search by.`;
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
  request: ApiRequest,
  dialect: Dialect,
): SqlCondition | undefined {
  if (ref.kind !== 'event') return undefined;
  const from = integerParameter(request.parameters.get('from'));
  if (from === undefined || from <= 0) return undefined;
  return numberFrom('index', from, dialect.eventsFromExclusive);
}

/** Refuses a negative `max`: such a list would mean nothing. */
function maximum(request: ApiRequest, searchable: boolean): number | undefined {
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
