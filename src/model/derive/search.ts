/** Search fields by type, and the default order of lists (specification 4.3). */
import type { CrossReference, SearchFields, SortRule } from '../notation/search.ts';
import { allResources } from '../resources/index.ts';

/**
 * Fields by the kind of object: a type of the model, or one of `directory_user`,
 * `directory_group`, `cluster_network`, `host_network` and `vm_nic`, which only the search knows.
 */
export const searchFields: Readonly<Record<string, SearchFields>> = Object.fromEntries(
  allResources.flatMap(({ name, search }) => [
    ...(search?.fields ? [[name, search.fields] as const] : []),
    ...Object.entries(search?.seenAs ?? {}),
  ]),
);

/** Types that engines search by their fields alone. */
export const searchedWithoutText: readonly string[] = allResources.flatMap(({ name, search }) =>
  search?.withoutText ? [name] : [],
);

/** Cross references by the type of object they start from. */
export const crossReferences: Readonly<Record<string, readonly CrossReference[]>> =
  Object.fromEntries(
    allResources.flatMap(({ name, search }) => (search?.related ? [[name, search.related]] : [])),
  );

/** Order of lists, and of what a requested order leaves open; by name where nothing is said. */
export const defaultSorts: Readonly<Record<string, readonly SortRule[]>> = Object.fromEntries(
  allResources.flatMap(({ name, search }) => (search?.order ? [[name, search.order]] : [])),
);
