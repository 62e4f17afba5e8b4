/** What a list of objects is limited to, as SQL with its values. */
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
}

/** A name for what a statement selects, in the statement that it is a part of. */
export interface SqlTable {
  readonly name: string;
  readonly select: SqlCondition;
}

/** The beginning of a statement with these parts: the tables that they use, each once. */
export function heading(...parts: readonly (SqlCondition | undefined)[]): SqlCondition {
  const all = new Map<string, SqlCondition>();
  const add = (part: SqlCondition | undefined) => {
    for (const { name, select } of part?.tables ?? []) {
      if (all.has(name)) continue;
      add(select);
      all.set(name, select);
    }
  };
  for (const part of parts) add(part);
  if (all.size === 0) return { sql: '', values: [] };
  const tables = [...all].map(([name, { sql }]) => `${name} AS NOT MATERIALIZED (${sql})`);
  const values = [...all.values()].flatMap((select) => select.values);
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

/** Several pieces of SQL with a word between them; what is said of none where there are none. */
export function joined(parts: readonly SqlCondition[], word: string, ofNone: string): SqlCondition {
  if (parts.length === 0) return { sql: ofNone, values: [] };
  return {
    sql: parts.map(({ sql }) => sql).join(word),
    values: parts.flatMap(({ values }) => values),
    tables: parts.flatMap(({ tables = [] }) => tables),
  };
}

export interface ListOptions {
  readonly condition?: SqlCondition | undefined;
  readonly where?: Where;
  /** SQL of the sort order; by default the order of creation. */
  readonly orderBy?: string | undefined;
  /** Values in that SQL. */
  readonly orderValues?: readonly SqlValue[] | undefined;
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
}

/** The condition that a list attribute of an object refers to the target. */
export function referringCondition(
  kind: KindName,
  attribute: string,
  target: string,
): SqlCondition {
  return {
    sql: 'id IN (SELECT r.id FROM reference r WHERE r.target = ? AND r.kind = ? AND r.attribute = ?)',
    values: [target, kind, attribute],
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
  const parts: string[] = [];
  const head = heading(options.condition);
  const values: SqlValue[] = [...head.values];
  for (const [column, value] of Object.entries(options.where ?? {})) {
    if (value === null) {
      parts.push(`[${column}] IS NULL`);
    } else {
      parts.push(`[${column}] = ?`);
      values.push(value);
    }
  }
  if (options.condition) {
    parts.push(`(${options.condition.sql})`);
    values.push(...options.condition.values);
  }
  const sql = parts.length > 0 ? ` WHERE ${parts.join(' AND ')}` : '';
  return { head: head.sql, sql, values };
}
