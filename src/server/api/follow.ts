/** Expands links inside an answer (specification 4.3): whole lists and references, nested. */

import { services } from '../../model/derive/services.ts';
import { attributesOf, parseKind, subCollections } from '../../model/index.ts';
import { linksOf } from '../../model/links.ts';
import type { TypeName } from '../../model/resources/index.ts';
import {
  type CollectionRef,
  isStored,
  kindOf,
  locationOf,
  objectServiceOf,
  resolveCollection,
  serviceOfType,
  topCollection,
} from '../core/collection-ref.ts';
import { Refusal, titleOf } from '../core/fault.ts';
import { type KindName, type StoredObject, typeOfKind } from '../store/kinds.ts';
import { maxInOne } from '../store/list-keys.ts';
import type { Slices } from '../store/slices.ts';
import * as generic from './generic.ts';
import { type Presentation, present } from './presentation.ts';
import { route } from './request.ts';

/** More paths, or deeper ones, would let one request read the whole inventory many times. */
const maximumPaths = 20;
const maximumDepth = 6;
/**
 * How many objects one item of an answer brings along at most. Links go in circles: from a cluster
 * to its data center to all its clusters, and on.
 */
const maximumObjects = 100_000;
/** How many objects all items of an answer bring along at most, together. */
const maximumInAll = 1_000_000;
/** The same where that has to be tried: it is work that others wait for. */
const maxLookedAt = 20_000;
/** Lists that are shown again and again count for more: nobody needs many of them. */
const weightOfRepeated = 50;
/** What collections that are made up when they are asked for hold at most, roughly. */
const maxComputed = 100;

/** What a request asks to be followed, made out once for all items of its answer. */
export interface Following {
  readonly view: Presentation;
  readonly words: Tree;
  /** Objects that were referred to, by type and id. */
  readonly shown: Map<string, Expanded>;
}

interface Expanded {
  readonly object: StoredObject;
  readonly service: string;
}

/** Objects that are kept for further references to them, at most. */
const maxShown = 1_000;

/** Words with those that follow them: paths that begin alike share what they lead to. */
interface Tree extends Map<string, Tree> {}

interface Shown {
  readonly type: TypeName;
  /** Path template under which the objects are shown. */
  readonly service: string;
  readonly items: StoredObject[];
}

/**
 * Takes `nics,disk_attachments.disk` apart. Refuses with 400 more paths, and deeper ones, than
 * anybody needs, and words that are no link of their type.
 */
export function* followingOf(
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
  const following = { view, words: treeOf(list), shown: new Map() };
  yield* follow(following, type, service, []);
  return following;
}

function treeOf(paths: readonly string[]): Tree {
  const tree: Tree = new Map();
  for (const path of paths) {
    const messageParams = path.split('.');
    if (messageParams.length > maximumDepth) {
      throw tooMuch(`${path.slice(0, 100)} is ${messageParams.length} deep`, maximumDepth);
    }
    let at = tree;
    for (const word of messageParams) {
      const next = at.get(plain(word)) ?? new Map<string, Tree>();
      at.set(plain(word), next);
      at = next;
    }
  }
  return tree;
}

function tooMuch(what: string, limit: number): Refusal {
  return new Refusal(
    400,
    'Operation Failed',
    `The parameter follow ${what}; at most ${limit} are allowed.`,
  );
}

/**
 * Replaces the links by what they lead to, in all items; one that leads nowhere on an item is left
 * out there. Refuses with 400 what brings along too many objects, unless that was looked at before.
 */
export function* follow(
  following: Following,
  type: TypeName,
  service: string,
  items: StoredObject[],
  budget: Budget = budgetOfAnswer(),
): Slices<void> {
  yield* followAll(following, { type, service, items }, following.words, budget);
}

/** How many more objects may come along, and how many at first. */
export interface Budget {
  left: number;
  readonly all: number;
}

function spend(budget: Budget, objects: number): void {
  budget.left -= objects;
  if (budget.left < 0) throw tooMuch('leads to more objects than are answered', budget.all);
}

/** For an object, or a list of which nobody knows how much it brings along before it is looked at. */
export function budgetOfAnswer(): Budget {
  return { left: maxLookedAt, all: maxLookedAt };
}

/** For a list that was found to bring along no more than is answered. */
export const unlimited: Budget = { left: Number.POSITIVE_INFINITY, all: 0 };

function* followAll(
  following: Following,
  from: Shown,
  messageParams: Tree,
  budget: Budget,
): Slices<void> {
  for (const [word, rest] of messageParams) {
    const next =
      (yield* followLink(following, from, word, budget)) ??
      (yield* followReference(following, from, word, rest.size === 0, budget)) ??
      refuseWord(word, from.type);
    yield* followAll(following, next, rest, budget);
  }
}

function refuseWord(word: string, type: TypeName): never {
  throw new Refusal(
    400,
    'Operation Failed',
    `Cannot follow "${word.slice(0, 100)}": it is not a link of ${titleOf(type)}.`,
  );
}

function plain(word: string): string {
  return word.replaceAll('_', '').toLowerCase();
}

/** Links whose attribute is not the word of the path. */
const otherNames: Readonly<Record<string, string>> = {
  fenceagents: 'agents',
  storage: 'storages',
  weights: 'weight',
  glusterbricks: 'bricks',
  storageserverconnections: 'storageconnections',
};

interface Link {
  /** Attribute that shows the list. */
  readonly attribute: string;
  /** Path template of the list, and the type of what is in it. */
  readonly path: string;
  readonly type: TypeName;
}

/** The sub-collection that a word names, where the type has one. */
function linkOf(
  { type, service }: Pick<Shown, 'type' | 'service'>,
  word: string,
): Link | undefined {
  const path = `${service}/${word}`;
  const target = subCollections(service).includes(word) ? services[path]?.type : undefined;
  const wanted = otherNames[word] ?? word;
  const attribute = Object.keys(attributesOf(type)).find((name) => plain(name) === wanted);
  return target && attribute ? { attribute, path, type: target as TypeName } : undefined;
}

/** Fills the list attribute of every item with the objects of its sub-collection. */
function* followLink(
  following: Following,
  from: Shown,
  word: string,
  budget: Budget,
): Slices<Shown | undefined> {
  const link = linkOf(from, word);
  if (!link) return undefined;
  const { view } = following;
  const children: StoredObject[] = [];
  let service = objectServiceOf(link.path);
  for (const item of from.items) {
    yield;
    if (!linksOf(from.service, from.type, item).includes(word)) continue;
    const segments = String(item['href'])
      .slice(view.apiPath.length + 1)
      .split('/');
    const match = route([...segments, word]);
    const ref = match && placeIfThere(following, match);
    if (!ref) continue;
    service = locationOf(ref, '').service;
    const parts = yield* generic.read(view.ctx, ref, {});
    // Before they are read: links go in circles.
    for (const { keys, objects } of parts) spend(budget, keys?.length ?? objects().length);
    const found: StoredObject[] = [];
    for (const { objects } of parts) {
      for (const object of objects()) {
        const location = locationOf(ref, String(object['id']));
        found.push(shownIn(view, ref.kind, object, location.service, location.path));
      }
      yield;
    }
    item[link.attribute] = found;
    children.push(...found);
  }
  return { type: link.type, service, items: children };
}

/** An object as it is shown, without references to what the caller does not see. */
function shownIn(
  view: Presentation,
  kind: KindName,
  object: StoredObject,
  service: string,
  path: string,
): StoredObject {
  const shown = present(view, kind, object, service, path);
  const { filter } = view.ctx;
  return filter?.shows(typeOfKind(kind), shown) ?? shown;
}

/** The place of a list that not every object has: only domains of ISO images have files. */
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

/** Lists that objects of a type have in one place and not in another, by type and word. */
const elsewhere = new Set(
  Object.entries(services)
    .filter(([path]) => path.endsWith('}'))
    .flatMap(([path, { type }]) => subCollections(path).map((word) => `${type} ${word}`)),
);

/** The attribute that refers to other objects and is called like the word. */
function referenceOf(type: TypeName, word: string) {
  for (const [attribute, { kind }] of Object.entries(attributesOf(type))) {
    const { form, of } = parseKind(kind);
    if (form === 'links' && elsewhere.has(`${type} ${word}`)) continue;
    if (plain(attribute) === word && (form === 'ref' || form === 'links')) {
      return { attribute, type: of as TypeName, list: form === 'links' };
    }
  }
  return undefined;
}

/** Replaces a reference of every item by the whole object. */
function* followReference(
  following: Following,
  from: Shown,
  word: string,
  last: boolean,
  budget: Budget,
): Slices<Shown | undefined> {
  const found = referenceOf(from.type, word);
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
      for (const reference of value as readonly StoredObject[]) {
        whole.push(expand(reference));
        yield;
      }
      item[found.attribute] = whole;
    } else if (typeof value === 'object' && value !== null) {
      item[found.attribute] = expand(value as StoredObject);
    }
    yield;
  }
  return { type: found.type, service: service || (serviceOfType(found.type) ?? ''), items };
}

/** References that are not shown unless somebody follows them. */
function lookedFor(
  { view }: Following,
  type: TypeName,
  attribute: string,
  item: StoredObject,
): readonly StoredObject[] | undefined {
  if (!isStored(type)) return undefined;
  const found = view.ctx.behavior(type)?.references?.[attribute]?.(view.ctx, item as never);
  const { filter } = view.ctx;
  return found && filter
    ? (filter.shows(type, { [attribute]: found })[attribute] as StoredObject[])
    : (found as readonly StoredObject[] | undefined);
}

/**
 * An object is made out once, however many items refer to it; each has it for itself where more is
 * put into it.
 */
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
  const object = view.ctx.tx.get(type, id) as StoredObject | undefined;
  const collection = topCollection(type) ?? view.ctx.tx.collectionOf(type, id);
  if (!object || collection === undefined) return undefined;
  if (view.ctx.filter?.sees(type, id) === false) return undefined;
  const match = route(`${collection}/${id}`.split('/').slice(1));
  if (!match) return undefined;
  const { service } = match;
  return { object: shownIn(view, type, object, service, `${collection}/${id}`), service };
}

/**
 * Whether a list of so many items cannot bring along too many objects, however they are distributed:
 * then nobody has to look before the first byte of a long list is sent.
 */
export function* isBounded(
  { view, words: messageParams }: Following,
  type: TypeName,
  service: string,
  items: number,
): Slices<boolean> {
  const from = { type, service };
  if ((yield* maxBelow(view, from, messageParams, 1, true)) > maximumObjects) return false;
  return (yield* maxBelow(view, from, messageParams, items, true)) <= maximumInAll;
}

/** At most so many objects come along with so many objects of a type; `distinct` ones or not. */
function* maxBelow(
  view: Presentation,
  from: Pick<Shown, 'type' | 'service'>,
  messageParams: Tree,
  count: number,
  distinct: boolean,
): Slices<number> {
  const { tx } = view.ctx;
  let most = 0;
  for (const [word, rest] of messageParams) {
    const link = linkOf(from, word);
    const reference = link ? undefined : referenceOf(from.type, word);
    const type = link?.type ?? reference?.type;
    if (!type) continue;
    const kind = link ? kindOf(link.path) : type;
    const made = view.ctx.behavior(kind)?.compute !== undefined;
    const single = reference && !reference.list;
    const each = single ? 1 : made ? maxComputed : isStored(type) ? yield* maxInOne(tx, kind) : 1;
    const service = (link ? objectServiceOf(link.path) : serviceOfType(type)) ?? '';
    // What is in a list of different objects is, nearly always, in the list of one of them.
    const once = link !== undefined && distinct && !made && isStored(type);
    const below = once ? Math.min(count * each, tx.rows(kind)) : count * each;
    const apart = once && topCollection(type) === undefined;
    most += once || single ? below : below * weightOfRepeated;
    most += yield* maxBelow(view, { type, service }, rest, below, apart);
    if (most > maximumInAll) return most;
  }
  return most;
}
