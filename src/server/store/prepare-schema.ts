/** Preparation of a database: its tables are made, or brought up to date from older versions. */
import type { Database, Row } from './driver.ts';
import { columnsOf, columnValue, type KindName, parseDocument, storedKinds } from './kinds.ts';
import { readMeta, writeMeta } from './meta.ts';
import type { Column } from './own-column.ts';
import {
  createIndexes,
  createTable,
  fixedTables,
  schemaVersion,
  table,
  taskColumns,
} from './schema.ts';
import { schemaStamp } from './schema-stamp.ts';

/** Steps from version N to N+1, by N. */
const migrations: Readonly<Record<number, (db: Database) => void>> = {
  // Image files are noted, and times of work and tokens are those that the service has run: it
  // counts from the time of day of its first start, so that what is stored stays right.
  1: () => {},
};

/**
 * Makes the tables, or brings those of an older version up to date. Throws when the database was
 * written by a newer version, naming both versions.
 */
export function prepareSchema(db: Database): void {
  db.exec(
    'CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID',
  );
  const prepare = (sql: string) => db.prepare(sql);
  const version = Number(readMeta(prepare, 'schema_version') ?? schemaVersion);
  if (version > schemaVersion) {
    throw new Error(
      `A newer vmctl wrote the data (schema ${version}, this version supports ${schemaVersion}). Use that version, or another folder with --data.`,
    );
  }
  const stored = db.prepare('PRAGMA user_version').get()?.['user_version'];
  if (version === schemaVersion && stored === schemaStamp) return;
  for (let from = version; from < schemaVersion; from++) migrations[from]?.(db);
  db.exec(fixedTables);
  addTaskColumns(db);
  const present = presentColumns(db);
  for (const kind of storedKinds()) prepareKind(db, kind, present.get(table(kind)));
  writeMeta(prepare, 'schema_version', String(schemaVersion));
  db.exec(`PRAGMA user_version = ${schemaStamp}`);
}

function addTaskColumns(db: Database): void {
  const present = db.prepare("SELECT name FROM pragma_table_info('task')").all();
  for (const name of taskColumns) {
    if (present.some((column) => column['name'] === name)) continue;
    db.exec(`ALTER TABLE task ADD COLUMN ${name} INTEGER NOT NULL DEFAULT 0`);
  }
}

function presentColumns(db: Database): Map<string, Set<string>> {
  const columns = db.prepare(
    "SELECT m.name AS tab, c.name AS col FROM sqlite_master m JOIN pragma_table_info(m.name) c WHERE m.type = 'table' AND m.name LIKE 'o\\_%' ESCAPE '\\'",
  );
  return byTable(columns.all());
}

/** Names of columns by that of their table, out of rows with `tab` and `col`. */
export function byTable(rows: readonly Row[]): Map<string, Set<string>> {
  const tables = new Map<string, Set<string>>();
  for (const { tab, col } of rows) {
    const name = String(tab);
    const columns = tables.get(name) ?? new Set<string>();
    columns.add(String(col));
    tables.set(name, columns);
  }
  return tables;
}

function prepareKind(db: Database, kind: KindName, present: Set<string> | undefined): void {
  if (present) addColumns(db, kind, present);
  else db.exec(createTable(kind));
  for (const sql of createIndexes(kind)) db.exec(sql);
}

function addColumns(db: Database, kind: KindName, present: Set<string>): void {
  const missing = columnsOf(kind).filter((column) => !present.has(column.name));
  if (missing.length === 0) return;
  for (const column of missing) {
    db.exec(`ALTER TABLE ${table(kind)} ADD COLUMN "${column.name}" ${column.sql}`);
  }
  fillColumns(db, kind, missing);
}

/** Fills new columns from the documents that are there. */
export function fillColumns(db: Database, kind: KindName, columns: readonly Column[]): void {
  const update = db.prepare(
    `UPDATE ${table(kind)} SET ${columns.map((column) => `"${column.name}" = ?`).join(', ')} WHERE rowid = ?`,
  );
  for (const row of db.prepare(`SELECT rowid, doc FROM ${table(kind)}`).all()) {
    const object = parseDocument(String(row['doc']));
    update.run(...columns.map((column) => columnValue(object, column)), row['rowid'] ?? null);
  }
}
