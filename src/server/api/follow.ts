/** Expansion of links in a response (specification 4.3): lists and references, nested. */

import { listLinks } from '../../model/links.ts';
import type { TypeName } from '../../model/resources/index.ts';
import { isRecord } from '../../records.ts';
import { findBehavior } from '../core/behavior.ts';
import {
  type CollectionRef,
  findObjectTemplate,
  findTopCollection,
  getCollectionKind,
  getObjectTemplate,
  isStored,
  locateObject,
  resolveCollection,
} from '../core/collection-ref.ts';
import { Refusal } from '../core/fault.ts';
import type { StoredObject } from '../store/kinds.ts';
import { countLargestCollection } from '../store/list-keys.ts';
import type { Slices } from '../store/slices.ts';
import {
  findReferenceAttribute,
  findSubCollectionLink,
  type Location,
  maximumPaths,
  type PathTree,
  parsePathTree,
  refuseWord,
  tooMuch,
} from './follow-paths.ts';
import * as generic from './generic.ts';
import { getDefaultOrder } from './list-options.ts';
import { type Presentation, presentVisible } from './presentation.ts';
import { route } from './request.ts';
import { showFollowed } from './show.ts';

/**
 * Maximum followed objects of one item. Links are circular: from a cluster to its data center, to
 * all of its clusters.
 */
const maximumObjects = 100_000;
/** Maximum followed objects of all items. */
const maximumInAll = 1_000_000;
/**
 * Maximum followed objects of all items if the server must count them first, which delays other
 * requests.
 */
const maxLookedAt = 20_000;
/** Cost of a repeated list. Clients rarely need many of them. */
const weightOfRepeated = 50;
/** Estimated maximum of objects in computed collections. */
const maxComputed = 100;

/** Followed links of a request, resolved once for all items. */
export interface Following {
  readonly view: Presentation;
  /** Tree of followed words. Paths with a common prefix share its targets. */
  readonly paths: PathTree;
  /** Followed references, by type and id. */
  readonly shown: Map<string, Expanded>;
}

interface Expanded {
  readonly object: StoredObject;
  readonly service: string;
}

/** Maximum cached objects for further references. */
const maxShown = 1_000;

interface Shown extends Location {
  readonly items: StoredObject[];
}

/**
 * Parses `nics,disk_attachments.disk`. Refuses with 400 too many or too deep paths, and words that
 * are not links of their type.
 */
export function* parseFollow(
  view: Presentation,
  type: TypeName,
  service: string,
  paths: string,
): Slices<Following> {
  const list = paths
    .split(',')
    .map((path) => path.trim())
    .filter((path) => path !== '');
  if (list.length > maximumPaths) throw tooMuch(`names ${list.length} paths`, maximumPaths);
  const following = { view, paths: parsePathTree(list), shown: new Map() };
  yield* follow(following, type, service, []);
  return following;
}

/**
 * Replaces links by their targets in all items. A link without a target is omitted. Refuses with
 * 400 too many followed objects, unless a check before found that the limit holds.
 */
export function* follow(
  following: Following,
  type: TypeName,
  service: string,
  items: StoredObject[],
  budget: Budget = budgetOfAnswer(),
): Slices<void> {
  yield* followAll(following, { type, service, items }, following.paths, budget);
}

/** Remaining and initial number of permitted objects. */
export interface Budget {
  left: number;
  readonly all: number;
}

function spend(budget: Budget, objects: number): void {
  budget.left -= objects;
  if (budget.left < 0) throw tooMuch('leads to too many objects', budget.all);
}

/** Budget for an object, or for a list with an unknown number of followed objects. */
export function budgetOfAnswer(): Budget {
  return { left: maxLookedAt, all: maxLookedAt };
}

/** Budget for a list that was checked before. */
export const unlimited: Budget = { left: Number.POSITIVE_INFINITY, all: 0 };

function* followAll(
  following: Following,
  from: Shown,
  paths: PathTree,
  budget: Budget,
): Slices<void> {
  for (const [word, rest] of paths) {
    const next =
      (yield* followLink(following, from, word, budget)) ??
      (yield* followReference(following, from, word, rest.size === 0, budget)) ??
      refuseWord(word, from.type);
    yield* followAll(following, next, rest, budget);
  }
}

/** Fills the list attribute of each item with the objects of its sub-collection. */
function* followLink(
  following: Following,
  from: Shown,
  word: string,
  budget: Budget,
): Slices<Shown | undefined> {
  const link = findSubCollectionLink(from, word);
  if (!link) return undefined;
  const { view } = following;
  const children: StoredObject[] = [];
  let service = getObjectTemplate(link.path);
  for (const item of from.items) {
    yield;
    if (!listLinks(from.service, from.type, item).includes(word)) continue;
    const segments = String(item['href'])
      .slice(view.apiPath.length + 1)
      .split('/');
    const match = route([...segments, word]);
    const ref = match && placeIfThere(following, match);
    if (!ref) continue;
    service = locateObject(ref, '').service;
    const parts = yield* generic.read(view.ctx, ref, getDefaultOrder(view.ctx.site.dialect, ref));
    // Counted before the read, because links are circular.
    for (const { size } of parts) spend(budget, size);
    const found: StoredObject[] = [];
    for (const { objects } of parts) {
      for (const object of objects()) {
        found.push(showFollowed({ ...view, alone: false }, ref, object));
      }
      yield;
    }
    item[link.attribute] = found;
    children.push(...found);
  }
  return { type: link.type, service, items: children };
}

/** Collection of a list that only some objects have: only ISO domains have files. */
function placeIfThere(
  { view }: Following,
  { service, ids }: { service: string; ids: readonly string[] },
): CollectionRef | undefined {
  try {
    const ref = generic.located(view.ctx, resolveCollection(view.ctx.tx, service, ids));
    return view.ctx.filter?.part(ref) ?? ref;
  } catch (error) {
    if (error instanceof Refusal && error.status === 404) return undefined;
    throw error;
  }
}

/** Replaces a reference of each item by the object. */
function* followReference(
  following: Following,
  from: Shown,
  word: string,
  last: boolean,
  budget: Budget,
): Slices<Shown | undefined> {
  const found = findReferenceAttribute(from.type, word);
  if (!found) return undefined;
  const items: StoredObject[] = [];
  let service = '';
  for (const item of from.items) {
    const value = item[found.attribute] ?? lookedFor(following, from.type, found.attribute, item);
    const expand = (reference: StoredObject): StoredObject => {
      const whole = expandedOnce(following, found.type, reference, last);
      if (!whole) return reference;
      service = whole.service;
      spend(budget, 1);
      items.push(whole.object);
      return whole.object;
    };
    if (Array.isArray(value)) {
      const whole: StoredObject[] = [];
      for (const reference of value.filter(isRecord)) {
        whole.push(expand(reference));
        yield;
      }
      item[found.attribute] = whole;
    } else if (isRecord(value)) {
      item[found.attribute] = expand(value);
    }
    yield;
  }
  return { type: found.type, service: service || (findObjectTemplate(found.type) ?? ''), items };
}

/** References that are only shown if the request follows them. */
function lookedFor(
  { view }: Following,
  type: TypeName,
  attribute: string,
  item: StoredObject,
): readonly StoredObject[] | undefined {
  if (!isStored(type)) return undefined;
  const found = findBehavior(view.ctx, type)?.references?.[attribute]?.(view.ctx, item);
  const { filter } = view.ctx;
  if (!found || !filter) return found;
  const shown = filter.shows(type, { [attribute]: found })[attribute];
  return Array.isArray(shown) ? shown.filter(isRecord) : undefined;
}

/** Presents an object once for all references to it. Items get copies if nested links are added. */
function expandedOnce(
  following: Following,
  type: TypeName,
  reference: StoredObject,
  last: boolean,
): Expanded | undefined {
  const key = `${type} ${String(reference['id'])}`;
  const made = following.shown.get(key) ?? expandReference(following, type, reference);
  if (!made) return undefined;
  if (following.shown.size < maxShown) following.shown.set(key, made);
  return last ? made : { ...made, object: { ...made.object } };
}

function expandReference(
  { view }: Following,
  type: TypeName,
  reference: StoredObject,
): Expanded | undefined {
  const id = reference['id'];
  if (typeof id !== 'string' || !isStored(type)) return undefined;
  const object: StoredObject | undefined = view.ctx.tx.get(type, id);
  const collection = findTopCollection(type) ?? view.ctx.tx.findCollection(type, id);
  if (!object || collection === undefined) return undefined;
  if (view.ctx.filter?.sees(type, id) === false) return undefined;
  const match = route(`${collection}/${id}`.split('/').slice(1));
  if (!match) return undefined;
  const { service } = match;
  return { object: presentVisible(view, type, object, service, `${collection}/${id}`), service };
}

/**
 * Whether a list of `count` items cannot exceed the limits in any distribution. If so, the server
 * sends the first byte of a long list without a check.
 */
export function* isBounded(
  { view, paths }: Following,
  type: TypeName,
  service: string,
  items: number,
): Slices<boolean> {
  const from = { type, service };
  if ((yield* maxBelow(view, from, paths, 1, true)) > maximumObjects) return false;
  return (yield* maxBelow(view, from, paths, items, true)) <= maximumInAll;
}

/** Upper limit of the objects that a number of objects of a type refer to, `distinct` or not. */
function* maxBelow(
  view: Presentation,
  from: Location,
  paths: PathTree,
  count: number,
  distinct: boolean,
): Slices<number> {
  const { tx } = view.ctx;
  let total = 0;
  for (const [word, rest] of paths) {
    const link = findSubCollectionLink(from, word);
    const reference = link ? undefined : findReferenceAttribute(from.type, word);
    const type = link?.type ?? reference?.type;
    if (!type) continue;
    const kind = link ? getCollectionKind(link.path) : type;
    const made = findBehavior(view.ctx, kind)?.compute !== undefined;
    const single = reference && !reference.list;
    const each = single
      ? 1
      : made
        ? maxComputed
        : isStored(type)
          ? yield* countLargestCollection(tx, kind)
          : 1;
    const service = (link ? getObjectTemplate(link.path) : findObjectTemplate(type)) ?? '';
    // Objects in lists of different owners rarely repeat.
    const once = link !== undefined && distinct && !made && isStored(type);
    const below = once ? Math.min(count * each, tx.rows(kind)) : count * each;
    const apart = once && findTopCollection(type) === undefined;
    total += once || single ? below : below * weightOfRepeated;
    total += yield* maxBelow(view, { type, service }, rest, below, apart);
    if (total > maximumInAll) return total;
  }
  return total;
}
