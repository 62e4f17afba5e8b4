/** `vmctl serve --copy-store`: a site copied from one store into another, and both compared. */
import { createReadStream, existsSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { FolderError, ownFile, ownFolder } from '../../server/files/access.ts';
import { syncFolder } from '../../server/files/durable-file.ts';
import { databaseIn, lock, openDataFolder } from '../../server/folder/data-folder.ts';
import { namesIn, siteMarkIn, writeMark } from '../../server/folder/marks.ts';
import type { DataFolder } from '../../server/folder/opened-site.ts';
import { openSharedSite } from '../../server/folder/shared-site.ts';
import { cloneOrCopy } from '../../server/images/copy-sparse.ts';
import { copyTables, differenceOf, isEmptySite } from '../../server/store/copy-tables.ts';
import { type Database, openDatabase } from '../../server/store/driver.ts';
import { knownImages } from '../../server/store/inspection.ts';
import { prepareSchema } from '../../server/store/prepare-schema.ts';
import { maskedAddress } from './address.ts';
import { postgresDriver } from './driver.ts';
import { openPostgresDatabase } from './open.ts';

/** Where a site is, or is to be: its state, and the folder of the bytes of its disks. */
export type SitePlace = { readonly images: string } & (
  | { readonly folder: string }
  | { readonly address: string }
);

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
  const source = await openSite(from, log);
  try {
    const { database } = source.store;
    const mark = siteMarkIn(source.store.meta('site') ?? '{}');
    if (source.store.meta('filled') === undefined || mark.site === undefined) {
      throw noSite(from);
    }
    const target = await openEmpty(to);
    try {
      requireRoom(to.images, from.images);
      const images = await copyImages(database, from.images, to.images);
      const rows = removingOnFailure(images, () => {
        const copied = copyTables(database, target);
        const difference = differenceOf(database, target);
        if (difference !== undefined) throw differs(to, difference);
        return copied.rows;
      });
      if (from.images !== to.images) {
        writeMark(to.images, { site: mark.site, starts: mark.starts ?? 1 });
      }
      return { site: mark.site, rows, images: images.length };
    } finally {
      target.close();
    }
  } finally {
    await source.close();
  }
}

function noSite(place: SitePlace): FolderError {
  return new FolderError(`${nameOf(place)} has no site.`, 'name a store with a site');
}

function nameOf(place: SitePlace): string {
  return 'folder' in place ? place.folder : maskedAddress(place.address);
}

/** Opens a site as a server does. */
async function openSite(place: SitePlace, log: (line: string) => void): Promise<DataFolder> {
  const settings = { inMemory: false, newSite: false, adoptImages: false, log };
  if (!('folder' in place)) {
    const folders = { images: place.images, frozen: place.images };
    const { address } = place;
    return openSharedSite({ address, driver: postgresDriver }, folders, {
      ...settings,
      alone: true,
    });
  }
  if (!existsSync(databaseIn(place.folder))) throw noSite(place);
  return openDataFolder(place.folder, settings);
}

/** Opens a database for a copy: its tables are made. Throws a `FolderError` where it has a site. */
async function openEmpty(place: SitePlace): Promise<Database> {
  const db =
    'folder' in place ? await openEmptyFile(place.folder) : openPostgresDatabase(place.address);
  if (isEmptySite(db)) return db;
  db.close();
  throw new FolderError(
    `${nameOf(place)} already has a site.`,
    'copy to another folder or database; existing data is not overwritten',
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
    `${images} is not empty.`,
    'copy to an empty folder; existing data is not overwritten',
  );
}

/**
 * Copies the image files that the site has written, and compares each with its original. Returns the paths
 * of the copies; there are none where both use one folder.
 */
async function copyImages(db: Database, from: string, to: string): Promise<string[]> {
  if (from === to) return [];
  const copies: string[] = [];
  try {
    for (const { id, written } of knownImages(db)) {
      const [source, target] = [join(from, id), join(to, id)];
      if (!existsSync(source)) {
        if (!written) continue;
        throw new FolderError(
          `The image file ${source} is missing.`,
          'run vmctl serve --check on the source site',
        );
      }
      copies.push(target);
      await cloneOrCopy(source, target);
      if (await isSameFile(source, target)) continue;
      throw new FolderError(
        `The copy ${target} differs from ${source}.`,
        'check the disks of both folders',
      );
    }
  } catch (error) {
    remove(copies);
    throw error;
  }
  syncFolder(to);
  return copies;
}

/** Does what follows the copies of images; they are removed where it fails, for another try. */
function removingOnFailure<T>(copies: readonly string[], work: () => T): T {
  try {
    return work();
  } catch (error) {
    remove(copies);
    throw error;
  }
}

function remove(copies: readonly string[]): void {
  for (const copy of copies) rmSync(copy, { force: true });
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
    'do not use the copy; the site itself is unchanged',
  );
}
