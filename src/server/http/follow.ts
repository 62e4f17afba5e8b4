/** Expands links inside an answer (specification 4.3): whole lists and references, nested. */
import { attributesOf, parseKind, subCollections } from '../../model/index.ts';
import { services } from '../../model/services/index.ts';
import type { TypeName } from '../../model/types/index.ts';
import { Refusal } from '../fault.ts';
import * as generic from '../rules/generic.ts';
import {
  isStored,
  locationOf,
  type Place,
  placeOf,
  titleOf,
  topCollection,
} from '../rules/places.ts';
import { type Presentation, present } from '../rules/presentation.ts';
import { rulesOf } from '../rules/registry.ts';
import type { StoredObject } from '../store/document.ts';
import { route } from './router.ts';

/** More paths, or deeper ones, would let one request read the whole inventory many times. */
const maximumPaths = 20;
const maximumDepth = 6;
/** Links go in circles: from a cluster to its data center to all its clusters, and on. */
const maximumObjects = 100_000;

/** How many more objects one item of an answer may bring along. */
interface Budget {
  left: number;
}

function spend(budget: Budget, count: number): void {
  budget.left -= count;
  if (budget.left < 0) throw tooMuch('leads to more objects than are answered', maximumObjects);
}

interface Shown {
  readonly type: TypeName;
  /** Path template under which the objects are shown. */
  readonly service: string;
  readonly items: StoredObject[];
}

/**
 * Replaces the links that `paths` names (`nics,disk_attachments.disk`) by what they lead to, in
 * all items. Refuses with 400 words that are no link of their type; a link that leads nowhere on
 * one item is left out there.
 */
export function follow(
  view: Presentation,
  type: TypeName,
  service: string,
  items: StoredObject[],
  paths: string,
): void {
  const list = paths
    .split(',')
    .map((path) => path.trim())
    .filter((path) => path !== '');
  if (list.length > maximumPaths) throw tooMuch(`names ${list.length} paths`, maximumPaths);
  followAll(view, { type, service, items }, treeOf(list), { left: maximumObjects });
}

/** Words with those that follow them: paths that begin alike share what they lead to. */
interface Tree extends Map<string, Tree> {}

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

function followAll(view: Presentation, from: Shown, words: Tree, budget: Budget): void {
  for (const [word, rest] of words) {
    const rel = subCollections(from.service).find((name) => name === word);
    const attribute = rel ? attributeOf(from.type, rel) : undefined;
    const next =
      rel && attribute ? followLink(view, from, rel, attribute) : followReference(view, from, word);
    if (!next) {
      throw new Refusal(
        400,
        'Operation Failed',
        `Cannot follow "${word}": it is not a link of ${titleOf(from.type)}.`,
      );
    }
    spend(budget, next.items.length);
    followAll(view, next, rest, budget);
  }
}

function plain(word: string): string {
  return word.replaceAll('_', '').toLowerCase();
}

/** Links whose attribute is not the word of the path. */
const otherNames: Readonly<Record<string, string>> = {
  fenceagents: 'agents',
  storage: 'storages',
  weights: 'weight',
  externalnetworkproviderconfigurations: 'external_network_provider_configurations',
};

function attributeOf(type: TypeName, rel: string): string | undefined {
  const wanted = otherNames[rel] ?? rel;
  return Object.keys(attributesOf(type)).find((name) => name === wanted || plain(name) === wanted);
}

/** Fills the list attribute of every item with the objects of its sub-collection. */
function followLink(
  view: Presentation,
  from: Shown,
  rel: string,
  attribute: string,
): Shown | undefined {
  const path = `${from.service}/${rel}`;
  const type = services[path]?.type as TypeName | undefined;
  if (!type) return undefined;
  if (!rulesOf(type)?.compute && !isStored(type)) {
    throw new Refusal(501, 'Not Implemented', `This server cannot follow ${rel} yet.`);
  }
  const children: StoredObject[] = [];
  let service = `${path}/{id}`;
  for (const item of from.items) {
    const segments = String(item['href'])
      .slice(view.apiPath.length + 1)
      .split('/');
    const match = route([...segments, rel]);
    const place = match && placeIfThere(view, match);
    if (!place) continue;
    service = locationOf(place, '').service;
    const found = [...generic.read(view.ctx, place, {})].map((object) => {
      const location = locationOf(place, String(object['id']));
      return present(view, place.kind, object, location.service, location.path);
    });
    item[attribute] = found;
    children.push(...found);
  }
  return { type, service, items: children };
}

/** The place of a list that not every object has: only domains of ISO images have files. */
function placeIfThere(
  view: Presentation,
  { service, ids }: { service: string; ids: readonly string[] },
): Place | undefined {
  try {
    return generic.located(view.ctx, placeOf(view.ctx.tx, service, ids));
  } catch (error) {
    if (error instanceof Refusal && error.status === 404) return undefined;
    throw error;
  }
}

/** Replaces a reference of every item by the whole object. */
function followReference(view: Presentation, from: Shown, wanted: string): Shown | undefined {
  const found = Object.entries(attributesOf(from.type)).find(([name, { kind }]) => {
    const { form } = parseKind(kind);
    return plain(name) === wanted && (form === 'ref' || form === 'links');
  });
  if (!found) return undefined;
  const [attribute, { kind }] = found;
  const type = parseKind(kind).of as TypeName;
  const items: StoredObject[] = [];
  let service = '';
  for (const item of from.items) {
    const value = item[attribute];
    const expand = (reference: StoredObject): StoredObject => {
      const whole = expandReference(view, type, reference);
      if (!whole) return reference;
      service = whole.service;
      items.push(whole.object);
      return whole.object;
    };
    if (Array.isArray(value)) item[attribute] = value.map(expand);
    else if (typeof value === 'object' && value !== null)
      item[attribute] = expand(value as StoredObject);
  }
  return { type, service, items };
}

function expandReference(
  view: Presentation,
  type: TypeName,
  reference: StoredObject,
): { object: StoredObject; service: string } | undefined {
  const id = reference['id'];
  if (typeof id !== 'string' || !isStored(type)) return undefined;
  const object = view.ctx.tx.get(type, id) as StoredObject | undefined;
  const collection = topCollection(type) ?? view.ctx.tx.collectionOf(type, id);
  if (!object || collection === undefined) return undefined;
  const match = route(`${collection}/${id}`.split('/').slice(1));
  if (!match) return undefined;
  const { service } = match;
  return { object: present(view, type, object, service, `${collection}/${id}`), service };
}
