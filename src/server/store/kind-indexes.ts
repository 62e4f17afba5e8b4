/** Indexes of the tables of kinds in SQLite, made as the tables grow. */
import type { Database } from './driver.ts';
import type { KindName } from './kinds.ts';
import { enoughForIndexes, hasIndexes, lastRow } from './prepare-schema.ts';
import { createIndexes, dropIndexes } from './schema.ts';

export class KindIndexes {
  readonly #db: Database;
  /** Takes what has to be done if the transaction comes to nothing. */
  readonly #undo: (takeBack: () => void) => void;
  /** How many objects are to be stored until a kind gets its indexes; infinite for those that have them. */
  readonly #left = new Map<KindName, number>();
  /** Rises whenever an index comes or goes: plans of statements may be others. */
  changes = 0;

  constructor(db: Database, undo: (takeBack: () => void) => void) {
    this.#db = db;
    this.#undo = undo;
  }

  /** Has to be called after each object that was stored. */
  inserted(kind: KindName): void {
    const before = this.#left.get(kind);
    const left = before === undefined ? this.#lookUp(kind) : before - 1;
    if (left > 0) this.#left.set(kind, left);
    else this.make(kind);
  }

  /** Has to be called after many objects were stored at once. */
  grown(kind: KindName): void {
    if (this.#lookUp(kind) <= 0) this.make(kind);
  }

  #lookUp(kind: KindName): number {
    if (hasIndexes(this.#db, kind)) return this.#keep(kind);
    return enoughForIndexes - lastRow(this.#db, kind);
  }

  /** Makes the indexes of a kind. */
  make(kind: KindName): void {
    for (const sql of createIndexes(kind)) this.#db.exec(sql);
    this.changes += 1;
    this.#keep(kind);
  }

  /** Takes the indexes of a kind away, until `make` is called. */
  takeAway(kind: KindName): void {
    for (const sql of dropIndexes(kind)) this.#db.exec(sql);
    this.changes += 1;
    this.#keep(kind);
  }

  #keep(kind: KindName): number {
    this.#undo(() => {
      this.#left.delete(kind);
      this.changes += 1;
    });
    this.#left.set(kind, Infinity);
    return Infinity;
  }
}
