/** Order of lists whose request names none. */
import { defaultSorts, searchFields } from './derive/search.ts';
import { services } from './derive/services.ts';
import type { Dialect } from './dialect.ts';
import type { SortRule } from './notation/search.ts';

const byName: readonly SortRule[] = [{ path: 'name' }];

/** Collections without a search that engines sort nevertheless. */
export const sortedByEngines: Readonly<Record<string, readonly SortRule[]>> = {
  '/clusters/{cluster}/networks': byName,
  '/hosts/{host}/nics': byName,
};

/**
 * The order of a list, by path template of the collection and type of its objects. Engines sort what they
 * search; other lists have the order of creation.
 */
export function listOrder(dialect: Dialect, service: string, type: string): readonly SortRule[] {
  const isSearched = services[service]?.operations['list']?.query.includes('search') === true;
  if (isSearched || !dialect.listsAsCreated) return defaultSorts[type] ?? byName;
  // A type that is searched nowhere has its order for this list alone.
  const own = searchFields[type] ? undefined : defaultSorts[type];
  return sortedByEngines[service] ?? own ?? [];
}
