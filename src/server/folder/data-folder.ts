/** Data folder: opening, closing, and detection of a running server. */

import { copyFileSync, existsSync, lstatSync, mkdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { singleServer } from '../core/coordination.ts';
import type { DataFolder, FolderSettings } from '../core/opened-site.ts';
import { FolderError, FolderInUse, restrictFile, restrictFolder } from '../files/access.ts';
import { syncFolder } from '../files/durable-file.ts';
import { findLostCommits, positionFile } from '../store/commit-position.ts';
import { type Database, openDatabase, readMessage } from '../store/driver.ts';
import { openStore, type Store } from '../store/store.ts';
import { findLogDamage } from '../store/write-ahead-log.ts';
import {
  closedMarkPath,
  createSiteMark,
  type DatabaseState,
  findUnlistedImages,
  markClosed,
  markOpen,
  readDatabaseState,
  readMark,
} from './marks.ts';
import { clearPartial, findUnusedPath, moveFileAside, moveImagesAside } from './move-aside.ts';
import * as refusals from './refusals.ts';
import { agree, writeSite } from './site-check.ts';

/** Locks a database. Throws a `FolderInUse` if a server uses it. */
export function lock(db: Database, path: string): void {
  try {
    db.exec(
      'PRAGMA busy_timeout = 300; PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; ROLLBACK',
    );
  } catch (error) {
    if (!/locked|busy/i.test(readMessage(error))) throw error;
    throw new FolderInUse(
      `Cannot use the data in ${path}: another vmctl serve uses it.`,
      'stop it, or use another folder with --data',
      error,
    );
  }
}

/** Throws a `FolderInUse` if a server uses the database, damaged or not. */
export async function requireUnused(path: string): Promise<void> {
  const db = await openDatabase(path);
  try {
    lock(db, path);
  } catch (error) {
    if (error instanceof FolderInUse) throw error;
  } finally {
    db.close();
  }
}

/** Folder of an unfinished restore. */
export const restoring = 'restore.partial';

/** Path of the database in a data folder. */
export function databasePath(folder: string): string {
  return join(folder, 'vmctl.db');
}

/** Folder of the images in a data folder. */
export function imagesFolderPath(folder: string): string {
  return join(folder, 'images');
}

/** Opens or creates a data folder. Throws a `FolderError` if that could lose data. */
export async function openDataFolder(path: string, settings: FolderSettings): Promise<DataFolder> {
  restrictFolder(path);
  const images = settings.images ?? imagesFolderPath(path);
  const frozen = settings.images ?? path;
  if (settings.store !== undefined) {
    const { address, driver } = settings.store;
    return driver.openSite(address, { images, frozen }, settings);
  }
  if (settings.inMemory) {
    restrictFolder(images);
    const store = await openStore(':memory:');
    // Backups of this site can be restored like those of any other.
    await writeSite(store, { ...createSiteMark(), starts: 1 });
    return { store, images, frozen, coordination: singleServer, close: () => store.close() };
  }
  const database = databasePath(path);
  await prepareFiles(path, images, settings);
  const isNew = statSync(database).size === 0;
  const left = isNew ? 'closed' : await readDatabaseState(database);
  await checkLog(database, left, isNew, settings);
  const store = await openDatabaseStore(database, left, settings);
  try {
    clearPartial(frozen);
    await agree(store, database, images, settings);
  } catch (error) {
    await store.close();
    // The folder has no changes: mark it as closed again.
    if (left === 'closed' && !isNew) await markFinished(database);
    throw error;
  }
  return {
    store,
    images,
    frozen,
    coordination: singleServer,
    async close() {
      await store.close();
      if (!store.failed) await markFinished(database);
    },
  };
}

/** Applies `createSiteMark`, and restricts the access to existing files. Refuses an unusable folder. */
async function prepareFiles(path: string, images: string, settings: FolderSettings): Promise<void> {
  const database = databasePath(path);
  if (settings.newSite) {
    await moveAside(path, settings.log);
    if (settings.images !== undefined) moveImagesAside(images, settings.log);
  }
  requireRestored(path);
  requireStore(database, images);
  for (const name of ['', '-wal', '-shm', '-journal', '.position'])
    restrictFile(`${database}${name}`, name === '');
  restrictFolder(images);
}

/** Refuses a damaged log and lost commits, or with `acceptLoss` copies the log. */
async function checkLog(
  database: string,
  left: DatabaseState,
  isNew: boolean,
  settings: FolderSettings,
): Promise<void> {
  const damage = left === 'open' ? findLogDamage(`${database}-wal`) : undefined;
  const lost = isNew || left === 'changed' ? undefined : await findLostCommits(database);
  if (settings.acceptLoss && (damage !== undefined || lost)) copyLog(database, settings.log);
  else if (damage !== undefined) throw refusals.damagedLog(`${database}-wal`, damage);
  else if (lost) throw refusals.lostChanges(database, lost);
}

/** Opens the database and removes its mark. Refuses a changed or damaged one, and lost commits. */
function openDatabaseStore(
  database: string,
  left: DatabaseState,
  settings: FolderSettings,
): Promise<Store> {
  return openStore(database, {
    check: left !== 'closed',
    opened(problem, missing) {
      if (left === 'changed') {
        throw refusals.changedStore(
          database,
          closedMarkPath(database),
          problem ?? 'SQLite found no error',
        );
      }
      if (problem !== undefined) throw refusals.damagedStore(database, problem);
      if (missing && !settings.acceptLoss) throw refusals.lostChanges(database, missing);
      if (missing) settings.log(refusals.describeLoss(database, missing));
      markOpen(database);
    },
  });
}

/** Marks a closed database: its log is empty, so that no part of it can be missing. */
async function markFinished(database: string): Promise<void> {
  await markClosed(database);
  rmSync(positionFile(database), { force: true });
}

/** Copies a log that SQLite reads only partially. */
function copyLog(database: string, log: (line: string) => void): void {
  const path = `${database}-wal`;
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) === 0) return;
  const copy = findUnusedPath(`${path}.incomplete`);
  copyFileSync(path, copy);
  log(`${path} copied to ${copy}`);
}

/** Refuses a folder with an unfinished restore. */
function requireRestored(folder: string): void {
  if (!existsSync(join(folder, restoring))) return;
  throw new FolderError(
    `Restoring a backup to ${folder} was interrupted.`,
    'run vmctl serve --restore again',
  );
}

/** Refuses to create an empty site in place of a missing one. */
function requireStore(database: string, images: string): void {
  const found = lstatSync(database, { throwIfNoEntry: false });
  if (found && (found.size > 0 || !found.isFile())) return;
  const log = `${database}-wal`;
  if ((lstatSync(log, { throwIfNoEntry: false })?.size ?? 0) > 0) {
    throw refusals.noStoreBesideLog(database, log);
  }
  const mark = readMark(images);
  const unlisted = findUnlistedImages(images, new Set());
  if (mark || unlisted.names.length > 0) {
    throw refusals.noStore(database, found !== undefined, images, mark, unlisted);
  }
}

/** Moves database, images and session key aside. Deletes no data. */
async function moveAside(folder: string, log: (line: string) => void): Promise<void> {
  const database = databasePath(folder);
  if (lstatSync(database, { throwIfNoEntry: false })?.isFile()) await requireUnused(database);
  const names = [
    ...['', '-wal', '-journal', '.closed', '.position'].map((ending) => `vmctl.db${ending}`),
    ...['session.key', 'images'],
  ];
  const found = names.filter((name) => existsSync(join(folder, name)));
  if (found.length === 0) return;
  const target = findUnusedPath(join(folder, 'before-new-site'));
  mkdirSync(target, { mode: 0o700 });
  for (const name of found) moveFileAside(join(folder, name), join(target, name));
  // SQLite recreates the index of the log.
  rmSync(join(folder, 'vmctl.db-shm'), { force: true });
  syncFolder(target);
  syncFolder(folder);
  log(`${found.join(', ')} moved to ${target}`);
}
