/** Copy and comparison of all tables of two databases. */
import type { Database, Row, SqlValue } from './driver.ts';
import { listColumns, storedKinds } from './kinds.ts';
import type { Column } from './own-column.ts';
import { table, taskColumns } from './schema.ts';

/** Rows per statement. */
const batch = 500;

interface TableColumn {
  readonly name: string;
  readonly type: 'TEXT' | 'BIGINT' | 'DOUBLE PRECISION';
}

interface StoredTable {
  readonly name: string;
  /** Columns that identify rows and determine their order. */
  readonly key: readonly string[];
  readonly columns: readonly TableColumn[];
  /** Column with numbers that the database generates. */
  readonly numbered?: 'rowid' | 'seq';
}

const text = (...names: string[]): TableColumn[] => names.map((name) => ({ name, type: 'TEXT' }));
const integer = (...names: string[]): TableColumn[] =>
  names.map((name) => ({ name, type: 'BIGINT' }));

const types: Readonly<Record<Column['sql'], TableColumn['type']>> = {
  'TEXT COLLATE NOCASE': 'TEXT',
  TEXT: 'TEXT',
  INTEGER: 'BIGINT',
  REAL: 'DOUBLE PRECISION',
};

/**
 * All persistent tables. Rows keep their numbers and therefore their order. Excludes transient
 * tables: cookie sessions, counts of failed sign-ins, and fault rules.
 */
function storedTables(): StoredTable[] {
  const kinds = storedKinds().map(
    (kind): StoredTable => ({
      name: table(kind),
      key: ['rowid'],
      columns: [
        ...integer('rowid'),
        ...text('collection', 'id', 'name', 'doc'),
        ...listColumns(kind).map(({ name, sql }) => ({ name, type: types[sql] })),
      ],
      numbered: 'rowid',
    }),
  );
  return [
    { name: 'meta', key: ['key'], columns: text('key', 'value') },
    { name: 'counter', key: ['name'], columns: [...text('name'), ...integer('value')] },
    {
      name: 'task',
      key: ['seq'],
      columns: [...integer('seq', 'due', ...taskColumns), ...text('name', 'target', 'data')],
      numbered: 'seq',
    },
    {
      name: 'token',
      key: ['hash'],
      columns: [...text('hash', 'user', 'scope'), ...integer('expires')],
    },
    { name: 'password', key: ['user'], columns: text('user', 'salt', 'hash') },
    {
      name: 'image_file',
      key: ['id'],
      columns: [...text('id'), ...integer('length', 'written', 'lost')],
    },
    {
      name: 'idempotency_key',
      key: ['key'],
      columns: [...text('key', 'request', 'answer'), ...integer('expires')],
    },
    {
      name: 'reference',
      key: ['target', 'kind', 'attribute', 'id'],
      columns: text('target', 'kind', 'attribute', 'id'),
    },
    ...kinds,
  ];
}

/** Number of copied tables and rows. */
export interface CopiedRows {
  readonly tables: number;
  readonly rows: number;
}

/** Whether a database contains no site: its tables are empty except for the schema version. */
export function isEmptySite(db: Database): boolean {
  const row = db.prepare("SELECT count(*) AS n FROM meta WHERE key <> 'schema_version'").get();
  return Number(row?.['n']) === 0;
}

/**
 * Copies all rows into the empty tables of another database, in one transaction of the target.
 * Neither database may change during the copy. PostgreSQL refuses texts with a NUL character.
 */
export function copyTables(from: Database, to: Database): CopiedRows {
  const tables = storedTables();
  let count = 0;
  to.exec('BEGIN');
  try {
    for (const one of tables) {
      const columns = one.columns.map(({ name }) => `"${name}"`).join(', ');
      const values = one.columns
        .map(({ type }, index) => `CAST(json_extract(value, '$[${index}]') AS ${type})`)
        .join(', ');
      const insert = to.prepare(
        `INSERT INTO ${one.name} (${columns}) SELECT ${values} FROM json_each(?) ORDER BY key${onConflict(one)}`,
      );
      for (const rows of readBatches(from, one)) {
        // Numbers are sent as text, which preserves every digit.
        const sent = rows.map((row) => one.columns.map(({ name }) => toText(row[name])));
        insert.run(JSON.stringify(sent));
        count += rows.length;
      }
      if (one.numbered) to.continueNumbers(one.name, one.numbered);
    }
    to.exec('COMMIT');
  } catch (error) {
    to.exec('ROLLBACK');
    throw error;
  }
  return { tables: tables.length, rows: count };
}

/** Both databases already contain their schema version. */
function onConflict({ name }: StoredTable): string {
  return name === 'meta' ? ' ON CONFLICT (key) DO UPDATE SET value = excluded.value' : '';
}

/** Describes the first difference between the tables of two databases; undefined without any. */
export function findDifference(one: Database, other: Database): string | undefined {
  for (const stored of storedTables()) {
    const others = readBatches(other, stored);
    for (const rows of readBatches(one, stored)) {
      const same = others.next();
      const opposite = same.done ? [] : same.value;
      for (const [index, row] of rows.entries()) {
        const different = stored.columns.find(
          ({ name }) => toText(row[name]) !== toText(opposite[index]?.[name]),
        );
        if (different) {
          const key = stored.key.map((name) => toText(row[name])).join(' ');
          return `${stored.name} ${key}: ${different.name}`;
        }
      }
      if (opposite.length > rows.length) return `${stored.name}: more rows than expected`;
    }
    if (!others.next().done) return `${stored.name}: more rows than expected`;
  }
  return undefined;
}

/** The rows of a table in batches, in the order of its key. */
function* readBatches(
  db: Database,
  { name, key, columns }: StoredTable,
): Generator<Row[], undefined> {
  const keys = key.map((column) => `"${column}"`).join(', ');
  const selected = columns.map((column) => `"${column.name}"`).join(', ');
  const first = db.prepare(`SELECT ${selected} FROM ${name} ORDER BY ${keys} LIMIT ${batch}`);
  const next = db.prepare(
    `SELECT ${selected} FROM ${name} WHERE (${keys}) > (${key.map(() => '?').join(', ')}) ORDER BY ${keys} LIMIT ${batch}`,
  );
  for (let rows = first.all(); rows.length > 0; ) {
    yield rows;
    const last = rows.at(-1);
    if (rows.length < batch) return;
    rows = next.all(...key.map((column) => last?.[column] ?? null));
  }
}

function toText(value: SqlValue | undefined): string | null {
  return value === null || value === undefined ? null : String(value);
}
