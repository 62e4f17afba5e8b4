/** SQL of the values in search comparisons and sort orders. */

import { getObjectType, listAttributes, parseKind } from '../../model/index.ts';
import type { SearchField, SortRule } from '../../model/notation/search.ts';
import { compose, type OrderKey, type SqlCondition } from './conditions.ts';
import { getKindType, type KindName, listColumns, requireKind } from './kinds.ts';
import { type Column, columnName, ownColumn } from './own-column.ts';
import { table } from './schema.ts';

/** Collection of dismissed events. */
export const dismissedEvents = '/dismissedevents';

/** Product of the members of a processor topology. The default of each is 1. */
function processors(kind: KindName): string {
  const part = (name: string) =>
    `coalesce(CAST(json_extract(${table(kind)}.doc, '$.cpu.topology.${name}') AS BIGINT), 1)`;
  return `(${part('sockets')} * ${part('cores')} * ${part('threads')})`;
}

/**
 * Sum of a column of the disks on a storage domain: the maintained one, if it was requested before.
 */
function sumDisks(column: 'total_size' | 'provisioned_size'): string {
  const domain = `${table('storage_domain')}.id`;
  const stored = `SELECT s."${column}" FROM disk_sums s WHERE s.id = ${domain}`;
  return `coalesce((${stored}), (SELECT total(d."${column}") FROM ${table('disk')} d JOIN reference r ON r.id = d.id WHERE r.target = ${domain} AND r.kind = 'disk' AND r.attribute = 'storage_domains'))`;
}

/** Number of objects of a kind that refer to this one and meet an additional condition. */
function countReferring(kind: KindName, column: string, of: KindName, further = 'TRUE'): string {
  return `(SELECT count(*) FROM ${table(kind)} c WHERE c."${column}" = ${table(of)}.id AND ${further})`;
}

const versionText = (doc: string, path: string) =>
  `(json_extract(${doc}, '$.${path}.major') || '.' || json_extract(${doc}, '$.${path}.minor'))`;

/** A single status for all data centers; a domain without data center is unattached. */
const sharedStatus = `(SELECT CASE
  WHEN count(*) = 0 THEN 'unattached'
  WHEN count(*) FILTER (WHERE a."status" = 'active') = count(*) THEN 'active'
  WHEN count(*) FILTER (WHERE a."status" = 'active') = 0 THEN 'inactive'
  ELSE 'mixed' END
  FROM ${table('attached_storage_domain')} a WHERE a.id = ${table('storage_domain')}.id)`;

/** The number of a host in its data center, in creation order. */
const storageId = `(SELECT count(*) FROM ${table('host')} h JOIN ${table('cluster')} c ON c.id = h."cluster_id"
  WHERE h.rowid <= ${table('host')}.rowid AND c."data_center_id" =
    (SELECT o."data_center_id" FROM ${table('cluster')} o WHERE o.id = ${table('host')}."cluster_id"))`;

/** Number of VMs created from a template. */
const children = countReferring('vm', 'template_id', 'template');

/**
 * SQL expressions by kind and by field or path. The outer object is the row of the table of its
 * kind; other objects of the same kind use a table alias.
 */
export const derivedValues: Readonly<Partial<Record<KindName, Readonly<Record<string, string>>>>> =
  {
    vm: {
      uptime: `((julianday('now') - julianday(json_extract(${table('vm')}.doc, '$.start_time'))) * 86400.0)`,
      vcpus: processors('vm'),
      compatibility_level: `coalesce(${versionText(`${table('vm')}.doc`, 'custom_compatibility_version')}, (SELECT ${versionText('c.doc', 'version')} FROM ${table('cluster')} c WHERE c.id = ${table('vm')}."cluster_id"))`,
      // The creator of a VM is the user of its first event.
      created_by_user_id: `(SELECT e."user_id" FROM ${table('event')} e WHERE e."vm_id" = ${table('vm')}.id ORDER BY e."index" LIMIT 1)`,
      // This service has no VMs of container clusters.
      k8s_namespace: 'CAST(NULL AS CITEXT)',
    },
    host: {
      cpus: processors('host'),
      active_vms: countReferring('vm', 'host_id', 'host'),
      migrating_vms: countReferring('vm', 'host_id', 'host', `c."status" = 'migrating'`),
      committed_mem: `(SELECT total(c."memory") FROM ${table('vm')} c WHERE c."host_id" = ${table('host')}.id)`,
      spm_id: storageId,
    },
    storage_domain: {
      used: sumDisks('total_size'),
      committed: sumDisks('provisioned_size'),
      available: `(${table('storage_domain')}."available" - ${sumDisks('total_size')})`,
      shared_status: sharedStatus,
      // The stored value of a domain is its size when empty.
      total_size: `${table('storage_domain')}."available"`,
    },
    disk: {
      number_of_vms: `(SELECT count(DISTINCT a."vm_id") FROM ${table('disk_attachment')} a WHERE a."disk_id" = ${table('disk')}.id)`,
    },
    event: {
      deleted: `CAST(${table('event')}.collection = '${dismissedEvents}' AS INTEGER)`,
    },
    user: { type: "CAST('user' AS CITEXT)" },
    template: {
      childcount: children,
      sealed: `CAST(CAST(json_extract(${table('template')}.doc, '$.sealed') AS BOOLEAN) AS INTEGER)`,
    },
    instance_type: {
      childcount: countReferring('vm', 'instance_type_id', 'instance_type'),
      sealed: 'CAST(0 AS INTEGER)',
    },
    vm_pool: {
      assigned_vm_count: countReferring('vm', 'vm_pool_id', 'vm_pool'),
      running_vm_count: countReferring('vm', 'vm_pool_id', 'vm_pool', 'c."host_id" IS NOT NULL'),
    },
    network: {
      vmnetwork: `CAST(EXISTS (SELECT 1 FROM json_each(${table('network')}.doc, '$.usages') u WHERE u.value = 'vm') AS INTEGER)`,
    },
    cluster_network: {
      network_name: `(SELECT n.name FROM ${table('network')} n WHERE n.id = ${table('cluster_network')}.id)`,
      cluster_name: `(SELECT c.name FROM ${table('cluster')} c WHERE c.id = ${table('cluster_network')}."cluster_id")`,
    },
    directory_user: {
      allnames: `CAST(${table('directory_user')}.name || ' ' || coalesce(json_extract(${table('directory_user')}.doc, '$.last_name'), '') || ' ' || coalesce(${table('directory_user')}."user_name", '') AS CITEXT)`,
      // Users of the simulated directory have no title.
      title: 'CAST(NULL AS CITEXT)',
    },
    openstack_network_provider: {
      type: `CAST(json_extract(${table('openstack_network_provider')}.doc, '$.type') AS CITEXT)`,
    },
  };

/** The visibility condition of a kind for the caller; undefined if all objects are visible. */
export type VisibilityConditions = (kind: KindName) => SqlCondition | undefined;

/** Number of visible objects of a kind that refer to this one and meet an additional condition. */
function countVisible(
  kind: KindName,
  column: string,
  of: KindName,
  further = 'TRUE',
  what = 'count(*)',
) {
  return (seen: VisibilityConditions): SqlCondition => {
    const visible = seen(kind) ?? { sql: 'TRUE', values: [] };
    const here = `${table(kind)}."${column}" = ${table(of)}.id`;
    return compose`(SELECT ${what} FROM ${table(kind)} WHERE ${here} AND ${further} AND (${visible}))`;
  };
}

/** The values above that count other objects, for callers with restricted visibility. */
export const visibleCounts: Readonly<
  Partial<Record<KindName, Readonly<Record<string, (seen: VisibilityConditions) => SqlCondition>>>>
> = {
  host: {
    active_vms: countVisible('vm', 'host_id', 'host'),
    migrating_vms: countVisible('vm', 'host_id', 'host', "status = 'migrating'"),
    committed_mem: countVisible('vm', 'host_id', 'host', 'TRUE', 'total(memory)'),
  },
  disk: {
    number_of_vms: countVisible(
      'disk_attachment',
      'disk_id',
      'disk',
      'TRUE',
      'count(DISTINCT vm_id)',
    ),
  },
  template: { childcount: countVisible('vm', 'template_id', 'template') },
  instance_type: { childcount: countVisible('vm', 'instance_type_id', 'instance_type') },
  vm_pool: {
    assigned_vm_count: countVisible('vm', 'vm_pool_id', 'vm_pool'),
    running_vm_count: countVisible('vm', 'vm_pool_id', 'vm_pool', 'host_id IS NOT NULL'),
  },
};

/** The sort keys of a list. */
export function orderKeys(kind: KindName, rules: readonly SortRule[]): OrderKey[] {
  return rules.map(({ path, descending = false }) => {
    const key = sortValue(kind, path.split('.'), undefined);
    return { ...key, descending, folds: key.folds ?? false };
  });
}

/** Sort keys as SQL, followed by creation order. */
export function orderText(keys: readonly OrderKey[]): string {
  return [
    ...keys.map(
      ({ sql, descending }) => `${sql} ${descending ? 'DESC NULLS LAST' : 'ASC NULLS FIRST'}`,
    ),
    'rowid',
  ].join(', ');
}

/** Pairs of id and value in JSON, as a table. */
export const measuredTable =
  "SELECT json_extract(value, '$[0]') AS id, json_extract(value, '$[1]') AS found FROM json_each(?)";

/** The sort key in such a table with this name. */
export function measuredKey(kind: KindName, name: string, field: SearchField): string {
  return `(WITH measured AS MATERIALIZED (SELECT id, min(${measuredValue(field)}) AS found FROM ${name} GROUP BY id) SELECT measured.found FROM measured WHERE measured.id = ${table(kind)}.id)`;
}

/** A sort key, and whether its case is folded, as in columns of names. */
type SortKey = SqlCondition & { readonly folds?: boolean };

/** The sort key of a field: the minimum of several values, among those of visible objects. */
export function sortKey(
  kind: KindName,
  name: string | undefined,
  field: SearchField,
  seen: VisibilityConditions | undefined,
): SortKey {
  const counted = seen && name !== undefined ? visibleCounts[kind]?.[name]?.(seen) : undefined;
  const derived = name === undefined ? undefined : derivedValues[kind]?.[name];
  if (counted) return counted;
  if (derived) return { sql: derived, values: [] };
  const path = (field.path ?? field.storedPath ?? '').split('.');
  if (!field.through) return sortValue(kind, path, seen);
  let at = kind;
  let ids = `(${table(kind)}.id)`;
  for (const step of field.through) {
    if ('paired' in step) throw new Error(`Cannot sort by ${name}.`);
    const [type = '', attribute = ''] = 'back' in step ? step.back.split('.') : [at, step.follow];
    const from = requireKind(type);
    const [here, there] = 'back' in step ? ['target', 'id'] : ['id', 'target'];
    const declared = listAttributes(getKindType(from))[attribute];
    const target = getReferenceTarget(from, attribute);
    const column = `"${columnName([attribute, 'id'])}"`;
    if (!target) {
      ids = `(SELECT s.${there} FROM reference s WHERE s.kind = '${from}' AND s.attribute = '${attribute}' AND s.${here} IN ${ids})`;
    } else if ('back' in step)
      ids = `(SELECT s.id FROM ${table(from)} s WHERE s.${column} IN ${ids})`;
    else ids = `(SELECT s.${column} FROM ${table(at)} s WHERE s.id IN ${ids})`;
    const next = 'back' in step ? from : declared && getObjectType(declared.kind);
    if (!next) throw new Error(`No value at ${attribute} of ${from}.`);
    at = next;
  }
  const value = sortValue(at, path, seen);
  return compose`(SELECT min(${exactly(value)}) FROM ${table(at)} WHERE ${table(at)}.id IN ${ids}${visible(at, seen)})`;
}

/** An expression for the value at a path, which may cross references. */
function sortValue(
  kind: KindName,
  path: readonly string[],
  seen: VisibilityConditions | undefined,
): SortKey {
  const derived = derivedValues[kind]?.[path.join('.')];
  if (derived) return { sql: derived, values: [] };
  const column = findColumn(kind, path);
  if (column) return { sql: `${table(kind)}.${column}`, values: [], folds: isFolded(kind, column) };
  const [first = '', ...rest] = path;
  const target = getReferenceTarget(kind, first);
  if (!target) return { sql: jsonValue(kind, path), values: [] };
  const value = sortValue(target, rest, seen);
  const here = `${table(target)}.id = ${table(kind)}."${columnName([first, 'id'])}"`;
  return compose`(SELECT ${exactly(value)} FROM ${table(target)} WHERE ${here}${visible(target, seen)})`;
}

/** A key selected from other objects, which is case-sensitive. */
function exactly(key: SortKey): SqlCondition {
  return key.folds ? compose`CAST(${key} AS TEXT)` : key;
}

/** Whether a column has NOCASE. A value selected from it does not inherit that. */
function isFolded(kind: KindName, column: string): boolean {
  if (column === '"name"') return true;
  return listColumns(kind).some(
    ({ name, sql }) => column === `"${name}"` && sql.includes('NOCASE'),
  );
}

/** The additional condition that objects of a kind are visible. */
function visible(kind: KindName, seen: VisibilityConditions | undefined): SqlCondition {
  const condition = seen?.(kind);
  return condition ? compose` AND (${condition})` : { sql: '', values: [] };
}

/** The value at a path in the document of an object, cast to the type in the model. */
export function jsonValue(kind: KindName, path: readonly string[]): string {
  const type = castTypes[ownColumn(getKindType(kind), path)?.sql ?? 'TEXT COLLATE NOCASE'];
  return `CAST(json_extract(${table(kind)}.doc, '$.${path.join('.')}') AS ${type})`;
}

/** Cast types of document values by column type; type affinities in SQLite. */
const castTypes: Readonly<Record<Column['sql'], string>> = {
  'TEXT COLLATE NOCASE': 'CITEXT',
  TEXT: 'TEXT',
  INTEGER: 'BIGINT',
  REAL: 'DOUBLE PRECISION',
};

/** The value of a measured field in the statement parameter, cast to its type. */
export function measuredValue({ kind }: SearchField): string {
  const isNumber = kind === 'number' || kind === 'span' || kind === 'bool';
  return `CAST(found AS ${isNumber ? 'DOUBLE PRECISION' : 'CITEXT'})`;
}

/** The quoted column of a path in the object. */
export function findColumn(kind: KindName, path: readonly string[]): string | undefined {
  const name = columnName(path);
  if (name === 'id' || name === 'name') return `"${name}"`;
  if (!ownColumn(getKindType(kind), path)) return undefined;
  return listColumns(kind).some((column) => column.name === name) ? `"${name}"` : undefined;
}

/** The target kind of a reference attribute. */
export function getReferenceTarget(kind: KindName, attribute: string): KindName | undefined {
  const declared = listAttributes(getKindType(kind))[attribute];
  const parsed = declared && parseKind(declared.kind);
  return parsed?.form === 'ref' ? parsed.of : undefined;
}
