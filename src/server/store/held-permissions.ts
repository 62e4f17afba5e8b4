/** Questions about the permissions of a user: roles held on the system, and permits on an object. */

import type { KindName } from './kinds.ts';
import { heldBy, isPermissionObject, pathPrefix } from './permission-index.ts';
import { table } from './schema.ts';
import { isHeld } from './staged.ts';
import type { Transaction } from './transaction.ts';

/** Whether one of some users and groups holds a role on the whole system. */
export function holdsOnSystem(tx: Transaction, holders: readonly string[], role: string): boolean {
  const sql = `${heldBy(holders.length)} AND path = '' AND role_id = ?`;
  return isHeld(tx, { sql, values: [...holders, role] });
}

/** Whether one of them holds an administrative role, on whatever object. */
export function holdsAdministrativeRole(tx: Transaction, holders: readonly string[]): boolean {
  const administrative = "CAST(json_extract(doc, '$.administrative') AS BOOLEAN)";
  const roles = `SELECT id FROM ${table('role')} WHERE ${administrative}`;
  const sql = `${heldBy(holders.length)} AND role_id IN (${roles})`;
  return isHeld(tx, { sql, values: holders });
}

/** Whether one of them holds a role with the permit on the whole system or on one of the objects. */
export function holdsPermit(
  tx: Transaction,
  holders: readonly string[],
  permit: string,
  objects: readonly { readonly kind: KindName; readonly id: string }[],
): boolean {
  const paths = objects.map(({ kind, id }) => pathOf(tx, kind, id));
  const roles = `SELECT id FROM reference WHERE target = ? AND kind = 'role' AND attribute = 'permits'`;
  const among = ["''", ...paths.map(() => '?')].join(', ');
  const sql = `${heldBy(holders.length)} AND path IN (${among}) AND role_id IN (${roles})`;
  return isHeld(tx, { sql, values: [...holders, ...paths, permit] });
}

/** The path of an object, as permissions are held on it. */
function pathOf(tx: Transaction, kind: KindName, id: string): string {
  return isPermissionObject(kind)
    ? pathPrefix(kind) + id
    : `${tx.collectionOf(kind, id) ?? ''}/${id}`;
}
