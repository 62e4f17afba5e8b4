/** Queries on the permissions of a user: system roles, and permits on an object. */

import type { KindName } from './kinds.ts';
import { createHolderCondition, isPermissionObject, pathPrefix } from './permission-index.ts';
import { table } from './schema.ts';
import { isHeld } from './temporary-tables.ts';
import type { Transaction } from './transaction.ts';

/** Whether one of the users and groups has a role on the whole system. */
export function holdsOnSystem(tx: Transaction, holders: readonly string[], role: string): boolean {
  const sql = `${createHolderCondition(holders.length)} AND path = '' AND role_id = ?`;
  return isHeld(tx, { sql, values: [...holders, role] });
}

/** Whether one of them has an administrative role, on any object. */
export function holdsAdministrativeRole(tx: Transaction, holders: readonly string[]): boolean {
  const administrative = "CAST(json_extract(doc, '$.administrative') AS BOOLEAN)";
  const roles = `SELECT id FROM ${table('role')} WHERE ${administrative}`;
  const sql = `${createHolderCondition(holders.length)} AND role_id IN (${roles})`;
  return isHeld(tx, { sql, values: holders });
}

/** Whether one of them has a role with the permit on the whole system or on one of the objects. */
export function holdsPermit(
  tx: Transaction,
  holders: readonly string[],
  permit: string,
  objects: readonly { readonly kind: KindName; readonly id: string }[],
): boolean {
  const paths = objects.map(({ kind, id }) => findPath(tx, kind, id));
  const roles = `SELECT id FROM reference WHERE target = ? AND kind = 'role' AND attribute = 'permits'`;
  const among = ["''", ...paths.map(() => '?')].join(', ');
  const sql = `${createHolderCondition(holders.length)} AND path IN (${among}) AND role_id IN (${roles})`;
  return isHeld(tx, { sql, values: [...holders, ...paths, permit] });
}

/** The path of an object in the index of permissions. */
function findPath(tx: Transaction, kind: KindName, id: string): string {
  return isPermissionObject(kind)
    ? pathPrefix(kind) + id
    : `${tx.findCollection(kind, id) ?? ''}/${id}`;
}
