/** Values that a database holds about itself, by name: its schema, the site, the time that it has run. */
import type { Statement } from './driver.ts';

/** How statements are prepared: once per database where it is open for long. */
type Prepare = (sql: string) => Statement;

/** The value with a name; undefined where there is none. */
export function readMeta(prepare: Prepare, key: string): string | undefined {
  const row = prepare('SELECT value FROM meta WHERE key = ?').get(key);
  return row && String(row['value']);
}

/** Stores a value, instead of the one that the name had before. */
export function writeMeta(prepare: Prepare, key: string, value: string): void {
  prepare(
    'INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value',
  ).run(key, value);
}
