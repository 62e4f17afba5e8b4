/** Conditions on lists of objects, as SQL with its values. */
import type { SqlValue } from './driver.ts';
import type { KindName } from './kinds.ts';
import { table } from './schema.ts';

/** Equality conditions on columns; `null` asks for absent values. */
export type Where = Readonly<Record<string, SqlValue>>;

/** A condition in SQL with its values. */
export interface SqlCondition {
  readonly sql: string;
  readonly values: readonly SqlValue[];
  /** Tables that the SQL uses and that stand at the beginning of the statement. */
  readonly tables?: readonly SqlTable[];
  /** Where it says which ids: the statement that selects them. It has the same values. */
  readonly ids?: string;
  /** The same condition as a test of the object that is looked at, with the same values. */
  readonly test?: string;
}

/** A name for what a statement selects, in the statement that it is a part of. */
export interface SqlTable {
  readonly name: string;
  readonly select: SqlCondition;
  /** The kind whose objects it is selected from, where that can be done ahead and piece by piece. */
  readonly from?: KindName;
  /** The same without the condition that the objects are visible, where there is one. */
  readonly unseen?: SqlCondition;
  /** What it selects of some objects of a kind, where not all have to be looked at. */
  readonly ofSome?: (kind: KindName, some: SqlCondition) => SqlCondition;
}

/** What a statement is made for, where it does not look at everything that there is. */
export interface Piece {
  /** Names of tables that were made ahead. */
  readonly made: ReadonlySet<string>;
  readonly kind: KindName;
  /** The condition on the objects of the kind that are looked at. */
  readonly some: SqlCondition;
}

/** The beginning of a statement with these parts: the tables that they use, each once. */
export function heading(...parts: readonly (SqlCondition | undefined)[]): SqlCondition {
  return headingOf(tablesOf(parts));
}

/** The same for a statement that looks at some of the objects of a kind. */
export function headingOfPiece(
  parts: readonly (SqlCondition | undefined)[],
  { made, kind, some }: Piece,
): SqlCondition {
  return headingOf(
    tablesOf(parts)
      .filter(({ name }) => !made.has(name))
      .map((table) => ({ ...table, select: table.ofSome?.(kind, some) ?? table.select })),
  );
}

/** The tables that conditions use, each once and after those that it uses itself. */
export function tablesOf(parts: readonly (SqlCondition | undefined)[]): SqlTable[] {
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

function headingOf(all: readonly SqlTable[]): SqlCondition {
  if (all.length === 0) return { sql: '', values: [] };
  const selects = all.map(({ select }) => select);
  const tables = all.map(({ name }, at) => `${name} AS NOT MATERIALIZED (${selects[at]?.sql})`);
  const values = selects.flatMap((select) => select.values);
  return { sql: `WITH ${tables.join(', ')} `, values };
}

/** Puts pieces of SQL together: what is a text stands as it is, conditions bring their values. */
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

/** The condition that all objects meet, and the one that none does. */
export const always: SqlCondition = { sql: 'TRUE', values: [] };
export const never: SqlCondition = { sql: 'FALSE', values: [] };

/** The condition that a column has one of some values. */
export function oneOf(column: string, values: readonly SqlValue[]): SqlCondition {
  if (values.length === 0) return never;
  return { sql: `"${column}" IN (${values.map(() => '?').join(', ')})`, values };
}

/** The condition that a column has a value, and none of these. */
export function noneOf(column: string, values: readonly SqlValue[]): SqlCondition {
  return { sql: `"${column}" NOT IN (${values.map(() => '?').join(', ')})`, values };
}

/** The condition that the number in a column is greater than another, or is that one. */
export function numberFrom(column: string, first: number, exclusive: boolean): SqlCondition {
  return { sql: `"${column}" ${exclusive ? '>' : '>='} ?`, values: [first] };
}

/**
 * The condition that objects are kept in a collection, as a test: no index answers it, so that the
 * index that gives a list its order is not given up for it.
 */
export function isStoredIn(collection: string): SqlCondition {
  return { sql: "collection || '' = ?", values: [collection] };
}

/** The condition that there is an object of a kind with the same id that meets a condition. */
export function idAmong(kind: KindName, condition: SqlCondition): SqlCondition {
  return compose`id IN (SELECT id FROM ${table(kind)} WHERE ${condition})`;
}

/** The condition that machines or templates have disks, attached to them, on a storage domain. */
export function hasDisksOn(domain: string, kind: 'vm' | 'template'): SqlCondition {
  const disks = referringCondition('disk', 'storage_domains', domain);
  return compose`id IN (SELECT "${kind}_id" FROM ${table('disk_attachment')} WHERE ${disks})`;
}

/** What meets a condition as a table before the statement, and the test that an object is in it. */
export function asTable(name: string, kind: KindName, condition: SqlCondition): SqlCondition {
  const select = compose`SELECT id FROM ${table(kind)} WHERE ${condition}`;
  const sql = `EXISTS (SELECT 1 FROM ${name} v WHERE v.id = ${table(kind)}.id)`;
  return { sql, values: [], tables: [{ name, select }] };
}

/** Several pieces of SQL with a word between them; what is said of none where there are none. */
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
  /** Upper and lower case count the same. */
  readonly folds: boolean;
}

export interface ListOptions {
  readonly condition?: SqlCondition | undefined;
  readonly where?: Where;
  /** SQL of the sort order; by default the order of creation. */
  readonly orderBy?: string | undefined;
  /** Values in that SQL. */
  readonly orderValues?: readonly SqlValue[] | undefined;
  /** The keys that this order consists of, beside that of creation. */
  readonly order?: readonly OrderKey[] | undefined;
  /** Parts of the condition that all have to hold. */
  readonly terms?: readonly SqlCondition[] | undefined;
  /**
   * A part of the condition that is a range of one column: of a list in the order of that column, nothing
   * outside of the range is looked at.
   */
  readonly range?: SqlCondition | undefined;
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
}

/** Conditions that all have to hold, as one. */
export function allOf(
  ...conditions: readonly (SqlCondition | undefined)[]
): SqlCondition | undefined {
  const given = conditions.flatMap((one) => (one ? [compose`(${one})`] : []));
  return given.length > 0 ? joined(given, ' AND ', 'TRUE') : undefined;
}

/** Conditions on columns, one by one. */
export function termsOf(where: Where = {}): SqlCondition[] {
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

/** The condition that an object is named by a list attribute of another one. */
export function listedCondition(kind: KindName, attribute: string, id: string): SqlCondition {
  return {
    sql: 'id IN (SELECT r.target FROM reference r WHERE r.kind = ? AND r.id = ? AND r.attribute = ?)',
    values: [kind, id, attribute],
  };
}

/** Condition of the roles that a user or group was given, on whatever object. */
export function heldRolesCondition(kind: 'user' | 'group', id: string): SqlCondition {
  const sql = `id IN (SELECT role_id FROM ${table('permission')} WHERE ${kind}_id = ?)`;
  return { sql, values: [id] };
}

/**
 * The conditions of a list as one clause: ` WHERE ...`, or nothing; what stands before the statement
 * because of them, and the values of both.
 */
export function conditions(options: ListOptions): {
  head: string;
  sql: string;
  values: SqlValue[];
} {
  const head = heading(options.condition);
  const where = termsOf(options.where);
  const parts = where.map(({ sql }) => sql);
  const values: SqlValue[] = [...head.values, ...where.flatMap((term) => term.values)];
  if (options.condition) {
    parts.push(`(${options.condition.sql})`);
    values.push(...options.condition.values);
  }
  const sql = parts.length > 0 ? ` WHERE ${parts.join(' AND ')}` : '';
  return { head: head.sql, sql, values };
}
