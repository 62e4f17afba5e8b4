/**
 * Collections behind paths: the kind of their objects, where these are stored, under which condition.
 */

import { placements } from '../../model/derive/placements.ts';
import { services } from '../../model/derive/services.ts';
import { listAttributes } from '../../model/index.ts';
import type { MemberAnswer, Placement } from '../../model/notation/collections.ts';
import type { DerivedKind } from '../../model/notation/kinds.ts';
import type { TypeName } from '../../model/resources/index.ts';
import {
  heldRolesCondition,
  type ListOptions,
  listedCondition,
  referringCondition,
  type SqlCondition,
} from '../store/conditions.ts';
import { type KindName, storedKinds } from '../store/kinds.ts';
import type { Transaction } from '../store/transaction.ts';
import { notFound, titleOf } from './fault.ts';

export interface CollectionRef {
  readonly kind: KindName;
  readonly type: TypeName;
  /** Path template of the collection. */
  readonly service: string;
  /** Collection that holds the objects: `/vms`, `/vms/123/nics`. */
  readonly collection: string;
  /** Restricts the collection to those that belong to the object in the path. */
  readonly options: ListOptions;
  /** The condition that an object is visible to the caller. Undefined if all objects are. */
  readonly visible?: SqlCondition;
  /** Attributes that the path says: `{vm: {id: '123'}}`. */
  readonly implied: Readonly<Record<string, { id: string } | { id: string }[]>>;
  /**
   * The collection lists objects that exist by themselves: `add` puts one in, `remove` takes it
   * out. The list is an attribute of the owner in the path, or of the objects in the collection.
   */
  readonly members?: {
    readonly listedBy: 'owner' | 'member';
    readonly attribute: string;
    readonly answers: MemberAnswer;
  };
  /** Path under which the objects are shown, where it is not that of their collection. */
  readonly shownAt?: string;
  /** Kind whose behavior presents the objects, where it is not their own. */
  readonly shownAs?: KindName;
  /** The object in the path that the collection belongs to. */
  readonly owner?: { readonly kind: KindName; readonly id: string };
}

/** Collections at the top level, by type. */
const topLevel = new Map<string, string>();
for (const [path, { type, operations }] of Object.entries(services)) {
  if (/^\/\w+$/.test(path) && operations['list'] !== undefined) topLevel.set(type, path);
}

/** Path of the collection at the top level that holds objects of the type. */
export function topCollection(type: string): string | undefined {
  return topLevel.get(type);
}

/** The kind of a collection whose objects are made from others. */
function computedKind(service: string): DerivedKind | undefined {
  const placement = placements[service];
  return placement?.is === 'computed' ? placement.kind : undefined;
}

/** Kind of the objects of a collection, by its path template. */
export function kindOf(service: string): KindName {
  const kind = computedKind(service) ?? services[service]?.type;
  if (!kind) throw new Error(`The model has no service ${service}.`);
  return kind;
}

/** Path template of the objects of a collection: at the top level if they are there. */
export function objectServiceOf(service: string): string {
  const top = computedKind(service) ? undefined : topCollection(kindOf(service));
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
 * Refuses with 404 where an object in the path does not exist, unless `parentIsUnknown`.
 */
export function resolveCollection(
  tx: Transaction,
  service: string,
  ids: readonly string[],
  parentIsUnknown = false,
): CollectionRef {
  const definition = services[service];
  if (!definition) throw new Error(`The model has no service ${service}.`);
  const { type } = definition;
  const segments = service.split('/').filter((word) => word !== '');
  if (segments.length < 2) {
    return { kind: type, type, service, collection: service, options: {}, implied: {} };
  }
  const ownerService = `/${segments.slice(0, -1).join('/')}`;
  const noun = segments.at(-1) ?? '';
  const ownerId = ids[ids.length - 1] ?? '';
  const ownerIds = ids.slice(0, -1);
  const owner = resolveCollection(tx, collectionOf(ownerService), ownerIds, parentIsUnknown);
  if (!parentIsUnknown) requireObject(tx, owner, ownerId);
  const ownerPath = `${owner.collection}/${ownerId}`;
  const common = { type, service, owner: { kind: owner.kind, id: ownerId } };
  const top = topLevel.get(type);
  const ownCollection = `${ownerPath}/${noun}`;
  const placement = placements[service] ?? { is: 'owned' };
  switch (placement.is) {
    case 'computed': {
      const options = { where: { collection: ownCollection } };
      return { ...common, kind: placement.kind, collection: ownCollection, options, implied: {} };
    }
    case 'members': {
      const { listedBy, attribute, answers } = placement;
      const condition =
        listedBy === 'owner'
          ? listedCondition(owner.kind, attribute, ownerId)
          : referringCondition(type, attribute, ownerId);
      const members = { listedBy, attribute, answers };
      const collection = top ?? `/${noun}`;
      const shownAt = top ? {} : { shownAt: ownCollection };
      return {
        ...common,
        kind: type,
        collection,
        options: { condition },
        implied: {},
        members,
        ...shownAt,
      };
    }
    case 'view':
      return {
        ...common,
        kind: type,
        ...viewed(placement, { type, owner, ownerId, ownerPath, top }),
      };
    case 'owned': {
      const reference = referenceTo(type, owner.type);
      const implied = reference ? { [reference]: { id: ownerId } } : {};
      const options = { where: { collection: ownCollection } };
      return { ...common, kind: type, collection: ownCollection, options, implied };
    }
  }
}

interface ViewFrom {
  readonly type: TypeName;
  readonly owner: CollectionRef;
  readonly ownerId: string;
  readonly ownerPath: string;
  readonly top: string | undefined;
}

/** Which objects of which collection a view shows, and what belonging to the owner implies. */
function viewed(
  { refersBy, lists, held, partOf }: Extract<Placement, { is: 'view' }>,
  { type, owner, ownerId, ownerPath, top }: ViewFrom,
): Pick<CollectionRef, 'collection' | 'options' | 'implied'> {
  const collection = top ?? '';
  if (refersBy) {
    const where = { [`${refersBy}_id`]: ownerId };
    const implied = { [refersBy]: { id: ownerId } };
    if (!partOf) return { collection, options: { where }, implied };
    // The objects are kept two levels up: the path of the owner without its last two segments.
    const whole = ownerPath.split('/').slice(0, -2).join('/');
    const path = `${whole}/${partOf.slice(partOf.lastIndexOf('/') + 1)}`;
    return { collection: path, options: { where: { collection: path, ...where } }, implied };
  }
  if (lists) {
    const condition = referringCondition(type, lists, ownerId);
    return { collection, options: { condition }, implied: { [lists]: [{ id: ownerId }] } };
  }
  if (held && (owner.kind === 'user' || owner.kind === 'group')) {
    return {
      collection,
      options: { condition: heldRolesCondition(owner.kind, ownerId) },
      implied: {},
    };
  }
  return { collection, options: {}, implied: {} };
}

/** Path template and path under which an object of a place is shown: at the top level if it can. */
export function locationOf(ref: CollectionRef, id: string): { service: string; path: string } {
  const top = !ref.shownAt && ref.collection.split('/').length === 2;
  const collection = top ? ref.collection : ref.service;
  return {
    service: objectTemplates.get(collection) ?? `${collection}/{id}`,
    path: `${ref.shownAt ?? ref.collection}/${id}`,
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
function requireObject(tx: Transaction, ref: CollectionRef, id: string): void {
  if (!holds(tx, ref, id)) throw notFound(`${titleOf(ref.type)} ${id} does not exist.`);
}

/** On a storage domain there is what the inventory has on it, too. */
const inInventory: Readonly<Partial<Record<KindName, KindName>>> = {
  domain_vm: 'vm',
  domain_template: 'template',
};

function holds(tx: Transaction, ref: CollectionRef, id: string): boolean {
  // Steps follow from their job; who asks what is below one looks for it there.
  if (ref.kind === 'step') return true;
  const registered = inInventory[ref.kind];
  if (registered && tx.count(registered, { where: { id } }) > 0) return true;
  const { where, condition } = ref.options;
  return tx.count(ref.kind, { where: { ...where, id }, condition }) > 0;
}

/** The attribute of a type that refers to one object of another type. */
function referenceTo(type: string, target: string): string | undefined {
  const references = Object.entries(listAttributes(type)).filter(
    ([, { kind, writeOnly }]) => kind === `ref ${target}` && !writeOnly,
  );
  return (references.find(([name]) => name === target) ?? references[0])?.[0];
}
