/** Visibility of kinds: public ones, those that are seen with their owner, and their references. */

import { services } from '../../model/derive/services.ts';
import { getObjectType, listAttributes, parseKind } from '../../model/index.ts';
import { compose, joined, type SqlCondition } from './conditions.ts';
import { columnsOf, type KindName, linkListsOf, typeOfKind } from './kinds.ts';
import { columnName } from './own-column.ts';
import { pathPrefix } from './permission-index.ts';
import { table } from './schema.ts';

/** Kinds that tell nothing of a site: everybody may see them. */
const publicKinds = new Set<string>([
  'cluster_level',
  'domain',
  'icon',
  'mac_pool',
  'network_filter',
  'operating_system_info',
  'permit',
  'role',
  'tag',
  'bookmark',
  'user',
  'group',
  'scheduling_policy',
  'scheduling_policy_unit',
  'instance_type',
]);

/** Whether everybody sees all objects of a kind. */
export function isPublic(kind: KindName): boolean {
  return publicKinds.has(typeOfKind(kind));
}

/** Kinds of objects that sentences name; all are shown only to some. */
export const nameable = [
  'vm',
  'vm_pool',
  'template',
  'host',
  'cluster',
  'data_center',
  'storage_domain',
  'disk',
  'network',
  'quota',
  'gluster_volume',
] as const satisfies readonly KindName[];

/** A way on which objects become visible, in both forms. */
export interface Reason {
  /** Selects the ids of all of them. */
  readonly set: SqlCondition;
  /** Tells it of the object whose row is looked at. */
  readonly test: SqlCondition;
}

/** Objects that events refer to and that are not public. */
export const namedByEvents = Object.entries(listAttributes('event')).flatMap(([name, { kind }]) => {
  const { form, of } = parseKind(kind);
  return form === 'ref' && name === of && !publicKinds.has(of) ? [name] : [];
});

/** Whether objects of a kind are kept below others and not at the top. */
export function isPart(kind: KindName): boolean {
  return typeOfKind(kind) !== kind || (!isAtTop(kind) && kind !== 'permission');
}

/** What the paths of collections of a kind begin with, and the type of what is named there. */
export function ownersOf(kind: KindName): { prefix: string; type: KindName }[] {
  const type = typeOfKind(kind);
  const tops = Object.entries(services)
    .filter(([path, service]) => service.type === type && path.split('/').length > 3)
    .map(([path]) => path.split('/')[1] ?? '');
  return [...new Set(tops)].flatMap((top) => {
    const owner = services[`/${top}`]?.type;
    return owner ? [{ prefix: `/${top}/`, type: owner }] : [];
  });
}

/** Whether there is one collection with all objects of a type. */
export function isAtTop(type: string): boolean {
  return pathPrefix(type) !== '/';
}

/** The condition that a permission is on an object of a type. */
export function within(type: string): string {
  const prefix = pathPrefix(type);
  return `path >= '${prefix}' AND path < '${prefix.slice(0, -1)}0'`;
}

/** Several conditions of which one is enough, as one that stands beside others. */
export function anyOf(conditions: readonly SqlCondition[]): SqlCondition {
  const any = joined(conditions, ' OR ', 'FALSE');
  return conditions.length > 1 ? compose`(${any})` : any;
}

/** A reason whose set is made by testing all objects of a kind. */
export function ofRow(kind: KindName, test: SqlCondition): Reason {
  return { set: compose`SELECT id FROM ${table(kind)} WHERE ${test}`, test };
}

/** The condition that an attribute leads into a set. */
export function referring(
  kind: KindName,
  attribute: string,
  set: SqlCondition,
): SqlCondition | undefined {
  if (linkListsOf(kind).includes(attribute)) {
    return compose`${table(kind)}.id IN (SELECT id FROM reference WHERE kind = '${kind}' AND attribute = '${attribute}' AND target IN (${set}))`;
  }
  const column = columnName([attribute, 'id']);
  const known = columnsOf(kind).some(({ name }) => name === column);
  return known ? compose`${table(kind)}."${column}" IN (${set})` : undefined;
}

/** The kind that an attribute refers to. */
export function targetOf(kind: KindName, attribute: string): KindName | undefined {
  const declared = listAttributes(typeOfKind(kind))[attribute];
  return declared && getObjectType(declared.kind);
}
