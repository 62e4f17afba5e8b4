/**
 * Definition of a site: its objects by collection, with the attributes of the API, and with names
 * as references. Servers start with a definition; commands compare a service with it.
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
import { isRecord } from '../records.ts';
import type { SourcePlace } from '../source-place.ts';

export type Item = Readonly<Record<string, unknown>>;

export type Definition = Readonly<Record<string, readonly Item[]>>;

/** Collections in dependency order; others follow in the order of the document. */
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

/** Subcollections that refer to objects of other collections, and are created after those. */
const laterChildren: ReadonlySet<string> = new Set([
  'networks',
  'storagedomains',
  'quotas',
  'iscsibonds',
  'permissions',
  'tags',
]);

/** Subcollections that refer to VMs. */
const lastChildren: ReadonlySet<string> = new Set(['affinitygroups']);

/**
 * Last collection of the first phase. Postponed subcollections are created after it, before VMs
 * need them.
 */
const lastFirstPhase = collectionOrder.indexOf('bookmarks');

/** Creation time of a subcollection: with its parent, after the first phase, or at the end. */
export function getCreationTurn(word: string): 'now' | 'later' | 'last' {
  if (lastChildren.has(word)) return 'last';
  return laterChildren.has(word) ? 'later' : 'now';
}

/** Default attributes of objects in a definition. */
export const itemDefaults: Readonly<Record<string, Item>> = { vm: { template: 'Blank' } };

/** A definition with its source position. */
export interface PlacedDefinition {
  readonly definition: Definition;
  readonly place: SourcePlace;
}

/** Validates a document as a definition. Throws `FILE:LINE:COLUMN: problem`. */
export function readDefinition(document: unknown, place: SourcePlace): PlacedDefinition {
  if (!isRecord(document)) throw new Error(`${place}: expected collections, for example "vms:"`);
  const definition: Record<string, readonly Item[]> = {};
  for (const [name, list] of Object.entries(document)) {
    if (!services[`/${name}`]) {
      throw new Error(
        `${place.at(name).position()}: "${name}" is not a collection of the API, such as vms or hosts`,
      );
    }
    if (!Array.isArray(list)) throw new Error(`${place.at(name)} must be a list`);
    definition[name] = list.map((item: unknown, index): Item => {
      if (isRecord(item)) return item;
      throw new Error(`${place.at(name, index)} must be an object`);
    });
  }
  return { definition, place };
}

/**
 * Collections of a definition in dependency order, in two phases. Postponed subcollections are
 * created after each phase.
 */
export function listPhases(definition: Definition): readonly (readonly string[])[] {
  const order: readonly string[] = collectionOrder;
  const names = Object.keys(definition);
  const known = order.filter((name) => names.includes(name));
  const isPart = (name: string) => order.indexOf(name) <= lastFirstPhase;
  return [
    known.filter(isPart),
    [...known.filter((name) => !isPart(name)), ...names.filter((name) => !order.includes(name))],
  ];
}

/** An object of a definition, divided into attributes and subcollections. */
export interface DividedItem {
  readonly own: Item;
  /** Path segment and items; a plain name in the document becomes an item with that name. */
  readonly below: readonly (readonly [string, readonly Item[]])[];
}

/** Divides an object; `objectService` is the path template of its type: `/vms/{vm}`. */
export function divideItem(objectService: string | undefined, item: Item): DividedItem {
  const children = new Set(objectService ? listSubCollections(objectService) : []);
  // Required subcollections are sent with the object, for example the permits of a role.
  for (const one of requiredOnAdd[services[objectService ?? '']?.type ?? ''] ?? []) {
    children.delete(firstPath(one));
  }
  const own: Record<string, unknown> = {};
  const below: [string, readonly Item[]][] = [];
  for (const [name, value] of Object.entries(item)) {
    if (children.has(name) && Array.isArray(value)) below.push([name, value.map(asItem)]);
    else own[name] = value;
  }
  return { own, below };
}

/** Path template of single objects of a collection; undefined if they are not addressable. */
export function findObjectService(service: string): string | undefined {
  return Object.keys(services).find(
    (path) => path.startsWith(`${service}/{`) && path.lastIndexOf('/') === service.length,
  );
}

/** A plain text refers to the object with that name. */
function asItem(value: unknown): Item {
  return isRecord(value) ? value : { name: String(value) };
}
