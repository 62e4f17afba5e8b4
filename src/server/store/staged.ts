/** Temporary tables of ids that a search selects. */
import {
  compose,
  heading,
  headingOfPiece,
  joined,
  type SqlCondition,
  type SqlTable,
  tablesOf,
} from './conditions.ts';
import type { Row } from './driver.ts';
import { type KindName, readJson } from './kinds.ts';
import { planOf } from './query-plan.ts';
import { table } from './schema.ts';
import { Pace, type Slices } from './slices.ts';
import type { Transaction } from './transaction.ts';

/** Whether a permission that is held meets a condition on the view `held`. */
export function isHeld(tx: Transaction, condition: SqlCondition): boolean {
  return row(tx, compose`SELECT 1 FROM held WHERE ${condition} LIMIT 1`) !== undefined;
}

/** A test whether the object of a kind with an id is there and meets a condition. */
export function testOf(
  tx: Transaction,
  kind: KindName,
  condition: SqlCondition,
): (id: string) => boolean {
  const { sql, values } = heading(condition);
  const one = `${sql}SELECT 1 FROM ${table(kind)} WHERE id = ? AND (${condition.sql}) LIMIT 1`;
  return (id) => tx.statement(one).get(...values, id, ...condition.values) !== undefined;
}

/** The ids that a statement selects, as a JSON array. */
export function idsOf(tx: Transaction, select: SqlCondition): string {
  const some = compose`SELECT DISTINCT id FROM (${select}) AS selected WHERE id IS NOT NULL`;
  return String(
    row(tx, compose`SELECT json_group_array(id) AS ids FROM (${some}) AS ids_of_it`)?.['ids'],
  );
}

/** Names of those conditions that hold for anything at all. */
export function whichHold(
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
  const head = heading(statement);
  return tx.statement(head.sql + statement.sql).get(...head.values, ...statement.values);
}

/** Searches that run at the same time have tables of different names. */
const taken = new Set<number>();

/** Names for the tables of one search; to be given back when it has ended. */
export interface TableNames {
  readonly next: () => string;
  /** Empties what was made, and lets others use the names. */
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

/** Names of tables that are there, by the store. */
const existing = new WeakMap<Transaction, Set<string>>();

/**
 * Fills the tables that are selected from kinds with more rows than is looked at in one go. Each
 * object is looked at once, as it is when its turn comes. Returns the names of these tables.
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
    const few = fewOf(tx, one, from, made);
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
        const head = headingOfPiece([select], { made, kind: from, some });
        tx.statement(
          `INSERT OR IGNORE INTO temp.${name} ${head.sql}${selectOf(select, from)} AND ${bounds}`,
        ).run(...head.values, ...select.values, at, until);
        return until;
      });
      yield;
    }
    made.add(name);
  }
  return made;
}

/** What is selected, in the order of rows: no index is taken. */
function selectOf({ sql }: SqlCondition, from: KindName): string {
  const name = table(from);
  return sql.replace(`FROM ${name} WHERE`, `FROM ${name} NOT INDEXED WHERE`);
}

/** Objects that are looked at alone, where an index finds them. */
const maxFound = 5_000;

/** Rows of the objects to select from, where an index finds them and they are few. */
function fewOf(
  tx: Transaction,
  { select, unseen }: SqlTable,
  kind: KindName,
  made: ReadonlySet<string>,
): number[] | undefined {
  if (tablesOf([select]).some(({ ofSome }) => ofSome !== undefined)) return undefined;
  // Whether each of them is visible is asked when they are known to be few.
  const plain = unseen ?? select;
  const head = headingOfPiece([plain], { made, kind, some: { sql: 'TRUE', values: [] } });
  const rows = `SELECT ${table(kind)}.rowid AS row${plain.sql.slice(plain.sql.indexOf(` FROM ${table(kind)} WHERE`))}`;
  const found = `${head.sql}SELECT json_group_array(row) AS rows FROM (${rows} LIMIT ${maxFound + 1})`;
  if (planOf(tx, found).searched !== table(kind)) return undefined;
  const row = tx.statement(found).get(...head.values, ...plain.values);
  const few = readJson<number[]>(String(row?.['rows']));
  return few.length > maxFound ? undefined : few;
}

/** Fills a table from objects whose rows are known, in slices. */
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
      const head = headingOfPiece([select], { made, kind, some: { sql: listed, values: [json] } });
      tx.statement(
        `INSERT OR IGNORE INTO temp.${name} ${head.sql}${selectOf(select, kind)} AND ${listed}`,
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
