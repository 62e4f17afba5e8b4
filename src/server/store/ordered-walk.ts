/** Lists in the order of an index: read along the index until the list is full. */
import { allOf, createTerms, type SqlCondition, withTablesForPiece } from './conditions.ts';
import { readJson } from './kinds.ts';
import { explainStatement } from './query-plan.ts';
import { table } from './schema.ts';
import { Pace, type Slices } from './slices.ts';
import type { ListRead } from './walk.ts';

/** Read plan along an index. */
export interface Order {
  /** Whether the index also evaluates the conditions of the list. */
  readonly isCheap: boolean;
  readonly keys: (walk: ListRead) => Slices<number[]>;
}

/** Number of candidates in the first query. Most pages are complete after it. */
const firstCandidates = 500;

/** The plan along an index in the order of a list; undefined without such an index. */
export function planOrderedRead(walk: ListRead): Order | undefined {
  const { tx, kind, options, condition, made } = walk;
  const { order, range } = options;
  if (order?.some(({ values, tables = [] }) => values.length + tables.length > 0)) {
    return undefined;
  }
  const name = table(kind);
  const orderBy = order && options.orderBy ? options.orderBy : 'rowid';
  const select = (all: SqlCondition | undefined) =>
    `SELECT rowid AS row FROM ${name}${all ? ` WHERE ${all.sql}` : ''} ORDER BY ${orderBy} LIMIT ? OFFSET ?`;
  const head = withTablesForPiece([condition], { made, kind, some: { sql: 'TRUE', values: [] } });
  const where = createTerms(options.where);
  // The unary plus disables an index on a requested column, which has another order.
  const other = where.map((one) => ({ ...one, sql: `+${one.sql}` }));
  const places = where.length > 0 ? [where, other] : [where];
  const within = range ? places.map((terms) => [...terms, range]) : [];
  for (const terms of [...within, ...places]) {
    const own = allOf(...terms);
    if (condition && head.sql === '') {
      const all = allOf(own, condition);
      const sql = select(all);
      const { inOrder, indexOnly } = explainStatement(tx, sql);
      if (inOrder && indexOnly) {
        return { isCheap: true, keys: createReader(select, all, true) };
      }
    }
    const sql = select(own);
    const { inOrder, indexOnly, ranged } = explainStatement(tx, sql);
    // Another index would test the range row by row, in one statement.
    if (!inOrder || (within.includes(terms) && ranged !== name)) continue;
    return { isCheap: !condition && indexOnly, keys: createReader(select, own, !condition) };
  }
  return undefined;
}

/**
 * The keys that a selection of rows with a condition yields, as far as they fit. With `isAll`, the
 * selection includes all conditions of the list.
 */
function createReader(
  select: (condition: SqlCondition | undefined) => string,
  selected: SqlCondition | undefined,
  isAll: boolean,
) {
  return function* keys(walk: ListRead): Slices<number[]> {
    const { tx, kind, options, condition, test, made } = walk;
    const { limit, offset = 0 } = options;
    const sql = `SELECT json_group_array(row) AS rows FROM (${select(selected)})`;
    const listed = (count: number, from: number): number[] => {
      const row = tx.statement(sql).get(...(selected?.values ?? []), count, from);
      return readJson(String(row?.['rows']));
    };
    if (isAll && !test) return listed(limit ?? -1, offset);
    const needed = limit === undefined ? Number.POSITIVE_INFINITY : offset + limit;
    const tests = isAll ? test : allOf(condition, test);
    const pace = new Pace(64);
    const found: number[] = [];
    let candidates = listed(firstCandidates, 0);
    let hasMore = candidates.length === firstCandidates;
    for (let at = 0; found.length < needed; ) {
      if (at >= candidates.length) {
        if (!hasMore) break;
        candidates = listed(-1, firstCandidates);
        hasMore = false;
        at = 0;
        continue;
      }
      at = pace.slice((size) => {
        found.push(...tested(candidates.slice(at, at + size), needed - found.length));
        return at + size;
      });
      // The second query skips the first candidates by number: until then, the table must not
      // change.
      if (!hasMore) yield;
    }
    return found.slice(offset, needed);

    function tested(seen: readonly number[], maxRows: number): number[] {
      if (!tests) return [...seen];
      const name = table(kind);
      const json = JSON.stringify(seen);
      const some = {
        sql: `${name}.rowid IN (SELECT value FROM json_each(?))`,
        values: [json],
      };
      const head = withTablesForPiece([tests], { made, kind, some });
      const one = 'SELECT value AS candidate FROM json_each(?)';
      const fitting = `SELECT ${name}.rowid AS row FROM (${one}) AS one CROSS JOIN ${name} ON ${name}.rowid = one.candidate WHERE ${tests.sql} LIMIT ?`;
      const row = tx
        .statement(`${head.sql}SELECT json_group_array(row) AS rows FROM (${fitting})`)
        .get(...head.values, json, ...tests.values, Number.isFinite(maxRows) ? maxRows : -1);
      return readJson(String(row?.['rows']));
    }
  };
}
