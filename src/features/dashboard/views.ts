/** Views of the dashboard: a list of objects, or an object with its tabs. */

import { nouns } from '../../cli/args/catalog.ts';
import { nameMembers } from '../../cli/output/columns.ts';
import { listCollections } from '../../cli/verbs/collections.ts';
import { findVerb } from '../../cli/verbs/derive-verbs.ts';
import type { ApiObject } from '../../client/client.ts';
import { isRecord } from '../../records.ts';
import type { Listing, Named } from './listing.ts';

/** A list with its current row. */
export interface ListView {
  readonly kind: 'list';
  readonly noun: string;
  /** Parent of the listed objects. */
  readonly owner?: Named;
  search: string;
  listing: Listing | undefined;
  /** Error of the last refresh; the shown objects may be outdated. */
  trouble: string | undefined;
  current: number;
  top: number;
  /**
   * Ids of the marked objects, which the next command applies to; empty if it applies to the
   * current one.
   */
  readonly marks: Set<string>;
}

/** An object, with tabs for texts and for its subcollections. */
export interface ObjectView {
  readonly kind: 'object';
  readonly object: Named;
  readonly owner?: Named;
  readonly tabs: readonly string[];
  tab: number;
  /** Lines of the current tab; undefined until the first read completes. */
  text: readonly string[] | undefined;
  top: number;
  /** Filter of the lines. */
  search: string;
  /** List of the current tab, if the tab is a subcollection. */
  list: ListView | undefined;
}

export type View = ListView | ObjectView;

/** Tabs of every object; further tabs are nouns of subcollections. */
export const textTabs = ['details', 'events', 'yaml'] as const;

export function createListView(noun: string, owner?: Named, search = ''): ListView {
  return {
    ...{ kind: 'list', noun, search, current: 0, top: 0, marks: new Set() },
    ...{ listing: undefined, trouble: undefined },
    ...(owner ? { owner } : {}),
  };
}

export function createObjectView(object: Named, owner?: Named): ObjectView {
  const tabs = [...textTabs, ...(owner ? [] : listOwnedNouns(object.noun))];
  return {
    ...{
      kind: 'object',
      object,
      tabs,
      tab: 0,
      top: 0,
      search: '',
      text: undefined,
      list: undefined,
    },
    ...(owner ? { owner } : {}),
  };
}

/** List of a view, if the view shows one. */
export function getList(place: View): ListView | undefined {
  return place.kind === 'list' ? place : place.list;
}

/** Nouns of listable subcollections of a noun, the common ones first: `nics` of `vms`. */
function listOwnedNouns(noun: string): readonly string[] {
  const owned = nouns.filter(
    ({ name, api }) =>
      api &&
      name !== 'statistics' &&
      findVerb(name, 'list') !== undefined &&
      listCollections(name).some(
        ({ parents }) => parents.length === 1 && parents[0]?.noun === noun,
      ),
  );
  return owned.toSorted((a, b) => Number(a.more) - Number(b.more)).map(({ name }) => name);
}

/** Reference to a listed object. */
export function toNamed(noun: string, item: ApiObject): Named {
  const id = String(item['id'] ?? '');
  const name = item['name'] ?? item['alias'] ?? item['user_name'] ?? item['id'];
  return { noun, id, name: String(name ?? ''), label: findLabel(item) };
}

/** Name of an object without a name: its description, or the name of an object it refers to. */
function findLabel(item: ApiObject): string {
  const members = [...nameMembers, 'description'];
  const find = (fields: Readonly<Record<string, unknown>>) =>
    members.map((member) => fields[member]).find((value) => value !== undefined && value !== '');
  const label =
    find(item) ??
    Object.values(item)
      .filter(isRecord)
      .map(find)
      .find((value) => value !== undefined) ??
    item['id'];
  return String(label ?? '');
}

/** First visible line, so that line `current` of `count` is visible within `height` lines. */
export function scrollTo(top: number, current: number, height: number, count: number): number {
  const last = Math.max(0, count - height);
  const down = Math.max(top, current - height + 1);
  return Math.max(0, Math.min(Math.min(down, current), last));
}
