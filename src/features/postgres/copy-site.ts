/** Copy of a site between stores, with comparison, for `vmctl serve --copy-store`. */
import { createReadStream, existsSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { DataFolder } from '../../server/core/opened-site.ts';
import { FolderError, restrictFile, restrictFolder } from '../../server/files/access.ts';
import { syncFolder } from '../../server/files/durable-file.ts';
import { databasePath, lock, openDataFolder } from '../../server/folder/data-folder.ts';
import { listNamesIn, parseSiteMark, writeMark } from '../../server/folder/marks.ts';
import { cloneOrCopy } from '../../server/images/copy-sparse.ts';
import { copyTables, findDifference, isEmptySite } from '../../server/store/copy-tables.ts';
import { type Database, openDatabase } from '../../server/store/driver.ts';
import { knownImages } from '../../server/store/inspection.ts';
import { prepareSchema } from '../../server/store/prepare-schema.ts';
import { maskAddress } from './address.ts';
import { openPostgresDatabase } from './open.ts';
import { openSharedSite } from './shared-site.ts';

/** Location of a site: its store and its image folder. */
export type SiteLocation = { readonly images: string } & (
  | { readonly folder: string }
  | { readonly address: string }
);

export interface CopiedSite {
  readonly site: string;
  readonly rows: number;
  /** Number of copied image files; 0 if both sites use the same folder. */
  readonly images: number;
}

/**
 * Copies a stopped site to an empty store, then compares the rows and images of both. Throws a
 * `FolderError` if the copy fails or differs; then the copy must not be used.
 */
export async function copySite(
  from: SiteLocation,
  to: SiteLocation,
  log: (line: string) => void,
): Promise<CopiedSite> {
  const source = await openSite(from, log);
  try {
    const { database } = source.store;
    const mark = parseSiteMark(source.store.meta('site') ?? '{}');
    if (source.store.meta('filled') === undefined || mark.site === undefined) {
      throw missingSite(from);
    }
    const target = await openEmpty(to);
    try {
      requireEmptyFolder(to.images, from.images);
      const images = await copyImages(database, from.images, to.images);
      const rows = removeOnFailure(images, () => {
        const copied = copyTables(database, target);
        const difference = findDifference(database, target);
        if (difference !== undefined) throw copyDiffers(to, difference);
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

function missingSite(place: SiteLocation): FolderError {
  return new FolderError(`${getLocationName(place)} has no site.`, 'name a store with a site');
}

function getLocationName(place: SiteLocation): string {
  return 'folder' in place ? place.folder : maskAddress(place.address);
}

/** Opens a site exclusively, as a server does. */
async function openSite(place: SiteLocation, log: (line: string) => void): Promise<DataFolder> {
  const settings = { inMemory: false, newSite: false, adoptImages: false, log };
  if (!('folder' in place)) {
    const folders = { images: place.images, frozen: place.images };
    return openSharedSite(place.address, folders, { ...settings, alone: true });
  }
  if (!existsSync(databasePath(place.folder))) throw missingSite(place);
  return openDataFolder(place.folder, settings);
}

/** Opens an empty database and creates its tables. Throws a `FolderError` if it contains a site. */
async function openEmpty(place: SiteLocation): Promise<Database> {
  const db =
    'folder' in place ? await openEmptyFile(place.folder) : openPostgresDatabase(place.address);
  if (isEmptySite(db)) return db;
  db.close();
  throw new FolderError(
    `${getLocationName(place)} already has a site.`,
    'copy to another folder or database; existing data is not overwritten',
  );
}

async function openEmptyFile(folder: string): Promise<Database> {
  restrictFolder(folder);
  const path = databasePath(folder);
  restrictFile(path);
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

function requireEmptyFolder(images: string, others: string): void {
  restrictFolder(images);
  if (images === others || listNamesIn(images).length === 0) return;
  throw new FolderError(
    `${images} is not empty.`,
    'copy to an empty folder; existing data is not overwritten',
  );
}

/**
 * Copies the image files of the site and compares each with its original. Returns the paths of the
 * copies; none if both sites use the same folder.
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
    removeCopies(copies);
    throw error;
  }
  syncFolder(to);
  return copies;
}

/** Runs `work` and removes the copied images if it fails, so that the copy can be repeated. */
function removeOnFailure<T>(copies: readonly string[], work: () => T): T {
  try {
    return work();
  } catch (error) {
    removeCopies(copies);
    throw error;
  }
}

function removeCopies(copies: readonly string[]): void {
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

function copyDiffers(to: SiteLocation, where: string): FolderError {
  return new FolderError(
    `The copy in ${getLocationName(to)} differs from the site: ${where}.`,
    'do not use the copy; the site itself is unchanged',
  );
}
