/** Lists in the order of an index: read along the index until the list is full. */
import { allOf, headingOfPiece, type SqlCondition, termsOf } from './conditions.ts';
import { readJson } from './kinds.ts';
import { planOf } from './query-plan.ts';
import { pageOf } from './remembered-orders.ts';
import { onlyKey, type PlaceInOrder, partsBehind, placeOf } from './rows-behind.ts';
import { table } from './schema.ts';
import { Pace, type Slices } from './slices.ts';
import type { Walk } from './walk.ts';

/** A way along an index. */
export interface Order {
  /** The index also decides which objects meet the conditions of the list. */
  readonly isCheap: boolean;
  readonly keys: (walk: Walk) => Slices<number[]>;
}

/** Objects that are looked at before all that may follow are listed. */
const first = 6_000;
/** The same where conditions may take their time with each. */
const firstTested = 2_000;
/** So many are listed then at a time, where the order can be gone on with behind a row. */
const batch = 20_000;
/** The most that are listed in one go for part of a list. */
const longest = 100_000;

/** The way along an index in the order of a list; undefined where there is no such index. */
export function rowsInOrder(walk: Walk): Order | undefined {
  const { tx, kind, options, condition, made } = walk;
  const { order, range } = options;
  if (order?.some(({ values, tables = [] }) => values.length + tables.length > 0)) {
    return undefined;
  }
  const name = table(kind);
  const orderBy = order && options.orderBy ? options.orderBy : 'rowid';
  const select = (all: SqlCondition | undefined) =>
    `SELECT rowid AS row FROM ${name}${all ? ` WHERE ${all.sql}` : ''} ORDER BY ${orderBy} LIMIT ? OFFSET ?`;
  const head = headingOfPiece([condition], { made, kind, some: { sql: 'TRUE', values: [] } });
  const where = termsOf(options.where);
  // An index on a column that is asked for would have another order.
  const other = where.map((one) => ({ ...one, sql: `+${one.sql}` }));
  const places = where.length > 0 ? [where, other] : [where];
  const within = range ? places.map((terms) => [...terms, range]) : [];
  for (const terms of [...within, ...places]) {
    const own = allOf(...terms);
    if (condition && head.sql === '') {
      const all = allOf(own, condition);
      const sql = select(all);
      const { inOrder, indexOnly } = planOf(tx, sql);
      if (inOrder && indexOnly) {
        return { isCheap: true, keys: along(select, all, true) };
      }
    }
    const sql = select(own);
    const { inOrder, indexOnly, ranged } = planOf(tx, sql);
    // What does not lead to the range would be tested for it one by one, in one statement.
    if (!inOrder || (within.includes(terms) && ranged !== name)) continue;
    return { isCheap: !condition && indexOnly, keys: along(select, own, !condition) };
  }
  return undefined;
}

/**
 * The keys that a selection of rows with a condition gives, as far as they fit; `isAll` says that
 * the conditions of the list are in it.
 */
function along(
  select: (condition: SqlCondition | undefined) => string,
  selected: SqlCondition | undefined,
  isAll: boolean,
) {
  return function* keys(walk: Walk): Slices<number[]> {
    const { tx, kind, options, condition, test, rows, made } = walk;
    const { limit, offset = 0 } = options;
    const list = (among: SqlCondition | undefined, count: number, from: number): number[] => {
      const all = `SELECT json_group_array(row) AS rows FROM (${select(among)})`;
      const row = tx.statement(all).get(...(among?.values ?? []), count, from);
      return readJson(String(row?.['rows']));
    };
    const listed = (count: number, from: number) => list(selected, count, from);
    const key = onlyKey(options.order);
    const goesOn = key && leadsBehind(walk, (part) => select(allOf(selected, part)));
    const place = (row: number | undefined) =>
      goesOn && row !== undefined ? placeOf(tx, kind, key, row) : undefined;
    const listedBehind = (start: PlaceInOrder, count: number) => {
      let found: number[] = [];
      for (const part of key ? partsBehind(key, start) : []) {
        if (found.length >= count) break;
        found = found.concat(list(allOf(selected, part), count - found.length, 0));
      }
      return found;
    };
    if (isAll && !test && !rows) {
      if (limit === undefined) return listed(-1, offset);
      const whole = {
        ...{ sql: select(selected), values: selected?.values ?? [], size: tx.rows(kind) },
        keys: listed,
        keysBehind: (row: number, count: number) => {
          const start = place(row);
          return start && listedBehind(start, count);
        },
      };
      return pageOf(tx, whole, limit, offset);
    }
    if (isAll && rows && limit !== undefined && tx.rows(kind) <= longest) {
      // SQLite passes over what is not visible faster than it can list it.
      return list(allOf(selected, rows.condition), limit, offset);
    }
    const needed = limit === undefined ? Number.POSITIVE_INFINITY : offset + limit;
    const tests = isAll ? test : allOf(condition, test);
    const pace = new Pace(isAll ? 1_000 : 64);
    const found: number[] = [];
    // As many as will do where what is visible is spread evenly, and some more.
    const expected = rows ? 200 + (1.3 * needed * tx.rows(kind)) / (rows.size + 1) : first;
    const begin = isAll ? Math.ceil(Math.min(expected, longest)) : firstTested;
    let candidates = listed(begin, 0);
    let more = candidates.length === begin;
    // Looked up at once: the row may be gone when those behind it are wanted.
    let end = more ? place(candidates.at(-1)) : undefined;
    for (let at = 0; found.length < needed; ) {
      if (at >= candidates.length) {
        if (!more) break;
        candidates = end ? listedBehind(end, batch) : listed(-1, begin);
        more = end !== undefined && candidates.length === batch;
        end = more ? place(candidates.at(-1)) : undefined;
        at = 0;
        continue;
      }
      at = pace.slice((size) => {
        const some = candidates.slice(at, at + size);
        const seen = rows ? some.filter((row) => rows.has(row)) : some;
        found.push(...(tests ? tested(seen, needed - found.length) : seen));
        return at + size;
      });
      // Where those that follow are counted from the first, nothing may change until these are through.
      if (!more || end) yield;
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
      const head = headingOfPiece([tests], { made, kind, some });
      const one = 'SELECT value AS candidate FROM json_each(?)';
      const fitting = `SELECT ${name}.rowid AS row FROM (${one}) AS one CROSS JOIN ${name} ON ${name}.rowid = one.candidate WHERE ${tests.sql} LIMIT ?`;
      const row = tx
        .statement(`${head.sql}SELECT json_group_array(row) AS rows FROM (${fitting})`)
        .get(...head.values, json, ...tests.values, Number.isFinite(maxRows) ? maxRows : -1);
      return readJson(String(row?.['rows']));
    }
  };
}

/** Whether an index leads to the rows behind a place of the order; `select` makes a selection of them. */
function leadsBehind(
  { tx, kind, options }: Walk,
  select: (part: SqlCondition | undefined) => string,
): boolean {
  const key = onlyKey(options.order);
  const [, others] = key ? partsBehind(key, { value: '', row: 0 }) : [];
  const { inOrder, ranged } = others ? planOf(tx, select(others)) : {};
  return inOrder === true && ranged === table(kind);
}
