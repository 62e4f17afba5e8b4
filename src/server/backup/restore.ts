/** Restores a backup into an empty folder, for `vmctl serve --restore`. */

import {
  closeSync,
  existsSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describeCause, FolderError, restrictFolder } from '../files/access.ts';
import { syncFolder } from '../files/durable-file.ts';
import { databasePath, imagesFolderPath, restoring } from '../folder/data-folder.ts';
import {
  listNamesIn,
  markClosed,
  parseSiteMark,
  type SiteMark,
  writeMark,
} from '../folder/marks.ts';
import { openDatabase, readMessage } from '../store/driver.ts';
import {
  hasTriggersOrViews,
  imageIds,
  isIntact,
  markRestored,
  readDatabaseMeta,
} from '../store/inspection.ts';
import { schemaVersion } from '../store/schema.ts';
import {
  BackupReader,
  BadBackup,
  databaseEntry,
  type Entry,
  parseImageEntry,
  type Take,
} from './format.ts';

export interface Restored {
  readonly site: string;
  readonly images: number;
}

/** Names that a folder may contain before a restore: they do not belong to a site. */
const harmless = new Set([
  restoring,
  'lost+found',
  'iso',
  'host-files',
  'tls',
  'ca.pem',
  'admin-password',
]);

/**
 * Restores a backup into a folder. Leaves no partial files after a failure. Throws a `FolderError`
 * if the folder is not empty or the backup is invalid.
 */
export async function restoreBackup(file: string, folder: string): Promise<Restored> {
  restrictFolder(folder);
  const found = readdirSync(folder).filter((name) => !harmless.has(name));
  const isEmptyImages = found.length === 1 && listNamesIn(imagesFolderPath(folder)).length === 0;
  if (found.length > 0 && !(found[0] === 'images' && isEmptyImages)) {
    throw new FolderError(
      `${folder} is not empty: it contains ${found.slice(0, 5).join(', ')}. A backup is restored to an empty folder only.`,
      'use another folder with --data, or move its contents away',
    );
  }
  const partial = join(folder, restoring);
  try {
    rmSync(partial, { recursive: true, force: true });
    await mkdir(join(partial, 'images'), { recursive: true, mode: 0o700 });
    const taken = extract(file, partial);
    const site = await inspect(join(partial, databaseEntry), taken);
    writeMark(join(partial, 'images'), site);
    await markClosed(join(partial, databaseEntry));
    publish(partial, folder);
    return { site: site.site, images: taken.size };
  } catch (error) {
    rmSync(partial, { recursive: true, force: true });
    if (error instanceof FolderError) throw error;
    const reason = error instanceof BadBackup ? error.message : describeCause(error);
    throw new FolderError(
      `Cannot restore backup ${file} to ${folder}: ${reason}.`,
      'nothing was changed; try another backup',
      error,
    );
  }
}

/** Reads a complete backup. Throws a `BadBackup` if it is damaged or truncated. */
export function verifyBackup(file: string): void {
  const handle = openSync(file, 'r');
  try {
    const reader = new BackupReader(createReader(handle));
    reader.begin();
    for (let entry = reader.next(); entry; entry = reader.next()) {
      while (reader.piece(entry, 0)) {
        // Reading updates the checksum.
      }
    }
  } finally {
    closeSync(handle);
  }
}

/** Extracts a backup into a folder. Returns the ids of its images. */
function extract(file: string, folder: string): Set<string> {
  const handle = openSync(file, 'r');
  try {
    const reader = new BackupReader(createReader(handle));
    reader.begin();
    const images = new Set<string>();
    let hasDatabase = false;
    for (let entry = reader.next(); entry; entry = reader.next()) {
      const id = parseImageEntry(entry.path);
      if (id === undefined) hasDatabase = true;
      else images.add(id);
      extractEntry(reader, entry, join(folder, entry.path));
    }
    if (!hasDatabase) throw new BadBackup('it has no database');
    return images;
  } finally {
    closeSync(handle);
  }
}

function extractEntry(reader: BackupReader, entry: Entry, path: string): void {
  const file = openSync(path, 'wx', 0o600);
  try {
    let end = 0;
    for (let piece = reader.piece(entry, end); piece; piece = reader.piece(entry, end)) {
      for (let done = 0; done < piece.bytes.length; ) {
        done += writeSync(file, piece.bytes, done, undefined, piece.offset + done);
      }
      end = piece.offset + piece.bytes.length;
    }
    ftruncateSync(file, entry.size);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** Creates a buffered reader of a file. */
function createReader(handle: number): Take {
  let buffer: Buffer = Buffer.alloc(0);
  return (length) => {
    while (buffer.length < length) {
      const more = Buffer.allocUnsafe(2 ** 20);
      const count = readSync(handle, more, 0, more.length, null);
      if (count === 0) break;
      buffer = Buffer.concat([buffer, more.subarray(0, count)]);
    }
    const taken = buffer.subarray(0, length);
    buffer = buffer.subarray(taken.length);
    return taken;
  };
}

/**
 * Validates the database of a backup and marks it as restored. It must be intact, contain no
 * triggers or views, and list exactly the images of the backup.
 */
async function inspect(path: string, images: ReadonlySet<string>): Promise<SiteMark> {
  const db = await openDatabase(path);
  try {
    if (!isIntact(db)) throw new BadBackup('its database is damaged');
    if (hasTriggersOrViews(db)) {
      throw new BadBackup('its database was not written by a server');
    }
    const version = Number(readDatabaseMeta(db, 'schema_version'));
    if (version > schemaVersion) {
      throw new BadBackup(
        `a newer vmctl created it (schema ${version}, this version supports ${schemaVersion})`,
      );
    }
    const { site, starts } = parseSiteMark(readDatabaseMeta(db, 'site') ?? '');
    if (site === undefined || starts === undefined) {
      throw new BadBackup('its database has no site id');
    }
    const ids = imageIds(db);
    for (const id of images) {
      if (!ids.has(id)) throw new BadBackup(`its database has no image ${id}`);
    }
    markRestored(db);
    return { site, starts };
  } catch (error) {
    if (error instanceof BadBackup) throw error;
    throw new BadBackup(`cannot read its database: ${readMessage(error)}`, {
      cause: error,
    });
  } finally {
    db.close();
  }
}

/** Publishes the extracted files: the database last, because it makes the folder a site. */
function publish(partial: string, folder: string): void {
  const images = imagesFolderPath(folder);
  if (existsSync(images)) rmSync(images, { recursive: true });
  renameSync(join(partial, 'images'), images);
  syncFolder(images);
  renameSync(join(partial, `${databaseEntry}.closed`), `${databasePath(folder)}.closed`);
  renameSync(join(partial, databaseEntry), databasePath(folder));
  rmSync(partial, { recursive: true });
  syncFolder(folder);
}
