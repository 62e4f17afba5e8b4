/**
 * Differences between an object and what a definition says of it; what it leaves out may be anything.
 */
import type { ApiObject } from '../../../client/client.ts';
import type { Item } from '../../../definitions/document.ts';
import { sizeText } from '../../../definitions/values.ts';
import { attributesOf, isType, parseKind } from '../../../model/index.ts';
import type { Attribute } from '../../../model/notation/attributes.ts';
import { meaningOf, plainText, valueAt } from '../../output/cells.ts';

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
    if (!attribute || attribute.writeOnly || /password|secret/.test(name)) continue;
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
    return sameList(wanted, present) ? [] : [{ path, from: textOf(present), to: textOf(wanted) }];
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
function sameList(wanted: readonly unknown[], present: unknown): boolean {
  const list: readonly unknown[] = Array.isArray(present) ? present : [];
  if (wanted.length !== list.length) return false;
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

/** Attribute paths that say which object is meant, the best first, where it is not the name. */
const identities: Readonly<Record<string, readonly string[]>> = {
  disk: ['name', 'alias'],
  disk_attachment: ['name', 'disk.name', 'disk.alias'],
  user: ['user_name'],
  snapshot: ['description'],
};

/** The word by which an object is known; none where only its parts say which one it is. */
export function wordOf(type: string, item: Item): string | undefined {
  const paths = identities[type] ?? ['name'];
  const found = paths.map((path) => valueAt(item, path)).find((one) => one !== undefined);
  return found === undefined ? undefined : String(found);
}

/**
 * Attributes that together say which object is meant, of types whose objects have no name. Where there
 * are none a parent has one such object: the CD-ROM drive of a machine.
 */
const parts: Readonly<Record<string, readonly string[]>> = {
  agent: ['address'],
  balance: ['scheduling_policy_unit'],
  cdrom: [],
  filter: ['scheduling_policy_unit'],
  graphics_console: ['protocol'],
  network_attachment: ['network'],
  numa_node: ['index'],
  permission: ['role', 'user', 'group'],
  watchdog: [],
  weight: ['scheduling_policy_unit'],
};

/** Whether objects of a type are known by what they consist of. */
export function isNameless(type: string): boolean {
  return parts[type] !== undefined;
}

/** Whether both are the same nameless object; of what is wanted the references are looked up. */
export function isSame(type: string, wanted: Item, present: ApiObject): boolean {
  return (parts[type] ?? []).every(
    (name) => wanted[name] === undefined || sameText(wanted[name]) === sameText(present[name]),
  );
}

function sameText(value: unknown): string {
  const id = (value as { readonly id?: unknown } | undefined)?.id;
  return plainText(id ?? value);
}
