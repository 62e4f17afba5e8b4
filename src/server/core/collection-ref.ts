/** Resolution of paths to collections: kind, stored location and condition of their objects. */

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
import { formatTypeTitle, notFound } from './fault.ts';

export interface CollectionRef {
  readonly kind: KindName;
  readonly type: TypeName;
  /** Path template of the collection. */
  readonly service: string;
  /** Collection that contains the objects: `/vms`, `/vms/123/nics`. */
  readonly collection: string;
  /** Restricts the collection to objects of the owner in the path. */
  readonly options: ListOptions;
  /** The condition that an object is visible to the caller. Undefined if all objects are. */
  readonly visible?: SqlCondition;
  /** Attributes that the path implies: `{vm: {id: '123'}}`. */
  readonly implied: Readonly<Record<string, { id: string } | { id: string }[]>>;
  /**
   * Set if the collection lists independent objects: `add` inserts one, and `remove` removes it
   * from the list. The list is an attribute of the owner in the path, or of the member objects.
   */
  readonly members?: {
    readonly listedBy: 'owner' | 'member';
    readonly attribute: string;
    readonly answers: MemberAnswer;
  };
  /** Path under which the objects are shown, if it differs from `collection`. */
  readonly shownAt?: string;
  /** Kind whose behavior presents the objects, if it differs from `kind`. */
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
export function findTopCollection(type: string): string | undefined {
  return topLevel.get(type);
}

/** The kind of a collection of computed objects. */
function computedKind(service: string): DerivedKind | undefined {
  const placement = placements[service];
  return placement?.is === 'computed' ? placement.kind : undefined;
}

/** Kind of the objects of a collection, by its path template. */
export function getCollectionKind(service: string): KindName {
  const kind = computedKind(service) ?? services[service]?.type;
  if (!kind) throw new Error(`The model has no service ${service}.`);
  return kind;
}

/** Path template of the objects of a collection: the top-level one if it exists. */
export function getObjectTemplate(service: string): string {
  const top = computedKind(service) ? undefined : findTopCollection(getCollectionKind(service));
  const collection = top ?? service;
  return objectTemplates.get(collection) ?? `${collection}/{id}`;
}

/** A path template for objects of a type: the top-level one if it exists. */
export function findObjectTemplate(type: TypeName): string | undefined {
  const paths = [...objectTemplates.values()].filter((path) => services[path]?.type === type);
  return paths.find((path) => path.split('/').length === 3) ?? paths[0];
}

const stored = new Set<string>(storedKinds());

/** Whether the store holds objects of this type. */
export function isStored(type: string): type is KindName & TypeName {
  return stored.has(type);
}

/**
 * Resolves a collection. `ids` are the path parameters in order. Refuses with 404 if an object in
 * the path does not exist, unless `parentIsUnknown`.
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
  const owner = resolveCollection(
    tx,
    getCollectionTemplate(ownerService),
    ownerIds,
    parentIsUnknown,
  );
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
      const place = top ? { collection: top } : { collection: `/${noun}`, shownAt: ownCollection };
      return { ...common, kind: type, ...place, ...resolveMembers(placement, type, common.owner) };
    }
    case 'view':
      return {
        ...common,
        kind: type,
        ...resolveView(placement, { type, owner, ownerId, ownerPath, top }),
      };
    case 'owned': {
      const reference = referenceTo(type, owner.type);
      const implied = reference ? { [reference]: { id: ownerId } } : {};
      const options = { where: { collection: ownCollection } };
      return { ...common, kind: type, collection: ownCollection, options, implied };
    }
  }
}

/** Condition and list attribute of a collection of independent objects. */
function resolveMembers(
  { listedBy, attribute, answers }: Extract<Placement, { is: 'members' }>,
  type: TypeName,
  owner: { readonly kind: KindName; readonly id: string },
): Pick<CollectionRef, 'options' | 'implied' | 'members'> {
  const condition =
    listedBy === 'owner'
      ? listedCondition(owner.kind, attribute, owner.id)
      : referringCondition(type, attribute, owner.id);
  return { options: { condition }, implied: {}, members: { listedBy, attribute, answers } };
}

interface ViewFrom {
  readonly type: TypeName;
  readonly owner: CollectionRef;
  readonly ownerId: string;
  readonly ownerPath: string;
  readonly top: string | undefined;
}

/** Collection, condition and implied attributes of a view. */
function resolveView(
  { refersBy, lists, held, partOf }: Extract<Placement, { is: 'view' }>,
  { type, owner, ownerId, ownerPath, top }: ViewFrom,
): Pick<CollectionRef, 'collection' | 'options' | 'implied'> {
  const collection = top ?? '';
  if (refersBy) {
    const where = { [`${refersBy}_id`]: ownerId };
    const implied = { [refersBy]: { id: ownerId } };
    if (!partOf) return { collection, options: { where }, implied };
    // The grandparent contains the objects: drop the last two segments of the path of the owner.
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

/** Path template and path under which an object is shown: the top-level one if it exists. */
export function locateObject(ref: CollectionRef, id: string): { service: string; path: string } {
  const top = !ref.shownAt && ref.collection.split('/').length === 2;
  const collection = top ? ref.collection : ref.service;
  return {
    service: objectTemplates.get(collection) ?? `${collection}/{id}`,
    path: `${ref.shownAt ?? ref.collection}/${id}`,
  };
}

/** Path templates of objects, by the template of their collection. */
const objectTemplates = new Map(
  Object.keys(services)
    .filter((path) => path.endsWith('}'))
    .map((path) => [getCollectionTemplate(path), path]),
);

/** Path template of the collection that an object's path template belongs to. */
export function getCollectionTemplate(objectService: string): string {
  return objectService.slice(0, objectService.lastIndexOf('/'));
}

/** Refuses with 404 unless the collection contains an object with this id. */
function requireObject(tx: Transaction, ref: CollectionRef, id: string): void {
  if (!containsObject(tx, ref, id))
    throw notFound(`${formatTypeTitle(ref.type)} ${id} does not exist.`);
}

/** A storage domain also contains objects that the inventory has registered. */
const inInventory: Readonly<Partial<Record<KindName, KindName>>> = {
  domain_vm: 'vm',
  domain_template: 'template',
};

function containsObject(tx: Transaction, ref: CollectionRef, id: string): boolean {
  // Steps follow from their job, so the nested collection checks the job.
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
