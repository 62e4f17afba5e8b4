/** Values kept by triggers: sums over disks, and the version of the structure that decides visibility. */
import type { Database } from './driver.ts';
import type { KindName } from './kinds.ts';
import { heldSelect } from './permission-index.ts';
import { table } from './schema.ts';
import type { Transaction } from './transaction.ts';

/** Columns of a disk that are summed. */
export const summed = ['total_size', 'provisioned_size'] as const;

export type DiskSums = Readonly<Record<(typeof summed)[number], number>>;

const disk = table('disk');
const isOn = "kind = 'disk' AND attribute = 'storage_domains'";

/** Begins to keep the sums that are asked for; for the life of the connection. */
function keepSums(db: Database): void {
  const columns = summed.map((column) => `${column} REAL NOT NULL`).join(', ');
  db.exec(`CREATE TEMP TABLE disk_sums (id TEXT PRIMARY KEY, ${columns}) WITHOUT ROWID`);
  const change = (sign: '+' | '-', value: (column: string) => string) =>
    summed
      .map((column) => `${column} = ${column} ${sign} coalesce(${value(column)}, 0)`)
      .join(', ');
  const domainsOf = (row: string) =>
    `id IN (SELECT target FROM main.reference WHERE ${isOn} AND id = ${row}.id)`;
  const ofRow = (row: string) => (column: string) => `${row}.${column}`;
  const ofDisk = (row: string) => (column: string) =>
    `(SELECT ${column} FROM main.${disk} WHERE id = ${row}.id)`;
  const triggers = {
    disk_INSERT: `AFTER INSERT ON main.${disk} BEGIN UPDATE disk_sums SET ${change('+', ofRow('NEW'))} WHERE ${domainsOf('NEW')}; END`,
    disk_DELETE: `AFTER DELETE ON main.${disk} BEGIN UPDATE disk_sums SET ${change('-', ofRow('OLD'))} WHERE ${domainsOf('OLD')}; END`,
    disk_UPDATE: `AFTER UPDATE ON main.${disk} WHEN ${summed.map((column) => `OLD.${column} IS NOT NEW.${column}`).join(' OR ')} BEGIN UPDATE disk_sums SET ${change('-', ofRow('OLD'))} WHERE ${domainsOf('OLD')}; UPDATE disk_sums SET ${change('+', ofRow('NEW'))} WHERE ${domainsOf('NEW')}; END`,
    reference_INSERT: `AFTER INSERT ON main.reference WHEN NEW.${isOn.replace(' AND ', ' AND NEW.')} BEGIN UPDATE disk_sums SET ${change('+', ofDisk('NEW'))} WHERE id = NEW.target; END`,
    reference_DELETE: `AFTER DELETE ON main.reference WHEN OLD.${isOn.replace(' AND ', ' AND OLD.')} BEGIN UPDATE disk_sums SET ${change('-', ofDisk('OLD'))} WHERE id = OLD.target; END`,
  };
  for (const [name, body] of Object.entries(triggers)) {
    db.exec(`CREATE TEMP TRIGGER sums_${name} ${body}`);
  }
}

/** Bytes of all disks on a storage domain. */
export function diskSums(tx: Transaction, domain: string): DiskSums {
  const columns = summed.join(', ');
  const stored = tx.statement(`SELECT ${columns} FROM disk_sums WHERE id = ?`);
  const found = stored.get(domain);
  // A view that another process computes has no row for a domain without disks.
  if (found || tx.traits.isRemote) return sumsIn(found ?? {});
  const sums = summed.map((column) => `total(d.${column})`).join(', ');
  tx.statement(
    `INSERT INTO temp.disk_sums SELECT ?, ${sums} FROM main.reference r CROSS JOIN main.${disk} d ON d.id = r.id WHERE r.target = ? AND r.kind = 'disk' AND r.attribute = 'storage_domains'`,
  ).run(domain, domain);
  return sumsIn(stored.get(domain) ?? {});
}

function sumsIn(row: Readonly<Record<string, unknown>>): DiskSums {
  return {
    total_size: Number(row['total_size'] ?? 0),
    provisioned_size: Number(row['provisioned_size'] ?? 0),
  };
}

/** By kind: the columns that say what an object belongs to, or who is who. */
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

/** Kinds that list what they belong to. */
const listing = "'disk', 'storage_domain'";

/**
 * Changes in the transaction of a connection to PostgreSQL. The row of `structure` rises once in each: with
 * every change it would leave a version behind, and the next one would have to pass over all of them.
 */
const setting = 'vmctl.structure_changes';
const changesInTransaction = `coalesce(nullif(current_setting('${setting}', true), ''), '0')`;

/** Body of the trigger that counts a change there. */
export const countInTransaction = `DECLARE changes integer := ${changesInTransaction};
  BEGIN
    IF changes = 0 THEN UPDATE vmctl.structure SET version = version + 1; END IF;
    PERFORM set_config('${setting}', CAST(changes + 1 AS text), true);
    RETURN NULL;
  END`;

const counts = 'BEGIN UPDATE structure SET version = version + 1; END';

/** Begins to count and to keep sums, and shows who holds what; for the life of the connection. */
export function watchStructure(db: Database): void {
  db.exec(`CREATE TEMP VIEW held AS ${heldSelect(table('permission'))}`);
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

/** Names a state of what decides who sees what: another text where it may have changed. */
export function structureVersion(tx: Transaction): string {
  const changes = tx.traits.isRemote ? `, ${changesInTransaction} AS changes` : '';
  const row = tx.statement(`SELECT version${changes} FROM structure`).get();
  // What came to nothing has been counted as well, and another change gets its number.
  return `${row?.['version']}.${row?.['changes'] ?? 0}.${tx.rollbacks}`;
}
