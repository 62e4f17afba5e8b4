/** Tables of the database, and their migration from older versions. */
import { createHash } from 'node:crypto';
import type { Database, Row } from './driver.ts';
import {
  type Column,
  columnsOf,
  columnValue,
  type KindName,
  parseDocument,
  storedKinds,
} from './kinds.ts';
import { readMeta, writeMeta } from './meta.ts';
import { heldIndexes } from './permission-index.ts';

/** Raised when the meaning of what is stored changes; each step is a migration below. */
export const schemaVersion = 2;

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
      `The data was written by a newer vmctl (schema ${version}, this one knows ${schemaVersion}). Use that version, or another folder with --data.`,
    );
  }
  const stamp = stampOf();
  const stored = db.prepare('PRAGMA user_version').get()?.['user_version'];
  if (version === schemaVersion && stored === stamp) return;
  for (let from = version; from < schemaVersion; from++) migrations[from]?.(db);
  db.exec(fixedTables);
  const present = presentColumns(db);
  for (const kind of storedKinds()) prepareKind(db, kind, present.get(table(kind)));
  writeMeta(prepare, 'schema_version', String(schemaVersion));
  db.exec(`PRAGMA user_version = ${stamp}`);
}

/** A number that stands for all tables, columns and indexes of this version: databases have it that have these. */
function stampOf(): number {
  const statements = storedKinds().map((kind) => [createTable(kind), ...createIndexes(kind)]);
  const text = JSON.stringify([schemaVersion, fixedTables, statements]);
  return createHash('sha256').update(text).digest().readInt32BE();
}

/** Table of a kind. */
export function table(kind: KindName): string {
  return `o_${kind}`;
}

const fixedTables = `
  CREATE TABLE IF NOT EXISTS reference (
    kind TEXT NOT NULL, id TEXT NOT NULL, attribute TEXT NOT NULL, target TEXT NOT NULL,
    PRIMARY KEY (target, kind, attribute, id)) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS reference_source ON reference (kind, id);
  CREATE TABLE IF NOT EXISTS task (
    seq INTEGER PRIMARY KEY AUTOINCREMENT, due INTEGER NOT NULL, name TEXT NOT NULL,
    target TEXT NOT NULL, data TEXT NOT NULL);
  CREATE INDEX IF NOT EXISTS task_due ON task (due, seq);
  CREATE INDEX IF NOT EXISTS task_target ON task (target);
  CREATE INDEX IF NOT EXISTS task_job ON task (json_extract(data, '$.job'));
  CREATE TABLE IF NOT EXISTS token (
    hash TEXT PRIMARY KEY, user TEXT NOT NULL, scope TEXT NOT NULL,
    expires INTEGER NOT NULL) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS password (
    user TEXT PRIMARY KEY, salt TEXT NOT NULL, hash TEXT NOT NULL) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS cookie_session (
    hash TEXT PRIMARY KEY, user TEXT NOT NULL, idle INTEGER NOT NULL, token TEXT,
    used INTEGER NOT NULL, ended INTEGER NOT NULL) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS cookie_session_token ON cookie_session (token);
  CREATE TABLE IF NOT EXISTS sign_in_count (
    subject TEXT PRIMARY KEY, scope TEXT NOT NULL, failures INTEGER NOT NULL, last INTEGER NOT NULL,
    until INTEGER NOT NULL, good INTEGER NOT NULL) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS sign_in_count_until ON sign_in_count (until);
  CREATE TABLE IF NOT EXISTS fault_rule (
    number INTEGER PRIMARY KEY, rule TEXT NOT NULL, remaining INTEGER);
  CREATE TABLE IF NOT EXISTS image_file (
    id TEXT PRIMARY KEY, length INTEGER NOT NULL, written INTEGER NOT NULL,
    lost INTEGER NOT NULL) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS idempotency_key (
    key TEXT PRIMARY KEY, request TEXT NOT NULL, answer TEXT NOT NULL,
    expires INTEGER NOT NULL) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS idempotency_key_expires ON idempotency_key (expires);
  CREATE TABLE IF NOT EXISTS server (
    id TEXT PRIMARY KEY, images TEXT NOT NULL, seen INTEGER NOT NULL) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS counter (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
`;

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
  if (!present) {
    db.exec(createTable(kind));
    return;
  }
  const missing = columnsOf(kind).filter((column) => !present.has(column.name));
  if (missing.length > 0) {
    for (const column of missing) {
      db.exec(`ALTER TABLE ${table(kind)} ADD COLUMN "${column.name}" ${column.sql}`);
    }
    fillColumns(db, kind, missing);
  }
  if (hasIndexes(db, kind)) for (const sql of createIndexes(kind)) db.exec(sql);
  else indexIfLong(db, kind);
}

function createTable(kind: KindName): string {
  const columns = columnsOf(kind).map(({ name, sql }) => `, "${name}" ${sql}`);
  return `CREATE TABLE ${table(kind)} (collection TEXT NOT NULL, id TEXT NOT NULL, name TEXT COLLATE NOCASE, doc TEXT NOT NULL${columns.join('')}, PRIMARY KEY (id, collection))`;
}

/**
 * Objects from which on a kind has indexes. To look at fewer takes no longer than to go through an index,
 * most kinds never have more, and to make so many indexes would be the longest part of a first start.
 */
export const enoughForIndexes = 16;

/** Makes the indexes of the kinds that have many objects and no indexes yet. */
export function indexLongTables(db: Database): void {
  for (const kind of storedKinds()) if (!hasIndexes(db, kind)) indexIfLong(db, kind);
}

function indexIfLong(db: Database, kind: KindName): void {
  if (lastRow(db, kind) < enoughForIndexes) return;
  for (const sql of createIndexes(kind)) db.exec(sql);
}

/** The greatest number of a row of a kind; 0 where there never was one. */
export function lastRow(db: Database, kind: KindName): number {
  const row = db.prepare(`SELECT max(rowid) AS last FROM ${table(kind)}`).get();
  return Number(row?.['last'] ?? 0);
}

/** Whether a kind has its indexes. */
export function hasIndexes(db: Database, kind: KindName): boolean {
  const found = db.prepare("SELECT 1 FROM sqlite_master WHERE type = 'index' AND name = ?");
  return found.get(mainIndex(kind)) !== undefined;
}

/** The index that a kind has where it has any. */
function mainIndex(kind: KindName): string {
  return `${table(kind)}_collection`;
}

/** What long lists are ordered by unless somebody asks for another order, where it is not the name. */
export const orders: ReadonlyMap<KindName, readonly string[]> = new Map([
  ['disk', ['alias', 'id']],
  ['event', ['index']],
]);

/** Columns that are looked up by others without a look at the object: who sees what follows them. */
export const ways: ReadonlyMap<KindName, readonly string[]> = new Map([
  ['vm', ['id', 'cluster_id', 'vm_pool_id']],
  ['disk_attachment', ['vm_id', 'disk_id']],
]);

/** Statements that make the indexes of a kind, where they are missing. */
export function createIndexes(kind: KindName): string[] {
  const name = table(kind);
  return [...indexesOf(kind)].map(
    ([index, on]) => `CREATE INDEX IF NOT EXISTS "${index}" ON ${name} ${on}`,
  );
}

/** Statements that take the indexes of a kind away. */
export function dropIndexes(kind: KindName): string[] {
  return [...indexesOf(kind).keys()].map((index) => `DROP INDEX IF EXISTS "${index}"`);
}

/** What each index of a kind is on, by the name of the index. */
function indexesOf(kind: KindName): Map<string, string> {
  const name = table(kind);
  const order = orders.get(kind);
  const way = ways.get(kind);
  const quoted = (columns: readonly string[]) => columns.map((column) => `"${column}"`).join(', ');
  return new Map([
    [mainIndex(kind), '(collection, name)'],
    [`${name}_name`, '(name)'],
    ...(order ? [[`${name}_order`, `(${quoted(order)})`] as const] : []),
    ...(way ? [[`${name}_way`, `(${quoted(way)})`] as const] : []),
    ...(kind === 'permission' ? heldIndexes(name) : []),
    ...columnsOf(kind).map(
      ({ name: column }) =>
        [`${name}__${column}`, `("${column}") WHERE "${column}" IS NOT NULL`] as const,
    ),
  ]);
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
