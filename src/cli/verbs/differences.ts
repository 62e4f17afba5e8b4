/** Differences between an object and a requested state; unmentioned attributes are ignored. */

import { formatSize } from '../../definitions/sizes.ts';
import { isType, listAttributes, parseKind } from '../../model/index.ts';
import type { Attribute } from '../../model/notation/attributes.ts';
import { isRecord } from '../../records.ts';
import { formatPlain, getMeaning } from '../output/cells.ts';
import { formatJson } from '../text/json.ts';

type Fields = Readonly<Record<string, unknown>>;

export interface Difference {
  /** Attribute path: `cpu.topology.cores`. */
  readonly path: string;
  readonly from: string;
  readonly to: string;
}

/**
 * Kind of comparison. In a `definition`, only attributes that a service returns can differ. In the
 * body of an `update`, attributes without a known equal value differ: too many attributes are
 * better than missing ones.
 */
export type ComparisonKind = 'definition' | 'update';

/**
 * Returns the differences by attribute. References on both sides are ids. An attribute that must
 * accompany a changed one is included with an empty list.
 */
export function findDifferences(
  type: string,
  wanted: Fields,
  present: Fields,
  wish: ComparisonKind = 'definition',
): ReadonlyMap<string, readonly Difference[]> {
  const found = new Map<string, readonly Difference[]>();
  const attributes: Readonly<Record<string, Attribute>> = isType(type) ? listAttributes(type) : {};
  for (const [name, value] of Object.entries(wanted)) {
    const attribute = attributes[name];
    if (wish === 'definition' && (!attribute || !canDiffer(attribute, present[name]))) continue;
    const own =
      attribute && !isHidden(attribute)
        ? compareValues(attribute, value, present[name], name, {
            wish,
            bytes: getMeaning(type, name) === 'bytes',
          })
        : [{ path: name, from: '(hidden)', to: '(hidden)' }];
    if (own.length > 0) found.set(name, own);
  }
  for (const [name, { sentWith }] of Object.entries(attributes)) {
    if (wanted[name] === undefined || found.has(name)) continue;
    if (sentWith !== undefined && found.has(sentWith)) found.set(name, []);
  }
  return found;
}

/** Whether a service never returns the attribute. */
function isHidden({ writeOnly, secret }: Attribute): boolean {
  return writeOnly === true || secret === true;
}

function canDiffer(attribute: Attribute, present: unknown): boolean {
  if (isHidden(attribute) || attribute.mut === 'R') return false;
  // Attributes for creation only are not always returned.
  return attribute.mut !== 'C' || present !== undefined;
}

interface Comparison {
  readonly wish: ComparisonKind;
  readonly bytes: boolean;
}

function compareValues(
  { kind }: Attribute,
  wanted: unknown,
  present: unknown,
  path: string,
  { wish, bytes }: Comparison,
): readonly Difference[] {
  const { form, of } = parseKind(kind);
  const whole = [{ path, from: formatValue(present), to: formatValue(wanted) }];
  if (Array.isArray(wanted)) {
    const isSet = form === 'enum' && path.split('.').at(-1) !== 'devices';
    return areListsEqual(wanted, present, isSet, wish) ? [] : whole;
  }
  // An empty reference means "none".
  if (isRecord(wanted) && form === 'ref' && Object.keys(wanted).length === 0) {
    return getId(present) === undefined
      ? []
      : [{ path, from: formatValue(present), to: '(nothing)' }];
  }
  if (isRecord(wanted) && (form === 'struct' || (form === 'ref' && hasAttributes(wanted)))) {
    const before = isRecord(present) ? present : {};
    if (wish === 'update' && isReplacement(wanted, before)) return whole;
    const inner = findDifferences(of, getAttributes(wanted), before, wish);
    return [...inner.values()].flat().map((one) => ({ ...one, path: `${path}.${one.path}` }));
  }
  const same =
    form === 'ref' ? isSameObject(wanted, present) : formatPlain(wanted) === formatPlain(present);
  if (same) return [];
  const tell = (side: unknown) =>
    bytes && (typeof side === 'number' || typeof side === 'bigint') ? formatSize(side) : side;
  return [{ path, from: formatValue(tell(present)), to: formatValue(tell(wanted)) }];
}

/** Whether a structure replaces the present one: another object, or none. */
function isReplacement(wanted: Fields, present: Fields): boolean {
  if (Object.keys(wanted).length === 0) return Object.keys(present).length > 0;
  return wanted['id'] !== undefined && wanted['id'] !== present['id'];
}

/** Attributes that identify any object. */
const identityNames: ReadonlySet<string> = new Set(['id', 'href', 'link', 'actions']);

/** Returns the attributes of a part without its identity. */
function getAttributes(part: Fields): Fields {
  return Object.fromEntries(Object.entries(part).filter(([name]) => !identityNames.has(name)));
}

function isSameObject(wanted: unknown, present: unknown): boolean {
  return getId(wanted) !== undefined && getId(wanted) === getId(present);
}

/** Whether a value is more than a reference: an object that is created with its owner. */
function hasAttributes(value: unknown): boolean {
  return isRecord(value) && Object.keys(getAttributes(value)).some((name) => name !== 'name');
}

/**
 * Whether lists are equal. Lists of references are sets; others have an order, and may omit
 * members.
 */
function areListsEqual(
  wanted: readonly unknown[],
  present: unknown,
  isSet: boolean,
  wish: ComparisonKind,
): boolean {
  const list: readonly unknown[] = Array.isArray(present) ? present : [];
  if (wanted.length !== list.length) return false;
  if (isSet) return wanted.every((one) => list.includes(one));
  const ids = wanted.map(getId);
  const areReferences = wish === 'definition' || !wanted.some(hasAttributes);
  if (areReferences && ids.length > 0 && ids.every((id) => id !== undefined)) {
    return ids.every((id) => list.some((one) => getId(one) === id));
  }
  return wanted.every(
    (one, index) =>
      isCovered(one, list[index]) &&
      // An update replaces the complete list.
      (wish === 'definition' || isCovered(list[index], one)),
  );
}

/** Members that follow from the identity. */
const derivedNames: ReadonlySet<string> = new Set(['href', 'link', 'actions']);

function isCovered(wanted: unknown, present: unknown): boolean {
  if (!isRecord(wanted)) return formatPlain(wanted) === formatPlain(present);
  return (
    isRecord(present) &&
    Object.entries(wanted).every(
      ([name, value]) => derivedNames.has(name) || isCovered(value, present[name]),
    )
  );
}

function formatValue(value: unknown): string {
  // Some enumerations have a value `undefined` for unset attributes.
  if (value === undefined || value === 'undefined') return '(nothing)';
  if (Array.isArray(value)) return `[${value.map(formatValue).join(', ')}]`;
  if (isRecord(value)) return String(value['name'] ?? value['id'] ?? formatJson(value));
  return formatPlain(value) || "''";
}

function getId(value: unknown): unknown {
  return isRecord(value) ? value['id'] : undefined;
}
