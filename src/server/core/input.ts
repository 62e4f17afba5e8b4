/** Conversion of request input to storable objects: filters, defaults and references. */

import { naming } from '../../model/derive/naming.ts';
import {
  requiredByAction,
  requiredOnAdd,
  requiredOnAddOfKind,
  requiredOnAddWith,
  requiredOnAttach,
} from '../../model/derive/required.ts';
import type { Dialect } from '../../model/dialect.ts';
import {
  getObjectType,
  getReferencedType,
  listAttributes,
  type Operation,
  parseKind,
} from '../../model/index.ts';
import {
  acceptsEmpty,
  countsImplied,
  isCheckedByCommand,
  isMandatoryInAction,
  isMandatoryOnAdd,
} from '../../model/input-checks.ts';
import { getNameScope } from '../../model/naming.ts';
import type { Attribute } from '../../model/notation/attributes.ts';
import type { Requirement } from '../../model/notation/collections.ts';
import { namePatterns } from '../../model/notation/naming.ts';
import { acceptedPaths, requirementText } from '../../model/requirements.ts';
import type { TypeName } from '../../model/resources/index.ts';
import { getUnknownReferenceStatus, type RefusedStatus } from '../../model/unknown-references.ts';
import { isRecord } from '../../records.ts';
import { getValueAt, type KindName, type StoredObject } from '../store/kinds.ts';
import { columnName } from '../store/own-column.ts';
import type { Transaction } from '../store/transaction.ts';
import { type CollectionRef, isStored } from './collection-ref.ts';
import {
  entityNotFound,
  formatTypeTitle,
  getTypeLabel,
  incomplete,
  invalidInput,
  Refusal,
  refused,
} from './fault.ts';
import { pickMembers } from './member-selection.ts';

/** Attributes that a client may set on create (`C`) or update (`U`); others are omitted. */
export function pickSettable<T extends object>(
  type: TypeName,
  sent: T,
  when: 'C' | 'U',
): Partial<T> {
  const attributes: Readonly<Record<string, Attribute>> = listAttributes(type);
  return pickMembers(sent, (name) => attributes[name]?.mut.includes(when) === true);
}

/** Fills in the declared defaults of attributes that are absent. */
export function applyDefaults(type: TypeName, object: StoredObject): void {
  const attributes: Readonly<Record<string, Attribute>> = listAttributes(type);
  for (const [name, attribute] of Object.entries(attributes)) {
    if (attribute.default === undefined || attribute.writeOnly) continue;
    object[name] ??= Array.isArray(attribute.default) ? [...attribute.default] : attribute.default;
  }
}

/** Types whose ids are not UUIDs. */
const otherIds: ReadonlySet<string> = new Set([
  'cluster_level',
  'domain',
  'event',
  'file',
  'network_label',
  'operating_system',
  'permit',
]);

/** Refuses with 400 an id in a body that is not a UUID. Upper case is allowed. */
export function requireUuid(id: string): void {
  if (isUuid(id.toLowerCase())) return;
  throw new Refusal(400, 'Operation failed', `Invalid UUID string: ${id}`);
}

/**
 * References whose object has another type than the model declares: older clients call a disk an
 * image.
 */
const otherTypes: Readonly<Record<string, TypeName>> = { 'image_transfer.image': 'disk' };

/**
 * Replaces each reference with `{id}` and resolves names. Refuses unknown references with the
 * status in `unknown-references.ts`, and removes those that the dialect ignores. References to
 * types without a table stay unchanged.
 */
export function resolveReferences(
  tx: Transaction,
  type: string,
  object: StoredObject,
  { ignoredReferences }: Pick<Dialect, 'ignoredReferences'> = { ignoredReferences: new Set() },
): void {
  for (const [name, value] of Object.entries(object)) {
    const attribute = listAttributes(type)[name];
    if (!attribute) continue;
    const { form, of } = parseKind(attribute.kind);
    if (form === 'struct') {
      for (const part of Array.isArray(value) ? value : [value]) {
        if (isRecord(part)) resolveReferences(tx, of, part);
      }
      continue;
    }
    const findStatus = (reference: StoredObject) =>
      getUnknownReferenceStatus(type, name, reference);
    if (form === 'ref' && isRecord(value)) {
      if (ignoredReferences.has(`${type}.${name}`) && isUnknown(tx, of, value)) {
        delete object[name];
        continue;
      }
      object[name] = resolve(tx, otherTypes[`${type}.${name}`] ?? of, value, findStatus(value));
    } else if (form === 'links' && Array.isArray(value)) {
      object[name] = value.map((item) =>
        isRecord(item) ? resolve(tx, of, item, findStatus(item)) : item,
      );
    }
  }
}

/** Whether a reference has the id of no object. */
function isUnknown(tx: Transaction, type: TypeName, { id }: StoredObject): boolean {
  return isStored(type) && typeof id === 'string' && isUuid(id) && !tx.get(type, id);
}

function resolve(
  tx: Transaction,
  named: TypeName,
  reference: StoredObject,
  status: RefusedStatus = 404,
): StoredObject {
  const type = getReferencedType(named);
  if (!isStored(type)) return reference;
  const { id, name } = reference;
  if (typeof id === 'string' && id !== '') {
    if (!otherIds.has(type)) requireUuid(id);
    if (!tx.get(type, id)) throw entityNotFound(`${formatTypeTitle(type)}: id=${id}`, status);
    return { id };
  }
  if (typeof name === 'string' && name !== '') {
    const found = tx.byName(type, name, createNameScope(tx, type, reference, status));
    if (!found) throw entityNotFound(`${formatTypeTitle(type)}: name=${name}`, status);
    return { id: found['id'] };
  }
  // An empty reference clears the attribute, or contains a complete new object (a disk to create).
  return reference;
}

/**
 * The scope in which a name is unique, as a condition on the column of its scope attribute. Empty
 * if the object or reference does not set that attribute.
 */
export function createNameScope(
  tx: Transaction,
  type: string,
  named: StoredObject,
  status: RefusedStatus = 404,
): Record<string, string> {
  const scope = getNameScope(type);
  const value = scope === undefined ? undefined : named[scope];
  const attribute = listAttributes(type)[scope ?? ''];
  const target = attribute && getObjectType(attribute.kind);
  if (scope === undefined || !target || !isRecord(value)) return {};
  const { id } = resolve(tx, target, value, status);
  return typeof id === 'string' ? { [columnName([scope, 'id'])]: id } : {};
}

/** Refuses with 400 if attributes are missing that `add` requires in this collection. */
export function requireOnAdd(
  { optionalOnAdd, engineRefusals }: Dialect,
  ref: CollectionRef,
  object: StoredObject,
): void {
  const alternatives = Object.entries(requiredOnAddWith[ref.type] ?? {});
  const required =
    requiredOnAddOfKind[ref.kind] ??
    alternatives.find(([member]) => object[member] !== undefined)?.[1] ??
    requiredOnAttach[ref.service] ??
    requiredOnAdd[ref.type] ??
    [];
  const needed = required.filter(
    (one) => !optionalOnAdd.includes(`${ref.type}.${requirementText(one)}`),
  );
  const whole = { ...ref.implied, ...object };
  if (engineRefusals) {
    const mandatory = needed.filter((one) => isMandatoryOnAdd(ref.service, requirementText(one)));
    const said = countsImplied(ref.service) ? whole : object;
    requireMandatory(formatTypeTitle(ref.type), mandatory, said, 'add');
  }
  const isEmptyAllowed = (one: Requirement) =>
    engineRefusals && acceptsEmpty(ref.service, requirementText(one));
  const isByCommand = (one: Requirement) =>
    engineRefusals && isCheckedByCommand(ref.service, requirementText(one));
  const checked = needed.filter((one) => !isEmptyAllowed(one) && !isByCommand(one));
  requireAll(formatTypeTitle(ref.type), checked, whole, 'add');
  const absent = listAbsent(needed.filter(isByCommand), whole);
  if (absent.length > 0)
    throw incomplete(formatTypeTitle(ref.type), absent, 'add', 'Operation Failed');
}

/** Refuses with 400 if elements are missing that an action requires. */
export function requireForAction(
  { engineRefusals }: Dialect,
  { type, name, path }: Operation,
  body: StoredObject,
): void {
  const required = requiredByAction[type]?.[name] ?? [];
  if (engineRefusals && isMandatoryInAction(path)) requireMandatory('Action', required, body, name);
  requireAll('Action', required, body, name);
}

/** Refuses with 400 if attributes are missing that the API description declares as mandatory. */
function requireMandatory(
  type: string,
  required: readonly Requirement[],
  object: StoredObject,
  operation: string,
): void {
  const absent = required
    .filter(
      (one) =>
        !acceptedPaths(one).some((path) => getValueAt(object, path.split('.')) !== undefined),
    )
    .map((one) => camel(requirementText(one)));
  if (absent.length > 0) throw invalidInput(type, absent, operation);
}

/** Refuses with 400 and lists all missing required attributes. */
export function requireAll(
  type: string,
  required: readonly Requirement[],
  object: StoredObject,
  operation: string,
): void {
  const absent = listAbsent(required, object);
  if (absent.length > 0) throw incomplete(type, absent, operation);
}

/** Unmet requirements, in the notation of faults. */
function listAbsent(required: readonly Requirement[], object: StoredObject): string[] {
  return required
    .filter((one) => !acceptedPaths(one).some((path) => isSent(object, path)))
    .map((one) => camel(requirementText(one)));
}

function isSent(object: StoredObject, path: string): boolean {
  const value = getValueAt(object, path.split('.'));
  return value !== undefined && value !== '' && !(Array.isArray(value) && value.length === 0);
}

function camel(path: string): string {
  return path.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}

/** Refuses a name that is not allowed for the type or already taken by another object. */
export function checkName(
  tx: Transaction,
  ref: { readonly kind: KindName; readonly type: TypeName; readonly collection: string },
  object: StoredObject,
  action: 'add' | 'edit',
): void {
  const rule = naming[ref.type];
  const name = object['name'];
  if (!rule || typeof name !== 'string') return;
  const messageParams = { action, type: getTypeLabel(ref.type), name };
  const { test, rule: allowed } = namePatterns[rule.pattern];
  if (!test.test(name)) throw refused('NAME_INVALID', { ...messageParams, rule: allowed });
  if ([...name].length > rule.max) {
    throw refused('NAME_TOO_LONG', { ...messageParams, length: [...name].length, max: rule.max });
  }
  if (rule.unique === 'nowhere') return;
  const where =
    rule.unique === 'collection'
      ? { collection: ref.collection }
      : createNameScope(tx, ref.type, object);
  const taken = tx.byName(ref.kind, name, where);
  if (taken && taken['id'] !== object['id']) {
    const key = ref.type === 'nic' ? 'NIC_NAME_IN_USE' : 'NAME_IN_USE';
    throw refused(key, messageParams, rule.takenStatus);
  }
}

/**
 * The object after an update: sent members replace the old ones, nested objects are merged by
 * member, and lists are replaced.
 */
export function merge(before: StoredObject, changes: StoredObject): StoredObject {
  const after: StoredObject = { ...before };
  for (const [name, value] of Object.entries(changes)) {
    const old = before[name];
    const nested = isRecord(value) && isRecord(old) && value['id'] === undefined;
    after[name] = nested ? merge(old, value) : value;
  }
  return after;
}

/**
 * Resolves a reference by id or name to an id; undefined for an empty reference. Refuses an unknown
 * object with 404.
 */
export function resolveReferenceId(
  tx: Transaction,
  type: TypeName,
  reference: StoredObject | undefined,
): string | undefined {
  const { id } = reference ? resolve(tx, type, reference) : {};
  return typeof id === 'string' && id !== '' ? id : undefined;
}

/** Resolves a reference by id or name to an id. Refuses an unknown object with `status`. */
export function resolveMember(
  tx: Transaction,
  type: TypeName,
  reference: StoredObject,
  status: RefusedStatus = 404,
): string {
  return String(resolve(tx, type, reference, status)['id']);
}

/** Refusal status for an unknown member of a list, from the attribute of its owner. */
export function getUnknownMemberStatus(
  { members, owner, type }: CollectionRef,
  member: StoredObject,
): RefusedStatus {
  if (!members || !owner) return 404;
  const holder = members.listedBy === 'owner' ? owner.kind : type;
  return getUnknownReferenceStatus(holder, members.attribute, member);
}

/** Whether a text has the form of a UUID in lower case. */
export function isUuid(id: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id);
}
