/** What can be read and written inside one transaction. */

import type { Resource } from '../../model/resource.ts';
import type { TypeName } from '../../model/types/index.ts';
import {
  columnValue,
  isRecord,
  parseDocument,
  type StoredObject,
  writeDocument,
} from './document.ts';
import type { Database, Row, SqlValue, Statement } from './driver.ts';
import { columnsOf, type KindName, linkListsOf, type pairs } from './kinds.ts';
import { table } from './schema.ts';

/** The object type of a kind: pairs hold attributes of the type they are a view of. */
export type ObjectOf<K extends KindName> = K extends TypeName
  ? Resource<K>
  : K extends keyof typeof pairs
    ? Resource<(typeof pairs)[K]>
    : never;

/** Equality conditions on columns; `null` asks for absent values. */
export type Where = Readonly<Record<string, SqlValue>>;

export interface Task {
  readonly seq: number;
  readonly due: number;
  readonly name: string;
  readonly target: string;
  readonly data: StoredObject;
}

/** A condition in SQL with its values. */
export interface SqlCondition {
  readonly sql: string;
  readonly values: readonly SqlValue[];
}

export interface ListOptions {
  readonly condition?: SqlCondition | undefined;
  readonly where?: Where;
  /** SQL of the sort order; by default the order of creation. */
  readonly orderBy?: string | undefined;
  /** Values in that SQL. */
  readonly orderValues?: readonly SqlValue[] | undefined;
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
}

/** One transaction. All methods work at once, on what was committed before or changed in it. */
export class Transaction {
  readonly #db: Database;
  readonly #statements: Map<string, Statement>;

  constructor(db: Database, statements: Map<string, Statement>) {
    this.#db = db;
    this.#statements = statements;
  }

  /** Prepares a statement once per database. For the modules of the store only. */
  statement(sql: string): Statement {
    let statement = this.#statements.get(sql);
    if (!statement) {
      statement = this.#db.prepare(sql);
      this.#statements.set(sql, statement);
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
    return row && (parseDocument(String(row['doc'])) as ObjectOf<K>);
  }

  /** Path of the collection that holds the object: `/vms/123/nics`. */
  collectionOf(kind: KindName, id: string): string | undefined {
    const row = this.statement(`SELECT collection FROM ${table(kind)} WHERE id = ?`).get(id);
    return row && String(row['collection']);
  }

  /** Objects that meet the conditions. */
  list<K extends KindName>(kind: K, options: ListOptions = {}): ObjectOf<K>[] {
    return this.#select(kind, 'doc', options).map(
      (row) => parseDocument(String(row['doc'])) as ObjectOf<K>,
    );
  }

  /** Keys of the objects that meet the conditions, to read a long list piece by piece. */
  keys(kind: KindName, options: ListOptions = {}): number[] {
    return this.#select(kind, 'rowid AS row', options).map((row) => Number(row['row']));
  }

  /** The objects with keys that `keys` gave, in that order, without those that are gone meanwhile. */
  byKeys<K extends KindName>(kind: K, keys: readonly number[]): ObjectOf<K>[] {
    const rows = this.statement(
      `SELECT rowid AS row, doc FROM ${table(kind)} WHERE rowid IN (SELECT value FROM json_each(?))`,
    ).all(JSON.stringify(keys));
    const found = new Map(rows.map(({ row, doc }) => [Number(row), String(doc)]));
    return keys.flatMap((key) => {
      const doc = found.get(key);
      return doc === undefined ? [] : [parseDocument(doc) as ObjectOf<K>];
    });
  }

  #select(kind: KindName, columns: string, options: ListOptions): Row[] {
    const { sql, values } = conditions(options);
    return this.statement(
      `SELECT ${columns} FROM ${table(kind)}${sql} ORDER BY ${options.orderBy ?? 'rowid'} LIMIT ? OFFSET ?`,
    ).all(...values, ...(options.orderValues ?? []), options.limit ?? -1, options.offset ?? 0);
  }

  /** The first object that meets the conditions. */
  find<K extends KindName>(kind: K, where: Where): ObjectOf<K> | undefined {
    return this.list(kind, { where, limit: 1 })[0];
  }

  /** The object with exactly this name (upper and lower case differ), among those that fit. */
  byName<K extends KindName>(kind: K, name: string, where: Where = {}): ObjectOf<K> | undefined {
    const named = this.list(kind, { where: { ...where, name } });
    return named.find((object) => (object as StoredObject)['name'] === name);
  }

  /** How many objects meet the conditions. */
  count(kind: KindName, options: ListOptions = {}): number {
    const { sql, values } = conditions(options);
    const row = this.statement(`SELECT count(*) AS n FROM ${table(kind)}${sql}`).get(...values);
    return Number(row?.['n'] ?? 0);
  }

  /** How many objects the largest collection of a kind holds. */
  most(kind: KindName): number {
    const counts = `SELECT count(*) AS n FROM ${table(kind)} GROUP BY collection`;
    return Number(this.statement(`SELECT max(n) AS most FROM (${counts})`).get()?.['most'] ?? 0);
  }

  /**
   * Sum of a column over the objects that meet the conditions; of several, the sum of their product.
   * 0 where there are none.
   */
  sum(kind: KindName, column: string | readonly string[], options: ListOptions = {}): number {
    const { sql, values } = conditions(options);
    const product = [column].flat().map((one) => `[${one}]`);
    const row = this.statement(
      `SELECT total(${product.join(' * ')}) AS n FROM ${table(kind)}${sql}`,
    ).get(...values);
    return Number(row?.['n'] ?? 0);
  }

  /** Objects of a kind whose list attribute refers to the target. */
  referring<K extends KindName>(kind: K, attribute: string, target: string): ObjectOf<K>[] {
    return this.list(kind, { condition: referringCondition(kind, attribute, target) });
  }

  /** Stores a new object. Its id must not exist in the collection. */
  insert<K extends KindName>(kind: K, collection: string, object: ObjectOf<K>): void {
    this.restore(kind, collection, dated(kind, object as StoredObject));
  }

  /** Stores an object as it was when its state was saved. */
  restore(kind: KindName, collection: string, stored: StoredObject): void {
    const columns = columnsOf(kind);
    this.statement(
      `INSERT INTO ${table(kind)} (collection, id, name, doc${columns
        .map((column) => `, [${column.name}]`)
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
    const before = kind === 'disk' ? this.get(kind, idOf(object as StoredObject)) : undefined;
    const stored = dated(kind, object as StoredObject, before as StoredObject | undefined);
    const values: SqlValue[] = [
      nameOf(stored),
      writeDocument(stored),
      ...columns.map((column) => columnValue(stored, column)),
      idOf(stored),
    ];
    if (collection !== undefined) values.push(collection);
    this.statement(
      `UPDATE ${table(kind)} SET name = ?, doc = ?${columns
        .map((column) => `, [${column.name}] = ?`)
        .join('')} WHERE id = ?${collection === undefined ? '' : ' AND collection = ?'}`,
    ).run(...values);
    if (linkListsOf(kind).length > 0) {
      this.statement('DELETE FROM reference WHERE kind = ? AND id = ?').run(kind, idOf(stored));
      this.#writeReferences(kind, stored);
    }
  }

  /** Removes an object; what other objects say of it stays. */
  remove(kind: KindName, id: string, collection?: string): void {
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
        object: parseDocument(String(row['doc'])) as ObjectOf<K>,
      }));
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
      'INSERT INTO counter (name, value) VALUES (?, 1) ON CONFLICT (name) DO UPDATE SET value = value + 1 RETURNING value',
    ).get(counter);
    return Number(row?.['value']);
  }

  /** Notes work to be done at `due` (milliseconds since the epoch), also after a restart. */
  addTask(due: number, name: string, target: string, data: StoredObject): void {
    this.statement('INSERT INTO task (due, name, target, data) VALUES (?, ?, ?, ?)').run(
      due,
      name,
      target,
      writeDocument(data),
    );
  }

  /** Takes the earliest task that is due by now out of the list. */
  takeTask(now: number): Task | undefined {
    const row = this.statement(
      'DELETE FROM task WHERE seq = (SELECT seq FROM task WHERE due <= ? ORDER BY due, seq LIMIT 1) RETURNING *',
    ).get(now);
    return (
      row && {
        seq: Number(row['seq']),
        due: Number(row['due']),
        name: String(row['name']),
        target: String(row['target']),
        data: parseDocument(String(row['data'])),
      }
    );
  }

  /** Puts a task back that was taken, due at another time. */
  keepTask(task: Task, due: number): void {
    this.statement('INSERT INTO task (seq, due, name, target, data) VALUES (?, ?, ?, ?, ?)').run(
      task.seq,
      due,
      task.name,
      task.target,
      writeDocument(task.data),
    );
  }

  /** Forgets a task. */
  removeTask(seq: number): void {
    this.statement('DELETE FROM task WHERE seq = ?').run(seq);
  }

  /** Makes all tasks due whose name begins like this. */
  makeDue(prefix: string, now: number): void {
    this.statement('UPDATE task SET due = ? WHERE substr(name, 1, ?) = ?').run(
      now,
      prefix.length,
      prefix,
    );
  }

  /** Forgets the tasks of a target; returns the jobs that they belonged to. */
  removeTasks(target: string): string[] {
    const rows = this.statement(
      "DELETE FROM task WHERE target = ? RETURNING json_extract(data, '$.job') AS job",
    ).all(target);
    return [...new Set(rows.flatMap(({ job }) => (job == null ? [] : [String(job)])))];
  }

  /** Whether a task belongs to the job. */
  hasTasksOf(job: string): boolean {
    const found = this.statement(
      "SELECT 1 FROM task WHERE json_extract(data, '$.job') = ? LIMIT 1",
    ).get(job);
    return found !== undefined && found !== null;
  }

  /** How many tasks are noted. */
  countTasks(): number {
    return Number(this.statement('SELECT count(*) AS n FROM task').get()?.['n'] ?? 0);
  }

  /** When the next task is due, in milliseconds since the epoch. */
  nextDue(): number | undefined {
    const row = this.statement('SELECT min(due) AS due FROM task').get();
    return row?.['due'] == null ? undefined : Number(row['due']);
  }

  #writeReferences(kind: KindName, object: StoredObject): void {
    for (const attribute of linkListsOf(kind)) {
      const list = object[attribute];
      if (!Array.isArray(list)) continue;
      for (const item of list) {
        const target = isRecord(item) ? item['id'] : undefined;
        if (typeof target !== 'string') continue;
        this.statement(
          'INSERT OR IGNORE INTO reference (kind, id, attribute, target) VALUES (?, ?, ?, ?)',
        ).run(kind, idOf(object), attribute, target);
      }
    }
  }
}

/** The condition that a list attribute of an object refers to the target. */
export function referringCondition(
  kind: KindName,
  attribute: string,
  target: string,
): SqlCondition {
  return {
    sql: 'id IN (SELECT r.id FROM reference r WHERE r.target = ? AND r.kind = ? AND r.attribute = ?)',
    values: [target, kind, attribute],
  };
}

/** The condition that an object is named by a list attribute of another one. */
export function listedCondition(kind: KindName, attribute: string, id: string): SqlCondition {
  return {
    sql: 'id IN (SELECT r.target FROM reference r WHERE r.kind = ? AND r.id = ? AND r.attribute = ?)',
    values: [kind, id, attribute],
  };
}

/** Condition of the roles that a user or group was given, on whatever object. */
export function heldRolesCondition(kind: 'user' | 'group', id: string): SqlCondition {
  const sql = `id IN (SELECT role_id FROM ${table('permission')} WHERE ${kind}_id = ?)`;
  return { sql, values: [id] };
}

function conditions(options: ListOptions): { sql: string; values: SqlValue[] } {
  const parts: string[] = [];
  const values: SqlValue[] = [];
  for (const [column, value] of Object.entries(options.where ?? {})) {
    if (value === null) {
      parts.push(`[${column}] IS NULL`);
    } else {
      parts.push(`[${column}] = ?`);
      values.push(value);
    }
  }
  if (options.condition) {
    parts.push(`(${options.condition.sql})`);
    values.push(...options.condition.values);
  }
  return { sql: parts.length > 0 ? ` WHERE ${parts.join(' AND ')}` : '', values };
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
