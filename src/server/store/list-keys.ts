/** Keys of the objects of a list, for long tables: the choice of the way that costs least. */
import {
  allOf,
  headingOfPiece,
  type ListOptions,
  type Piece,
  type SqlCondition,
  type SqlTable,
  tablesOf,
  termsOf,
} from './conditions.ts';
import type { SqlValue } from './driver.ts';
import { type KindName, kindNamed, readJson } from './kinds.ts';
import { rowsInOrder } from './ordered-walk.ts';
import { planOf } from './query-plan.ts';
import { table } from './schema.ts';
import { Pace, type Slices } from './slices.ts';
import { sortedRows } from './sorted-walk.ts';
import { stageTables } from './staged.ts';
import type { Transaction } from './transaction.ts';
import type { Walk } from './walk.ts';

interface Counted {
  readonly last: number;
  readonly count: number;
}

const known = new WeakMap<Transaction, Map<KindName, Counted>>();

/**
 * How many objects the largest collection of a kind holds, or held when a tenth fewer were stored: to
 * look through all of them costs as much as there are, and is not done for every request.
 */
export function* maxInOne(tx: Transaction, kind: KindName): Slices<number> {
  let counts = known.get(tx);
  if (!counts) {
    counts = new Map();
    known.set(tx, counts);
  }
  const last = tx.rows(kind);
  const before = counts.get(kind);
  if (before && last >= before.last && last <= before.last * 1.1) return before.count;
  const some = `SELECT collection FROM ${table(kind)} WHERE collection > ? ORDER BY collection LIMIT ?`;
  const counted = `SELECT collection, count(*) AS n FROM (${some}) AS listed GROUP BY collection ORDER BY collection`;
  const whole = `SELECT count(*) AS n FROM ${table(kind)} WHERE collection = ?`;
  const pace = new Pace(500);
  let count = 0;
  for (let after: string | undefined = ''; after !== undefined; ) {
    const from: string = after;
    after = pace.slice((size) => {
      const rows = tx.statement(counted).all(from, size);
      for (const { n } of rows) count = Math.max(count, Number(n));
      const end = rows.at(-1)?.['collection'];
      if (end === undefined) return undefined;
      // The last one goes on behind what was looked at.
      count = Math.max(count, Number(tx.statement(whole).get(String(end))?.['n']));
      return String(end);
    });
    yield;
  }
  counts.set(kind, { last, count });
  return count;
}

/** Rows that one statement may look at, in all tables that it names. */
const ordinary = 5_000;
/** Objects of a long table that one statement may look at, whichever index it takes. */
const fewest = 500;
/** Objects whose measured values may be worked out in one go: that takes longer than a look. */
const maxMeasured = 500;

/**
 * Keys of the objects that meet the conditions and are visible, in order. `place` is the condition
 * of the place that is listed.
 */
export function* listKeys(
  tx: Transaction,
  kind: KindName,
  options: ListOptions,
  ref: SqlCondition | undefined,
  visible: SqlCondition | undefined,
): Slices<number[]> {
  if (options.limit === 0) return [];
  const whole = allOf(ref, options.condition, visible);
  if (tx.traits.isRemote) return tx.keys(kind, { ...options, condition: whole });
  const short = shortPlace(tx, kind, options, whole);
  if (short) return short;
  const parts = [options.condition, ...(options.order ?? [])];
  const tables = tablesOf(parts);
  if (isShort(tx, kind, options, ref) && weightOf(tx, parts, kind) <= ordinary) {
    return tx.keys(kind, { ...options, condition: whole });
  }
  const made = yield* stageTables(tx, tables, (one) => isLarge(tx, one));
  const asTest = ref?.test ? { ...ref, sql: ref.test } : ref;
  const walk = {
    ...{ tx, kind, options, made, test: visible },
    condition: allOf(asTest, options.condition),
  };
  const terms = [...(options.terms ?? []), options.range, ref].flatMap((term) => term ?? []);
  const least = narrowest(walk, terms);
  yield;
  const order = rowsInOrder(walk);
  if (order && !isShorter(walk, least?.length, order.isCheap)) return yield* order.keys(walk);
  return yield* sortedRows(walk, least);
}

/** The keys of a list of all that is in a collection, where that is little. */
function shortPlace(
  tx: Transaction,
  kind: KindName,
  options: ListOptions,
  condition: SqlCondition | undefined,
): number[] | undefined {
  const { limit, offset, where } = options;
  if (where?.['collection'] === undefined) return undefined;
  if (options.condition || limit !== undefined || offset) return undefined;
  const keys = tx.keys(kind, { ...options, condition, limit: fewest + 1 });
  return keys.length > fewest ? undefined : keys;
}

/** Whether there are few objects, in the table or in the place that is listed. */
function isShort(
  tx: Transaction,
  kind: KindName,
  { where = {} }: ListOptions,
  ref: SqlCondition | undefined,
): boolean {
  const all = tx.rows(kind);
  if (all <= ordinary) return true;
  if (Object.keys(where).length > 0) {
    // Collections have their order in the same index.
    const enough = where['collection'] === undefined ? fewest : ordinary;
    return tx.count(kind, { where, atMost: enough + 1 }) <= enough;
  }
  if (!ref?.ids) return false;
  const some = `SELECT count(*) AS n FROM (${ref.ids} LIMIT ${fewest + 1})`;
  return Number(tx.statement(some).get(...ref.values)?.['n']) <= fewest;
}

/** How many rows the tables have that conditions name, beside that of the kind that is listed. */
function weightOf(
  tx: Transaction,
  parts: readonly (SqlCondition | undefined)[],
  listed?: KindName,
): number {
  const tables = tablesOf(parts);
  // Values that only the rules know are worked out for all objects of their kind.
  const measured = tables.filter(isMeasured);
  if (measured.length > 0 && tx.rows(listed ?? 'vm') > maxMeasured) return Infinity;
  const selects = tables.filter((one) => !isMeasured(one)).map(({ select }) => select.sql);
  const texts = [...parts.map((part) => part?.sql ?? ''), ...selects];
  const names = new Set(texts.flatMap((text) => text.match(/\bo_\w+/g) ?? []));
  let weight = 0;
  for (const name of names) {
    const kind = kindNamed(name.slice(2));
    if (kind !== listed) weight += tx.rows(kind);
  }
  return weight;
}

function isMeasured({ ofSome }: SqlTable): boolean {
  return ofSome !== undefined;
}

function isLarge(tx: Transaction, { select, from }: SqlTable): boolean {
  return from !== undefined && weightOf(tx, [select]) > ordinary;
}

/** Rows of the objects that meet one of the conditions, where an index finds them and they are few. */
function narrowest(
  { tx, kind, options, made }: Walk,
  terms: readonly SqlCondition[],
): number[] | undefined {
  let least: number[] | undefined;
  for (const term of [...termsOf(options.where), ...terms]) {
    const piece: Piece = { made, kind, some: { sql: 'TRUE', values: [] } };
    const tables = tablesOf([term]);
    // What is not made ahead would be made out here, at once.
    if (tables.some(isMeasured)) continue;
    const head = headingOfPiece([term], piece);
    const found = `SELECT rowid AS row FROM ${table(kind)} WHERE ${term.sql}`;
    const sql = `${head.sql}SELECT json_group_array(row) AS rows FROM (${found} LIMIT ?)`;
    if (!isByIndex(tx, sql, kind)) continue;
    const values: SqlValue[] = [...head.values, ...term.values, ordinary + 1];
    const rows = readJson<number[]>(String(tx.statement(sql).get(...values)?.['rows']));
    if (rows.length <= ordinary && rows.length < (least?.length ?? ordinary + 1)) least = rows;
  }
  return least?.sort((one, other) => one - other);
}

/**
 * Whether the objects of a kind are found by an index, not by a look at all. Of a range, which may be wide,
 * none of them may be looked at besides.
 */
function isByIndex(tx: Transaction, sql: string, kind: KindName): boolean {
  const { searched, ranged, isCovered } = planOf(tx, sql);
  return searched === table(kind) || (ranged === table(kind) && isCovered);
}

/**
 * Whether it is less to look at so many objects than at those that come in the order of the list
 * until it is full.
 */
function isShorter(
  { tx, kind, options }: Walk,
  size: number | undefined,
  isCheap: boolean,
): boolean {
  if (size === undefined) return false;
  const { limit, offset = 0 } = options;
  const all = tx.rows(kind);
  const looked = limit === undefined ? all : Math.min(all, ((offset + limit) * all) / (size + 1));
  // To go along an index costs far less than to look at an object.
  return size < (isCheap ? looked / 20 : looked);
}
