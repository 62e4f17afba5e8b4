/** Keys of the objects in a list, for large tables: choice of the cheapest strategy. */
import {
  allOf,
  collectTables,
  createTerms,
  type ListOptions,
  type PartialScope,
  type SqlCondition,
  type SqlTable,
  withTablesForPiece,
} from './conditions.ts';
import type { SqlValue } from './driver.ts';
import { type KindName, readJson, requireKind } from './kinds.ts';
import { planOrderedRead } from './ordered-walk.ts';
import { explainStatement } from './query-plan.ts';
import { table } from './schema.ts';
import { Pace, type Slices } from './slices.ts';
import { readSorted } from './sorted-walk.ts';
import { stageTables } from './temporary-tables.ts';
import type { Transaction } from './transaction.ts';
import type { ListRead } from './walk.ts';

interface Counted {
  readonly last: number;
  readonly count: number;
}

const known = new WeakMap<Transaction, Map<KindName, Counted>>();

/**
 * Maximum size of the collections of a kind. Counts again only after the table grew by a tenth,
 * because the count scans the table.
 */
export function* countLargestCollection(tx: Transaction, kind: KindName): Slices<number> {
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
      // The last collection may continue beyond this slice.
      count = Math.max(count, Number(tx.statement(whole).get(String(end))?.['n']));
      return String(end);
    });
    yield;
  }
  counts.set(kind, { last, count });
  return count;
}

/** Maximum rows per statement, in all its tables. */
const ordinary = 5_000;
/** Maximum objects of a large table per statement, for any index. */
const fewest = 500;
/** Maximum objects whose measurements are computed together: that is slower than a read. */
const maxMeasured = 500;

/**
 * Keys of the visible objects that meet the conditions, in order. `place` is the condition of the
 * listed collection.
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
  const short = listSmallCollection(tx, kind, options, whole);
  if (short) return short;
  const parts = [options.condition, ...(options.order ?? [])];
  const tables = collectTables(parts);
  if (isShort(tx, kind, options, ref) && countRows(tx, parts, kind) <= ordinary) {
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
  const order = planOrderedRead(walk);
  if (order && !isShorter(walk, least?.length, order.isCheap)) return yield* order.keys(walk);
  return yield* readSorted(walk, least);
}

/** The keys of a list of an entire collection, if it is small. */
function listSmallCollection(
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

/** Whether the table or the listed collection has few objects. */
function isShort(
  tx: Transaction,
  kind: KindName,
  { where = {} }: ListOptions,
  ref: SqlCondition | undefined,
): boolean {
  const all = tx.rows(kind);
  if (all <= ordinary) return true;
  if (Object.keys(where).length > 0) {
    // The index of collections also has their order.
    const enough = where['collection'] === undefined ? fewest : ordinary;
    return tx.count(kind, { where, atMost: enough + 1 }) <= enough;
  }
  if (!ref?.ids) return false;
  const some = `SELECT count(*) AS n FROM (${ref.ids} LIMIT ${fewest + 1})`;
  return Number(tx.statement(some).get(...ref.values)?.['n']) <= fewest;
}

/** Number of rows in the tables that conditions use, excluding the listed kind. */
function countRows(
  tx: Transaction,
  parts: readonly (SqlCondition | undefined)[],
  listed?: KindName,
): number {
  const tables = collectTables(parts);
  // Measurements are computed for all objects of their kind.
  const measured = tables.filter(isMeasured);
  if (measured.length > 0 && tx.rows(listed ?? 'vm') > maxMeasured) return Infinity;
  const selects = tables.filter((one) => !isMeasured(one)).map(({ select }) => select.sql);
  const texts = [...parts.map((part) => part?.sql ?? ''), ...selects];
  const names = new Set(texts.flatMap((text) => text.match(/\bo_\w+/g) ?? []));
  let weight = 0;
  for (const name of names) {
    const kind = requireKind(name.slice(2));
    if (kind !== listed) weight += tx.rows(kind);
  }
  return weight;
}

function isMeasured({ ofSome }: SqlTable): boolean {
  return ofSome !== undefined;
}

function isLarge(tx: Transaction, { select, from }: SqlTable): boolean {
  return from !== undefined && countRows(tx, [select]) > ordinary;
}

/** Rows of the objects that meet one of the conditions, if an index finds them and they are few. */
function narrowest(
  { tx, kind, options, made }: ListRead,
  terms: readonly SqlCondition[],
): number[] | undefined {
  let least: number[] | undefined;
  for (const term of [...createTerms(options.where), ...terms]) {
    const piece: PartialScope = { made, kind, some: { sql: 'TRUE', values: [] } };
    const tables = collectTables([term]);
    // A table that is not computed in advance would be computed here, without slices.
    if (tables.some(isMeasured)) continue;
    const head = withTablesForPiece([term], piece);
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
 * Whether an index finds the objects of a kind without a scan. A range may be wide, so the index
 * must cover it.
 */
function isByIndex(tx: Transaction, sql: string, kind: KindName): boolean {
  const { searched, ranged, isCovered } = explainStatement(tx, sql);
  return searched === table(kind) || (ranged === table(kind) && isCovered);
}

/** Whether reading `size` objects is cheaper than reading the list in order until it is full. */
function isShorter(
  { tx, kind, options }: ListRead,
  size: number | undefined,
  isCheap: boolean,
): boolean {
  if (size === undefined) return false;
  const { limit, offset = 0 } = options;
  const all = tx.rows(kind);
  const looked = limit === undefined ? all : Math.min(all, ((offset + limit) * all) / (size + 1));
  // Reading along an index costs far less than reading an object.
  return size < (isCheap ? looked / 20 : looked);
}
