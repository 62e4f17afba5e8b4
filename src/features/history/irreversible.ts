/** Attributes that an update cannot restore: unrecorded, write-only, read-only or only growing. */

import { hidden } from '../../cli/session/mask-secrets.ts';
import { isIdentified, isType, listAttributes, parseKind } from '../../model/index.ts';
import type { Attribute } from '../../model/notation/attributes.ts';
import { isRecord } from '../../records.ts';
import { formatRecord, type Values } from './history-file.ts';

/** An attribute that cannot be restored, with the reason. */
export interface Irreversible {
  /** `disk.provisioned_size` */
  readonly path: string;
  readonly why: string;
}

export interface DividedUpdate {
  /** Values that an update can restore, null for an attribute that had no value. */
  readonly values: Values;
  readonly irreversible: readonly Irreversible[];
}

const unrecorded = 'the previous value was not recorded';

/**
 * Divides the attributes of an update into restorable and irreversible ones. `before` are the
 * replaced values, `body` the sent values.
 */
export function divideUpdate(
  type: string,
  before: Values,
  body: Values,
  prefix = '',
): DividedUpdate {
  const attributes: Readonly<Record<string, Attribute>> = isType(type) ? listAttributes(type) : {};
  const values: Record<string, unknown> = {};
  const irreversible: Irreversible[] = [];
  for (const [name, value] of Object.entries(before)) {
    const path = `${prefix}${name}`;
    const attribute = attributes[name];
    const sent = body[name];
    const behind = attribute ? findReferencedChanges(attribute, sent, path) : [];
    if (behind.length > 0) {
      irreversible.push(...behind);
      continue;
    }
    // In a reference, the attributes only identify the object.
    const isOwn = prefix === '' || !(isType(type) && isIdentified(type));
    const why =
      isOwn && attribute && isFixed(attribute)
        ? 'no update changes it'
        : findReason(attribute, value, sent);
    if (why !== undefined) irreversible.push({ path, why });
    else if (isPart(attribute, value, sent) && isRecord(value) && isRecord(sent)) {
      const inner = divideUpdate(parseKind(attribute.kind).of, value, sent, `${path}.`);
      irreversible.push(...inner.irreversible);
      if (Object.keys(inner.values).length > 0) values[name] = inner.values;
    } else values[name] = value;
  }
  return { values, irreversible: irreversible };
}

function findReason(
  attribute: Attribute | undefined,
  value: unknown,
  sent: unknown,
): string | undefined {
  if (!attribute) return hasHidden(value) ? unrecorded : undefined;
  const { kind, onlyGrows, writeOnly } = attribute;
  if (onlyGrows)
    return comparableText(value) === comparableText(sent) ? undefined : 'it can only grow';
  if (isPart(attribute, value, sent)) return undefined;
  // The service does not return write-only attributes, so the record has no previous value.
  if (writeOnly || hasHidden(value)) return unrecorded;
  const canBeUnset = /^(string$|struct |ref |links |list )/.test(kind);
  return value === null && !canBeUnset ? 'it had no value and cannot be unset' : undefined;
}

/** Whether updates cannot change an attribute. */
function isFixed({ mut }: Attribute): boolean {
  return !mut.includes('U');
}

/** Comparable text of a value; the history stores large numbers as strings. */
function comparableText(value: unknown): string {
  return isRecord(value) ? formatRecord(value) : String(value);
}

/** Whether the value is a structure whose members are set individually. */
function isPart(
  attribute: Attribute | undefined,
  value: unknown,
  sent: unknown,
): attribute is Attribute {
  if (!attribute || !isRecord(value) || !isRecord(sent)) return false;
  const { form, list } = parseKind(attribute.kind);
  return form === 'struct' && !list;
}

/** Members that identify the object of a reference. */
const identifying: ReadonlySet<string> = new Set(['id', 'name', 'href']);

/** Changes of a referenced object, for example the disk size in an update of the attachment. */
function findReferencedChanges(
  attribute: Attribute,
  sent: unknown,
  path: string,
): readonly Irreversible[] {
  const { form, of } = parseKind(attribute.kind);
  if (form !== 'ref' || !isFixed(attribute) || !isRecord(sent) || !isType(of)) return [];
  const attributes: Readonly<Record<string, Attribute>> = listAttributes(of);
  return Object.keys(sent)
    .filter((name) => !identifying.has(name))
    .map((name) => ({
      path: `${path}.${name}`,
      why: attributes[name]?.onlyGrows ? 'it can only grow' : unrecorded,
    }));
}

/** Whether a value contains a masked secret. */
export function hasHidden(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(hasHidden);
  if (isRecord(value)) return Object.values(value).some(hasHidden);
  return value === hidden;
}
