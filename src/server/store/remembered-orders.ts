/** Orders of long lists, remembered until the store changes: who walks through pages passes over nothing twice. */
import type { SqlValue } from './driver.ts';
import type { Transaction } from './transaction.ts';

/** Rows that are passed over sooner than an order is remembered for them. */
const shortWalk = 500;
/** Objects of a list whose order is made out in one go: it takes some tens of milliseconds. */
const longestOrder = 200_000;
/** Keys that are remembered at most, in all orders; 8 bytes each. */
const maxKeys = 1_000_000;
/** Pages of longer lists whose ends are remembered: those that somebody goes on behind. */
const maxEnds = 1_000;

/** A list as a statement with its values. */
export interface OrderedList {
  readonly sql: string;
  readonly values: readonly SqlValue[];
  /** How many there are at most. */
  readonly size: number;
  /** Makes out the keys of so many objects behind others; of all where the count is negative. */
  readonly keys: (count: number, offset: number) => number[];
  /** Makes out the keys of so many objects behind one of them; undefined where no index leads there. */
  readonly keysBehind: (row: number, count: number) => number[] | undefined;
}

interface Orders {
  /** Rows that were changed when they were made out, and changes that came to nothing. */
  readonly state: string;
  readonly requested: Set<string>;
  readonly known: Map<string, Float64Array>;
  size: number;
  /** The last row of a page of a list, by the list and the offset behind it. */
  readonly ends: Map<string, number>;
}

const remembered = new WeakMap<Transaction, Orders>();

/**
 * Keys of a page. An order is made out as a whole when the second page far behind is asked for while
 * nothing has changed: to make it out after every change would cost more than to pass over rows. Of a
 * list that is too long for that, the page behind another one goes on where that one has ended.
 */
export function pageOf(
  tx: Transaction,
  list: OrderedList,
  limit: number,
  offset: number,
): number[] {
  if (list.size > longestOrder) return pageOfLongest(tx, list, limit, offset);
  if (offset < shortWalk) return list.keys(limit, offset);
  const orders = ordersNow(tx);
  const key = keyOf(list);
  const known = orders.known.get(key);
  if (known) return [...known.subarray(offset, offset + limit)];
  if (!orders.requested.has(key)) {
    orders.requested.add(key);
    return list.keys(limit, offset);
  }
  const all = Float64Array.from(list.keys(-1, 0));
  keep(orders, key, all);
  return [...all.subarray(offset, offset + limit)];
}

function pageOfLongest(
  tx: Transaction,
  list: OrderedList,
  limit: number,
  offset: number,
): number[] {
  const { ends } = ordersNow(tx);
  const key = keyOf(list);
  const before = ends.get(`${offset} ${key}`);
  const behind = before === undefined ? undefined : list.keysBehind(before, limit);
  const found = behind ?? list.keys(limit, offset);
  const last = found.at(-1);
  if (last !== undefined) ends.set(`${offset + found.length} ${key}`, last);
  const [oldest] = ends.keys();
  if (oldest !== undefined && ends.size > maxEnds) ends.delete(oldest);
  return found;
}

function keyOf({ sql, values }: OrderedList): string {
  const plain = (_: string, value: unknown) => (typeof value === 'bigint' ? `${value}n` : value);
  return `${sql} ${JSON.stringify(values, plain)}`;
}

/** What is remembered and still holds. */
function ordersNow(tx: Transaction): Orders {
  const row = tx.statement('SELECT total_changes() AS changes').get();
  const state = `${row?.['changes']} ${tx.rollbacks}`;
  let orders = remembered.get(tx);
  if (orders?.state !== state) {
    orders = { state, requested: new Set(), known: new Map(), size: 0, ends: new Map() };
    remembered.set(tx, orders);
  }
  return orders;
}

/** Keeps an order; the oldest ones make room. */
function keep(orders: Orders, key: string, all: Float64Array): void {
  orders.known.set(key, all);
  orders.size += all.length;
  for (const [oldest, { length }] of orders.known) {
    if (orders.size <= maxKeys) return;
    orders.known.delete(oldest);
    orders.size -= length;
  }
}
