/**
 * Sums over the disks on a storage domain: worked out when they are first asked for, and kept up to
 * date with every change of a disk, so that nobody adds up 100,000 disks for each new one.
 */
import type { Database } from './driver.ts';
import { table } from './schema.ts';
import type { Transaction } from './transaction.ts';

/** Columns of a disk that are summed. */
const summed = ['total_size', 'provisioned_size'] as const;

export type DiskSums = Readonly<Record<(typeof summed)[number], number>>;

const disk = table('disk');
const isOn = "kind = 'disk' AND attribute = 'storage_domains'";

/** Begins to keep the sums that are asked for; for the life of the connection. */
export function keepSums(db: Database): void {
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
  const kept = tx.statement(`SELECT ${columns} FROM temp.disk_sums WHERE id = ?`);
  const found = kept.get(domain);
  if (found) return sumsIn(found);
  const sums = summed.map((column) => `total(d.${column})`).join(', ');
  tx.statement(
    `INSERT INTO temp.disk_sums SELECT ?, ${sums} FROM main.reference r CROSS JOIN main.${disk} d ON d.id = r.id WHERE r.target = ? AND r.kind = 'disk' AND r.attribute = 'storage_domains'`,
  ).run(domain, domain);
  return sumsIn(kept.get(domain) ?? {});
}

function sumsIn(row: Readonly<Record<string, unknown>>): DiskSums {
  return {
    total_size: Number(row['total_size'] ?? 0),
    provisioned_size: Number(row['provisioned_size'] ?? 0),
  };
}
