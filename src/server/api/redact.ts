/** Removal of references to hidden objects. */

import { reachedFrom } from '../../model/derive/permits.ts';
import { getReferencedType, listAttributes, parseKind } from '../../model/index.ts';
import type { Attribute } from '../../model/notation/attributes.ts';
import { actionParameters } from '../../model/notation/parameters.ts';
import { isRecord } from '../../records.ts';
import { findTopCollection, isStored } from '../core/collection-ref.ts';
import type { VisibilityFilter } from '../core/context.ts';
import type { StoredObject } from '../store/kinds.ts';

/** Texts that are the id of an object, by type and attribute. */
const idTexts: Readonly<Record<string, string>> = {
  'logical_unit.disk_id': 'disk',
  'logical_unit.storage_domain_id': 'storage_domain',
  'gluster_brick.server_id': 'host',
};

/** Redaction of the value of an attribute; undefined if it contains no references. */
export type Redactor = (filter: VisibilityFilter, value: unknown) => unknown;

const looksByType = new Map<string, ReadonlyMap<string, Redactor>>();

/** Removes references to hidden objects. Returns the same object if it has none. */
export function redacted(
  filter: VisibilityFilter,
  type: string,
  object: StoredObject,
): StoredObject {
  return looked(filter, getRedactors(type), object);
}

/** Removes references to hidden objects from the response to an action. */
export function redactedAction(filter: VisibilityFilter, action: StoredObject): StoredObject {
  actionLooks ??= looksFor('action', actionParameters);
  return looked(filter, actionLooks, action);
}

let actionLooks: ReadonlyMap<string, Redactor> | undefined;

function looked(
  filter: VisibilityFilter,
  looks: ReadonlyMap<string, Redactor>,
  object: StoredObject,
): StoredObject {
  let left = object;
  for (const [name, look] of looks) {
    const value = object[name];
    if (value === undefined || value === null) continue;
    const seen = look(filter, value);
    if (seen === value) continue;
    if (left === object) left = { ...object };
    if (seen === undefined) delete left[name];
    else left[name] = seen;
  }
  return left;
}

/** Redactions of the attributes of a type, without attributes that contain no references. */
export function getRedactors(type: string): ReadonlyMap<string, Redactor> {
  let looks = looksByType.get(type);
  if (!looks) {
    // Types can be recursive: the cache contains an empty map until this one is complete.
    looksByType.set(type, new Map());
    looks = looksFor(type, listAttributes(type));
    looksByType.set(type, looks);
  }
  return looks;
}

function looksFor(
  type: string,
  attributes: Readonly<Record<string, Pick<Attribute, 'kind'>>>,
): ReadonlyMap<string, Redactor> {
  const looks = new Map<string, Redactor>();
  for (const [name, { kind }] of Object.entries(attributes)) {
    const look = lookFor(type, name, kind);
    if (look) looks.set(name, look);
  }
  return looks;
}

function lookFor(type: string, name: string, kind: Attribute['kind']): Redactor | undefined {
  const { form, of } = parseKind(kind);
  const text = idTexts[`${type}.${name}`];
  if (text) return (filter, id) => (hides(filter, text, id) ? undefined : id);
  if (form === 'scalar' || form === 'enum') return undefined;
  const target = getReferencedType(of);
  // Targets of links are visible with their object.
  const isWay =
    reachedFrom[target]?.includes(type) === true && (name === target || form === 'links');
  const one = (filter: VisibilityFilter, value: unknown): unknown => {
    if (!isRecord(value)) return value;
    const isObject = form !== 'struct' || findTopCollection(target) !== undefined;
    if (isObject && !isWay && hides(filter, target, value['id'])) return undefined;
    return isBare(value) ? value : redacted(filter, target, value);
  };
  return (filter, value) => {
    if (!Array.isArray(value)) return one(filter, value);
    const seen = value.map((item: unknown) => one(filter, item));
    if (seen.every((item, index) => item === value[index])) return value;
    return seen.filter((item) => item !== undefined);
  };
}

/** Whether an id belongs to a hidden object. */
function hides(filter: VisibilityFilter, type: string, id: unknown): boolean {
  return typeof id === 'string' && isStored(type) && !filter.sees(type, id);
}

function isBare(value: StoredObject): boolean {
  for (const name in value) if (name !== 'id' && name !== 'href' && name !== 'name') return false;
  return true;
}
