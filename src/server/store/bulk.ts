/**
 * Bulk copies of a prototype object: its rows again, with other ids and names. SQLite copies the
 * rows without serialization, and the indexes of the tables are built at the end.
 */
import type { SqlValue } from './driver.ts';
import { type KindName, listColumns, listLinkAttributes } from './kinds.ts';
import { forgetPlans } from './query-plan.ts';
import { createIndexes, dropIndexes, table } from './schema.ts';
import type { Transaction } from './transaction.ts';

/** Maximum copies per statement and table. */
const batch = 1_000;

/** Texts by name, in which copies of a prototype differ. */
export type BulkValues<Name extends string> = Readonly<Record<Name, string>>;

/** Number of a prototype: the stored rows of one object and its parts. */
export type Prototype = number;

export class BulkWriter<Name extends string> {
  readonly #tx: Transaction;
  readonly #kinds: readonly KindName[];
  readonly #names: readonly Name[];
  /** Names of the values that occur in a column, by `TABLE.COLUMN`. */
  readonly #used = new Map<string, Set<Name>>();
  /** Kinds with lists of references in a prototype. */
  readonly #referring = new Set<KindName>();
  #prototypes = 0;
  #waiting: (string | number)[][] = [];

  /** Creates a writer for objects of these kinds. `names` are the names of the varying values. */
  constructor(tx: Transaction, kinds: readonly KindName[], names: readonly Name[]) {
    this.#tx = tx;
    this.#kinds = kinds;
    this.#names = names;
    const columns = names.map((name) => `"${name}" TEXT NOT NULL`).join(', ');
    this.#run(`CREATE TEMP TABLE prototype (prototype INTEGER PRIMARY KEY, ${columns})`);
    this.#run(
      'CREATE TEMP TABLE made (kind TEXT, prototype INTEGER, row INTEGER, PRIMARY KEY (kind, prototype, row)) WITHOUT ROWID',
    );
    this.#run(`CREATE TEMP TABLE copy (seq INTEGER PRIMARY KEY, prototype INTEGER, ${columns})`);
  }

  /**
   * Records the rows that `make` stores. No value may contain another one; empty values are
   * ignored.
   */
  prototype(values: BulkValues<Name>, make: () => void): Prototype {
    this.flush();
    const before = this.#kinds.map((kind) => [kind, this.#lastRow(kind)] as const);
    make();
    this.#prototypes += 1;
    const marks = ', ?'.repeat(this.#names.length);
    this.#run(
      `INSERT INTO prototype VALUES (?${marks})`,
      this.#prototypes,
      ...this.#names.map((name) => values[name]),
    );
    for (const [kind, last] of before) {
      const found = this.#tx
        .statement(`SELECT rowid AS "row of it", * FROM ${table(kind)} WHERE rowid > ?`)
        .all(last);
      for (const { 'row of it': row = null, ...columns } of found) {
        this.#run('INSERT INTO made VALUES (?, ?, ?)', kind, this.#prototypes, row);
        if (this.#refers(kind, columns['id'])) this.#referring.add(kind);
        for (const [column, value] of Object.entries(columns))
          this.#note(kind, column, value, values);
      }
    }
    return this.#prototypes;
  }

  #refers(kind: KindName, id: SqlValue = null): boolean {
    if (this.#referring.has(kind) || listLinkAttributes(kind).length === 0) return false;
    const found = this.#tx.statement('SELECT 1 FROM reference WHERE kind = ? AND id = ?');
    return found.get(kind, id) !== undefined;
  }

  #note(kind: KindName, column: string, value: unknown, values: BulkValues<Name>): void {
    if (typeof value !== 'string') return;
    const key = `${kind}.${column}`;
    const used = this.#used.get(key) ?? new Set<Name>();
    this.#used.set(key, used);
    for (const name of this.#names) {
      if (values[name] !== '' && value.includes(values[name])) used.add(name);
    }
  }

  /** Schedules a copy of a prototype with other values. */
  copy(prototype: Prototype, values: BulkValues<Name>): void {
    this.#waiting.push([prototype, ...this.#names.map((name) => values[name])]);
    if (this.#waiting.length === batch) this.flush();
  }

  /** Writes the scheduled copies. */
  flush(): void {
    if (this.#waiting.length === 0) return;
    const values = this.#names.map((_, index) => `json_extract(value, '$[${index + 1}]')`);
    this.#run(
      `INSERT INTO copy SELECT key, CAST(json_extract(value, '$[0]') AS INTEGER), ${values.join(', ')} FROM json_each(?)`,
      JSON.stringify(this.#waiting),
    );
    this.#waiting = [];
    for (const kind of this.#kinds) {
      this.#copyRows(kind);
      if (this.#referring.has(kind)) this.#copyReferences(kind);
    }
    this.#run('DELETE FROM copy');
  }

  /** Copies the rows of a kind, in their original order. */
  #copyRows(kind: KindName): void {
    const columns = [
      'collection',
      'id',
      'name',
      'doc',
      ...listColumns(kind).map(({ name }) => name),
    ];
    const values = columns.map((column) =>
      this.#replaced(`o."${column}"`, this.#used.get(`${kind}.${column}`) ?? []),
    );
    this.#run(
      `INSERT INTO ${table(kind)} (${columns.map((column) => `"${column}"`).join(', ')})
        SELECT ${values.join(', ')} FROM ${selectOriginals(kind)} ORDER BY copy.seq, made.row`,
      kind,
    );
  }

  #copyReferences(kind: KindName): void {
    const values = [
      'r.kind',
      this.#replaced('r.id', this.#names),
      'r.attribute',
      this.#replaced('r.target', this.#names),
    ];
    this.#run(
      `INSERT INTO reference (kind, id, attribute, target) SELECT ${values.join(', ')}
        FROM ${selectOriginals(kind)} CROSS JOIN reference r ON r.kind = made.kind AND r.id = o.id`,
      kind,
    );
  }

  /** An expression that replaces the values of the prototype with those of the copy. */
  #replaced(expression: string, names: Iterable<Name>): string {
    let replaced = expression;
    for (const name of names) replaced = `replace(${replaced}, p."${name}", copy."${name}")`;
    return replaced;
  }

  #lastRow(kind: KindName): number {
    const row = this.#tx.statement(`SELECT max(rowid) AS last FROM ${table(kind)}`).get();
    return Number(row?.['last'] ?? 0);
  }

  #run(sql: string, ...values: SqlValue[]): void {
    this.#tx.statement(sql).run(...values);
  }

  /**
   * Runs work with a writer. Drops the indexes of the tables during the work if `many` objects make
   * that worthwhile.
   */
  static write<Name extends string>(
    tx: Transaction,
    kinds: readonly KindName[],
    names: readonly Name[],
    many: boolean,
    work: (bulk: BulkWriter<Name>) => void,
  ): void {
    const { isRemote } = tx.traits;
    // Cached plans of empty tables would scan the full tables later.
    if (isRemote) tx.statement('SET LOCAL plan_cache_mode = force_custom_plan').run();
    const dropsIndexes = many && !isRemote;
    if (dropsIndexes) replaceIndexes(tx, kinds, dropIndexes);
    const bulk = new BulkWriter(tx, kinds, names);
    work(bulk);
    bulk.flush();
    for (const name of ['prototype', 'made', 'copy']) bulk.#run(`DROP TABLE ${name}`);
    if (dropsIndexes) replaceIndexes(tx, kinds, createIndexes);
  }
}

/** The scheduled copies joined with the rows of their prototypes. */
function selectOriginals(kind: KindName): string {
  return `copy CROSS JOIN prototype p ON p.prototype = copy.prototype
    CROSS JOIN made ON made.kind = ? AND made.prototype = copy.prototype
    CROSS JOIN ${table(kind)} o ON o.rowid = made.row`;
}

function replaceIndexes(
  tx: Transaction,
  kinds: readonly KindName[],
  statements: (kind: KindName) => string[],
): void {
  for (const sql of kinds.flatMap(statements)) tx.statement(sql).run();
  forgetPlans(tx);
}
