/** Rules for exported attributes and objects. */

import { formatJson } from '../../cli/text/json.ts';
import type { Ids } from '../../cli/verbs/references.ts';
import { getIdentityName } from '../../definitions/identity.ts';
import { isBase } from '../../definitions/references.ts';
import { requiredOnAdd } from '../../model/derive/required.ts';
import { getType, isType } from '../../model/index.ts';
import type { Attribute } from '../../model/notation/attributes.ts';
import type { Resource } from '../../model/resource.ts';
import { permissionObjects } from '../../model/resources/permission.ts';
import { isRecord } from '../../records.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Version of a template. The first version is its own base, so its base is omitted. */
export function getExportedVersion({ version }: Fields, template: Resource<'template'>): unknown {
  if (!isRecord(version) || !isBase(template)) return version;
  const { base_template: _base, ...rest } = version;
  return rest;
}

export function omitMember(fields: Fields, member: string): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => name !== member));
}

/** Attributes that the export omits for a type and its base types. */
export function listUnwritten(type: string): readonly string[] {
  if (!isType(type)) return [];
  const { unwritten = [], base } = getType(type);
  return base === undefined ? unwritten : [...unwritten, ...listUnwritten(base)];
}

/** Whether an attribute can be set and differs from the default of a new object. */
export function isSettable(
  { mut, writeOnly, default: usual }: Attribute,
  value: unknown,
  required: boolean,
): boolean {
  if (mut === 'R' || mut === 'A' || writeOnly) return false;
  return required || usual === undefined || String(value) !== String(usual);
}

/** Whether the template of a VM overrides the default of an attribute. */
export function isOverriddenDefault({ default: usual }: Attribute, value: unknown): boolean {
  return value !== undefined && usual !== undefined && String(value) !== String(usual);
}

export function isRequired(type: string, name: string): boolean {
  return (requiredOnAdd[type] ?? []).flat().includes(name);
}

/** Whether a new object needs a secret: one is set, or authentication uses it. */
export function isSecretNeeded(
  type: string,
  name: string,
  attribute: Attribute,
  item: Fields,
): boolean {
  if (!attribute.writeOnly && item[name] !== undefined && item[name] !== '') return true;
  if (!attribute.writeOnly) return isRequired(type, name);
  return (
    isRequired(type, name) ||
    (item['username'] !== undefined && item['username'] !== '') ||
    item['requires_authentication'] === true
  );
}

/** Whether a permission is on the object itself. Services also list inherited permissions. */
export function isDirect(permission: Resource<'permission'>, ids: Ids): boolean {
  const on = permissionObjects.flatMap((name) => permission[name]?.id ?? []);
  const owner = Object.values(ids).at(-1);
  return on.length === 0 || (owner !== undefined && on.includes(owner));
}

/**
 * Items in an order that does not depend on the history of the site. Sorts members by name. Other
 * items keep the order of the service, except that items with the same name are sorted by their
 * JSON text.
 */
export function sortItems(
  type: string,
  items: readonly unknown[],
  areMembers: boolean,
): readonly unknown[] {
  const getName = (item: unknown) => (isRecord(item) ? getIdentityName(type, item) : String(item));
  if (areMembers) return items.toSorted(compareBy((item) => getName(item) ?? ''));
  const alike = new Map<string, unknown[]>();
  for (const item of items) {
    const name = getName(item);
    if (name === undefined) continue;
    const list = alike.get(name);
    if (list) list.push(item);
    else alike.set(name, [item]);
  }
  for (const list of alike.values()) list.sort(compareBy((item) => formatJson(item)));
  return items.map((item) => alike.get(getName(item) ?? '')?.shift() ?? item);
}

function compareBy(getText: (item: unknown) => string): (one: unknown, other: unknown) => number {
  return (one, other) => {
    const [a, b] = [getText(one), getText(other)];
    return a === b ? 0 : a < b ? -1 : 1;
  };
}
