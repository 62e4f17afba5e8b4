/**
 * Differences between an object and what a definition says of it; what it leaves out may be anything.
 */
import type { ApiObject } from '../../../client/client.ts';
import { sizeText } from '../../../definitions/sizes.ts';
import { attributesOf, isType, parseKind } from '../../../model/index.ts';
import type { Attribute } from '../../../model/notation/attributes.ts';
import { meaningOf, plainText } from '../../output/cells.ts';

type Fields = Readonly<Record<string, unknown>>;

export interface Difference {
  /** Attribute path: `cpu.topology.cores`. */
  readonly path: string;
  readonly from: string;
  readonly to: string;
}

/** The differences, by attribute of the object. Both sides have their references as ids. */
export function differences(
  type: string,
  wanted: Fields,
  present: Fields,
): ReadonlyMap<string, readonly Difference[]> {
  const found = new Map<string, readonly Difference[]>();
  const attributes: Readonly<Record<string, Attribute>> = isType(type) ? attributesOf(type) : {};
  for (const [name, value] of Object.entries(wanted)) {
    const attribute = attributes[name];
    if (!attribute || attribute.writeOnly || attribute.secret || attribute.mut === 'R') continue;
    // What only says how to make an object is not always shown.
    if (attribute.mut === 'C' && present[name] === undefined) continue;
    const bytes = meaningOf(type, name) === 'bytes';
    const own = valueDifferences(attribute, value, present[name], name, bytes);
    if (own.length > 0) found.set(name, own);
  }
  return found;
}

function valueDifferences(
  { kind }: Attribute,
  wanted: unknown,
  present: unknown,
  path: string,
  bytes: boolean,
): readonly Difference[] {
  const { form, of } = parseKind(kind);
  if (Array.isArray(wanted)) {
    const isSet = form === 'enum' && path.split('.').at(-1) !== 'devices';
    return sameList(wanted, present, isSet)
      ? []
      : [{ path, from: textOf(present), to: textOf(wanted) }];
  }
  // An empty reference says that there is none.
  if (isFields(wanted) && form === 'ref' && Object.keys(wanted).length === 0) {
    return idOf(present) === undefined ? [] : [{ path, from: textOf(present), to: '(nothing)' }];
  }
  if (isFields(wanted) && (form === 'struct' || (form === 'ref' && hasMore(wanted)))) {
    const inner = differences(of, wanted, isFields(present) ? present : {});
    return [...inner.values()].flat().map((one) => ({ ...one, path: `${path}.${one.path}` }));
  }
  const same =
    form === 'ref'
      ? idOf(wanted) !== undefined && idOf(wanted) === idOf(present)
      : plainText(wanted) === plainText(present);
  if (same) return [];
  const tell = (side: unknown) => (bytes && side !== undefined ? sizeText(Number(side)) : side);
  return [{ path, from: textOf(tell(present)), to: textOf(tell(wanted)) }];
}

/** More than a reference: an object that is made along with its owner. */
function hasMore(value: Fields): boolean {
  return Object.keys(value).some((name) => name !== 'id' && name !== 'name');
}

/** Lists of references are sets; other lists have an order, and members that are not told. */
function sameList(wanted: readonly unknown[], present: unknown, isSet: boolean): boolean {
  const list: readonly unknown[] = Array.isArray(present) ? present : [];
  if (wanted.length !== list.length) return false;
  if (isSet) return wanted.every((one) => list.includes(one));
  const ids = wanted.map(idOf);
  if (ids.length > 0 && ids.every((id) => id !== undefined)) {
    return ids.every((id) => list.some((one) => idOf(one) === id));
  }
  return wanted.every((one, index) => covers(one, list[index]));
}

function covers(wanted: unknown, present: unknown): boolean {
  if (!isFields(wanted)) return plainText(wanted) === plainText(present);
  return (
    isFields(present) &&
    Object.entries(wanted).every(([name, value]) => covers(value, (present as ApiObject)[name]))
  );
}

function textOf(value: unknown): string {
  if (value === undefined) return '(nothing)';
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
