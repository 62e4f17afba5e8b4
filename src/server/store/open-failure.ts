/** Databases that cannot be opened: what is wrong with them, and what can be done. */
import { FolderError, FolderInUse } from '../files/access.ts';
import { type Database, ioCause, messageOf } from './driver.ts';

/** The first faults that SQLite finds in the structure of the database; undefined where there are none. */
export function damageIn(db: Database): string | undefined {
  try {
    const rows = db.prepare('PRAGMA quick_check(3)').all();
    const found = rows.map((row) => String(Object.values(row)[0]));
    return found[0] === 'ok' ? undefined : found.join('; ').replace(/\s+/g, ' ');
  } catch (error) {
    return messageOf(error);
  }
}

/** Closes a database without writing to it, as far as possible. */
export function abandon(db: Database): void {
  try {
    db.exec('ROLLBACK');
  } catch {
    // There was no transaction.
  }
  try {
    db.close();
  } catch {
    // It is as good as closed.
  }
}

export function refusalOf(path: string, cause: unknown): Error {
  const text = messageOf(cause);
  if (/locked|busy/i.test(text)) {
    return new FolderInUse(
      `Cannot use the data in ${path}: another vmctl serve uses it.`,
      'stop it, or use another folder with --data',
      cause,
    );
  }
  if (/malformed|not a database/i.test(text)) {
    return new FolderError(
      `${path} is damaged: ${text}.`,
      'restore a backup to an empty folder with vmctl serve --restore; or start an empty site with --new-site, which moves existing files aside and deletes nothing',
      cause,
    );
  }
  return new FolderError(`Cannot use the data in ${path}: ${ioCause(text)}`, undefined, cause);
}
