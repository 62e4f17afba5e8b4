/**
 * Counts the changes of what decides who sees what: permissions, roles, groups, and what belongs to
 * what. What was worked out from these holds while the number stays the same.
 */
import type { Database } from './driver.ts';
import { heldView } from './held.ts';
import { keepSums } from './kept-sums.ts';
import type { KindName } from './kinds.ts';
import { table } from './schema.ts';
import type { Transaction } from './transaction.ts';

/** By kind: the columns that say what an object belongs to, or who is who. */
const deciding: Readonly<Partial<Record<KindName, readonly string[]>>> = {
  permission: ['doc'],
  role: ['doc'],
  user: ['doc'],
  vm: ['cluster_id', 'vm_pool_id'],
  host: ['cluster_id'],
  template: ['cluster_id'],
  vm_pool: ['cluster_id'],
  cluster: ['data_center_id'],
  network: ['data_center_id'],
  vnic_profile: ['network_id'],
  disk_attachment: ['vm_id', 'disk_id'],
  disk: [],
  storage_domain: [],
};

/** Whether the number changes with the objects of a kind that there are. */
export function isCounted(kind: KindName): boolean {
  return deciding[kind] !== undefined;
}

/** Kinds that list what they belong to. */
const listing = "'disk', 'storage_domain'";

const counts = 'BEGIN UPDATE structure SET version = version + 1; END';

/** Begins to count and to keep sums, and shows who holds what; for the life of the connection. */
export function watchStructure(db: Database): void {
  db.exec(heldView(table('permission')));
  keepSums(db);
  db.exec('CREATE TEMP TABLE structure (version INTEGER NOT NULL)');
  db.exec('INSERT INTO structure VALUES (1)');
  for (const [kind, columns] of Object.entries(deciding) as [KindName, readonly string[]][]) {
    const on = `ON main.${table(kind)}`;
    for (const word of ['INSERT', 'DELETE']) {
      db.exec(`CREATE TEMP TRIGGER structure_${kind}_${word} AFTER ${word} ${on} ${counts}`);
    }
    if (columns.length === 0) continue;
    const other = columns.map((column) => `OLD.[${column}] IS NOT NEW.[${column}]`).join(' OR ');
    db.exec(
      `CREATE TEMP TRIGGER structure_${kind}_UPDATE AFTER UPDATE ${on} WHEN ${other} ${counts}`,
    );
  }
  for (const [word, row] of Object.entries({ INSERT: 'NEW', DELETE: 'OLD' })) {
    db.exec(
      `CREATE TEMP TRIGGER structure_reference_${word} AFTER ${word} ON main.reference WHEN ${row}.kind IN (${listing}) ${counts}`,
    );
  }
}

/** The number of changes so far. */
export function structureVersion(tx: Transaction): number {
  return Number(tx.statement('SELECT version FROM temp.structure').get()?.['version']);
}
