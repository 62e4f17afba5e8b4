/** Visibility by kind: public kinds, parts of other objects, and references. */

import { services } from '../../model/derive/services.ts';
import { getObjectType, listAttributes, parseKind } from '../../model/index.ts';
import { compose, joined, type SqlCondition } from './conditions.ts';
import { getKindType, type KindName, listColumns, listLinkAttributes } from './kinds.ts';
import { columnName } from './own-column.ts';
import { pathPrefix } from './permission-index.ts';
import { table } from './schema.ts';

/** Kinds without information about a site: visible to all users. */
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

/** Whether all objects of a kind are visible to all users. */
export function isPublic(kind: KindName): boolean {
  return publicKinds.has(getKindType(kind));
}

/** Kinds of objects that texts name and that have restricted visibility. */
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

/** A reason for the visibility of objects, in two forms. */
export interface VisibilityReason {
  /** Selects the ids of all visible objects. */
  readonly set: SqlCondition;
  /** Tests the object of the current row. */
  readonly test: SqlCondition;
}

/** Referenced objects of events that are not public. */
export const namedByEvents = Object.entries(listAttributes('event')).flatMap(([name, { kind }]) => {
  const { form, of } = parseKind(kind);
  return form === 'ref' && name === of && !publicKinds.has(of) ? [name] : [];
});

/** Whether objects of a kind exist below others and not at the top level. */
export function isPart(kind: KindName): boolean {
  return getKindType(kind) !== kind || (!isAtTop(kind) && kind !== 'permission');
}

/** Path prefixes of the collections of a kind, and the type of the owner in the path. */
export function listOwnerPrefixes(kind: KindName): { prefix: string; type: KindName }[] {
  const type = getKindType(kind);
  const tops = Object.entries(services)
    .filter(([path, service]) => service.type === type && path.split('/').length > 3)
    .map(([path]) => path.split('/')[1] ?? '');
  return [...new Set(tops)].flatMap((top) => {
    const owner = services[`/${top}`]?.type;
    return owner ? [{ prefix: `/${top}/`, type: owner }] : [];
  });
}

/** Whether a type has a single collection with all its objects. */
export function isAtTop(type: string): boolean {
  return pathPrefix(type) !== '/';
}

/** The condition that a permission is on an object of a type. */
export function onObjectsOfType(type: string): string {
  const prefix = pathPrefix(type);
  return `path >= '${prefix}' AND path < '${prefix.slice(0, -1)}0'`;
}

/** The disjunction of conditions, in parentheses. */
export function anyOf(conditions: readonly SqlCondition[]): SqlCondition {
  const any = joined(conditions, ' OR ', 'FALSE');
  return conditions.length > 1 ? compose`(${any})` : any;
}

/** A reason whose set is selected by testing all objects of a kind. */
export function testEachRow(kind: KindName, test: SqlCondition): VisibilityReason {
  return { set: compose`SELECT id FROM ${table(kind)} WHERE ${test}`, test };
}

/** The condition that a set contains the target of an attribute. */
export function createReferringSet(
  kind: KindName,
  attribute: string,
  set: SqlCondition,
): SqlCondition | undefined {
  if (listLinkAttributes(kind).includes(attribute)) {
    return compose`${table(kind)}.id IN (SELECT id FROM reference WHERE kind = '${kind}' AND attribute = '${attribute}' AND target IN (${set}))`;
  }
  const column = columnName([attribute, 'id']);
  const known = listColumns(kind).some(({ name }) => name === column);
  return known ? compose`${table(kind)}."${column}" IN (${set})` : undefined;
}

/** The target kind of an attribute. */
export function findTargetKind(kind: KindName, attribute: string): KindName | undefined {
  const declared = listAttributes(getKindType(kind))[attribute];
  return declared && getObjectType(declared.kind);
}
