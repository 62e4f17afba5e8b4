/** Search fields by type, and the default order of lists (specification 4.3). */
import type { CrossReference, SearchFields, SortRule } from '../notation/search.ts';
import { allResources } from '../resources/index.ts';

/**
 * Fields by kind of object: a type of the model, or one of `directory_user`, `directory_group`,
 * `cluster_network`, `host_network` and `vm_nic`, which exist only in searches.
 */
export const searchFields: Readonly<Record<string, SearchFields>> = Object.fromEntries(
  allResources.flatMap(({ name, search }) => [
    ...(search?.fields ? [[name, search.fields] as const] : []),
    ...Object.entries(search?.seenAs ?? {}),
  ]),
);

/** Types that engines search only by fields. */
export const searchedWithoutText: readonly string[] = allResources.flatMap(({ name, search }) =>
  search?.withoutText ? [name] : [],
);

/** Cross references by the type that they start from. */
export const crossReferences: Readonly<Record<string, readonly CrossReference[]>> =
  Object.fromEntries(
    allResources.flatMap(({ name, search }) => (search?.related ? [[name, search.related]] : [])),
  );

/**
 * Default order of lists, which also breaks ties of a requested order. By name without an entry.
 */
export const defaultSorts: Readonly<Record<string, readonly SortRule[]>> = Object.fromEntries(
  allResources.flatMap(({ name, search }) => (search?.order ? [[name, search.order]] : [])),
);
