/** Transaction: all reads and writes of the store. */

import type { DerivedKind, derivedKinds } from '../../model/notation/kinds.ts';
import type { Resource } from '../../model/resource.ts';
import type { TypeName } from '../../model/resources/index.ts';
import { isRecord } from '../../records.ts';
import { ChangeWatch } from './change-watch.ts';
import { conditions, type ListOptions, referringCondition, type Where } from './conditions.ts';
import { kindsBelow, type ListAttribute, listsNaming } from './dependents.ts';
import type { Database, DatabaseTraits, Row, SqlValue, Statement } from './driver.ts';
import { ImageList } from './image-list.ts';
import {
  getStoredValue,
  type KindName,
  listColumns,
  listLinkAttributes,
  readJson,
  type StoredObject,
  writeDocument,
} from './kinds.ts';
import { table } from './schema.ts';
import type { StoredMembers } from './stored-members.ts';
import { TaskList } from './task-list.ts';

/**
 * The object type of a kind: derived kinds have the attributes of their type. Includes the internal
 * members of the service.
 */
export type ObjectOf<K extends KindName> = K extends TypeName
  ? Resource<K> & StoredWith<K>
  : K extends DerivedKind
    ? Resource<(typeof derivedKinds)[K]> & StoredWith<K>
    : never;

type StoredWith<K extends KindName> = K extends keyof StoredMembers ? StoredMembers[K] : unknown;

/** Placeholder for an unlimited list. */
const noLimit = Number.MAX_SAFE_INTEGER;

/** Maximum number of cached prepared statements. */
const maxStatements = 2_000;

/** One transaction. All methods work synchronously on committed data and its own changes. */
export class Transaction {
  readonly #db: Database;
  readonly #statements: Map<string, Statement>;
  /** Only for modules of the store. */
  readonly traits: DatabaseTraits;
  /** Persistent tasks. */
  readonly tasks: TaskList;
  /** Image files of disks. */
  readonly images: ImageList;
  /** Watches on single objects. */
  readonly changes = new ChangeWatch();
  /** Compensations for effects outside the database, run on rollback. */
  readonly undo: (() => void)[] = [];
  /** Number of rollbacks. Data read before one may be outdated. */
  rollbacks = 0;

  constructor(db: Database, statements: Map<string, Statement>) {
    this.#db = db;
    this.traits = db.traits;
    this.#statements = statements;
    this.tasks = new TaskList((sql) => this.statement(sql));
    this.images = new ImageList((sql) => this.statement(sql));
  }

  /** Prepares a statement once per database. Only for modules of the store. */
  statement(sql: string): Statement {
    let statement = this.#statements.get(sql);
    if (!statement) {
      statement = this.#db.prepare(sql);
      this.#statements.set(sql, statement);
      // Searches have any number of forms: the oldest statements are prepared again on demand.
      if (this.#statements.size > maxStatements) {
        const [oldest = ''] = this.#statements.keys();
        this.#statements.delete(oldest);
      }
    }
    return statement;
  }

  /** The object with this id, in this collection if given. */
  get<K extends KindName>(kind: K, id: string, collection?: string): ObjectOf<K> | undefined {
    const row =
      collection === undefined
        ? this.statement(`SELECT doc FROM ${table(kind)} WHERE id = ?`).get(id)
        : this.statement(`SELECT doc FROM ${table(kind)} WHERE id = ? AND collection = ?`).get(
            id,
            collection,
          );
    return row && readJson(String(row['doc']));
  }

  /** Path of the collection that contains the object: `/vms/123/nics`. */
  findCollection(kind: KindName, id: string): string | undefined {
    const row = this.statement(`SELECT collection FROM ${table(kind)} WHERE id = ?`).get(id);
    return row && String(row['collection']);
  }

  /** Objects that meet the conditions. */
  list<K extends KindName>(kind: K, options: ListOptions = {}): ObjectOf<K>[] {
    return this.#select(kind, 'doc', options).map((row) => readJson(String(row['doc'])));
  }

  /** Keys of the objects that meet the conditions, to read a long list in parts. */
  keys(kind: KindName, options: ListOptions = {}): number[] {
    const { head, sql, values } = conditions(options);
    // One row with all keys: the cost per row exceeds that of its content.
    const ordered = `SELECT rowid AS seq FROM ${table(kind)}${sql} ORDER BY ${options.orderBy ?? 'rowid'} LIMIT ? OFFSET ?`;
    const row = this.statement(
      `${head}SELECT json_group_array(seq) AS rows FROM (${ordered}) AS listed`,
    ).get(...values, ...(options.orderValues ?? []), options.limit ?? noLimit, options.offset ?? 0);
    return readJson(String(row?.['rows']));
  }

  /** Ids of the objects that meet the conditions. */
  ids(kind: KindName, options: ListOptions = {}): string[] {
    return this.#select(kind, 'id', options).map((row) => String(row['id']));
  }

  /** The objects with these keys from `keys`, in that order, without objects deleted since. */
  byKeys<K extends KindName>(kind: K, keys: readonly number[]): ObjectOf<K>[] {
    return readJson(`[${this.documentsByKeys(kind, keys).join()}]`);
  }

  /** The same objects as stored documents: each a line of JSON without spaces. */
  documentsByKeys(kind: KindName, keys: readonly number[]): string[] {
    // One row with all of them: the cost per row exceeds that of its content. The keys are the
    // outer loop of the join, which keeps their order.
    const joined = `json_each(?) AS key CROSS JOIN ${table(kind)} AS object ON object.rowid = CAST(key.value AS BIGINT)`;
    if (!this.traits.joinsInOrder) {
      const rows = this.statement(`SELECT doc FROM ${joined} ORDER BY key.key`);
      return rows.all(JSON.stringify(keys)).map(({ doc }) => String(doc));
    }
    const row = this.statement(
      `SELECT group_concat(doc, char(10)) AS docs FROM (SELECT doc FROM ${joined})`,
    ).get(JSON.stringify(keys));
    const docs = row?.['docs'];
    return typeof docs === 'string' ? docs.split('\n') : [];
  }

  #select(kind: KindName, columns: string, options: ListOptions): Row[] {
    const { head, sql, values } = conditions(options);
    return this.statement(
      `${head}SELECT ${columns} FROM ${table(kind)}${sql} ORDER BY ${options.orderBy ?? 'rowid'} LIMIT ? OFFSET ?`,
    ).all(...values, ...(options.orderValues ?? []), options.limit ?? noLimit, options.offset ?? 0);
  }

  /** The first object that meets the conditions: like `list` with a limit of 1, but cheaper. */
  first<K extends KindName>(
    kind: K,
    options: Pick<ListOptions, 'where' | 'condition'>,
  ): ObjectOf<K> | undefined {
    const document = this.firstDocument(kind, options);
    return document === undefined ? undefined : readJson(document);
  }

  /** The same object as a stored document. */
  firstDocument(
    kind: KindName,
    options: Pick<ListOptions, 'where' | 'condition'>,
  ): string | undefined {
    const { head, sql, values } = conditions(options);
    const row = this.statement(
      `${head}SELECT doc FROM ${table(kind)}${sql} ORDER BY rowid LIMIT 1`,
    ).get(...values);
    return row && String(row['doc']);
  }

  /** The first object whose columns have these values. */
  find<K extends KindName>(kind: K, where: Where): ObjectOf<K> | undefined {
    return this.first(kind, { where });
  }

  /** The object with exactly this name (case-sensitive) that meets the conditions. */
  byName<K extends KindName>(kind: K, name: string, where: Where = {}): ObjectOf<K> | undefined {
    const named = this.list(kind, { where: { ...where, name } });
    return named.find((object) => object['name'] === name);
  }

  /** Number of objects that meet the conditions. Counts up to `atMost` only. */
  count(kind: KindName, options: ListOptions & { readonly atMost?: number } = {}): number {
    const { head, sql, values } = conditions(options);
    if (options.atMost !== undefined) {
      const some = `SELECT 1 FROM ${table(kind)}${sql} LIMIT ?`;
      const row = this.statement(`${head}SELECT count(*) AS n FROM (${some}) AS selected`).get(
        ...values,
        options.atMost,
      );
      return Number(row?.['n'] ?? 0);
    }
    const row = this.statement(`${head}SELECT count(*) AS n FROM ${table(kind)}${sql}`).get(
      ...values,
    );
    return Number(row?.['n'] ?? 0);
  }

  /** Upper bound for the number of objects of a kind: the last key. */
  rows(kind: KindName): number {
    const row = this.statement(`SELECT max(rowid) AS last FROM ${table(kind)}`).get();
    return Number(row?.['last'] ?? 0);
  }

  /**
   * Sum of a column over the objects that meet the conditions, or of the product of several
   * columns; 0 for none.
   */
  sum(kind: KindName, column: string | readonly string[], options: ListOptions = {}): number {
    const { head, sql, values } = conditions(options);
    const row = this.statement(
      `${head}SELECT total(${joinProduct(column)}) AS n FROM ${table(kind)}${sql}`,
    ).get(...values);
    return Number(row?.['n'] ?? 0);
  }

  /**
   * The same sums and the number of objects for each value of a column, in one statement. Omits
   * values without objects.
   */
  totals(
    kind: KindName,
    by: string,
    values: readonly string[],
    summed: readonly (string | readonly string[])[],
  ): Map<string, { readonly count: number; readonly sums: readonly number[] }> {
    const sums = summed.map((column, index) => `, total(${joinProduct(column)}) AS sum${index}`);
    const rows = this.statement(
      `SELECT "${by}" AS value, count(*) AS n${sums.join('')} FROM ${table(kind)} WHERE "${by}" IN (SELECT value FROM json_each(?)) GROUP BY "${by}"`,
    ).all(JSON.stringify(values));
    return new Map(
      rows.map((row) => [
        String(row['value']),
        { count: Number(row['n']), sums: sums.map((_, index) => Number(row[`sum${index}`])) },
      ]),
    );
  }

  /** Objects of a kind whose list attribute refers to the target. */
  referring<K extends KindName>(kind: K, attribute: string, target: string): ObjectOf<K>[] {
    return this.list(kind, { condition: referringCondition(kind, attribute, target) });
  }

  /** List attributes with a reference to an object in at least one object of their kind. */
  listsNaming(target: string): ListAttribute[] {
    return listsNaming((sql) => this.statement(sql), target);
  }

  /** Stores a new object. Its id must not exist in the collection. */
  insert<K extends KindName>(kind: K, collection: string, object: ObjectOf<K>): void {
    this.restore(kind, collection, addDates(kind, object));
  }

  /** Stores an object of a saved state unchanged. */
  restore(kind: KindName, collection: string, stored: StoredObject): void {
    const columns = listColumns(kind);
    this.statement(
      `INSERT INTO ${table(kind)} (collection, id, name, doc${columns
        .map((column) => `, "${column.name}"`)
        .join('')}) VALUES (?, ?, ?, ?${', ?'.repeat(columns.length)})`,
    ).run(
      collection,
      readId(stored),
      readName(stored),
      writeDocument(stored),
      ...columns.map((column) => getStoredValue(stored, column)),
    );
    this.#writeReferences(kind, stored);
  }

  /** Stores an existing object in one collection (default: in all). */
  update<K extends KindName>(kind: K, object: ObjectOf<K>, collection?: string): void {
    const columns = listColumns(kind);
    const before = kind === 'disk' ? this.get(kind, readId(object)) : undefined;
    const stored = addDates(kind, object, before);
    const values: SqlValue[] = [
      readName(stored),
      writeDocument(stored),
      ...columns.map((column) => getStoredValue(stored, column)),
      readId(stored),
    ];
    if (collection !== undefined) values.push(collection);
    this.statement(
      `UPDATE ${table(kind)} SET name = ?, doc = ?${columns
        .map((column) => `, "${column.name}" = ?`)
        .join('')} WHERE id = ?${collection === undefined ? '' : ' AND collection = ?'}`,
    ).run(...values);
    this.changes.note(readId(stored));
    if (listLinkAttributes(kind).length > 0) {
      this.statement('DELETE FROM reference WHERE kind = ? AND id = ?').run(kind, readId(stored));
      this.#writeReferences(kind, stored);
    }
  }

  /** Removes an object, but not the references of other objects to it. */
  remove(kind: KindName, id: string, collection?: string): void {
    this.changes.note(id);
    if (collection === undefined) {
      this.statement(`DELETE FROM ${table(kind)} WHERE id = ?`).run(id);
    } else {
      this.statement(`DELETE FROM ${table(kind)} WHERE id = ? AND collection = ?`).run(
        id,
        collection,
      );
    }
    this.statement('DELETE FROM reference WHERE kind = ? AND id = ?').run(kind, id);
  }

  /** Objects of a kind below a path, each with its collection. */
  below<K extends KindName>(kind: K, path: string): { collection: string; object: ObjectOf<K> }[] {
    return this.statement(
      `SELECT collection, doc FROM ${table(kind)} WHERE collection >= ? AND collection < ? ORDER BY rowid`,
    )
      .all(`${path}/`, `${path}0`)
      .map((row) => ({
        collection: String(row['collection']),
        object: readJson(String(row['doc'])),
      }));
  }

  /** Kinds with objects below a path. */
  kindsBelow(path: string): KindName[] {
    return kindsBelow((sql) => this.statement(sql), path);
  }

  /** Removes all objects of a kind below a path: `/vms/123` contains `/vms/123/nics`. */
  removeBelow(kind: KindName, path: string): void {
    const below = 'collection >= ? AND collection < ?';
    const bounds = [`${path}/`, `${path}0`];
    this.statement(
      `DELETE FROM reference WHERE kind = ? AND id IN (SELECT id FROM ${table(kind)} WHERE ${below})`,
    ).run(kind, ...bounds);
    this.statement(`DELETE FROM ${table(kind)} WHERE ${below}`).run(...bounds);
  }

  /** Increments a counter and returns its new value, starting at 1. */
  next(counter: string): number {
    const row = this.statement(
      'INSERT INTO counter (name, value) VALUES (?, 1) ON CONFLICT (name) DO UPDATE SET value = counter.value + 1 RETURNING value',
    ).get(counter);
    return Number(row?.['value']);
  }

  #writeReferences(kind: KindName, object: StoredObject): void {
    for (const attribute of listLinkAttributes(kind)) {
      const list = object[attribute];
      if (!Array.isArray(list)) continue;
      for (const item of list) {
        const target = isRecord(item) ? item['id'] : undefined;
        if (typeof target !== 'string') continue;
        this.statement(
          'INSERT INTO reference (kind, id, attribute, target) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING',
        ).run(kind, readId(object), attribute, target);
      }
    }
  }
}

/** The product of columns, or a single one, in SQL. */
function joinProduct(column: string | readonly string[]): string {
  return [column]
    .flat()
    .map((one) => `"${one}"`)
    .join(' * ');
}

/** Adds the creation and modification time of disks, for searches. */
function addDates(kind: KindName, object: StoredObject, before: StoredObject = {}): StoredObject {
  if (kind !== 'disk') return object;
  const now = new Date().toISOString();
  const { creation_date: made = now, last_modified: changed = now } = before;
  const as = (time: unknown) => ({ ...object, creation_date: made, last_modified: time });
  const same = writeDocument(as(changed)) === writeDocument(before);
  return as(same ? changed : now);
}

function readId(object: StoredObject): string {
  const id = object['id'];
  if (typeof id !== 'string') throw new Error('An object without an id cannot be stored.');
  return id;
}

function readName(object: StoredObject): string | null {
  const name = object['name'];
  return typeof name === 'string' ? name : null;
}
