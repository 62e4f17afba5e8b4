/** Temporary tables of ids that a search selects. */
import {
  collectTables,
  compose,
  joined,
  type SqlCondition,
  type SqlTable,
  withTables,
  withTablesForPiece,
} from './conditions.ts';
import type { Row } from './driver.ts';
import { type KindName, readJson } from './kinds.ts';
import { explainStatement } from './query-plan.ts';
import { table } from './schema.ts';
import { Pace, type Slices } from './slices.ts';
import type { Transaction } from './transaction.ts';

/** Whether a held permission meets a condition on the view `held`. */
export function isHeld(tx: Transaction, condition: SqlCondition): boolean {
  return row(tx, compose`SELECT 1 FROM held WHERE ${condition} LIMIT 1`) !== undefined;
}

/** Creates a test whether the object with an id exists and meets a condition. */
export function createTest(
  tx: Transaction,
  kind: KindName,
  condition: SqlCondition,
): (id: string) => boolean {
  const { sql, values } = withTables(condition);
  const one = `${sql}SELECT 1 FROM ${table(kind)} WHERE id = ? AND (${condition.sql}) LIMIT 1`;
  return (id) => tx.statement(one).get(...values, id, ...condition.values) !== undefined;
}

/** The selected ids as a JSON array. */
export function selectIds(tx: Transaction, select: SqlCondition): string {
  const some = compose`SELECT DISTINCT id FROM (${select}) AS selected WHERE id IS NOT NULL`;
  return String(
    row(tx, compose`SELECT json_group_array(id) AS ids FROM (${some}) AS ids_of_it`)?.['ids'],
  );
}

/** Names of the conditions that select any row. */
export function listNonEmpty(
  tx: Transaction,
  conditions: ReadonlyMap<string, SqlCondition>,
): Set<string> {
  const all = [...conditions];
  const parts = all.map(([, select], index) => compose`EXISTS (${select}) AS c${String(index)}`);
  const found = row(tx, compose`SELECT ${joined(parts, ', ', 'TRUE')}`);
  return new Set(all.flatMap(([name], index) => (found?.[`c${index}`] ? [name] : [])));
}

/** The first row of a statement. */
function row(tx: Transaction, statement: SqlCondition): Row | undefined {
  const head = withTables(statement);
  return tx.statement(head.sql + statement.sql).get(...head.values, ...statement.values);
}

/** Numbers of the table names in use by concurrent searches. */
const taken = new Set<number>();

/** Table names of one search, released at its end. */
export interface TableNames {
  readonly next: () => string;
  /** Empties the tables and releases their names. */
  readonly release: (tx: Transaction) => void;
}

export function leaseNames(): TableNames {
  let slot = 1;
  while (taken.has(slot)) slot += 1;
  taken.add(slot);
  let count = 0;
  return {
    next() {
      count += 1;
      return `selected_${slot}_${count}`;
    },
    release(tx) {
      taken.delete(slot);
      for (let number = 1; number <= count; number++) {
        const name = `selected_${slot}_${number}`;
        if (existing.get(tx)?.has(name)) tx.statement(`DELETE FROM ${name}`).run();
      }
    },
  };
}

/** Names of existing tables, by store. */
const existing = new WeakMap<Transaction, Set<string>>();

/**
 * Fills tables that are selected from kinds too large for one statement, in slices. Each object is
 * read once, in its state at that time. Returns the names of these tables.
 */
export function* stageTables(
  tx: Transaction,
  tables: readonly SqlTable[],
  isLarge: (table: SqlTable) => boolean,
): Slices<Set<string>> {
  const made = new Set<string>();
  for (const one of tables) {
    const { name, select, from } = one;
    if (from === undefined || !isLarge(one)) continue;
    create(tx, name);
    const few = findFew(tx, one, from, made);
    if (few) {
      yield* fillFrom(tx, one, from, made, few);
      made.add(name);
      continue;
    }
    const last = tx.rows(from);
    const pace = new Pace(64);
    for (let at = 0; at < last; ) {
      at = pace.slice((size) => {
        const until = at + size;
        const bounds = `${table(from)}.rowid > ? AND ${table(from)}.rowid <= ?`;
        const some = { sql: bounds, values: [at, until] };
        const head = withTablesForPiece([select], { made, kind: from, some });
        tx.statement(
          `INSERT OR IGNORE INTO temp.${name} ${head.sql}${selectInOrder(select, from)} AND ${bounds}`,
        ).run(...head.values, ...select.values, at, until);
        return until;
      });
      yield;
    }
    made.add(name);
  }
  return made;
}

/** The select in row order, without an index. */
function selectInOrder({ sql }: SqlCondition, from: KindName): string {
  const name = table(from);
  return sql.replace(`FROM ${name} WHERE`, `FROM ${name} NOT INDEXED WHERE`);
}

/** Maximum number of objects that are read individually after an index has found them. */
const maxFound = 5_000;

/** Rows of the selected objects, if an index finds them and they are few. */
function findFew(
  tx: Transaction,
  { select, unseen }: SqlTable,
  kind: KindName,
  made: ReadonlySet<string>,
): number[] | undefined {
  if (collectTables([select]).some(({ ofSome }) => ofSome !== undefined)) return undefined;
  // Visibility is tested only after they are known to be few.
  const plain = unseen ?? select;
  const head = withTablesForPiece([plain], { made, kind, some: { sql: 'TRUE', values: [] } });
  const rows = `SELECT ${table(kind)}.rowid AS row${plain.sql.slice(plain.sql.indexOf(` FROM ${table(kind)} WHERE`))}`;
  const found = `${head.sql}SELECT json_group_array(row) AS rows FROM (${rows} LIMIT ${maxFound + 1})`;
  if (explainStatement(tx, found).searched !== table(kind)) return undefined;
  const row = tx.statement(found).get(...head.values, ...plain.values);
  const few = readJson<number[]>(String(row?.['rows']));
  return few.length > maxFound ? undefined : few;
}

/** Fills a table from known rows, in slices. */
function* fillFrom(
  tx: Transaction,
  { name, select }: SqlTable,
  kind: KindName,
  made: ReadonlySet<string>,
  rows: readonly number[],
): Slices<void> {
  const listed = `${table(kind)}.rowid IN (SELECT value FROM json_each(?))`;
  const pace = new Pace(64);
  for (let at = 0; at < rows.length; ) {
    at = pace.slice((size) => {
      const json = JSON.stringify(rows.slice(at, at + size));
      const head = withTablesForPiece([select], {
        made,
        kind,
        some: { sql: listed, values: [json] },
      });
      tx.statement(
        `INSERT OR IGNORE INTO temp.${name} ${head.sql}${selectInOrder(select, kind)} AND ${listed}`,
      ).run(...head.values, ...select.values, json);
      return at + size;
    });
    yield;
  }
}

function create(tx: Transaction, name: string): void {
  let names = existing.get(tx);
  if (!names) {
    names = new Set();
    existing.set(tx, names);
  }
  if (names.has(name)) return;
  tx.statement(`CREATE TEMP TABLE IF NOT EXISTS ${name} (id TEXT PRIMARY KEY) WITHOUT ROWID`).run();
  names.add(name);
}
