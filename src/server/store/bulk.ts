/**
 * Many objects of the same make at once: the rows of a prototype, again with other ids and names.
 * Nothing of an object is made up anew, and the indexes of the tables are built at the end.
 */
import type { SqlValue } from './driver.ts';
import { columnsOf, type KindName, storedKinds } from './kinds.ts';
import { createIndexes, dropIndexes, table } from './schema.ts';
import type { Transaction } from './transaction.ts';

/** A text in which some words are replaced: what is between them, and the words. */
class Blank {
  readonly texts: readonly string[];
  readonly keys: readonly string[];

  constructor(texts: readonly string[], keys: readonly string[]) {
    this.texts = texts;
    this.keys = keys;
  }

  filled(words: ReadonlyMap<string, string>): string {
    let text = this.texts[0] ?? '';
    this.keys.forEach((key, index) => {
      text += (words.get(key) ?? key) + (this.texts[index + 1] ?? '');
    });
    return text;
  }
}

/** A value that is the same in every copy, or not. */
type Cell = Blank | SqlValue;

/** A row without its empty columns: to bind a value costs more than to store it. */
interface Row {
  readonly table: string;
  readonly columns: readonly string[];
  readonly cells: readonly Cell[];
}

/** What was stored for one object with all that belongs to it. */
export type Prototype = readonly Row[];

/** Rows that are written with one statement; SQLite takes 32766 values. */
const batch = 100;

const referenceTable = 'reference';
const referenceColumns = ['kind', 'id', 'attribute', 'target'];

export class BulkWriter {
  readonly #tx: Transaction;
  /** Values of rows with the same columns, by statement. */
  readonly #waiting = new Map<string, { row: Row; values: SqlValue[]; count: number }>();
  /** The last row of each table: rows keep the order in which they were made. */
  readonly #last = new Map<string, number>();

  constructor(tx: Transaction) {
    this.#tx = tx;
  }

  /**
   * Remembers what `make` stores. `words` are the texts that its copies have others for: they must
   * not be parts of each other.
   */
  prototype(words: readonly string[], make: () => void): Prototype {
    this.flush();
    const before = storedKinds().map((kind) => [kind, this.#lastRow(kind)] as const);
    make();
    const rows: Row[] = [];
    for (const [kind, last] of before) {
      const found = this.#tx
        .statement(`SELECT * FROM ${table(kind)} WHERE rowid > ? ORDER BY rowid`)
        .all(last);
      if (found.length === 0) continue;
      this.#last.set(table(kind), last + found.length);
      for (const row of found) rows.push(rowOf(table(kind), columnsFor(kind), row, words));
      for (const { id } of found) {
        const references = this.#tx
          .statement('SELECT * FROM reference WHERE kind = ? AND id = ?')
          .all(kind, id ?? null);
        for (const row of references) {
          rows.push(rowOf(referenceTable, referenceColumns, row, words));
        }
      }
    }
    return rows;
  }

  /** Writes the rows of a prototype with other words, by the words that they stand for. */
  copy(prototype: Prototype, words: ReadonlyMap<string, string>): void {
    for (const row of prototype) {
      const key = `${row.table} ${row.columns.join(' ')}`;
      let waiting = this.#waiting.get(key);
      if (!waiting) {
        waiting = { row, values: [], count: 0 };
        this.#waiting.set(key, waiting);
      }
      if (row.table !== referenceTable) {
        const last = (this.#last.get(row.table) ?? 0) + 1;
        this.#last.set(row.table, last);
        waiting.values.push(last);
      }
      for (const one of row.cells) {
        waiting.values.push(one instanceof Blank ? one.filled(words) : one);
      }
      waiting.count += 1;
      if (waiting.count === batch) this.#write(key);
    }
  }

  /** Writes what waits. */
  flush(): void {
    for (const key of this.#waiting.keys()) this.#write(key);
  }

  #write(key: string): void {
    const waiting = this.#waiting.get(key);
    if (!waiting) return;
    this.#waiting.delete(key);
    const { row, values, count } = waiting;
    const columns = [...(row.table === referenceTable ? [] : ['rowid']), ...row.columns];
    const one = `(${columns.map(() => '?').join(', ')})`;
    const names = columns.map((column) => `[${column}]`).join(', ');
    const rows = Array.from({ length: count }, () => one).join(', ');
    this.#tx.statement(`INSERT INTO ${row.table} (${names}) VALUES ${rows}`).run(...values);
  }

  #lastRow(kind: KindName): number {
    const row = this.#tx.statement(`SELECT max(rowid) AS last FROM ${table(kind)}`).get();
    return Number(row?.['last'] ?? 0);
  }

  /** Runs work that writes much: the indexes of these tables are away meanwhile. */
  static withoutIndexes(tx: Transaction, kinds: readonly KindName[], work: () => void): void {
    for (const kind of kinds) for (const sql of dropIndexes(kind)) tx.statement(sql).run();
    work();
    for (const kind of kinds) for (const sql of createIndexes(kind)) tx.statement(sql).run();
  }
}

function columnsFor(kind: KindName): readonly string[] {
  return ['collection', 'id', 'name', 'doc', ...columnsOf(kind).map(({ name }) => name)];
}

function rowOf(
  name: string,
  columns: readonly string[],
  values: Readonly<Record<string, SqlValue>>,
  words: readonly string[],
): Row {
  const filled = columns.filter((column) => values[column] !== null);
  const cells = filled.map((column) => cell(values[column] ?? null, words));
  return { table: name, columns: filled, cells };
}

function cell(value: SqlValue, words: readonly string[]): Cell {
  if (typeof value !== 'string') return value;
  const texts: string[] = [];
  const keys: string[] = [];
  let start = 0;
  for (let at = 0; at < value.length; ) {
    const word = words.find((one) => value.startsWith(one, at));
    if (word === undefined) {
      at += 1;
      continue;
    }
    texts.push(value.slice(start, at));
    keys.push(word);
    at += word.length;
    start = at;
  }
  return keys.length === 0 ? value : new Blank([...texts, value.slice(start)], keys);
}
