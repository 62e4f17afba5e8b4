/**
 * Difference between an update and the current representation: clients send back every member they
 * read.
 */

import { listAttributes, parseKind } from '../../model/index.ts';
import type { Attribute } from '../../model/notation/attributes.ts';
import { isRecord } from '../../records.ts';
import type { StoredObject } from '../store/kinds.ts';

/** Server-generated members that every type has. */
const generatedMembers: ReadonlySet<string> = new Set([
  'href',
  'link',
  'actions',
  'creation_status',
]);

/**
 * Members that are compared without filtering: a nested read-only attribute can be set through
 * them.
 */
const unfilteredMembers: ReadonlySet<string> = new Set([
  'disk_attachment.disk',
  'vm.domain',
  'template.domain',
]);

/** Read-only members that are refused, not ignored, if they differ. */
const refusedIfChanged: ReadonlySet<string> = new Set([
  'affinity_group.cluster',
  'mac_pool.default_pool',
]);

/**
 * The members of `sent` that differ from the shown object. Read-only members are omitted, and
 * nested objects contain only their changes.
 */
export function pickChanged(type: string, sent: StoredObject, shown: StoredObject): StoredObject {
  const attributes: Readonly<Record<string, Attribute>> = listAttributes(type);
  const changed: StoredObject = {};
  for (const [name, value] of Object.entries(sent)) {
    if (generatedMembers.has(name)) continue;
    const attribute = attributes[name];
    if (attribute?.mut === 'R' && !refusedIfChanged.has(`${type}.${name}`)) continue;
    const left =
      attribute && !unfilteredMembers.has(`${type}.${name}`)
        ? changedValue(attribute, value, shown[name])
        : equal(value, shown[name])
          ? undefined
          : value;
    if (left !== undefined) changed[name] = left;
  }
  for (const [name, { sentWith }] of Object.entries(attributes)) {
    if (sentWith === undefined || sent[name] === undefined) continue;
    if (changed[sentWith] !== undefined) changed[name] = sent[name];
  }
  for (const [name, { decides }] of Object.entries(attributes)) {
    if (decides !== undefined && sent[decides] === undefined) {
      if (sent[name] !== undefined) changed[name] = sent[name];
    }
  }
  return changed;
}

/** The value or its changed part; undefined if it is equal to the shown one. */
function changedValue({ kind }: Attribute, sent: unknown, shown: unknown): unknown {
  const { form, of, list } = parseKind(kind);
  if (list) {
    if (!Array.isArray(sent)) return sent;
    if (!Array.isArray(shown)) return sent.length === 0 ? undefined : sent;
    const same = form === 'links' ? sameMembers(sent, shown) : sameItems(form, of, sent, shown);
    return same ? undefined : sent;
  }
  if (!isRecord(sent)) return equal(sent, shown) ? undefined : sent;
  if (form === 'ref') return sameReference(sent, shown) ? undefined : sent;
  return changedPart(of, sent, shown);
}

function changedPart(type: string, sent: StoredObject, shown: unknown): StoredObject | undefined {
  const before = isRecord(shown) ? shown : {};
  // An empty element clears the attribute.
  if (Object.keys(sent).length === 0) return Object.keys(before).length === 0 ? undefined : sent;
  // Another id replaces the nested object instead of changing it.
  if (sent['id'] !== undefined && sent['id'] !== before['id']) return sent;
  const changed = pickChanged(type, sent, before);
  return Object.keys(changed).length === 0 ? undefined : changed;
}

function sameReference(sent: StoredObject, shown: unknown): boolean {
  if (!isRecord(shown)) return Object.keys(sent).length === 0;
  return sent['id'] === undefined ? equal(sent, shown) : sent['id'] === shown['id'];
}

/** Whether two lists of references have the same members, in any order. */
function sameMembers(sent: readonly unknown[], shown: readonly unknown[]): boolean {
  const ids = (list: readonly unknown[]) =>
    list.map((item) => (isRecord(item) ? item['id'] : undefined));
  const known = new Set(ids(shown));
  return sent.length === shown.length && ids(sent).every((id) => id !== undefined && known.has(id));
}

function sameItems(
  form: string,
  type: string,
  sent: readonly unknown[],
  shown: readonly unknown[],
): boolean {
  if (sent.length !== shown.length) return false;
  return sent.every((item, index) => {
    const other = shown[index];
    if (form !== 'struct' || !isRecord(item) || !isRecord(other)) return equal(item, other);
    return (
      Object.keys(pickChanged(type, item, other)).length === 0 &&
      Object.keys(pickChanged(type, other, item)).length === 0
    );
  });
}

function equal(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.length === other.length && one.every((item, index) => equal(item, other[index]));
  }
  if (!isRecord(one) || !isRecord(other)) return false;
  const names = new Set([...Object.keys(one), ...Object.keys(other)]);
  for (const name of names) {
    if (!generatedMembers.has(name) && !equal(one[name], other[name])) return false;
  }
  return true;
}
