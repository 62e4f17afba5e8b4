/**
 * A site written down: its objects by collection, in the words of the API, with names where the API
 * has references. Servers begin with such a document, commands compare a service with it.
 *
 *     datacenters:
 *       - name: north
 *         storagedomains: [nfs1]
 *     vms:
 *       - name: web01
 *         cluster: web
 *         memory: 4 GiB
 *         nics: [{ name: nic1 }]
 *         status: up
 */

import { requiredOnAdd } from '../model/derive/required.ts';
import { services } from '../model/derive/services.ts';
import { listSubCollections } from '../model/index.ts';
import { firstPath } from '../model/requirements.ts';
import type { SourcePlace } from '../source-place.ts';

export type Item = Readonly<Record<string, unknown>>;

export type Definition = Readonly<Record<string, readonly Item[]>>;

/** Collections in the order in which they need each other; others follow as they are written. */
export const collectionOrder = [
  'domains',
  'macpools',
  'roles',
  'schedulingpolicies',
  'externalhostproviders',
  'openstacknetworkproviders',
  'datacenters',
  'clusters',
  'networks',
  'vnicprofiles',
  'hosts',
  'openstackimageproviders',
  'openstackvolumeproviders',
  'storagedomains',
  'storageconnections',
  'diskprofiles',
  'cpuprofiles',
  'users',
  'groups',
  'tags',
  'permissions',
  'bookmarks',
  'disks',
  'instancetypes',
  'templates',
  'vms',
  'vmpools',
  'affinitylabels',
] as const;

/** Children that are put together only when the parts are there: path words below an object. */
const laterChildren: ReadonlySet<string> = new Set([
  'networks',
  'storagedomains',
  'quotas',
  'iscsibonds',
  'permissions',
  'tags',
]);

/** Children that are about machines. */
const lastChildren: ReadonlySet<string> = new Set(['affinitygroups']);

/** The last of the parts: what was put off is done then, before machines need it. */
const lastPart = collectionOrder.indexOf('bookmarks');

/** When the children of this name are done: with their parent, with the parts, or at the end. */
export function turnOf(word: string): 'now' | 'later' | 'last' {
  if (lastChildren.has(word)) return 'last';
  return laterChildren.has(word) ? 'later' : 'now';
}

/** What an object gets unless the document says otherwise. */
export const itemDefaults: Readonly<Record<string, Item>> = { vm: { template: 'Blank' } };

/** A definition with the place of its root, which has the positions of all members. */
export interface PlacedDefinition {
  readonly definition: Definition;
  readonly place: SourcePlace;
}

/** Checks that a document is a definition. Throws `FILE:LINE:COLUMN: problem`. */
export function readDefinition(document: unknown, place: SourcePlace): PlacedDefinition {
  if (!isItem(document)) throw new Error(`${place}: expected collections, for example "vms:"`);
  for (const [name, list] of Object.entries(document)) {
    if (!services[`/${name}`]) {
      throw new Error(
        `${place.at(name).position()}: "${name}" is not a collection of the API, such as vms or hosts`,
      );
    }
    if (!Array.isArray(list)) throw new Error(`${place.at(name)} must be a list`);
    for (const [index, item] of list.entries()) {
      if (!isItem(item)) throw new Error(`${place.at(name, index)} must be an object`);
    }
  }
  return { definition: document as unknown as Definition, place };
}

/**
 * The collections of a definition, each after those that it needs, in two phases: at the end of
 * each what was put off is done.
 */
export function phasesOf(definition: Definition): readonly (readonly string[])[] {
  const order: readonly string[] = collectionOrder;
  const names = Object.keys(definition);
  const known = order.filter((name) => names.includes(name));
  const isPart = (name: string) => order.indexOf(name) <= lastPart;
  return [
    known.filter(isPart),
    [...known.filter((name) => !isPart(name)), ...names.filter((name) => !order.includes(name))],
  ];
}

/** An object of the document, taken apart into its attributes and its children. */
export interface Divided {
  readonly own: Item;
  /** Path word and items; a plain word among them stands for the object of that name. */
  readonly below: readonly (readonly [string, readonly Item[]])[];
}

/** Takes an object of a service apart; `objectService` is the path of one: `/vms/{vm}`. */
export function divided(objectService: string | undefined, item: Item): Divided {
  const children = new Set(objectService ? listSubCollections(objectService) : []);
  // What an object cannot be added without is sent with it: the permits of a role.
  for (const one of requiredOnAdd[services[objectService ?? '']?.type ?? ''] ?? []) {
    children.delete(firstPath(one));
  }
  const own: Record<string, unknown> = {};
  const below: [string, readonly Item[]][] = [];
  for (const [name, value] of Object.entries(item)) {
    if (children.has(name) && Array.isArray(value)) below.push([name, value.map(named)]);
    else own[name] = value;
  }
  return { own, below };
}

/** The path of one object of a collection, if objects can be addressed. */
export function objectServiceOf(service: string): string | undefined {
  return Object.keys(services).find(
    (path) => path.startsWith(`${service}/{`) && path.lastIndexOf('/') === service.length,
  );
}

/** A text stands for the object of that name. */
function named(value: unknown): Item {
  return isItem(value) ? value : { name: String(value) };
}

/** An object, not a list. */
export function isItem(value: unknown): value is Item {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
