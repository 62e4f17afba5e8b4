/** Where the objects behind a path are: which kind, in which collection, under which condition. */
import { attributesOf, parseKind } from '../../model/index.ts';
import { services } from '../../model/services/index.ts';
import type { TypeName } from '../../model/types/index.ts';
import { notFound } from '../fault.ts';
import {
  heldRolesCondition,
  type ListOptions,
  listedCondition,
  referringCondition,
} from '../store/conditions.ts';
import { type KindName, type pairs, storedKinds } from '../store/kinds.ts';
import type { Visible } from '../store/list-keys.ts';
import type { Transaction } from '../store/transaction.ts';

/**
 * What adding a member answers: the object as a new one would be (201), or with 200 what was sent,
 * a link to it, or an action. A collection of links lists nothing but links.
 */
export type MemberAnswer = 'object' | 'sent' | 'link' | 'action';

export interface Place {
  readonly kind: KindName;
  readonly type: TypeName;
  /** Path template of the collection. */
  readonly service: string;
  /** Collection that holds the objects: `/vms`, `/vms/123/nics`. */
  readonly collection: string;
  /** Restricts the collection to those that belong to the object in the path. */
  readonly options: ListOptions;
  /** What the caller sees of them, where that is not everything and decided for each. */
  readonly visible?: Visible;
  /** Attributes that the path says: `{vm: {id: '123'}}`. */
  readonly implied: Readonly<Record<string, { id: string } | { id: string }[]>>;
  /**
   * The collection lists objects that exist by themselves: `add` puts one in, `remove` takes it
   * out. The list is an attribute of the owner in the path, or of the objects in the collection.
   */
  readonly members?: {
    readonly listedBy: 'owner' | 'member';
    readonly attribute: string;
    readonly told: MemberAnswer;
  };
  /** Path under which the objects are shown, where it is not that of their collection. */
  readonly shownAt?: string;
  /** The object in the path that the collection belongs to. */
  readonly owner?: { readonly kind: KindName; readonly id: string };
}

const pairPlaces: Readonly<Record<string, keyof typeof pairs>> = {
  '/datacenters/{datacenter}/storagedomains': 'attached_storage_domain',
  '/clusters/{cluster}/networks': 'cluster_network',
  '/datacenters/{datacenter}/clusters/{cluster}/networks': 'cluster_network',
  '/storagedomains/{storagedomain}/vms': 'domain_vm',
  '/storagedomains/{storagedomain}/vms/{vm}/diskattachments': 'domain_attachment',
  '/storagedomains/{storagedomain}/vms/{vm}/disks': 'domain_disk',
  '/storagedomains/{storagedomain}/templates': 'domain_template',
  '/storagedomains/{storagedomain}/templates/{template}/disks': 'domain_disk',
  '/domains/{domain}/users': 'directory_user',
  '/domains/{domain}/groups': 'directory_group',
  '/vms/{vm}/snapshots/{snapshot}/disks': 'snapshot_disk',
  '/vms/{vm}/snapshots/{snapshot}/nics': 'snapshot_nic',
  '/vms/{vm}/snapshots/{snapshot}/cdroms': 'snapshot_cdrom',
  '/vms/{vm}/backups/{backup}/disks': 'backup_disk',
  '/vms/{vm}/checkpoints/{checkpoint}/disks': 'checkpoint_disk',
  '/hosts/{host}/nics/{nic}/virtualfunctionallowednetworks': 'allowed_network',
};

/** Types whose objects belong to nothing: below another object there are the same ones. */
const catalogues: ReadonlySet<string> = new Set(['network_filter']);

/** Collections below a member of an object that show a part of a collection of the object. */
const partPlaces: ReadonlySet<string> = new Set(['/hosts/{host}/nics/{nic}/networkattachments']);

/** Collections at the top level, by type. */
const topLevel = new Map<string, string>();
for (const [path, { type, operations }] of Object.entries(services)) {
  if (/^\/\w+$/.test(path) && operations['list'] !== undefined) topLevel.set(type, path);
}

/** Path of the collection at the top level that holds objects of the type. */
export function topCollection(type: string): string | undefined {
  return topLevel.get(type);
}

/** The kind of pair that a path leads to, where it does. */
function pairOf(service: string): keyof typeof pairs | undefined {
  return pairPlaces[service] ?? (/\/.+\/tags$/.test(service) ? 'assigned_tag' : undefined);
}

/** Kind of the objects of a collection, by its path template. */
export function kindOf(service: string): KindName {
  return pairOf(service) ?? (services[service]?.type as TypeName);
}

/** Path template of the objects of a collection: at the top level if they are there. */
export function objectServiceOf(service: string): string {
  const top = pairOf(service) ? undefined : topCollection(kindOf(service));
  const collection = top ?? service;
  return objectTemplates.get(collection) ?? `${collection}/{id}`;
}

/** A path template under which objects of a type are found, at the top level if they can be. */
export function serviceOfType(type: TypeName): string | undefined {
  const paths = [...objectTemplates.values()].filter((path) => services[path]?.type === type);
  return paths.find((path) => path.split('/').length === 3) ?? paths[0];
}

const stored = new Set<string>(storedKinds());

/** Whether the store holds objects of this type. */
export function isStored(type: string): type is KindName & TypeName {
  return stored.has(type);
}

/**
 * The place of a collection. `ids` are the values of the parameters in the path, in order.
 * Refuses with 404 where an object in the path does not exist.
 */
export function placeOf(tx: Transaction, service: string, ids: readonly string[]): Place {
  const definition = services[service];
  if (!definition) throw new Error(`The model has no service ${service}.`);
  const type = definition.type as TypeName;
  const words = service.split('/').filter((word) => word !== '');
  if (words.length < 2) {
    return { kind: type, type, service, collection: service, options: {}, implied: {} };
  }
  const ownerService = `/${words.slice(0, -1).join('/')}`;
  const noun = words.at(-1) ?? '';
  const ownerId = ids[ids.length - 1] ?? '';
  const owner = placeOf(tx, collectionOf(ownerService), ids.slice(0, -1));
  requireObject(tx, owner, ownerId);
  const ownerPath = `${owner.collection}/${ownerId}`;
  const pair = pairOf(service);
  const common = { type, service, owner: { kind: owner.kind, id: ownerId } };
  const reference = referenceTo(type, owner.type);
  const implied = reference ? { [reference]: { id: ownerId } } : {};
  if (pair) {
    const collection = `${ownerPath}/${noun}`;
    return { ...common, kind: pair, collection, options: { where: { collection } }, implied: {} };
  }
  if (partPlaces.has(service) && reference) {
    // The path of the collection is that of the owner without its last two segments.
    const whole = ownerPath.split('/').slice(0, -2).join('/');
    const collection = `${whole}/${noun}`;
    const options = { where: { collection, [`${reference}_id`]: ownerId } };
    return { ...common, kind: type, collection, options, implied };
  }
  const top = topLevel.get(type);
  if (top && type === 'role' && (owner.kind === 'user' || owner.kind === 'group')) {
    const options = { condition: heldRolesCondition(owner.kind, ownerId) };
    return { ...common, kind: type, collection: top, options, implied: {} };
  }
  if (top && catalogues.has(type)) {
    return { ...common, kind: type, collection: top, options: {}, implied: {} };
  }
  if (top && reference) {
    const options = { where: { [`${reference}_id`]: ownerId } };
    return { ...common, kind: type, collection: top, options, implied };
  }
  // Permits are the only objects that exist by themselves without a collection of their own.
  const independent = top !== undefined || type === 'permit';
  const listed = independent ? listNamed(owner.type, type, noun) : undefined;
  if (listed) {
    const options = { condition: listedCondition(owner.kind, listed, ownerId) };
    const members = {
      listedBy: 'owner',
      attribute: listed,
      told: toldOf(owner.type, type),
    } as const;
    const shownAt = top ? {} : { shownAt: `${ownerPath}/${noun}` };
    return {
      ...common,
      kind: type,
      collection: top ?? `/${noun}`,
      options,
      implied: {},
      members,
      ...shownAt,
    };
  }
  const list = top && listOf(type, owner.type);
  if (top && list) {
    const options = { condition: referringCondition(type, list, ownerId) };
    const place = { ...common, kind: type, collection: top, options, implied: {} };
    // A disk is made on its storage domain; a label exists before it is put on anything.
    if (type === 'disk') return { ...place, implied: { [list]: [{ id: ownerId }] } };
    return { ...place, members: { listedBy: 'member', attribute: list, told: 'object' } };
  }
  const collection = `${ownerPath}/${noun}`;
  return { ...common, kind: type, collection, options: { where: { collection } }, implied };
}

function toldOf(owner: string, type: string): MemberAnswer {
  if (owner === 'affinity_label') return 'link';
  if (owner !== 'affinity_group') return 'object';
  return type === 'affinity_label' ? 'action' : 'sent';
}

/** Path template and path under which an object of a place is shown: at the top level if it can. */
export function locationOf(place: Place, id: string): { service: string; path: string } {
  const top = !place.shownAt && place.collection.split('/').length === 2;
  const collection = top ? place.collection : place.service;
  return {
    service: objectTemplates.get(collection) ?? `${collection}/{id}`,
    path: `${place.shownAt ?? place.collection}/${id}`,
  };
}

/** Templates of the paths of objects, by that of their collection. */
const objectTemplates = new Map(
  Object.keys(services)
    .filter((path) => path.endsWith('}'))
    .map((path) => [collectionOf(path), path]),
);

/** Path template of the collection that an object's path template belongs to. */
export function collectionOf(objectService: string): string {
  return objectService.slice(0, objectService.lastIndexOf('/'));
}

/** Refuses with 404 unless the place holds an object with this id. */
export function requireObject(tx: Transaction, place: Place, id: string): void {
  if (!holds(tx, place, id)) throw notFound(`${titleOf(place.type)} ${id} does not exist.`);
}

/** On a storage domain there is what the inventory has on it, too. */
const inInventory: Readonly<Partial<Record<KindName, KindName>>> = {
  domain_vm: 'vm',
  domain_template: 'template',
};

function holds(tx: Transaction, place: Place, id: string): boolean {
  // Steps follow from their job; who asks what is below one looks for it there.
  if (place.kind === 'step') return true;
  const registered = inInventory[place.kind];
  if (registered && tx.count(registered, { where: { id } }) > 0) return true;
  const { where, condition } = place.options;
  return tx.count(place.kind, { where: { ...where, id }, condition }) > 0;
}

/** The attribute of a type that refers to one object of another type. */
function referenceTo(type: string, target: string): string | undefined {
  const references = Object.entries(attributesOf(type)).filter(
    ([, { kind, writeOnly }]) => kind === `ref ${target}` && !writeOnly,
  );
  return (references.find(([name]) => name === target) ?? references[0])?.[0];
}

/** Lists that are the other side of a list: a label knows what it is on, not the other way round. */
const keptElsewhere: ReadonlySet<string> = new Set(['affinity_labels']);

/** The attribute of a type that lists objects of another type. */
function listOf(type: string, target: string): string | undefined {
  return Object.entries(attributesOf(type)).find(
    ([name, { kind }]) =>
      !keptElsewhere.has(name) && parseKind(kind).form === 'links' && parseKind(kind).of === target,
  )?.[0];
}

/** The list attribute of the owner that has the noun of the collection as its name. */
function listNamed(owner: string, type: string, noun: string): string | undefined {
  return Object.entries(attributesOf(owner)).find(
    ([name, { kind, mut }]) =>
      !keptElsewhere.has(name) &&
      kind === `links ${type}` &&
      mut !== 'R' &&
      name.replaceAll('_', '') === noun,
  )?.[0];
}

/** Name of a type as sentences and faults say it: `StorageDomain`. */
export function titleOf(type: string): string {
  return type
    .split('_')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');
}
