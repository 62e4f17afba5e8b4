/** Which attributes and objects of a service a definition has. */

import type { Ids } from '../../cli/verbs/references.ts';
import type { ApiObject } from '../../client/client.ts';
import { type Item, isItem } from '../../definitions/document.ts';
import { wordOf } from '../../definitions/identity.ts';
import { isBase } from '../../definitions/references.ts';
import { requiredOnAdd } from '../../model/derive/required.ts';
import { getType, isType } from '../../model/index.ts';
import type { Attribute } from '../../model/notation/attributes.ts';
import { permissionObjects } from '../../model/resources/permission.ts';

type Fields = Readonly<Record<string, unknown>>;

/** The first version of a template is its own base, and need not say so. */
export function versionOf({ version }: Fields, template: ApiObject): unknown {
  if (!isItem(version) || !isBase(template)) return version;
  const { base_template: _base, ...rest } = version;
  return rest;
}

export function without(fields: Fields, member: string): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => name !== member));
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Attributes that a type and its bases leave out. */
export function unwrittenOf(type: string): readonly string[] {
  if (!isType(type)) return [];
  const { unwritten = [], base } = getType(type);
  return base === undefined ? unwritten : [...unwritten, ...unwrittenOf(base)];
}

/** What can be set, and is not what a new object has anyway. */
export function isSettable(
  { mut, writeOnly, default: usual }: Attribute,
  value: unknown,
  required: boolean,
): boolean {
  if (mut === 'R' || mut === 'A' || writeOnly) return false;
  return required || usual === undefined || String(value) !== String(usual);
}

/** Whether the template of a machine has another value than new objects. */
export function isUnusual({ default: usual }: Attribute, value: unknown): boolean {
  return value !== undefined && usual !== undefined && String(value) !== String(usual);
}

export function isRequired(type: string, name: string): boolean {
  return (requiredOnAdd[type] ?? []).flat().includes(name);
}

/** Whether a new object needs a password: there is one, or somebody signs in with it. */
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

/** A permission on the object itself: services list those on what it is in as well. */
export function isDirect(permission: ApiObject, ids: Ids): boolean {
  const on = permissionObjects.flatMap((name) => idIn(permission, name) ?? []);
  const owner = Object.values(ids).at(-1);
  return on.length === 0 || (owner !== undefined && on.includes(owner));
}

export function idIn(item: Item, attribute: string): unknown {
  const value = item[attribute];
  return isItem(value) ? value['id'] : undefined;
}

/**
 * Items in an order that does not depend on how the site was made: members by name. Other items stay as
 * the service lists them, except that items of one name are ordered by their text.
 */
export function inFixedOrder(
  type: string,
  items: readonly unknown[],
  areMembers: boolean,
): readonly unknown[] {
  const nameOf = (item: unknown) => (isItem(item) ? wordOf(type, item) : String(item));
  if (areMembers) return items.toSorted(by((item) => nameOf(item) ?? ''));
  const alike = new Map<string, unknown[]>();
  for (const item of items) {
    const name = nameOf(item);
    if (name === undefined) continue;
    const list = alike.get(name);
    if (list) list.push(item);
    else alike.set(name, [item]);
  }
  for (const list of alike.values()) list.sort(by((item) => JSON.stringify(item)));
  return items.map((item) => alike.get(nameOf(item) ?? '')?.shift() ?? item);
}

function by(textOf: (item: unknown) => string): (one: unknown, other: unknown) => number {
  return (one, other) => {
    const [a, b] = [textOf(one), textOf(other)];
    return a === b ? 0 : a < b ? -1 : 1;
  };
}
