/**
 * Values that triggers maintain: sums over disks, and the version of the structure that determines
 * visibility.
 */
import type { Database } from './driver.ts';
import type { KindName } from './kinds.ts';
import { selectHeld } from './permission-index.ts';
import { table } from './schema.ts';
import type { Transaction } from './transaction.ts';

/** Summed columns of a disk. */
export const summed = ['total_size', 'provisioned_size'] as const;

export type DiskSums = Readonly<Record<(typeof summed)[number], number>>;

const disk = table('disk');
const isOn = "kind = 'disk' AND attribute = 'storage_domains'";

/** Creates the triggers that maintain requested sums. They last as long as the connection. */
function keepSums(db: Database): void {
  const columns = summed.map((column) => `${column} REAL NOT NULL`).join(', ');
  db.exec(`CREATE TEMP TABLE disk_sums (id TEXT PRIMARY KEY, ${columns}) WITHOUT ROWID`);
  const change = (sign: '+' | '-', value: (column: string) => string) =>
    summed
      .map((column) => `${column} = ${column} ${sign} coalesce(${value(column)}, 0)`)
      .join(', ');
  const selectDomains = (row: string) =>
    `id IN (SELECT target FROM main.reference WHERE ${isOn} AND id = ${row}.id)`;
  const ofRow = (row: string) => (column: string) => `${row}.${column}`;
  const ofDisk = (row: string) => (column: string) =>
    `(SELECT ${column} FROM main.${disk} WHERE id = ${row}.id)`;
  const triggers = {
    disk_INSERT: `AFTER INSERT ON main.${disk} BEGIN UPDATE disk_sums SET ${change('+', ofRow('NEW'))} WHERE ${selectDomains('NEW')}; END`,
    disk_DELETE: `AFTER DELETE ON main.${disk} BEGIN UPDATE disk_sums SET ${change('-', ofRow('OLD'))} WHERE ${selectDomains('OLD')}; END`,
    disk_UPDATE: `AFTER UPDATE ON main.${disk} WHEN ${summed.map((column) => `OLD.${column} IS NOT NEW.${column}`).join(' OR ')} BEGIN UPDATE disk_sums SET ${change('-', ofRow('OLD'))} WHERE ${selectDomains('OLD')}; UPDATE disk_sums SET ${change('+', ofRow('NEW'))} WHERE ${selectDomains('NEW')}; END`,
    reference_INSERT: `AFTER INSERT ON main.reference WHEN NEW.${isOn.replace(' AND ', ' AND NEW.')} BEGIN UPDATE disk_sums SET ${change('+', ofDisk('NEW'))} WHERE id = NEW.target; END`,
    reference_DELETE: `AFTER DELETE ON main.reference WHEN OLD.${isOn.replace(' AND ', ' AND OLD.')} BEGIN UPDATE disk_sums SET ${change('-', ofDisk('OLD'))} WHERE id = OLD.target; END`,
  };
  for (const [name, body] of Object.entries(triggers)) {
    db.exec(`CREATE TEMP TRIGGER sums_${name} ${body}`);
  }
}

/** Bytes of all disks on a storage domain. */
export function readDiskSums(tx: Transaction, domain: string): DiskSums {
  const columns = summed.join(', ');
  const stored = tx.statement(`SELECT ${columns} FROM disk_sums WHERE id = ?`);
  const found = stored.get(domain);
  // A view that another process computes has no row for a domain without disks.
  if (found || tx.traits.isRemote) return readSums(found ?? {});
  const sums = summed.map((column) => `total(d.${column})`).join(', ');
  tx.statement(
    `INSERT INTO temp.disk_sums SELECT ?, ${sums} FROM main.reference r CROSS JOIN main.${disk} d ON d.id = r.id WHERE r.target = ? AND r.kind = 'disk' AND r.attribute = 'storage_domains'`,
  ).run(domain, domain);
  return readSums(stored.get(domain) ?? {});
}

function readSums(row: Readonly<Record<string, unknown>>): DiskSums {
  return {
    total_size: Number(row['total_size'] ?? 0),
    provisioned_size: Number(row['provisioned_size'] ?? 0),
  };
}

/** By kind: the columns that determine the owner of an object or the identity of a user. */
export const deciding: ReadonlyMap<KindName, readonly string[]> = new Map([
  ['permission', ['doc']],
  ['role', ['doc']],
  ['user', ['doc']],
  ['vm', ['cluster_id', 'vm_pool_id']],
  ['host', ['cluster_id']],
  ['template', ['cluster_id']],
  ['vm_pool', ['cluster_id']],
  ['cluster', ['data_center_id']],
  ['network', ['data_center_id']],
  ['vnic_profile', ['network_id']],
  ['disk_attachment', ['vm_id', 'disk_id']],
  ['disk', []],
  ['storage_domain', []],
]);

/** Kinds with lists of their owners. */
const listing = "'disk', 'storage_domain'";

/**
 * Changes in the current transaction of a PostgreSQL connection. Each transaction increases the row
 * of `structure` once: an update per change would leave a dead row version each time, and later
 * updates would have to scan all of them.
 */
const setting = 'vmctl.structure_changes';
const changesInTransaction = `coalesce(nullif(current_setting('${setting}', true), ''), '0')`;

/** Body of the trigger that counts a change in PostgreSQL. */
export const countInTransaction = `DECLARE changes integer := ${changesInTransaction};
  BEGIN
    IF changes = 0 THEN UPDATE vmctl.structure SET version = version + 1; END IF;
    PERFORM set_config('${setting}', CAST(changes + 1 AS text), true);
    RETURN NULL;
  END`;

const counts = 'BEGIN UPDATE structure SET version = version + 1; END';

/** Creates the triggers and the view of held permissions. They last as long as the connection. */
export function watchStructure(db: Database): void {
  db.exec(`CREATE TEMP VIEW held AS ${selectHeld(table('permission'))}`);
  keepSums(db);
  db.exec('CREATE TEMP TABLE structure (version INTEGER NOT NULL)');
  db.exec('INSERT INTO structure VALUES (1)');
  for (const [kind, columns] of deciding) {
    const on = `ON main.${table(kind)}`;
    for (const word of ['INSERT', 'DELETE']) {
      db.exec(`CREATE TEMP TRIGGER structure_${kind}_${word} AFTER ${word} ${on} ${counts}`);
    }
    if (columns.length === 0) continue;
    const other = columns.map((column) => `OLD."${column}" IS NOT NEW."${column}"`).join(' OR ');
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

/**
 * Version of the structure that determines visibility: a different text after a possible change.
 */
export function readStructureVersion(tx: Transaction): string {
  const changes = tx.traits.isRemote ? `, ${changesInTransaction} AS changes` : '';
  const row = tx.statement(`SELECT version${changes} FROM structure`).get();
  // A rolled-back change has used a number that the next change reuses.
  return `${row?.['version']}.${row?.['changes'] ?? 0}.${tx.rollbacks}`;
}
