/** `vmctl serve --check`: everything in a folder of data is looked at, and nothing is changed. */
import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { FolderError } from '../files/access.ts';
import { type Database, openDatabase } from '../store/driver.ts';
import { imageKinds } from '../store/image-list.ts';
import { storedKinds } from '../store/kinds.ts';
import { schemaVersion, table } from '../store/schema.ts';
import { damageOf } from '../store/write-ahead-log.ts';
import { databaseIn, imagesIn, lock } from './data-folder.ts';
import { howLeft, readMark, type SiteMark, strangersIn } from './marks.ts';
import { told } from './refusals.ts';

/** What was found: each problem is a line. */
export interface Findings {
  readonly problems: readonly string[];
  readonly objects: number;
  readonly images: number;
}

/**
 * Looks at a folder that no server runs on. Throws a `FolderError` where there is no database, or where
 * a server has it.
 */
export async function checkFolder(folder: string): Promise<Findings> {
  const database = databaseIn(folder);
  const found = lstatSync(database, { throwIfNoEntry: false });
  if (!found?.isFile() || found.size === 0) {
    throw new FolderError(
      `There is no database to be checked: ${database} ${found ? 'is empty or no file' : 'is missing'}.`,
      'name the folder of a site with --data',
    );
  }
  const problems: string[] = [];
  const left = await howLeft(database);
  if (left === 'changed') problems.push(`${database} was changed after it was closed`);
  const damage = left === 'open' ? damageOf(`${database}-wal`) : undefined;
  if (damage !== undefined) problems.push(`${database}-wal is damaged: ${damage}`);
  const db = await openDatabase(database);
  try {
    lock(db, database);
    return { ...contents(db, folder, problems), problems };
  } catch (error) {
    if (error instanceof FolderError) throw error;
    problems.push(`${database} cannot be read: ${(error as Error).message}`);
    return { problems, objects: 0, images: 0 };
  } finally {
    db.close();
  }
}

function contents(
  db: Database,
  folder: string,
  problems: string[],
): { objects: number; images: number } {
  const { length: before } = problems;
  for (const row of db.prepare('PRAGMA integrity_check').all()) {
    const text = String(Object.values(row)[0]);
    if (text !== 'ok') problems.push(`${databaseIn(folder)}: ${text.replace(/\s+/g, ' ')}`);
  }
  // What is not whole answers nothing else rightly.
  if (problems.length > before) return { objects: 0, images: 0 };
  const version = Number(metaOf(db, 'schema_version'));
  if (version !== schemaVersion) {
    problems.push(`the database has the schema ${version}; this version checks ${schemaVersion}`);
    return { objects: 0, images: 0 };
  }
  const objects = checkObjects(db, problems);
  return { objects, images: checkImages(db, imagesIn(folder), problems) };
}

function metaOf(db: Database, key: string): string | undefined {
  const row = db.prepare('SELECT value FROM meta WHERE key = ?').get(key);
  return row && String(row['value']);
}

function checkObjects(db: Database, problems: string[]): number {
  let objects = 0;
  for (const kind of storedKinds()) {
    const name = table(kind);
    const row = db
      .prepare(
        `SELECT count(*) AS n, sum(NOT json_valid(doc)) AS bad, sum(json_valid(doc) AND doc ->> 'id' IS NOT id) AS other FROM ${name}`,
      )
      .get();
    objects += Number(row?.['n'] ?? 0);
    const [bad, other] = [Number(row?.['bad'] ?? 0), Number(row?.['other'] ?? 0)];
    if (bad > 0) problems.push(`${bad} objects of kind ${kind} cannot be read`);
    if (other > 0)
      problems.push(`${other} objects of kind ${kind} are kept under the id of another`);
    const lost = db
      .prepare(
        `SELECT count(DISTINCT id) AS n FROM reference WHERE kind = ? AND NOT EXISTS (SELECT 1 FROM ${name} o WHERE o.id = reference.id)`,
      )
      .get(kind);
    const count = Number(lost?.['n'] ?? 0);
    if (count > 0)
      problems.push(`${count} references come from objects of kind ${kind} that are not there`);
  }
  return objects;
}

function checkImages(db: Database, images: string, problems: string[]): number {
  const own = JSON.parse(metaOf(db, 'site') ?? '{}') as Partial<SiteMark>;
  const mark = readMark(images);
  if (mark?.site !== own.site) problems.push(`${images} does not hold the images of this site`);
  else if (mark?.starts !== own.starts) {
    problems.push(
      `database and images are from different starts (${own.starts} and ${mark?.starts})`,
    );
  }
  const owned = imageKinds.map((kind) => `SELECT id FROM ${table(kind)}`).join(' UNION ');
  const rows = db
    .prepare(`SELECT id, length, written, id IN (${owned}) AS owned FROM image_file`)
    .all();
  let expected = 0;
  for (const { id, length, written, owned: isOwned } of rows) {
    if (Number(written) !== 1 || Number(isOwned) !== 1) continue;
    expected += 1;
    const found = lstatSync(join(images, String(id)), { throwIfNoEntry: false });
    if (!found?.isFile()) problems.push(`the image ${id} is missing`);
    else if (found.size < Number(length)) {
      problems.push(`the image ${id} has ${found.size} bytes, and had ${Number(length)}`);
    }
  }
  const strangers = strangersIn(images, new Set(rows.map(({ id }) => String(id))));
  if (strangers.names.length > 0) {
    problems.push(`${images} holds ${told(strangers)} that the database does not know`);
  }
  return expected;
}
