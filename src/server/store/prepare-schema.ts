/** Creation of the database tables, and migration from older versions. */
import type { Database, Row } from './driver.ts';
import { getStoredValue, type KindName, listColumns, parseDocument, storedKinds } from './kinds.ts';
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

/** Migrations from version N to N+1, by N. */
const migrations: Readonly<Record<number, (db: Database) => void>> = {
  // Version 2 records image files, and replaces times of work and tokens with service time. Service
  // time starts at the time of day of its first start, so stored times stay valid.
  1: () => {},
};

/** Creates or migrates the tables. Throws for a database of a newer version, with both versions. */
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
  return groupByTable(columns.all());
}

/** Column names by table, from rows with `tab` and `col`. */
export function groupByTable(rows: readonly Row[]): Map<string, Set<string>> {
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
  const missing = listColumns(kind).filter((column) => !present.has(column.name));
  if (missing.length === 0) return;
  for (const column of missing) {
    db.exec(`ALTER TABLE ${table(kind)} ADD COLUMN "${column.name}" ${column.sql}`);
  }
  fillColumns(db, kind, missing);
}

/** Fills new columns from the stored documents. */
export function fillColumns(db: Database, kind: KindName, columns: readonly Column[]): void {
  const update = db.prepare(
    `UPDATE ${table(kind)} SET ${columns.map((column) => `"${column.name}" = ?`).join(', ')} WHERE rowid = ?`,
  );
  for (const row of db.prepare(`SELECT rowid, doc FROM ${table(kind)}`).all()) {
    const object = parseDocument(String(row['doc']));
    update.run(...columns.map((column) => getStoredValue(object, column)), row['rowid'] ?? null);
  }
}
