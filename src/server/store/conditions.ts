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

/** The conditions of a list as one clause: ` WHERE ...`, or nothing. */
export function conditions(options: ListOptions): { sql: string; values: SqlValue[] } {
  const parts: string[] = [];
  const values: SqlValue[] = [];
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
  return { sql: parts.length > 0 ? ` WHERE ${parts.join(' AND ')}` : '', values };
}
