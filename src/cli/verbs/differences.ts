/** Differences between an object and what somebody wants of it; what is not mentioned may be anything. */
import { sizeText } from '../../definitions/sizes.ts';
import { isType, listAttributes, parseKind } from '../../model/index.ts';
import type { Attribute } from '../../model/notation/attributes.ts';
import { meaningOf, plainText } from '../output/cells.ts';

type Fields = Readonly<Record<string, unknown>>;

export interface Difference {
  /** Attribute path: `cpu.topology.cores`. */
  readonly path: string;
  readonly from: string;
  readonly to: string;
}

/**
 * What is compared with the object. Of a `definition` only what a service shows can differ. In the
 * body of an `update` everything differs of which the object does not show that it is the same: it is
 * better to send too much than to leave something out.
 */
export type Wish = 'definition' | 'update';

/**
 * The differences, by attribute of the object. Both sides have their references as ids. An attribute
 * that has to be sent along with one that differs is there as well, without differences of its own.
 */
export function differences(
  type: string,
  wanted: Fields,
  present: Fields,
  wish: Wish = 'definition',
): ReadonlyMap<string, readonly Difference[]> {
  const found = new Map<string, readonly Difference[]>();
  const attributes: Readonly<Record<string, Attribute>> = isType(type) ? listAttributes(type) : {};
  for (const [name, value] of Object.entries(wanted)) {
    const attribute = attributes[name];
    if (wish === 'definition' && (!attribute || !canDiffer(attribute, present[name]))) continue;
    const own =
      attribute && !isHidden(attribute)
        ? valueDifferences(attribute, value, present[name], name, {
            wish,
            bytes: meaningOf(type, name) === 'bytes',
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

/** Whether a service shows nothing of it. */
function isHidden({ writeOnly, secret }: Attribute): boolean {
  return writeOnly === true || secret === true;
}

function canDiffer(attribute: Attribute, present: unknown): boolean {
  if (isHidden(attribute) || attribute.mut === 'R') return false;
  // What only says how to make an object is not always shown.
  return attribute.mut !== 'C' || present !== undefined;
}

interface Comparison {
  readonly wish: Wish;
  /** The value is a size. */
  readonly bytes: boolean;
}

function valueDifferences(
  { kind }: Attribute,
  wanted: unknown,
  present: unknown,
  path: string,
  { wish, bytes }: Comparison,
): readonly Difference[] {
  const { form, of } = parseKind(kind);
  const whole = [{ path, from: textOf(present), to: textOf(wanted) }];
  if (Array.isArray(wanted)) {
    const isSet = form === 'enum' && path.split('.').at(-1) !== 'devices';
    return sameList(wanted, present, isSet, wish) ? [] : whole;
  }
  // An empty reference says that there is none.
  if (isFields(wanted) && form === 'ref' && Object.keys(wanted).length === 0) {
    return idOf(present) === undefined ? [] : [{ path, from: textOf(present), to: '(nothing)' }];
  }
  if (isFields(wanted) && (form === 'struct' || (form === 'ref' && hasMore(wanted)))) {
    const before = isFields(present) ? present : {};
    if (wish === 'update' && isAnother(wanted, before)) return whole;
    const inner = differences(of, said(wanted), before, wish);
    return [...inner.values()].flat().map((one) => ({ ...one, path: `${path}.${one.path}` }));
  }
  const same =
    form === 'ref' ? isSameObject(wanted, present) : plainText(wanted) === plainText(present);
  if (same) return [];
  const tell = (side: unknown) =>
    bytes && (typeof side === 'number' || typeof side === 'bigint') ? sizeText(side) : side;
  return [{ path, from: textOf(tell(present)), to: textOf(tell(wanted)) }];
}

/** Whether a part is meant to take the place of what is there: another object, or nothing at all. */
function isAnother(wanted: Fields, present: Fields): boolean {
  if (Object.keys(wanted).length === 0) return Object.keys(present).length > 0;
  return wanted['id'] !== undefined && wanted['id'] !== present['id'];
}

/** What only says which object it is, and where. */
const ofEveryObject: ReadonlySet<string> = new Set(['id', 'href', 'link', 'actions']);

/** What is said of a part, beside which one it is. */
function said(part: Fields): Fields {
  return Object.fromEntries(Object.entries(part).filter(([name]) => !ofEveryObject.has(name)));
}

function isSameObject(wanted: unknown, present: unknown): boolean {
  return idOf(wanted) !== undefined && idOf(wanted) === idOf(present);
}

/** More than a reference: an object that is made along with its owner. */
function hasMore(value: unknown): boolean {
  return isFields(value) && Object.keys(said(value)).some((name) => name !== 'name');
}

/** Lists of references are sets; other lists have an order, and members that are not mentioned. */
function sameList(
  wanted: readonly unknown[],
  present: unknown,
  isSet: boolean,
  wish: Wish,
): boolean {
  const list: readonly unknown[] = Array.isArray(present) ? present : [];
  if (wanted.length !== list.length) return false;
  if (isSet) return wanted.every((one) => list.includes(one));
  const ids = wanted.map(idOf);
  const areReferences = wish === 'definition' || !wanted.some(hasMore);
  if (areReferences && ids.length > 0 && ids.every((id) => id !== undefined)) {
    return ids.every((id) => list.some((one) => idOf(one) === id));
  }
  return wanted.every(
    (one, index) =>
      covers(one, list[index]) &&
      // What is sent takes the place of the whole list.
      (wish === 'definition' || covers(list[index], one)),
  );
}

/** Members that follow from which object it is. */
const place: ReadonlySet<string> = new Set(['href', 'link', 'actions']);

function covers(wanted: unknown, present: unknown): boolean {
  if (!isFields(wanted)) return plainText(wanted) === plainText(present);
  return (
    isFields(present) &&
    Object.entries(wanted).every(([name, value]) => place.has(name) || covers(value, present[name]))
  );
}

function textOf(value: unknown): string {
  // Some enumerated types have a value of this name, for what is not set.
  if (value === undefined || value === 'undefined') return '(nothing)';
  if (Array.isArray(value)) return `[${value.map(textOf).join(', ')}]`;
  if (isFields(value)) return String(value['name'] ?? value['id'] ?? JSON.stringify(value));
  return plainText(value) || "''";
}

function idOf(value: unknown): unknown {
  return isFields(value) ? value['id'] : undefined;
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
