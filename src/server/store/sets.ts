/** Sets of ids that a statement selects: how many they are, and which. */
import { compose, heading, joined, type SqlCondition } from './conditions.ts';
import type { Row } from './driver.ts';
import type { KindName } from './kinds.ts';
import { table } from './schema.ts';
import type { Slices } from './slices.ts';
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

/** How many ids a statement selects; no more of them are looked at than the limit. */
export function countUpTo(tx: Transaction, select: SqlCondition, limit: number): number {
  const counted = compose`SELECT count(*) AS n FROM (${select} LIMIT ${String(limit)})`;
  return Number(row(tx, counted)?.['n']);
}

/** Ids that are looked up in one go. */
const lookedUp = 1_000;

/** The rows of the objects of a kind with these ids, each once. */
export function* rowsOf(tx: Transaction, kind: KindName, ids: readonly string[]): Slices<number[]> {
  const rows: number[] = [];
  const found = `SELECT json_group_array(rowid) AS found FROM ${table(kind)} WHERE id IN (SELECT value FROM json_each(?))`;
  for (let at = 0; at < ids.length; at += lookedUp) {
    const some = JSON.stringify(ids.slice(at, at + lookedUp));
    rows.push(...JSON.parse(String(tx.statement(found).get(some)?.['found'])));
    yield;
  }
  return rows;
}

/** The ids that a statement selects, as a JSON array. */
export function idsOf(tx: Transaction, select: SqlCondition): string {
  const some = compose`SELECT DISTINCT id FROM (${select}) WHERE id IS NOT NULL`;
  return String(row(tx, compose`SELECT json_group_array(id) AS ids FROM (${some})`)?.['ids']);
}

/** Names of those conditions that hold for anything at all. */
export function whichHold(
  tx: Transaction,
  conditions: ReadonlyMap<string, SqlCondition>,
): Set<string> {
  const all = [...conditions];
  const parts = all.map(([, select], index) => compose`EXISTS (${select}) AS c${String(index)}`);
  const found = row(tx, compose`SELECT ${joined(parts, ', ', '1')}`);
  return new Set(all.flatMap(([name], index) => (found?.[`c${index}`] ? [name] : [])));
}

/** The first row of a statement. */
function row(tx: Transaction, statement: SqlCondition): Row | undefined {
  const head = heading(statement);
  return tx.statement(head.sql + statement.sql).get(...head.values, ...statement.values);
}
