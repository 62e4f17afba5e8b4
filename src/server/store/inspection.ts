/** Inspection of an unused database: damage, counts, and its images. */
import type { Database } from './driver.ts';
import { imageKinds } from './image-list.ts';
import type { KindName } from './kinds.ts';
import { readMeta } from './meta.ts';
import { table } from './schema.ts';

/** A metadata value of the database. */
export function readDatabaseMeta(db: Database, key: string): string | undefined {
  return readMeta((sql) => db.prepare(sql), key);
}

/** Whether the integrity check of SQLite finds no damage. It stops at the first. */
export function isIntact(db: Database): boolean {
  const found = db.prepare('PRAGMA integrity_check(1)').all();
  return Object.values(found[0] ?? {})[0] === 'ok';
}

/** Whether the database contains triggers or views, which no server stores. */
export function hasTriggersOrViews(db: Database): boolean {
  const active = "SELECT count(*) AS n FROM sqlite_master WHERE type IN ('trigger', 'view')";
  return Number(db.prepare(active).get()?.['n']) > 0;
}

/** Number of objects of a kind, and of the invalid ones among them. */
export interface ObjectCounts {
  readonly objects: number;
  /** Documents that are not JSON. */
  readonly unreadable: number;
  /** Objects stored under the id of another one. */
  readonly misplaced: number;
  /** References of objects that do not exist. */
  readonly orphans: number;
}

export function countObjects(db: Database, kind: KindName): ObjectCounts {
  const name = table(kind);
  const row = db
    .prepare(
      `SELECT count(*) AS n, sum(NOT json_valid(doc)) AS bad, sum(json_valid(doc) AND doc ->> 'id' IS NOT id) AS other FROM ${name}`,
    )
    .get();
  const lost = db
    .prepare(
      `SELECT count(DISTINCT id) AS n FROM reference WHERE kind = ? AND NOT EXISTS (SELECT 1 FROM ${name} o WHERE o.id = reference.id)`,
    )
    .get(kind);
  return {
    objects: Number(row?.['n'] ?? 0),
    unreadable: Number(row?.['bad'] ?? 0),
    misplaced: Number(row?.['other'] ?? 0),
    orphans: Number(lost?.['n'] ?? 0),
  };
}

/** An image file in the database. */
export interface KnownImage {
  readonly id: string;
  /** Length in bytes. */
  readonly length: number;
  /** Whether data was written to it, so that the file must exist. */
  readonly written: boolean;
  /** Whether an existing object owns it. */
  readonly owned: boolean;
}

export function knownImages(db: Database): KnownImage[] {
  const owned = imageKinds.map((kind) => `SELECT id FROM ${table(kind)}`).join(' UNION ');
  return db
    .prepare(`SELECT id, length, written, id IN (${owned}) AS owned FROM image_file`)
    .all()
    .map((row) => ({
      id: String(row['id']),
      length: Number(row['length']),
      written: Number(row['written']) === 1,
      owned: Number(row['owned']) === 1,
    }));
}

/** Ids of the image files in the database, independent of other tables. */
export function imageIds(db: Database): Set<string> {
  return new Set(
    db
      .prepare('SELECT id FROM image_file')
      .all()
      .map(({ id }) => String(id)),
  );
}

/** Marks the database as restored from a backup, and leaves WAL mode. */
export function markRestored(db: Database): void {
  db.exec("PRAGMA journal_mode = DELETE; INSERT OR REPLACE INTO meta VALUES ('restored', '1')");
}
