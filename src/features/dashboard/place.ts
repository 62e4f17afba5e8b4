/** Where somebody is in the dashboard: a list of objects, or one object with its tabs. */

import { nouns } from '../../cli/args/catalog.ts';
import { collectionsOf } from '../../cli/verbs/collections.ts';
import { verbOf } from '../../cli/verbs/derive-verbs.ts';
import type { ApiObject } from '../../client/client.ts';
import type { Listing, Named } from './listing.ts';

/** A list, and the line in it that keys are about. */
export interface ListPlace {
  readonly kind: 'list';
  readonly noun: string;
  /** The object that the listed ones belong to. */
  readonly owner?: Named;
  search: string;
  listing: Listing | undefined;
  /** Why the last reading failed: what is shown may be old. */
  trouble: string | undefined;
  current: number;
  top: number;
  /** Ids of the objects that the next command is about, where it is not the current one alone. */
  readonly marks: Set<string>;
}

/** An object, as texts or through the lists that belong to it. */
export interface ObjectPlace {
  readonly kind: 'object';
  readonly object: Named;
  readonly owner?: Named;
  readonly tabs: readonly string[];
  tab: number;
  /** The text of the tab; nothing while it is read for the first time. */
  text: readonly string[] | undefined;
  top: number;
  /** The list that a tab is. */
  list: ListPlace | undefined;
}

export type Place = ListPlace | ObjectPlace;

/** Tabs that every object has; the others are nouns. */
export const textTabs = ['details', 'events', 'yaml'] as const;

export function listPlace(noun: string, owner?: Named, search = ''): ListPlace {
  return {
    ...{ kind: 'list', noun, search, current: 0, top: 0, marks: new Set() },
    ...{ listing: undefined, trouble: undefined },
    ...(owner ? { owner } : {}),
  };
}

export function objectPlace(object: Named, owner?: Named): ObjectPlace {
  const tabs = [...textTabs, ...(owner ? [] : ownedNouns(object.noun))];
  return {
    ...{ kind: 'object', object, tabs, tab: 0, top: 0, text: undefined, list: undefined },
    ...(owner ? { owner } : {}),
  };
}

/** The list whose objects keys are about at a place, if it is one. */
export function listAt(place: Place): ListPlace | undefined {
  return place.kind === 'list' ? place : place.list;
}

/** Nouns of what belongs to objects of a noun, and can be listed, the usual ones first: `nics` of `vms`. */
function ownedNouns(noun: string): readonly string[] {
  const owned = nouns.filter(
    ({ name, api }) =>
      api &&
      name !== 'statistics' &&
      verbOf(name, 'list') !== undefined &&
      collectionsOf(name).some(({ parents }) => parents.length === 1 && parents[0]?.noun === noun),
  );
  return owned.toSorted((a, b) => Number(a.more) - Number(b.more)).map(({ name }) => name);
}

/** What an object is called where it is listed. */
export function namedBy(noun: string, item: ApiObject): Named {
  const id = String(item['id'] ?? '');
  const name = item['name'] ?? item['alias'] ?? item['user_name'] ?? item['id'];
  return { noun, id, name: String(name ?? '') };
}

/** Brings the current line into what is shown of a list or text of so many lines. */
export function scrolled(top: number, current: number, height: number, count: number): number {
  const last = Math.max(0, count - height);
  const down = Math.max(top, current - height + 1);
  return Math.max(0, Math.min(Math.min(down, current), last));
}
