/** Attributes that no update can set back: not recorded, not shown, not updatable, or only growing. */

import { hidden } from '../../cli/session/mask-secrets.ts';
import { isIdentified, isType, listAttributes, parseKind } from '../../model/index.ts';
import type { Attribute } from '../../model/notation/attributes.ts';
import type { Values } from './history-file.ts';
import { isValues } from './history-values.ts';

/** An attribute that keeps its value, and why. */
export interface Irreversible {
  /** `disk.provisioned_size` */
  readonly path: string;
  readonly why: string;
}

export interface Divided {
  /** Values that an update can set back, null for an attribute that had none. */
  readonly values: Values;
  readonly left: readonly Irreversible[];
}

const unrecorded = 'the previous value was not recorded';

/**
 * Divides the attributes of an update of a type. `before` has the values that the update replaced, `body` those
 * that it sent.
 */
export function divideUpdate(type: string, before: Values, body: Values, prefix = ''): Divided {
  const attributes: Readonly<Record<string, Attribute>> = isType(type) ? listAttributes(type) : {};
  const values: Record<string, unknown> = {};
  const left: Irreversible[] = [];
  for (const [name, value] of Object.entries(before)) {
    const path = `${prefix}${name}`;
    const attribute = attributes[name];
    const sent = body[name];
    const behind = attribute ? changesBehind(attribute, sent, path) : [];
    if (behind.length > 0) {
      left.push(...behind);
      continue;
    }
    // Inside of another object its attributes only say which one is meant.
    const isOwn = prefix === '' || !(isType(type) && isIdentified(type));
    const why =
      isOwn && attribute && isFixed(attribute)
        ? 'no update changes it'
        : whyLeft(attribute, value, sent);
    if (why !== undefined) left.push({ path, why });
    else if (isPart(attribute, value, sent) && isValues(value) && isValues(sent)) {
      const inner = divideUpdate(parseKind(attribute.kind).of, value, sent, `${path}.`);
      left.push(...inner.left);
      if (Object.keys(inner.values).length > 0) values[name] = inner.values;
    } else values[name] = value;
  }
  return { values, left };
}

function whyLeft(
  attribute: Attribute | undefined,
  value: unknown,
  sent: unknown,
): string | undefined {
  if (!attribute) return hasHidden(value) ? unrecorded : undefined;
  const { kind, onlyGrows, writeOnly } = attribute;
  if (onlyGrows) return textOf(value) === textOf(sent) ? undefined : 'it can only grow';
  if (isPart(attribute, value, sent)) return undefined;
  // A service does not show it: the record says that it had no value.
  if (writeOnly || hasHidden(value)) return unrecorded;
  const canBeUnset = /^(string$|struct |ref |links |list )/.test(kind);
  return value === null && !canBeUnset ? 'it had no value and cannot be unset' : undefined;
}

/** Whether updates leave an attribute as it is. */
function isFixed({ mut }: Attribute): boolean {
  return !mut.includes('U');
}

/** Large numbers are texts in the history. */
function textOf(value: unknown): string {
  return isValues(value) ? JSON.stringify(value) : String(value);
}

/** Whether the value is a structure whose members are set one by one. */
function isPart(
  attribute: Attribute | undefined,
  value: unknown,
  sent: unknown,
): attribute is Attribute {
  if (!attribute || !isValues(value) || !isValues(sent)) return false;
  const { form, list } = parseKind(attribute.kind);
  return form === 'struct' && !list;
}

/** Members that say which object a reference means. */
const identifying: ReadonlySet<string> = new Set(['id', 'name', 'href']);

/** Changes of the object that a reference leads to: the size of the disk in the update of its attachment. */
function changesBehind(attribute: Attribute, sent: unknown, path: string): readonly Irreversible[] {
  const { form, of } = parseKind(attribute.kind);
  if (form !== 'ref' || !isFixed(attribute) || !isValues(sent) || !isType(of)) return [];
  const attributes: Readonly<Record<string, Attribute>> = listAttributes(of);
  return Object.keys(sent)
    .filter((name) => !identifying.has(name))
    .map((name) => ({
      path: `${path}.${name}`,
      why: attributes[name]?.onlyGrows ? 'it can only grow' : unrecorded,
    }));
}

/** Whether a part of a value is a secret. */
export function hasHidden(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(hasHidden);
  if (isValues(value)) return Object.values(value).some(hasHidden);
  return value === hidden;
}
