/** Data folder: opening, closing, and detection of a running server. */

import { copyFileSync, existsSync, lstatSync, mkdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { FolderError, FolderInUse, ownFile, ownFolder } from '../files/access.ts';
import { syncFolder } from '../files/durable-file.ts';
import { findLostCommits, positionFile } from '../store/commit-position.ts';
import { type Database, messageOf, openDatabase } from '../store/driver.ts';
import { openStore } from '../store/store.ts';
import { damageOf } from '../store/write-ahead-log.ts';
import { agree, writeSite } from './agreement.ts';
import { clearPartial, moved, moveImagesAside, unused } from './aside.ts';
import { howLeft, markClosed, markOf, markOpen, newSite, readMark, strangersIn } from './marks.ts';
import type { DataFolder, FolderSettings } from './opened-site.ts';
import * as refusals from './refusals.ts';
import { openSharedSite } from './shared-site.ts';

/** Throws a `FolderInUse` where a server has the database. Nothing else may open it meanwhile. */
export function lock(db: Database, path: string): void {
  try {
    db.exec(
      'PRAGMA busy_timeout = 300; PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; ROLLBACK',
    );
  } catch (error) {
    if (!/locked|busy/i.test(messageOf(error))) throw error;
    throw new FolderInUse(
      `Cannot use the data in ${path}: another vmctl serve uses it.`,
      'stop it, or use another folder with --data',
      error,
    );
  }
}

/** Throws a `FolderInUse` where a server has the database; whether it is a whole one does not matter. */
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

/** Of a folder, which one server has for itself. */
const alone = { isFirst: true, started: () => {} };

/** Where a backup is being brought in. */
export const restoring = 'restore.partial';

/** The database in a folder of data. */
export function databaseIn(folder: string): string {
  return join(folder, 'vmctl.db');
}

/** The folder of the images in a folder of data. */
export function imagesIn(folder: string): string {
  return join(folder, 'images');
}

/** Opens a folder of data, or makes one. Throws a `FolderError` where that could lose something. */
export async function openDataFolder(path: string, settings: FolderSettings): Promise<DataFolder> {
  ownFolder(path);
  const images = settings.images ?? imagesIn(path);
  const frozen = settings.images ?? path;
  if (settings.store !== undefined) {
    return openSharedSite(settings.store, { images, frozen }, settings);
  }
  if (settings.inMemory) {
    ownFolder(images);
    const store = await openStore(':memory:');
    // Its backups are brought into folders, as those of any other site.
    await writeSite(store, { ...newSite(), starts: 1 });
    return { store, images, frozen, ...alone, close: () => store.close() };
  }
  const database = databaseIn(path);
  if (settings.newSite) {
    await moveAside(path, settings.log);
    if (settings.images !== undefined) moveImagesAside(images, settings.log);
  }
  requireRestored(path);
  requireStore(database, images);
  for (const name of ['', '-wal', '-shm', '-journal', '.position'])
    ownFile(`${database}${name}`, name === '');
  ownFolder(images);
  const isNew = statSync(database).size === 0;
  const left = isNew ? 'closed' : await howLeft(database);
  const damage = left === 'open' ? damageOf(`${database}-wal`) : undefined;
  const lost = isNew || left === 'changed' ? undefined : await findLostCommits(database);
  if (settings.acceptLoss && (damage !== undefined || lost)) keepLog(database, settings.log);
  else if (damage !== undefined) throw refusals.damagedLog(`${database}-wal`, damage);
  else if (lost) throw refusals.lostChanges(database, lost);
  const store = await openStore(database, {
    check: left !== 'closed',
    opened(problem, missing) {
      if (left === 'changed') {
        throw refusals.changedStore(database, markOf(database), problem ?? 'SQLite found no error');
      }
      if (problem !== undefined) throw refusals.damagedStore(database, problem);
      if (missing && !settings.acceptLoss) throw refusals.lostChanges(database, missing);
      if (missing) settings.log(refusals.describeLoss(database, missing));
      markOpen(database);
    },
  });
  try {
    clearPartial(frozen);
    await agree(store, database, images, settings);
  } catch (error) {
    await store.close();
    // Nothing was changed, so it is as well closed as before.
    if (left === 'closed' && !isNew) await finish(database);
    throw error;
  }
  return {
    store,
    images,
    frozen,
    ...alone,
    async close() {
      await store.close();
      if (!store.failed) await finish(database);
    },
  };
}

/** Marks a closed database: its log is empty, so that nothing of it can be missing. */
async function finish(database: string): Promise<void> {
  await markClosed(database);
  rmSync(positionFile(database), { force: true });
}

/** Keeps a copy of a log of which SQLite reads only a part. */
function keepLog(database: string, log: (line: string) => void): void {
  const path = `${database}-wal`;
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) === 0) return;
  const copy = unused(`${path}.incomplete`);
  copyFileSync(path, copy);
  log(`${path} copied to ${copy}`);
}

/** Refuses a folder into which a backup was brought in part. */
function requireRestored(folder: string): void {
  if (!existsSync(join(folder, restoring))) return;
  throw new FolderError(
    `Restoring a backup to ${folder} was interrupted.`,
    'run vmctl serve --restore again',
  );
}

/** Refuses to begin an empty site where there was one. */
function requireStore(database: string, images: string): void {
  const found = lstatSync(database, { throwIfNoEntry: false });
  if (found && (found.size > 0 || !found.isFile())) return;
  const log = `${database}-wal`;
  if ((lstatSync(log, { throwIfNoEntry: false })?.size ?? 0) > 0) {
    throw refusals.noStoreBesideLog(database, log);
  }
  const mark = readMark(images);
  const strangers = strangersIn(images, new Set());
  if (mark || strangers.names.length > 0) {
    throw refusals.noStore(database, found !== undefined, images, mark, strangers);
  }
}

/** Moves database and images aside, and the key of what clients have of them. Nothing is deleted. */
async function moveAside(folder: string, log: (line: string) => void): Promise<void> {
  const database = databaseIn(folder);
  if (lstatSync(database, { throwIfNoEntry: false })?.isFile()) await requireUnused(database);
  const names = [
    ...['', '-wal', '-journal', '.closed', '.position'].map((ending) => `vmctl.db${ending}`),
    ...['session.key', 'images'],
  ];
  const found = names.filter((name) => existsSync(join(folder, name)));
  if (found.length === 0) return;
  const target = unused(join(folder, 'before-new-site'));
  mkdirSync(target, { mode: 0o700 });
  for (const name of found) moved(join(folder, name), join(target, name));
  // The index of the log is made anew with the log.
  rmSync(join(folder, 'vmctl.db-shm'), { force: true });
  syncFolder(target);
  syncFolder(folder);
  log(`${found.join(', ')} moved to ${target}`);
}
