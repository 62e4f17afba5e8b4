/** List of expected image files, to detect missing ones. */
import type { Statement } from './driver.ts';
import { table } from './schema.ts';

/** Kinds of objects with an image file named by their id. */
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
  /** Minimum bytes of the file. */
  readonly length: number;
  /** Whether the file may contain data. A file that was never written can be recreated. */
  readonly written: boolean;
  /** Whether the file was found missing or too short. */
  readonly lost: boolean;
}

/** The image files of the store, inside one transaction. */
export class ImageList {
  readonly #statement: (sql: string) => Statement;

  constructor(statement: (sql: string) => Statement) {
    this.#statement = statement;
  }

  /** Records a file without data, unless it is already recorded. */
  blank(id: string, length: number): void {
    this.#statement(
      'INSERT INTO image_file (id, length, written, lost) VALUES (?, ?, 0, 0) ON CONFLICT DO NOTHING',
    ).run(id, length);
  }

  /** Records that a file contains data, or will soon: it must exist from now on. */
  written(id: string, length: number): void {
    this.#statement(
      'INSERT INTO image_file (id, length, written, lost) VALUES (?, ?, 1, 0) ON CONFLICT (id) DO UPDATE SET length = excluded.length, written = 1, lost = 0',
    ).run(id, length);
  }

  /** Records that the data of a file is no longer needed. */
  emptied(id: string): void {
    this.#statement('UPDATE image_file SET written = 0, length = 0, lost = 0 WHERE id = ?').run(id);
  }

  /** Records the length of a changed file. */
  measured(id: string, length: number): void {
    this.#statement(
      'UPDATE image_file SET length = ? WHERE id = ? AND written = 1 AND lost = 0 AND length <> ?',
    ).run(length, id, length);
  }

  /** Records whether a file is missing. */
  setLost(id: string, lost: boolean): void {
    this.#statement('UPDATE image_file SET lost = ? WHERE id = ?').run(lost ? 1 : 0, id);
  }

  /** Removes a file from the list. Its deletion must be durable. */
  forget(id: string): void {
    this.#statement('DELETE FROM image_file WHERE id = ?').run(id);
  }

  get(id: string): ImageRecord | undefined {
    const row = this.#statement('SELECT * FROM image_file WHERE id = ?').get(id);
    return row && readRecord(row);
  }

  /** The files that must exist, needed or not. */
  expected(): ImageRecord[] {
    return this.#statement('SELECT * FROM image_file WHERE written = 1 ORDER BY id')
      .all()
      .map(readRecord);
  }

  /** The ids of all files that this store has created. */
  ids(): Set<string> {
    const rows = this.#statement('SELECT id FROM image_file').all();
    return new Set(rows.map(({ id }) => String(id)));
  }

  /** The files that must exist and are needed. */
  needed(): ImageRecord[] {
    const gone = new Set(this.unneeded());
    return this.expected().filter(({ id }) => !gone.has(id));
  }

  /**
   * Files that this store has created and no longer needs: neither an object nor pending work
   * refers to them. No other files may be deleted.
   */
  unneeded(): string[] {
    const owned = imageKinds
      .map((kind) => `NOT EXISTS (SELECT 1 FROM ${table(kind)} o WHERE ${needsCondition(kind)})`)
      .join(' AND ');
    return this.#statement(
      `SELECT id FROM image_file WHERE ${owned} AND NOT EXISTS (SELECT 1 FROM task WHERE instr(data, image_file.id) > 0)`,
    )
      .all()
      .map(({ id }) => String(id));
  }
}

/** Condition that an object `o` needs the image file with its id. */
function needsCondition(kind: (typeof imageKinds)[number]): string {
  const own = 'o.id = image_file.id';
  // Ended transfers remain visible for some time, without their temporary file.
  return kind === 'image_transfer' ? `${own} AND json_extract(o.doc, '$.finished') IS NULL` : own;
}

function readRecord(row: Readonly<Record<string, unknown>>): ImageRecord {
  return {
    id: String(row['id']),
    length: Number(row['length']),
    written: Number(row['written']) === 1,
    lost: Number(row['lost']) === 1,
  };
}
