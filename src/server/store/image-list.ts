/** List of the image files that there have to be; one that is missing is noticed by it. */
import type { Statement } from './driver.ts';
import { table } from './schema.ts';

/** Kinds of objects whose bytes are in a file named by their id. */
export const imageKinds = [
  'disk',
  'disk_snapshot',
  'backup_image',
  'dirty_bitmap',
  'unregistered_disk',
  'image',
  'image_transfer',
] as const;

/** One image file. */
export interface ImageRecord {
  readonly id: string;
  /** Bytes that the file has at least. */
  readonly length: number;
  /** It may hold bytes; one that was never written can be made anew. */
  readonly written: boolean;
  /** It was found to be missing or too short. */
  readonly lost: boolean;
}

/** The image files of the store, inside one transaction. */
export class ImageList {
  readonly #statement: (sql: string) => Statement;

  constructor(statement: (sql: string) => Statement) {
    this.#statement = statement;
  }

  /** Notes a file that holds nothing yet. One that is known stays as it is. */
  blank(id: string, length: number): void {
    this.#statement(
      'INSERT INTO image_file (id, length, written, lost) VALUES (?, ?, 0, 0) ON CONFLICT DO NOTHING',
    ).run(id, length);
  }

  /** Notes that a file holds bytes, or is about to: it has to be there from now on. */
  written(id: string, length: number): void {
    this.#statement(
      'INSERT INTO image_file (id, length, written, lost) VALUES (?, ?, 1, 0) ON CONFLICT (id) DO UPDATE SET length = excluded.length, written = 1, lost = 0',
    ).run(id, length);
  }

  /** Notes that what a file held is not needed any more. */
  emptied(id: string): void {
    this.#statement('UPDATE image_file SET written = 0, length = 0, lost = 0 WHERE id = ?').run(id);
  }

  /** Notes the length of a file whose bytes have changed. */
  measured(id: string, length: number): void {
    this.#statement(
      'UPDATE image_file SET length = ? WHERE id = ? AND written = 1 AND lost = 0 AND length <> ?',
    ).run(length, id, length);
  }

  /** Notes whether a file was found missing. */
  setLost(id: string, lost: boolean): void {
    this.#statement('UPDATE image_file SET lost = ? WHERE id = ?').run(lost ? 1 : 0, id);
  }

  /** Forgets a file. It must be gone for good, also after a power cut. */
  forget(id: string): void {
    this.#statement('DELETE FROM image_file WHERE id = ?').run(id);
  }

  get(id: string): ImageRecord | undefined {
    const row = this.#statement('SELECT * FROM image_file WHERE id = ?').get(id);
    return row && recordOf(row);
  }

  /** The files that have to be there, whether or not something needs them. */
  expected(): ImageRecord[] {
    return this.#statement('SELECT * FROM image_file WHERE written = 1 ORDER BY id')
      .all()
      .map(recordOf);
  }

  /** The ids of all files that this store has made. */
  ids(): Set<string> {
    const rows = this.#statement('SELECT id FROM image_file').all();
    return new Set(rows.map(({ id }) => String(id)));
  }

  /** The files that have to be there and that something needs. */
  needed(): ImageRecord[] {
    const gone = new Set(this.unneeded());
    return this.expected().filter(({ id }) => !gone.has(id));
  }

  /**
   * Files that this store has made and that nothing needs any more: no object has them, and no work
   * under way names them. Nothing else may be deleted.
   */
  unneeded(): string[] {
    const owned = imageKinds
      .map((kind) => `NOT EXISTS (SELECT 1 FROM ${table(kind)} o WHERE ${needs(kind)})`)
      .join(' AND ');
    return this.#statement(
      `SELECT id FROM image_file WHERE ${owned} AND NOT EXISTS (SELECT 1 FROM task WHERE instr(data, image_file.id) > 0)`,
    )
      .all()
      .map(({ id }) => String(id));
  }
}

/** Condition on an object `o` that needs an image file: one of its own, for as long as it is in use. */
function needs(kind: (typeof imageKinds)[number]): string {
  const own = 'o.id = image_file.id';
  // Transfers that are over are shown for a while, without the file that they converted into.
  return kind === 'image_transfer' ? `${own} AND json_extract(o.doc, '$.finished') IS NULL` : own;
}

function recordOf(row: Readonly<Record<string, unknown>>): ImageRecord {
  return {
    id: String(row['id']),
    length: Number(row['length']),
    written: Number(row['written']) === 1,
    lost: Number(row['lost']) === 1,
  };
}
