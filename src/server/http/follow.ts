/** Expands links inside an answer (specification 4.3): whole lists and references, nested. */
import { attributesOf, parseKind, subCollections } from '../../model/index.ts';
import { linksOf } from '../../model/links.ts';
import { services } from '../../model/services/index.ts';
import type { TypeName } from '../../model/types/index.ts';
import { Refusal } from '../fault.ts';
import * as generic from '../rules/generic.ts';
import {
  isStored,
  kindOf,
  locationOf,
  objectServiceOf,
  type Place,
  placeOf,
  serviceOfType,
  titleOf,
  topCollection,
} from '../rules/places.ts';
import { type Presentation, present } from '../rules/presentation.ts';
import { rulesOf } from '../rules/registry.ts';
import type { StoredObject } from '../store/document.ts';
import type { Sight } from './filter.ts';
import { route } from './router.ts';

/** More paths, or deeper ones, would let one request read the whole inventory many times. */
const maximumPaths = 20;
const maximumDepth = 6;
/**
 * How many objects one item of an answer brings along at most. Links go in circles: from a cluster
 * to its data center to all its clusters, and on.
 */
const maximumObjects = 100_000;
/** What collections that are made up when they are asked for hold at most, roughly. */
const mostComputed = 100;

/** What a request asks to be followed, made out once for all items of its answer. */
export interface Following {
  readonly view: Presentation;
  readonly words: Tree;
  /** What the caller sees of it; undefined where that is everything. */
  readonly sight: Sight | undefined;
}

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
export function followingOf(
  view: Presentation,
  type: TypeName,
  service: string,
  paths: string,
  sight: Sight | undefined,
): Following {
  const list = paths
    .split(',')
    .map((path) => path.trim())
    .filter((path) => path !== '');
  if (list.length > maximumPaths) throw tooMuch(`names ${list.length} paths`, maximumPaths);
  const following = { view, words: treeOf(list), sight };
  follow(following, type, service, []);
  return following;
}

function treeOf(paths: readonly string[]): Tree {
  const tree: Tree = new Map();
  for (const path of paths) {
    const words = path.split('.');
    if (words.length > maximumDepth) throw tooMuch(`${path} is ${words.length} deep`, maximumDepth);
    let at = tree;
    for (const word of words) {
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
export function follow(
  following: Following,
  type: TypeName,
  service: string,
  items: StoredObject[],
  limit = maximumObjects,
): void {
  followAll(following, { type, service, items }, following.words, { left: limit });
}

/** How many more objects one item of an answer may bring along. */
interface Budget {
  left: number;
}

function followAll(following: Following, from: Shown, words: Tree, budget: Budget): void {
  for (const [word, rest] of words) {
    const next =
      followLink(following, from, word) ??
      followReference(following, from, word) ??
      refuseWord(word, from.type);
    budget.left -= next.items.length;
    if (budget.left < 0) throw tooMuch('leads to more objects than are answered', maximumObjects);
    followAll(following, next, rest, budget);
  }
}

function refuseWord(word: string, type: TypeName): never {
  throw new Refusal(
    400,
    'Operation Failed',
    `Cannot follow "${word}": it is not a link of ${titleOf(type)}.`,
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
function followLink(following: Following, from: Shown, word: string): Shown | undefined {
  const link = linkOf(from, word);
  if (!link) return undefined;
  const { view } = following;
  const children: StoredObject[] = [];
  let service = objectServiceOf(link.path);
  for (const item of from.items) {
    if (!linksOf(from.service, from.type, item).includes(word)) continue;
    const segments = String(item['href'])
      .slice(view.apiPath.length + 1)
      .split('/');
    const match = route([...segments, word]);
    const place = match && placeIfThere(following, match);
    if (!place) continue;
    service = locationOf(place, '').service;
    const parts = generic.read(view.ctx, place, {});
    const found = parts
      .flatMap((part) => part.objects())
      .map((object) => {
        const location = locationOf(place, String(object['id']));
        return present(view, place.kind, object, location.service, location.path);
      });
    item[link.attribute] = found;
    children.push(...found);
  }
  return { type: link.type, service, items: children };
}

/** The place of a list that not every object has: only domains of ISO images have files. */
function placeIfThere(
  { view, sight }: Following,
  { service, ids }: { service: string; ids: readonly string[] },
): Place | undefined {
  try {
    const place = generic.located(view.ctx, placeOf(view.ctx.tx, service, ids));
    return sight ? sight.part(place) : place;
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
function followReference(following: Following, from: Shown, word: string): Shown | undefined {
  const found = referenceOf(from.type, word);
  if (!found) return undefined;
  const items: StoredObject[] = [];
  let service = '';
  for (const item of from.items) {
    const value = item[found.attribute] ?? lookedFor(following, from.type, found.attribute, item);
    const expand = (reference: StoredObject): StoredObject => {
      const whole = expandReference(following, found.type, reference);
      if (!whole) return reference;
      service = whole.service;
      items.push(whole.object);
      return whole.object;
    };
    if (Array.isArray(value)) item[found.attribute] = value.map(expand);
    else if (typeof value === 'object' && value !== null)
      item[found.attribute] = expand(value as StoredObject);
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
  return rulesOf(type)?.references?.[attribute]?.(view.ctx, item as never);
}

function expandReference(
  { view, sight }: Following,
  type: TypeName,
  reference: StoredObject,
): { object: StoredObject; service: string } | undefined {
  const id = reference['id'];
  if (typeof id !== 'string' || !isStored(type)) return undefined;
  const object = view.ctx.tx.get(type, id) as StoredObject | undefined;
  const collection = topCollection(type) ?? view.ctx.tx.collectionOf(type, id);
  if (!object || collection === undefined) return undefined;
  if (sight && !sight.sees(type, id)) return undefined;
  const match = route(`${collection}/${id}`.split('/').slice(1));
  if (!match) return undefined;
  const { service } = match;
  return { object: present(view, type, object, service, `${collection}/${id}`), service };
}

/**
 * Whether an item cannot bring along too many objects, however they are distributed: then nobody
 * has to look before the first byte of a long list is sent.
 */
export function isBounded({ view, words }: Following, type: TypeName, service: string): boolean {
  return mostBelow(view, { type, service }, words, 1) <= maximumObjects;
}

/** At most so many objects come along with so many objects of a type. */
function mostBelow(
  view: Presentation,
  from: Pick<Shown, 'type' | 'service'>,
  words: Tree,
  count: number,
): number {
  let most = 0;
  for (const [word, rest] of words) {
    const link = linkOf(from, word);
    const reference = link ? undefined : referenceOf(from.type, word);
    const type = link?.type ?? reference?.type;
    if (!type) continue;
    const kind = link ? kindOf(link.path) : type;
    const made = rulesOf(kind)?.compute !== undefined;
    const single = reference && !reference.list;
    const each = single ? 1 : made ? mostComputed : isStored(type) ? view.ctx.tx.most(kind) : 1;
    const service = (link ? objectServiceOf(link.path) : serviceOfType(type)) ?? '';
    most += count * each + mostBelow(view, { type, service }, rest, count * each);
    if (most > maximumObjects) return most;
  }
  return most;
}
