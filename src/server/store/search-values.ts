/** Values that searches compare with and order by, as SQL. */

import { getObjectType, listAttributes, parseKind } from '../../model/index.ts';
import type { SearchField, SortRule } from '../../model/notation/search.ts';
import { compose, type OrderKey, type SqlCondition } from './conditions.ts';
import { columnsOf, type KindName, kindNamed, typeOfKind } from './kinds.ts';
import { type Column, columnName, ownColumn } from './own-column.ts';
import { table } from './schema.ts';

/** Collection of the events that somebody has removed from the log. */
export const dismissedEvents = '/dismissedevents';

/** Product of the numbers of a processor topology; a number that is not said is 1. */
function processors(kind: KindName): string {
  const part = (name: string) =>
    `coalesce(CAST(json_extract(${table(kind)}.doc, '$.cpu.topology.${name}') AS BIGINT), 1)`;
  return `(${part('sockets')} * ${part('cores')} * ${part('threads')})`;
}

/** Sum of a column of the disks on a storage domain: the one that is kept, where it was asked for. */
function ofDisks(column: 'total_size' | 'provisioned_size'): string {
  const domain = `${table('storage_domain')}.id`;
  const stored = `SELECT s."${column}" FROM disk_sums s WHERE s.id = ${domain}`;
  return `coalesce((${stored}), (SELECT total(d."${column}") FROM ${table('disk')} d JOIN reference r ON r.id = d.id WHERE r.target = ${domain} AND r.kind = 'disk' AND r.attribute = 'storage_domains'))`;
}

/** How many objects of a kind refer to this one and meet a further condition. */
function counted(kind: KindName, column: string, of: KindName, further = 'TRUE'): string {
  return `(SELECT count(*) FROM ${table(kind)} c WHERE c."${column}" = ${table(of)}.id AND ${further})`;
}

const versionOf = (doc: string, path: string) =>
  `(json_extract(${doc}, '$.${path}.major') || '.' || json_extract(${doc}, '$.${path}.minor'))`;

/** One status for all data centers; a domain that is in none has that of none. */
const sharedStatus = `(SELECT CASE
  WHEN count(*) = 0 THEN 'unattached'
  WHEN count(*) FILTER (WHERE a."status" = 'active') = count(*) THEN 'active'
  WHEN count(*) FILTER (WHERE a."status" = 'active') = 0 THEN 'inactive'
  ELSE 'mixed' END
  FROM ${table('attached_storage_domain')} a WHERE a.id = ${table('storage_domain')}.id)`;

/** The number that a host has in its data center: hosts are counted as they came. */
const storageId = `(SELECT count(*) FROM ${table('host')} h JOIN ${table('cluster')} c ON c.id = h."cluster_id"
  WHERE h.rowid <= ${table('host')}.rowid AND c."data_center_id" =
    (SELECT o."data_center_id" FROM ${table('cluster')} o WHERE o.id = ${table('host')}."cluster_id"))`;

/** Templates that machines were made from. */
const children = counted('vm', 'template_id', 'template');

/**
 * SQL expressions by kind and by field or path. The object is the row of the table of its kind;
 * columns of the same table under another name are those of others.
 */
export const derivedValues: Readonly<Partial<Record<KindName, Readonly<Record<string, string>>>>> =
  {
    vm: {
      uptime: `((julianday('now') - julianday(json_extract(${table('vm')}.doc, '$.start_time'))) * 86400.0)`,
      vcpus: processors('vm'),
      compatibility_level: `coalesce(${versionOf(`${table('vm')}.doc`, 'custom_compatibility_version')}, (SELECT ${versionOf('c.doc', 'version')} FROM ${table('cluster')} c WHERE c.id = ${table('vm')}."cluster_id"))`,
      // Whoever caused the first event about a machine has made it.
      created_by_user_id: `(SELECT e."user_id" FROM ${table('event')} e WHERE e."vm_id" = ${table('vm')}.id ORDER BY e."index" LIMIT 1)`,
      // Machines of container clusters are no part of this service.
      k8s_namespace: 'CAST(NULL AS CITEXT)',
    },
    host: {
      cpus: processors('host'),
      active_vms: counted('vm', 'host_id', 'host'),
      migrating_vms: counted('vm', 'host_id', 'host', `c."status" = 'migrating'`),
      committed_mem: `(SELECT total(c."memory") FROM ${table('vm')} c WHERE c."host_id" = ${table('host')}.id)`,
      spm_id: storageId,
    },
    storage_domain: {
      used: ofDisks('total_size'),
      committed: ofDisks('provisioned_size'),
      available: `(${table('storage_domain')}."available" - ${ofDisks('total_size')})`,
      shared_status: sharedStatus,
      // A stored domain says what it offers when it is empty.
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
      childcount: counted('vm', 'instance_type_id', 'instance_type'),
      sealed: 'CAST(0 AS INTEGER)',
    },
    vm_pool: {
      assigned_vm_count: counted('vm', 'vm_pool_id', 'vm_pool'),
      running_vm_count: counted('vm', 'vm_pool_id', 'vm_pool', 'c."host_id" IS NOT NULL'),
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
      // The simulated directory gives nobody a title.
      title: 'CAST(NULL AS CITEXT)',
    },
    openstack_network_provider: {
      type: `CAST(json_extract(${table('openstack_network_provider')}.doc, '$.type') AS CITEXT)`,
    },
  };

/** The condition that an object of a kind is visible to whoever searches; undefined where all are. */
export type Seen = (kind: KindName) => SqlCondition | undefined;

/** How many visible objects of a kind refer to this one and meet a further condition. */
function seenOf(kind: KindName, column: string, of: KindName, further = 'TRUE', what = 'count(*)') {
  return (seen: Seen): SqlCondition => {
    const visible = seen(kind) ?? { sql: 'TRUE', values: [] };
    const here = `${table(kind)}."${column}" = ${table(of)}.id`;
    return compose`(SELECT ${what} FROM ${table(kind)} WHERE ${here} AND ${further} AND (${visible}))`;
  };
}

/** Values of those above that count other objects: for callers who do not see all of these. */
export const seenValues: Readonly<
  Partial<Record<KindName, Readonly<Record<string, (seen: Seen) => SqlCondition>>>>
> = {
  host: {
    active_vms: seenOf('vm', 'host_id', 'host'),
    migrating_vms: seenOf('vm', 'host_id', 'host', "status = 'migrating'"),
    committed_mem: seenOf('vm', 'host_id', 'host', 'TRUE', 'total(memory)'),
  },
  disk: {
    number_of_vms: seenOf('disk_attachment', 'disk_id', 'disk', 'TRUE', 'count(DISTINCT vm_id)'),
  },
  template: { childcount: seenOf('vm', 'template_id', 'template') },
  instance_type: { childcount: seenOf('vm', 'instance_type_id', 'instance_type') },
  vm_pool: {
    assigned_vm_count: seenOf('vm', 'vm_pool_id', 'vm_pool'),
    running_vm_count: seenOf('vm', 'vm_pool_id', 'vm_pool', 'host_id IS NOT NULL'),
  },
};

/** The sort keys of a list. */
export function orderKeys(kind: KindName, rules: readonly SortRule[]): OrderKey[] {
  return rules.map(({ path, descending = false }) => {
    const key = sortValue(kind, path.split('.'), undefined);
    return { ...key, descending, folds: key.folds ?? false };
  });
}

/** Keys as SQL; what is the same in all of them comes in the order of creation. */
export function orderText(keys: readonly OrderKey[]): string {
  return [
    ...keys.map(
      ({ sql, descending }) => `${sql} ${descending ? 'DESC NULLS LAST' : 'ASC NULLS FIRST'}`,
    ),
    'rowid',
  ].join(', ');
}

/** Pairs of id and value, written as JSON, as a table. */
export const measuredTable =
  "SELECT json_extract(value, '$[0]') AS id, json_extract(value, '$[1]') AS found FROM json_each(?)";

/** A key of such a table, which has this name. */
export function measuredKey(kind: KindName, name: string, field: SearchField): string {
  return `(WITH measured AS MATERIALIZED (SELECT id, min(${measuredValue(field)}) AS found FROM ${name} GROUP BY id) SELECT measured.found FROM measured WHERE measured.id = ${table(kind)}.id)`;
}

/** A key, and whether upper and lower case count the same in it: so it is in columns of names. */
type SortKey = SqlCondition & { readonly folds?: boolean };

/** What a field sorts by; the least of several values, among those of visible objects. */
export function sortKey(
  kind: KindName,
  name: string | undefined,
  field: SearchField,
  seen: Seen | undefined,
): SortKey {
  const counted = seen && name !== undefined ? seenValues[kind]?.[name]?.(seen) : undefined;
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
    const from = kindNamed(type);
    const [here, there] = 'back' in step ? ['target', 'id'] : ['id', 'target'];
    const declared = listAttributes(typeOfKind(from))[attribute];
    const target = referenceTarget(from, attribute);
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

/** An expression for the value at a path, which may lead through references. */
function sortValue(kind: KindName, path: readonly string[], seen: Seen | undefined): SortKey {
  const derived = derivedValues[kind]?.[path.join('.')];
  if (derived) return { sql: derived, values: [] };
  const column = columnOf(kind, path);
  if (column) return { sql: `${table(kind)}.${column}`, values: [], folds: isFolded(kind, column) };
  const [first = '', ...rest] = path;
  const target = referenceTarget(kind, first);
  if (!target) return { sql: jsonValue(kind, path), values: [] };
  const value = sortValue(target, rest, seen);
  const here = `${table(target)}.id = ${table(kind)}."${columnName([first, 'id'])}"`;
  return compose`(SELECT ${exactly(value)} FROM ${table(target)} WHERE ${here}${visible(target, seen)})`;
}

/** A key that is selected from other objects: upper and lower case are told apart in it. */
function exactly(key: SortKey): SqlCondition {
  return key.folds ? compose`CAST(${key} AS TEXT)` : key;
}

/** Whether a column has NOCASE; a value that is selected from one has it no more. */
function isFolded(kind: KindName, column: string): boolean {
  if (column === '"name"') return true;
  return columnsOf(kind).some(({ name, sql }) => column === `"${name}"` && sql.includes('NOCASE'));
}

/** The further condition that objects of a kind are visible. */
function visible(kind: KindName, seen: Seen | undefined): SqlCondition {
  const condition = seen?.(kind);
  return condition ? compose` AND (${condition})` : { sql: '', values: [] };
}

/** The value at a path inside the document of an object, with the type that the model gives it. */
export function jsonValue(kind: KindName, path: readonly string[]): string {
  const type = castTypes[ownColumn(typeOfKind(kind), path)?.sql ?? 'TEXT COLLATE NOCASE'];
  return `CAST(json_extract(${table(kind)}.doc, '$.${path.join('.')}') AS ${type})`;
}

/** Types of values in documents, by that of a column with such values; for SQLite they are affinities. */
const castTypes: Readonly<Record<Column['sql'], string>> = {
  'TEXT COLLATE NOCASE': 'CITEXT',
  TEXT: 'TEXT',
  INTEGER: 'BIGINT',
  REAL: 'DOUBLE PRECISION',
};

/** The value of a measured field, as it was sent with the statement, with its type. */
export function measuredValue({ kind }: SearchField): string {
  const isNumber = kind === 'number' || kind === 'span' || kind === 'bool';
  return `CAST(found AS ${isNumber ? 'DOUBLE PRECISION' : 'CITEXT'})`;
}

/** The quoted column that holds a path of the object itself. */
export function columnOf(kind: KindName, path: readonly string[]): string | undefined {
  const name = columnName(path);
  if (name === 'id' || name === 'name') return `"${name}"`;
  if (!ownColumn(typeOfKind(kind), path)) return undefined;
  return columnsOf(kind).some((column) => column.name === name) ? `"${name}"` : undefined;
}

/** The kind that a reference attribute leads to. */
export function referenceTarget(kind: KindName, attribute: string): KindName | undefined {
  const declared = listAttributes(typeOfKind(kind))[attribute];
  const parsed = declared && parseKind(declared.kind);
  return parsed?.form === 'ref' ? parsed.of : undefined;
}
