/** The objects of a list that are shown: those that the service found, or that a word is found in here. */

import { columnValue, plainText } from '../../cli/output/cells.ts';
import { searchedOf } from '../../cli/verbs/search-query.ts';
import type { ApiObject } from '../../client/client.ts';
import type { ListPlace } from './place.ts';

/** Whether the service can search a list; what belongs to an object it cannot. */
export function isSearchable({ noun, owner }: Pick<ListPlace, 'noun' | 'owner'>): boolean {
  return owner === undefined && searchedOf(noun) !== undefined;
}

/** The objects that lines are made of. */
export function shownItems(place: ListPlace): readonly ApiObject[] {
  const { listing, search } = place;
  if (!listing) return [];
  const word = search.trim().toLowerCase();
  if (word === '' || isSearchable(place)) return listing.items;
  return listing.items.filter((item) =>
    listing.columns.some((column) =>
      plainText(columnValue(item, column)).toLowerCase().includes(word),
    ),
  );
}
