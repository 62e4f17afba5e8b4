/** Metadata of a database by name: schema version, site, service time. */
import type { Statement } from './driver.ts';

/** Prepares a statement, cached for databases that stay open. */
type Prepare = (sql: string) => Statement;

/** The value of a name; undefined without one. */
export function readMeta(prepare: Prepare, key: string): string | undefined {
  const row = prepare('SELECT value FROM meta WHERE key = ?').get(key);
  return row && String(row['value']);
}

/** Stores the value of a name and replaces an earlier one. */
export function writeMeta(prepare: Prepare, key: string, value: string): void {
  prepare(
    'INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value',
  ).run(key, value);
}
