/** Visible objects of a list: search results of the service, or a filter of the client. */

import { formatPlain, getColumnValue } from '../../cli/output/cells.ts';
import { findSearchType } from '../../cli/verbs/search-query.ts';
import type { ApiObject } from '../../client/client.ts';
import type { ListView } from './views.ts';

/** Whether the service can search the list. Subcollections are not searchable. */
export function isSearchable({ noun, owner }: Pick<ListView, 'noun' | 'owner'>): boolean {
  return owner === undefined && findSearchType(noun) !== undefined;
}

/** Objects of a list that match the search. */
export function listShownItems(place: ListView): readonly ApiObject[] {
  const { listing, search } = place;
  if (!listing) return [];
  const word = search.trim().toLowerCase();
  if (word === '' || isSearchable(place)) return listing.items;
  return listing.items.filter((item) =>
    listing.columns.some((column) =>
      formatPlain(getColumnValue(item, column)).toLowerCase().includes(word),
    ),
  );
}
