/** Order of lists without a requested order. */
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
 * Order of a list, by path template of the collection and type of its objects. Engines sort
 * searchable lists; other lists have the order of creation.
 */
export function listOrder(dialect: Dialect, service: string, type: string): readonly SortRule[] {
  const isSearched = services[service]?.operations['list']?.query.includes('search') === true;
  if (isSearched || !dialect.listsAsCreated) return defaultSorts[type] ?? byName;
  // A type without searches has its order only for this list.
  const own = searchFields[type] ? undefined : defaultSorts[type];
  return sortedByEngines[service] ?? own ?? [];
}
