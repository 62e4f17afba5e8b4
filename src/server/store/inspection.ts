/** Inspection of a database that no store has open: damage, counts, and the images that it knows. */
import type { Database } from './driver.ts';
import { imageKinds } from './image-list.ts';
import type { KindName } from './kinds.ts';
import { readMeta } from './meta.ts';
import { table } from './schema.ts';

/** A value that the database holds about itself. */
export function metaOf(db: Database, key: string): string | undefined {
  return readMeta((sql) => db.prepare(sql), key);
}

/** Whether SQLite finds no damage; it stops at the first. */
export function isIntact(db: Database): boolean {
  const found = db.prepare('PRAGMA integrity_check(1)').all();
  return Object.values(found[0] ?? {})[0] === 'ok';
}

/** Whether the database holds triggers or views, which no server stores. */
export function hasTriggersOrViews(db: Database): boolean {
  const active = "SELECT count(*) AS n FROM sqlite_master WHERE type IN ('trigger', 'view')";
  return Number(db.prepare(active).get()?.['n']) > 0;
}

/** How many objects of a kind there are, and how many of them are not as they must be. */
export interface ObjectCounts {
  readonly objects: number;
  /** Not JSON. */
  readonly unreadable: number;
  /** Stored under the id of another object. */
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

/** An image file that the database knows. */
export interface KnownImage {
  readonly id: string;
  /** In bytes. */
  readonly length: number;
  /** Bytes have been written to it, so that there must be a file. */
  readonly written: boolean;
  /** It belongs to an object that exists. */
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

/** Ids of the image files that the database knows, whatever else its tables hold. */
export function imageIds(db: Database): Set<string> {
  return new Set(
    db
      .prepare('SELECT id FROM image_file')
      .all()
      .map(({ id }) => String(id)),
  );
}

/** Notes that the database came out of a backup, and leaves the mode with a write-ahead log. */
export function markRestored(db: Database): void {
  db.exec("PRAGMA journal_mode = DELETE; INSERT OR REPLACE INTO meta VALUES ('restored', '1')");
}
