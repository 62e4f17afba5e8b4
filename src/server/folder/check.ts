/** Read-only check of a data folder, for `vmctl serve --check`. */

import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { FolderError } from '../files/access.ts';
import { findLostCommits } from '../store/commit-position.ts';
import { type Database, openDatabase, readMessage } from '../store/driver.ts';
import { countObjects, knownImages, readDatabaseMeta } from '../store/inspection.ts';
import { storedKinds } from '../store/kinds.ts';
import { schemaVersion } from '../store/schema.ts';
import { findLogDamage } from '../store/write-ahead-log.ts';
import { databasePath, imagesFolderPath, lock } from './data-folder.ts';
import { findUnlistedImages, parseSiteMark, readDatabaseState, readMark } from './marks.ts';
import { describeLoss, describeUnlistedImages } from './refusals.ts';

/** Result: each problem is a line. */
export interface Findings {
  readonly problems: readonly string[];
  readonly objects: number;
  readonly images: number;
}

/** Checks an unused folder. Throws a `FolderError` if it has no database or a server uses it. */
export async function checkFolder(
  folder: string,
  images = imagesFolderPath(folder),
): Promise<Findings> {
  const database = databasePath(folder);
  const found = lstatSync(database, { throwIfNoEntry: false });
  if (!found?.isFile() || found.size === 0) {
    throw new FolderError(
      `No database to check: ${database} ${found ? 'is empty or not a file' : 'is missing'}.`,
      'use the folder of a site with --data',
    );
  }
  const problems: string[] = [];
  const left = await readDatabaseState(database);
  if (left === 'changed') problems.push(`${database} was changed after it was closed`);
  const damage = left === 'open' ? findLogDamage(`${database}-wal`) : undefined;
  if (damage !== undefined) problems.push(`${database}-wal is damaged: ${damage}`);
  const lost = await findLostCommits(database);
  if (lost) problems.push(describeLoss(database, lost));
  const db = await openDatabase(database);
  try {
    lock(db, database);
    return { ...contents(db, { folder, images }, problems), problems };
  } catch (error) {
    if (error instanceof FolderError) throw error;
    problems.push(`cannot read ${database}: ${readMessage(error)}`);
    return { problems, objects: 0, images: 0 };
  } finally {
    db.close();
  }
}

function contents(
  db: Database,
  { folder, images }: { readonly folder: string; readonly images: string },
  problems: string[],
): { objects: number; images: number } {
  const { length: before } = problems;
  for (const row of db.prepare('PRAGMA integrity_check').all()) {
    const text = String(Object.values(row)[0]);
    if (text !== 'ok') problems.push(`${databasePath(folder)}: ${text.replace(/\s+/g, ' ')}`);
  }
  // Further checks of a damaged database are unreliable.
  if (problems.length > before) return { objects: 0, images: 0 };
  const version = Number(readDatabaseMeta(db, 'schema_version'));
  if (version !== schemaVersion) {
    problems.push(`the database has the schema ${version}; this version checks ${schemaVersion}`);
    return { objects: 0, images: 0 };
  }
  const objects = checkObjects(db, problems);
  return { objects, images: checkImages(db, images, problems) };
}

function checkObjects(db: Database, problems: string[]): number {
  let objects = 0;
  for (const kind of storedKinds()) {
    const { unreadable, misplaced, orphans, ...found } = countObjects(db, kind);
    objects += found.objects;
    if (unreadable > 0) problems.push(`${unreadable} objects of kind ${kind} cannot be read`);
    if (misplaced > 0)
      problems.push(`${misplaced} objects of kind ${kind} are stored under another id`);
    if (orphans > 0)
      problems.push(`${orphans} references belong to missing objects of kind ${kind}`);
  }
  return objects;
}

function checkImages(db: Database, images: string, problems: string[]): number {
  const own = parseSiteMark(readDatabaseMeta(db, 'site') ?? '{}');
  const mark = readMark(images);
  if (mark?.site !== own.site) problems.push(`${images} does not have the images of this site`);
  else if (mark?.starts !== own.starts) {
    problems.push(
      `database and images are from different starts (${own.starts} and ${mark?.starts})`,
    );
  }
  const known = knownImages(db);
  let expected = 0;
  for (const { id, length, written, owned } of known) {
    if (!written || !owned) continue;
    expected += 1;
    const found = lstatSync(join(images, id), { throwIfNoEntry: false });
    if (!found?.isFile()) problems.push(`image ${id} is missing`);
    else if (found.size < length) {
      problems.push(`image ${id} has ${found.size} bytes instead of ${length}`);
    }
  }
  const unlisted = findUnlistedImages(images, new Set(known.map(({ id }) => id)));
  if (unlisted.names.length > 0) {
    problems.push(`${images} has ${describeUnlistedImages(unlisted)} unknown to the database`);
  }
  return expected;
}
