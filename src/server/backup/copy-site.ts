/** `vmctl serve --copy-store`: a site copied from one store into another, and both compared. */
import { createReadStream, existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { FolderError, ownFile, ownFolder } from '../files/access.ts';
import { syncFolder } from '../files/durable-file.ts';
import { databaseIn, lock, openDataFolder } from '../folder/data-folder.ts';
import { namesIn, siteMarkIn, writeMark } from '../folder/marks.ts';
import { cloneOrCopy } from '../images/copy-sparse.ts';
import { copyTables, differenceOf, isEmptySite } from '../store/copy-tables.ts';
import { type Database, openDatabase } from '../store/driver.ts';
import { knownImages } from '../store/inspection.ts';
import { maskedAddress } from '../store/postgres/address.ts';
import { openPostgresDatabase } from '../store/postgres/store.ts';
import { prepareSchema } from '../store/schema.ts';

/** Where a site is, or is to be. */
export interface SitePlace {
  /** Folder of the data where the state is in SQLite; an address of PostgreSQL otherwise. */
  readonly folder?: string;
  readonly address?: string;
  /** Folder of the bytes of disks. */
  readonly images: string;
}

export interface CopiedSite {
  readonly site: string;
  readonly rows: number;
  /** Image files that were copied; none where both use one folder. */
  readonly images: number;
}

/**
 * Copies a site that no server runs on into a store that has none, reads both again, and compares them row
 * by row and byte by byte. Throws a `FolderError` where that cannot be, or where something differs: then
 * the copy is not to be used.
 */
export async function copySite(
  from: SitePlace,
  to: SitePlace,
  log: (line: string) => void,
): Promise<CopiedSite> {
  const source = await openDataFolder(from.folder ?? to.images, {
    ...{ inMemory: false, newSite: false, adoptImages: false, log },
    ...{ store: from.address, images: from.images },
  });
  try {
    const { database } = source.store;
    const mark = siteMarkIn(source.store.meta('site') ?? '{}');
    if (source.store.meta('filled') === undefined || mark.site === undefined) {
      throw new FolderError(`There is no site in ${nameOf(from)}.`, 'name the store that has one');
    }
    const target = await openEmpty(to);
    try {
      requireRoom(to.images, from.images);
      const images = await copyImages(database, from.images, to.images);
      const { rows } = copyTables(database, target);
      const difference = differenceOf(database, target);
      if (difference !== undefined) throw differs(to, difference);
      if (from.images !== to.images) {
        writeMark(to.images, { site: mark.site, starts: mark.starts ?? 1 });
      }
      return { site: mark.site, rows, images };
    } finally {
      target.close();
    }
  } finally {
    await source.close();
  }
}

function nameOf({ folder, address }: SitePlace): string {
  return folder ?? maskedAddress(address ?? '');
}

/** Opens a database for a copy: its tables are made. Throws a `FolderError` where it has a site. */
async function openEmpty(place: SitePlace): Promise<Database> {
  const db =
    place.folder === undefined
      ? openPostgresDatabase(place.address ?? '')
      : await openEmptyFile(place.folder);
  if (isEmptySite(db)) return db;
  db.close();
  throw new FolderError(
    `${nameOf(place)} has a site already.`,
    'copy into another folder or database: nothing is written over',
  );
}

async function openEmptyFile(folder: string): Promise<Database> {
  ownFolder(folder);
  const path = databaseIn(folder);
  ownFile(path);
  const db = await openDatabase(path);
  try {
    lock(db, path);
    prepareSchema(db);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

function requireRoom(images: string, others: string): void {
  ownFolder(images);
  if (images === others || namesIn(images).length === 0) return;
  throw new FolderError(
    `${images} holds files already.`,
    'copy into an empty folder: nothing is written over',
  );
}

/** Copies the image files that the site has written, and compares each with its original. */
async function copyImages(db: Database, from: string, to: string): Promise<number> {
  if (from === to) return 0;
  let count = 0;
  for (const { id, written } of knownImages(db)) {
    const [source, target] = [join(from, id), join(to, id)];
    if (!existsSync(source)) {
      if (!written) continue;
      throw new FolderError(
        `The image file ${source} is missing.`,
        'run vmctl serve --check on the site that is to be copied',
      );
    }
    await cloneOrCopy(source, target);
    if (!(await isSameFile(source, target))) {
      throw new FolderError(`The copy ${target} differs from ${source}.`, 'look at the disks');
    }
    count += 1;
  }
  syncFolder(to);
  return count;
}

async function isSameFile(one: string, other: string): Promise<boolean> {
  if (statSync(one).size !== statSync(other).size) return false;
  const pieces = createReadStream(other, { highWaterMark: 2 ** 20 })[Symbol.asyncIterator]();
  for await (const piece of createReadStream(one, { highWaterMark: 2 ** 20 })) {
    const { value, done } = await pieces.next();
    if (done || !value.equals(piece)) return false;
  }
  return (await pieces.next()).done === true;
}

function differs(to: SitePlace, where: string): FolderError {
  return new FolderError(
    `The copy in ${nameOf(to)} differs from the site: ${where}.`,
    'do not use it; the site itself was not changed',
  );
}
