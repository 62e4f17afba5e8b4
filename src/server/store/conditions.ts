/** SQL conditions on lists of objects, with their values. */
import type { SqlValue } from './driver.ts';
import type { KindName } from './kinds.ts';
import { table } from './schema.ts';

/** Equality conditions on columns; `null` matches absent values. */
export type Where = Readonly<Record<string, SqlValue>>;

/** A condition in SQL with its values. */
export interface SqlCondition {
  readonly sql: string;
  readonly values: readonly SqlValue[];
  /** Common table expressions that the SQL uses. */
  readonly tables?: readonly SqlTable[];
  /** For conditions on the id: the statement that selects the ids, with the same values. */
  readonly ids?: string;
  /** The same condition as a test of the current row, with the same values. */
  readonly test?: string;
}

/** A common table expression of a statement. */
export interface SqlTable {
  readonly name: string;
  readonly select: SqlCondition;
  /** The source kind, if the table can be computed in advance and in slices. */
  readonly from?: KindName;
  /** The same without the visibility condition, if there is one. */
  readonly unseen?: SqlCondition;
  /** Selects the values for some objects of a kind only, if that is possible. */
  readonly ofSome?: (kind: KindName, some: SqlCondition) => SqlCondition;
}

/** Restriction of a statement to some objects of a kind. */
export interface PartialScope {
  /** Names of tables that were computed in advance. */
  readonly made: ReadonlySet<string>;
  readonly kind: KindName;
  /** The condition on the included objects of the kind. */
  readonly some: SqlCondition;
}

/** The `WITH` clause of a statement with these parts: each table once. */
export function withTables(...parts: readonly (SqlCondition | undefined)[]): SqlCondition {
  return withClause(collectTables(parts));
}

/** The same for a statement that is restricted to some objects of a kind. */
export function withTablesForPiece(
  parts: readonly (SqlCondition | undefined)[],
  { made, kind, some }: PartialScope,
): SqlCondition {
  return withClause(
    collectTables(parts)
      .filter(({ name }) => !made.has(name))
      .map((table) => ({ ...table, select: table.ofSome?.(kind, some) ?? table.select })),
  );
}

/** The tables of conditions, each once and after its own dependencies. */
export function collectTables(parts: readonly (SqlCondition | undefined)[]): SqlTable[] {
  const all = new Map<string, SqlTable>();
  const add = (part: SqlCondition | undefined) => {
    for (const table of part?.tables ?? []) {
      if (all.has(table.name)) continue;
      add(table.select);
      all.set(table.name, table);
    }
  };
  for (const part of parts) add(part);
  return [...all.values()];
}

function withClause(all: readonly SqlTable[]): SqlCondition {
  if (all.length === 0) return { sql: '', values: [] };
  const selects = all.map(({ select }) => select);
  const tables = all.map(({ name }, at) => `${name} AS NOT MATERIALIZED (${selects[at]?.sql})`);
  const values = selects.flatMap((select) => select.values);
  return { sql: `WITH ${tables.join(', ')} `, values };
}

/** Composes SQL from texts and conditions, with the values of the conditions. */
export function compose(
  texts: TemplateStringsArray,
  ...parts: readonly (SqlCondition | string)[]
): SqlCondition {
  let sql = texts[0] ?? '';
  const values: SqlValue[] = [];
  const tables: SqlTable[] = [];
  for (const [index, part] of parts.entries()) {
    if (typeof part === 'string') sql += part;
    else {
      sql += part.sql;
      for (const value of part.values) values.push(value);
      for (const table of part.tables ?? []) tables.push(table);
    }
    sql += texts[index + 1] ?? '';
  }
  return { sql, values, tables };
}

/** Conditions that match all objects, and none. */
export const always: SqlCondition = { sql: 'TRUE', values: [] };
export const never: SqlCondition = { sql: 'FALSE', values: [] };

/** The condition that a column has one of the values. */
export function oneOf(column: string, values: readonly SqlValue[]): SqlCondition {
  if (values.length === 0) return never;
  return { sql: `"${column}" IN (${values.map(() => '?').join(', ')})`, values };
}

/** The condition that a column has a value other than these. */
export function noneOf(column: string, values: readonly SqlValue[]): SqlCondition {
  return { sql: `"${column}" NOT IN (${values.map(() => '?').join(', ')})`, values };
}

/**
 * The condition that the number in a column is greater than `first`, or equal unless `exclusive`.
 */
export function numberFrom(column: string, first: number, exclusive: boolean): SqlCondition {
  return { sql: `"${column}" ${exclusive ? '>' : '>='} ?`, values: [first] };
}

/**
 * The condition that a collection contains the object. The expression prevents the use of an index,
 * so that SQLite keeps the index with the order of the list.
 */
export function isStoredIn(collection: string): SqlCondition {
  return { sql: "collection || '' = ?", values: [collection] };
}

/** The condition that an object of a kind with the same id meets a condition. */
export function idAmong(kind: KindName, condition: SqlCondition): SqlCondition {
  return compose`id IN (SELECT id FROM ${table(kind)} WHERE ${condition})`;
}

/** The condition that a VM or template has attached disks on a storage domain. */
export function hasDisksOn(domain: string, kind: 'vm' | 'template'): SqlCondition {
  const disks = referringCondition('disk', 'storage_domains', domain);
  return compose`id IN (SELECT "${kind}_id" FROM ${table('disk_attachment')} WHERE ${disks})`;
}

/** A condition as a common table expression, and the test that it contains the object. */
export function asTable(name: string, kind: KindName, condition: SqlCondition): SqlCondition {
  const select = compose`SELECT id FROM ${table(kind)} WHERE ${condition}`;
  const sql = `EXISTS (SELECT 1 FROM ${name} v WHERE v.id = ${table(kind)}.id)`;
  return { sql, values: [], tables: [{ name, select }] };
}

/** Joins SQL with a separator; `ofNone` is the result for an empty list. */
export function joined(parts: readonly SqlCondition[], word: string, ofNone: string): SqlCondition {
  if (parts.length === 0) return { sql: ofNone, values: [] };
  return {
    sql: parts.map(({ sql }) => sql).join(word),
    values: parts.flatMap(({ values }) => values),
    tables: parts.flatMap(({ tables = [] }) => tables),
  };
}

/** One key of a sort order. */
export interface OrderKey extends SqlCondition {
  readonly descending: boolean;
  /** Whether upper and lower case are equal. */
  readonly folds: boolean;
}

export interface ListOptions {
  readonly condition?: SqlCondition | undefined;
  readonly where?: Where;
  /** SQL of the sort order; creation order by default. */
  readonly orderBy?: string | undefined;
  /** Values in that SQL. */
  readonly orderValues?: readonly SqlValue[] | undefined;
  /** The keys of the sort order, excluding the final creation order. */
  readonly order?: readonly OrderKey[] | undefined;
  /** Parts of the condition, all of which must hold. */
  readonly terms?: readonly SqlCondition[] | undefined;
  /**
   * A part of the condition that is a range of one column. A list in the order of that column reads
   * only the range.
   */
  readonly range?: SqlCondition | undefined;
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
}

/** The conjunction of conditions; undefined for none. */
export function allOf(
  ...conditions: readonly (SqlCondition | undefined)[]
): SqlCondition | undefined {
  const given = conditions.flatMap((one) => (one ? [compose`(${one})`] : []));
  return given.length > 0 ? joined(given, ' AND ', 'TRUE') : undefined;
}

/** Conditions on columns, as separate terms. */
export function createTerms(where: Where = {}): SqlCondition[] {
  return Object.entries(where).map(([column, value]) =>
    value === null
      ? { sql: `"${column}" IS NULL`, values: [] }
      : { sql: `"${column}" = ?`, values: [value] },
  );
}

/** The condition that a list attribute of an object refers to the target. */
export function referringCondition(
  kind: KindName,
  attribute: string,
  target: string,
): SqlCondition {
  const ids = 'SELECT r.id FROM reference r WHERE r.target = ? AND r.kind = ? AND r.attribute = ?';
  return {
    sql: `id IN (${ids})`,
    values: [target, kind, attribute],
    ids,
    test: `EXISTS (${ids} AND r.id = ${table(kind)}.id)`,
  };
}

/** The condition that a list attribute of another object refers to the object. */
export function listedCondition(kind: KindName, attribute: string, id: string): SqlCondition {
  return {
    sql: 'id IN (SELECT r.target FROM reference r WHERE r.kind = ? AND r.id = ? AND r.attribute = ?)',
    values: [kind, id, attribute],
  };
}

/** The condition that a user or group has a role, on any object. */
export function heldRolesCondition(kind: 'user' | 'group', id: string): SqlCondition {
  const sql = `id IN (SELECT role_id FROM ${table('permission')} WHERE ${kind}_id = ?)`;
  return { sql, values: [id] };
}

/**
 * The conditions of a list as one clause: ` WHERE ...` or empty; the `WITH` clause of the
 * statement; and the values of both.
 */
export function conditions(options: ListOptions): {
  head: string;
  sql: string;
  values: SqlValue[];
} {
  const head = withTables(options.condition);
  const where = createTerms(options.where);
  const parts = where.map(({ sql }) => sql);
  const values: SqlValue[] = [...head.values, ...where.flatMap((term) => term.values)];
  if (options.condition) {
    parts.push(`(${options.condition.sql})`);
    values.push(...options.condition.values);
  }
  const sql = parts.length > 0 ? ` WHERE ${parts.join(' AND ')}` : '';
  return { head: head.sql, sql, values };
}
