/** Transaction: everything that can be read and written in one. */

import type { DerivedKind, derivedKinds } from '../../model/notation/kinds.ts';
import type { Resource } from '../../model/resource.ts';
import type { TypeName } from '../../model/resources/index.ts';
import { ChangeWatch } from './change-watch.ts';
import { conditions, type ListOptions, referringCondition, type Where } from './conditions.ts';
import { kindsBelow, type ListAttribute, listsNaming } from './dependents.ts';
import type { Database, DatabaseTraits, Row, SqlValue, Statement } from './driver.ts';
import { ImageList } from './image-list.ts';
import {
  columnsOf,
  columnValue,
  isRecord,
  type KindName,
  linkListsOf,
  readJson,
  type StoredObject,
  writeDocument,
} from './kinds.ts';
import { table } from './schema.ts';
import { ServerList } from './server-list.ts';
import type { StoredMembers } from './stored-members.ts';
import { TaskList } from './task-list.ts';

/**
 * The object type of a kind: derived kinds have the attributes of the type they are made from. With
 * them are members that the service keeps for itself.
 */
export type ObjectOf<K extends KindName> = K extends TypeName
  ? Resource<K> & StoredWith<K>
  : K extends DerivedKind
    ? Resource<(typeof derivedKinds)[K]> & StoredWith<K>
    : never;

type StoredWith<K extends KindName> = K extends keyof StoredMembers ? StoredMembers[K] : unknown;

/** The limit of lists that have none. */
const noLimit = Number.MAX_SAFE_INTEGER;

/** Statements that are kept prepared. */
const maxStatements = 2_000;

/** One transaction. All methods work at once, on what was committed before or changed in it. */
export class Transaction {
  readonly #db: Database;
  readonly #statements: Map<string, Statement>;
  /** For the modules of the store only. */
  readonly traits: DatabaseTraits;
  /** Work that is due at some time. */
  readonly tasks: TaskList;
  /** The files that hold bytes of disks. */
  readonly images: ImageList;
  /** The servers that use the store, where there can be several. */
  readonly servers: ServerList;
  /** Who waits for changes of which objects. */
  readonly changes = new ChangeWatch();
  /** What takes back effects outside of the database, should the transaction come to nothing. */
  readonly undo: (() => void)[] = [];
  /** How often changes came to nothing: what was read after them may be otherwise again. */
  rollbacks = 0;

  constructor(db: Database, statements: Map<string, Statement>) {
    this.#db = db;
    this.traits = db.traits;
    this.#statements = statements;
    this.tasks = new TaskList((sql) => this.statement(sql));
    this.images = new ImageList((sql) => this.statement(sql));
    this.servers = new ServerList((sql) => this.statement(sql));
  }

  /** Prepares a statement once per database. For the modules of the store only. */
  statement(sql: string): Statement {
    let statement = this.#statements.get(sql);
    if (!statement) {
      statement = this.#db.prepare(sql);
      this.#statements.set(sql, statement);
      // Searches come in any number of forms: the oldest statements are made anew when they return.
      if (this.#statements.size > maxStatements) {
        const [oldest = ''] = this.#statements.keys();
        this.#statements.delete(oldest);
      }
    }
    return statement;
  }

  /** The object with this id, in this collection where it is given. */
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

  /** Path of the collection that holds the object: `/vms/123/nics`. */
  collectionOf(kind: KindName, id: string): string | undefined {
    const row = this.statement(`SELECT collection FROM ${table(kind)} WHERE id = ?`).get(id);
    return row && String(row['collection']);
  }

  /** Objects that meet the conditions. */
  list<K extends KindName>(kind: K, options: ListOptions = {}): ObjectOf<K>[] {
    return this.#select(kind, 'doc', options).map((row) => readJson(String(row['doc'])));
  }

  /** Keys of the objects that meet the conditions, to read a long list piece by piece. */
  keys(kind: KindName, options: ListOptions = {}): number[] {
    const { head, sql, values } = conditions(options);
    // One row with all of them: rows cost more than what is in them.
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

  /** The objects with keys that `keys` gave, in that order, without those that are gone meanwhile. */
  byKeys<K extends KindName>(kind: K, keys: readonly number[]): ObjectOf<K>[] {
    return readJson(`[${this.documentsByKeys(kind, keys).join()}]`);
  }

  /** The same objects as they are written in the store: each in a line of JSON, without spaces. */
  documentsByKeys(kind: KindName, keys: readonly number[]): string[] {
    // One row with all of them: rows cost more than what is in them. The keys are the outer loop of
    // the join, so that their order is kept.
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

  /** The first object that meets the conditions: what `list` with a limit of 1 finds, for less. */
  first<K extends KindName>(
    kind: K,
    options: Pick<ListOptions, 'where' | 'condition'>,
  ): ObjectOf<K> | undefined {
    const document = this.firstDocument(kind, options);
    return document === undefined ? undefined : readJson(document);
  }

  /** The same object as it is written in the store. */
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

  /** The object with exactly this name (upper and lower case differ), among those that fit. */
  byName<K extends KindName>(kind: K, name: string, where: Where = {}): ObjectOf<K> | undefined {
    const named = this.list(kind, { where: { ...where, name } });
    return named.find((object) => object['name'] === name);
  }

  /** How many objects meet the conditions; none is looked at beyond the number that is enough. */
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

  /** How many objects of a kind there are at most: the greatest key that was given. */
  rows(kind: KindName): number {
    const row = this.statement(`SELECT max(rowid) AS last FROM ${table(kind)}`).get();
    return Number(row?.['last'] ?? 0);
  }

  /**
   * Sum of a column over the objects that meet the conditions; of several, the sum of their product.
   * 0 where there are none.
   */
  sum(kind: KindName, column: string | readonly string[], options: ListOptions = {}): number {
    const { head, sql, values } = conditions(options);
    const row = this.statement(
      `${head}SELECT total(${productOf(column)}) AS n FROM ${table(kind)}${sql}`,
    ).get(...values);
    return Number(row?.['n'] ?? 0);
  }

  /**
   * The same sums, and how many objects there are, for each of some values of a column, in one statement.
   * A value that no object has is not among the answers.
   */
  totals(
    kind: KindName,
    by: string,
    values: readonly string[],
    summed: readonly (string | readonly string[])[],
  ): Map<string, { readonly count: number; readonly sums: readonly number[] }> {
    const sums = summed.map((column, index) => `, total(${productOf(column)}) AS sum${index}`);
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

  /** List attributes that name an object, in one object of their kind at least. */
  listsNaming(target: string): ListAttribute[] {
    return listsNaming((sql) => this.statement(sql), target);
  }

  /** Stores a new object. Its id must not exist in the collection. */
  insert<K extends KindName>(kind: K, collection: string, object: ObjectOf<K>): void {
    this.restore(kind, collection, dated(kind, object));
  }

  /** Stores an object as it was when its state was saved. */
  restore(kind: KindName, collection: string, stored: StoredObject): void {
    const columns = columnsOf(kind);
    this.statement(
      `INSERT INTO ${table(kind)} (collection, id, name, doc${columns
        .map((column) => `, "${column.name}"`)
        .join('')}) VALUES (?, ?, ?, ?${', ?'.repeat(columns.length)})`,
    ).run(
      collection,
      idOf(stored),
      nameOf(stored),
      writeDocument(stored),
      ...columns.map((column) => columnValue(stored, column)),
    );
    this.#writeReferences(kind, stored);
  }

  /** Stores the new form of an object that exists; in all collections unless one is given. */
  update<K extends KindName>(kind: K, object: ObjectOf<K>, collection?: string): void {
    const columns = columnsOf(kind);
    const before = kind === 'disk' ? this.get(kind, idOf(object)) : undefined;
    const stored = dated(kind, object, before);
    const values: SqlValue[] = [
      nameOf(stored),
      writeDocument(stored),
      ...columns.map((column) => columnValue(stored, column)),
      idOf(stored),
    ];
    if (collection !== undefined) values.push(collection);
    this.statement(
      `UPDATE ${table(kind)} SET name = ?, doc = ?${columns
        .map((column) => `, "${column.name}" = ?`)
        .join('')} WHERE id = ?${collection === undefined ? '' : ' AND collection = ?'}`,
    ).run(...values);
    this.changes.note(idOf(stored));
    if (linkListsOf(kind).length > 0) {
      this.statement('DELETE FROM reference WHERE kind = ? AND id = ?').run(kind, idOf(stored));
      this.#writeReferences(kind, stored);
    }
  }

  /** Removes an object; what other objects say of it stays. */
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

  /** Objects of a kind that are kept below a path, each with its collection. */
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

  /** Kinds that have objects below a path. */
  kindsBelow(path: string): KindName[] {
    return kindsBelow((sql) => this.statement(sql), path);
  }

  /** Removes all objects of a kind that are kept below a path: `/vms/123` holds `/vms/123/nics`. */
  removeBelow(kind: KindName, path: string): void {
    const below = 'collection >= ? AND collection < ?';
    const bounds = [`${path}/`, `${path}0`];
    this.statement(
      `DELETE FROM reference WHERE kind = ? AND id IN (SELECT id FROM ${table(kind)} WHERE ${below})`,
    ).run(kind, ...bounds);
    this.statement(`DELETE FROM ${table(kind)} WHERE ${below}`).run(...bounds);
  }

  /** Raises a counter by one and returns its new value: 1 at first. */
  next(counter: string): number {
    const row = this.statement(
      'INSERT INTO counter (name, value) VALUES (?, 1) ON CONFLICT (name) DO UPDATE SET value = counter.value + 1 RETURNING value',
    ).get(counter);
    return Number(row?.['value']);
  }

  #writeReferences(kind: KindName, object: StoredObject): void {
    for (const attribute of linkListsOf(kind)) {
      const list = object[attribute];
      if (!Array.isArray(list)) continue;
      for (const item of list) {
        const target = isRecord(item) ? item['id'] : undefined;
        if (typeof target !== 'string') continue;
        this.statement(
          'INSERT INTO reference (kind, id, attribute, target) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING',
        ).run(kind, idOf(object), attribute, target);
      }
    }
  }
}

/** The product of columns, or a single one, in SQL. */
function productOf(column: string | readonly string[]): string {
  return [column]
    .flat()
    .map((one) => `"${one}"`)
    .join(' * ');
}

/** Disks keep when they were made and last changed, to be searched by. */
function dated(kind: KindName, object: StoredObject, before: StoredObject = {}): StoredObject {
  if (kind !== 'disk') return object;
  const now = new Date().toISOString();
  const { creation_date: made = now, last_modified: changed = now } = before;
  const as = (time: unknown) => ({ ...object, creation_date: made, last_modified: time });
  const same = writeDocument(as(changed)) === writeDocument(before);
  return as(same ? changed : now);
}

function idOf(object: StoredObject): string {
  const id = object['id'];
  if (typeof id !== 'string') throw new Error('An object without an id cannot be stored.');
  return id;
}

function nameOf(object: StoredObject): string | null {
  const name = object['name'];
  return typeof name === 'string' ? name : null;
}
