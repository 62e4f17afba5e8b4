/** Whether a server has a database: asked before anything is done to its folder. */

import { FolderInUse } from '../files/access.ts';
import { type Database, openDatabase } from '../store/driver.ts';

/** Throws a `FolderInUse` where a server has the database. Nothing else may open it meanwhile. */
export function lock(db: Database, path: string): void {
  try {
    db.exec(
      'PRAGMA busy_timeout = 300; PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; ROLLBACK',
    );
  } catch (error) {
    if (!/locked|busy/i.test((error as Error).message)) throw error;
    throw new FolderInUse(
      `Cannot use the data in ${path}: another vmctl serve uses it.`,
      'stop that one, or choose another folder with --data',
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
