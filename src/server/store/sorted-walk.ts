/** A list of a long table that no index has in its order: what fits is gathered, and sorted. */
import { allOf, headingOfPiece, type SqlCondition, termsOf } from './conditions.ts';
import { parseDocuments } from './document.ts';
import { table } from './schema.ts';
import { Pace, type Slices } from './slices.ts';
import { type SortedRow, type SortValue, sortRows } from './sorted-rows.ts';
import type { Walk } from './walk.ts';

/** Pages that end before this are sorted as they are gathered, so that no more is kept. */
const shortList = 5_000;

/** The keys of a list, in order; of these rows, where they are known. */
export function* sortedRows(walk: Walk, known: readonly number[] | undefined): Slices<number[]> {
  const { limit, offset = 0, order = [] } = walk.options;
  const needed = limit === undefined ? Number.POSITIVE_INFINITY : offset + limit;
  const last = known ? known.length : walk.tx.rows(walk.kind);
  const pace = new Pace(1);
  let gathered: SortedRow[] = [];
  for (let at = 0; at < last; ) {
    at = pace.slice((size) => {
      const some = known ? listed(walk, known.slice(at, at + size)) : between(walk, at, at + size);
      for (const [row, ...values] of gather(walk, some, needed <= shortList ? needed : -1)) {
        gathered.push({ row: Number(row), values });
      }
      return at + size;
    });
    yield;
    if (needed <= shortList && gathered.length > 4 * shortList) {
      gathered = (yield* sortRows(gathered, order)).slice(0, needed);
    }
  }
  const sorted = yield* sortRows(gathered, order);
  return sorted.slice(offset, needed).map(({ row }) => row);
}

function listed({ kind }: Walk, rows: readonly number[]): SqlCondition {
  const sql = `${table(kind)}.rowid IN (SELECT value FROM json_each(?))`;
  return { sql, values: [JSON.stringify(rows)] };
}

function between({ kind }: Walk, from: number, until: number): SqlCondition {
  const sql = `${table(kind)}.rowid > ? AND ${table(kind)}.rowid <= ?`;
  return { sql, values: [from, until] };
}

/** Row numbers and sort values of those of some objects that fit. */
function gather(
  { tx, kind, options, condition, test, made }: Walk,
  some: SqlCondition,
  most: number,
) {
  const { order = [] } = options;
  const all = allOf(some, ...termsOf(options.where), condition, test) ?? some;
  const head = headingOfPiece([all, ...order], { made, kind, some });
  const keys = order.map(({ sql }, index) => `, ${sql} AS k${index}`).join('');
  const sorts = order
    .map(({ descending }, index) => `k${index} ${descending ? 'DESC' : 'ASC'}, `)
    .join('');
  // These objects and no index; a limit keeps SQLite from working out a key each time it is named.
  const fitting = `SELECT ${table(kind)}.rowid AS row${keys} FROM ${table(kind)} NOT INDEXED WHERE ${all.sql}${most < 0 ? '' : ` ORDER BY ${sorts}rowid`} LIMIT ${most}`;
  const row = tx
    .statement(
      `${head.sql}SELECT json_group_array(json_array(row${order.map(exact).join('')})) AS found FROM (${fitting})`,
    )
    .get(...head.values, ...order.flatMap(({ values }) => values), ...all.values);
  return parseDocuments<SortValue[]>(String(row?.['found']));
}

/** A key in JSON, with all digits of numbers beyond 2^53. */
function exact(_: unknown, index: number): string {
  const key = `k${index}`;
  return `, CASE WHEN typeof(${key}) = 'integer' AND ${key} NOT BETWEEN -9007199254740991 AND 9007199254740991 THEN json_object('$bigint', CAST(${key} AS TEXT)) ELSE ${key} END`;
}
