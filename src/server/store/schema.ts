/** Tables and indexes of the database, as SQLite statements. */
import { type KindName, listColumns } from './kinds.ts';
import { listHeldIndexes } from './permission-index.ts';

/**
 * Increases when the meaning of stored data changes. Each step has a migration in
 * `prepare-schema.ts`.
 */
export const schemaVersion = 2;

/** Table of a kind. */
export function table(kind: KindName): string {
  return `o_${kind}`;
}

/** Columns of the task table that older versions of vmctl lack. */
export const taskColumns = ['attempts', 'lasting'] as const;

const taskCounts = taskColumns.map((name) => `${name} INTEGER NOT NULL DEFAULT 0`).join(', ');

/** Statements that create the missing tables of data other than objects. */
export const fixedTables = `
  CREATE TABLE IF NOT EXISTS reference (
    kind TEXT NOT NULL, id TEXT NOT NULL, attribute TEXT NOT NULL, target TEXT NOT NULL,
    PRIMARY KEY (target, kind, attribute, id)) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS reference_source ON reference (kind, id);
  CREATE TABLE IF NOT EXISTS task (
    seq INTEGER PRIMARY KEY AUTOINCREMENT, due INTEGER NOT NULL, name TEXT NOT NULL,
    target TEXT NOT NULL, data TEXT NOT NULL, ${taskCounts});
  CREATE INDEX IF NOT EXISTS task_due ON task (due, seq);
  CREATE INDEX IF NOT EXISTS task_target ON task (target);
  CREATE INDEX IF NOT EXISTS task_job ON task (json_extract(data, '$.job'));
  CREATE TABLE IF NOT EXISTS token (
    hash TEXT PRIMARY KEY, user TEXT NOT NULL, scope TEXT NOT NULL,
    expires INTEGER NOT NULL) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS token_user ON token (user, expires);
  CREATE TABLE IF NOT EXISTS password (
    user TEXT PRIMARY KEY, salt TEXT NOT NULL, hash TEXT NOT NULL) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS cookie_session (
    hash TEXT PRIMARY KEY, user TEXT NOT NULL, idle INTEGER NOT NULL, token TEXT,
    used INTEGER NOT NULL, ended INTEGER NOT NULL) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS cookie_session_token ON cookie_session (token);
  CREATE INDEX IF NOT EXISTS cookie_session_user ON cookie_session (user, ended, used);
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
  CREATE TABLE IF NOT EXISTS counter (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
`;

/** The statement that creates the table of a kind. */
export function createTable(kind: KindName): string {
  const columns = listColumns(kind).map(({ name, sql }) => `, "${name}" ${sql}`);
  return `CREATE TABLE ${table(kind)} (collection TEXT NOT NULL, id TEXT NOT NULL, name TEXT COLLATE NOCASE, doc TEXT NOT NULL${columns.join('')}, PRIMARY KEY (id, collection))`;
}

/** The main index of a kind. */
function mainIndex(kind: KindName): string {
  return `${table(kind)}_collection`;
}

/** Default order of long lists, if it is not the name. */
export const orders: ReadonlyMap<KindName, readonly string[]> = new Map([
  ['disk', ['alias', 'id']],
  ['event', ['index']],
]);

/** Columns that visibility follows without reading the object. */
export const visibilityColumns: ReadonlyMap<KindName, readonly string[]> = new Map([
  ['vm', ['id', 'cluster_id', 'vm_pool_id']],
  ['disk_attachment', ['vm_id', 'disk_id']],
]);

/** Columns summed by the first of them: a covering index for the sums. */
const summed: ReadonlyMap<KindName, readonly string[]> = new Map([
  [
    'vm',
    [
      ...['host_id', 'memory'],
      ...['cpu_topology_sockets', 'cpu_topology_cores', 'cpu_topology_threads'],
    ],
  ],
]);

/** Statements that create the missing indexes of a kind. */
export function createIndexes(kind: KindName): string[] {
  const name = table(kind);
  return [...defineIndexes(kind)].map(
    ([index, on]) => `CREATE INDEX IF NOT EXISTS "${index}" ON ${name} ${on}`,
  );
}

/** Statements that drop the indexes of a kind. */
export function dropIndexes(kind: KindName): string[] {
  return [...defineIndexes(kind).keys()].map((index) => `DROP INDEX IF EXISTS "${index}"`);
}

/** Indexed columns of a kind, by index name. */
function defineIndexes(kind: KindName): Map<string, string> {
  const name = table(kind);
  const order = orders.get(kind);
  const way = visibilityColumns.get(kind);
  const sums = summed.get(kind);
  const quoted = (columns: readonly string[]) => columns.map((column) => `"${column}"`).join(', ');
  return new Map([
    [mainIndex(kind), '(collection, name)'],
    [`${name}_name`, '(name)'],
    ...(order ? [[`${name}_order`, `(${quoted(order)})`] as const] : []),
    ...(way ? [[`${name}_way`, `(${quoted(way)})`] as const] : []),
    ...(sums
      ? [[`${name}_sums`, `(${quoted(sums)}) WHERE "${sums[0]}" IS NOT NULL`] as const]
      : []),
    ...(kind === 'permission' ? listHeldIndexes(name) : []),
    ...listColumns(kind).map(
      ({ name: column }) =>
        [`${name}__${column}`, `("${column}") WHERE "${column}" IS NOT NULL`] as const,
    ),
  ]);
}
