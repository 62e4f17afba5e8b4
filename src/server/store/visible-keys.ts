/**
 * Pages of what is visible of a kind. Where much is visible, the objects are tested in the order of
 * the list, until the page is full; where that takes too long, all that is visible is put in order.
 */
import { compose, conditions, heading, type ListOptions, type SqlCondition } from './conditions.ts';
import { columnsOf, type KindName } from './kinds.ts';
import { table } from './schema.ts';
import type { Transaction } from './transaction.ts';

/** What is visible of the objects of a kind. */
export interface Visible {
  /** A test of the object that is looked at. */
  readonly ofOne: SqlCondition;
  /** The same, for many objects; worked out when it is needed. */
  readonly ofList: () => SqlCondition | undefined;
}

/** Objects that are tested for one page, at most. */
const mostTested = 6_000;
/** Longer pages are not worth the attempt. */
const longestPage = 1_000;

/** Keys of the visible objects that meet the conditions, in order. */
export function visibleKeys(
  tx: Transaction,
  kind: KindName,
  options: ListOptions,
  visible: Visible,
): number[] {
  const { limit } = options;
  if (limit !== undefined && limit <= longestPage) {
    const found = tested(tx, kind, options, limit, visible.ofOne);
    if (found) return found;
  }
  const all = visible.ofList();
  const { condition } = options;
  const both = all && condition ? compose`(${condition}) AND (${all})` : (condition ?? all);
  return tx.keys(kind, { ...options, condition: both });
}

/** The page, if it is full or complete after so many objects; undefined otherwise. */
function tested(
  tx: Transaction,
  kind: KindName,
  options: ListOptions,
  limit: number,
  test: SqlCondition,
): number[] | undefined {
  const name = table(kind);
  const { sql, values } = conditions(options);
  const head = heading(options.condition, test);
  // Those of the conditions come first in `values`.
  const own = values.slice(heading(options.condition).values.length);
  const asked = columnsOf(kind).filter((column) => test.sql.includes(column.name));
  const columns = ['id', 'collection', ...asked.map((column) => `[${column.name}]`)];
  const doc = kind === 'event' || kind === 'job' ? ', doc' : '';
  const order = `ORDER BY ${options.orderBy ?? 'rowid'}`;
  const some = `SELECT rowid AS row, ${columns.join(', ')}${doc} FROM ${name}${sql} ${order} LIMIT ?`;
  const keys = tx
    .statement(`${head.sql}SELECT row FROM (${some}) AS ${name} WHERE ${test.sql} LIMIT ? OFFSET ?`)
    .all(
      ...head.values,
      ...own,
      ...(options.orderValues ?? []),
      mostTested,
      ...test.values,
      limit,
      options.offset ?? 0,
    )
    .map(({ row }) => Number(row));
  if (keys.length === limit) return keys;
  const further = { ...options, limit: 1, offset: mostTested };
  return tx.keys(kind, further).length === 0 ? keys : undefined;
}
