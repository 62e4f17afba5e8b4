/** Difference between an update and what is shown: clients send back all that they have read. */
import { listAttributes, parseKind } from '../../model/index.ts';
import type { Attribute } from '../../model/notation/attributes.ts';
import { isRecord, type StoredObject } from '../store/kinds.ts';

/** Members of every object that nobody sets. */
const ofEveryObject: ReadonlySet<string> = new Set(['href', 'link', 'actions', 'creation_status']);

/** Members that are compared as they are: in them something can be set that is read-only elsewhere. */
const carriers: ReadonlySet<string> = new Set([
  'disk_attachment.disk',
  'vm.domain',
  'template.domain',
]);

/** Read-only members that are refused, not ignored, where they differ. */
const checked: ReadonlySet<string> = new Set(['affinity_group.cluster', 'mac_pool.default_pool']);

/**
 * The members of `sent` that differ from what is shown of an object. What is read-only is left out,
 * and nested objects are reduced to what is new in them.
 */
export function changedMembers(
  type: string,
  sent: StoredObject,
  shown: StoredObject,
): StoredObject {
  const attributes: Readonly<Record<string, Attribute>> = listAttributes(type);
  const changed: StoredObject = {};
  for (const [name, value] of Object.entries(sent)) {
    if (ofEveryObject.has(name)) continue;
    const attribute = attributes[name];
    if (attribute?.mut === 'R' && !checked.has(`${type}.${name}`)) continue;
    const left =
      attribute && !carriers.has(`${type}.${name}`)
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

/** The value, or what is new in it; undefined where that is nothing. */
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
  // An empty element takes away what there is.
  if (Object.keys(sent).length === 0) return Object.keys(before).length === 0 ? undefined : sent;
  // Another object, instead of a change of this one.
  if (sent['id'] !== undefined && sent['id'] !== before['id']) return sent;
  const changed = changedMembers(type, sent, before);
  return Object.keys(changed).length === 0 ? undefined : changed;
}

function sameReference(sent: StoredObject, shown: unknown): boolean {
  if (!isRecord(shown)) return Object.keys(sent).length === 0;
  return sent['id'] === undefined ? equal(sent, shown) : sent['id'] === shown['id'];
}

/** Whether two lists of references name the same objects; their order means nothing. */
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
      Object.keys(changedMembers(type, item, other)).length === 0 &&
      Object.keys(changedMembers(type, other, item)).length === 0
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
    if (!ofEveryObject.has(name) && !equal(one[name], other[name])) return false;
  }
  return true;
}
