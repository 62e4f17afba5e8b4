/** Reasons and remedies for databases that cannot be opened. */
import { FolderError, FolderInUse } from '../files/access.ts';
import { type Database, ioCause, readMessage } from './driver.ts';

/** The first structural problems that SQLite finds; undefined for none. */
export function findDatabaseDamage(db: Database): string | undefined {
  try {
    const rows = db.prepare('PRAGMA quick_check(3)').all();
    const found = rows.map((row) => String(Object.values(row)[0]));
    return found[0] === 'ok' ? undefined : found.join('; ').replace(/\s+/g, ' ');
  } catch (error) {
    return readMessage(error);
  }
}

/** Closes a database without writing to it, as far as possible. */
export function closeQuietly(db: Database): void {
  try {
    db.exec('ROLLBACK');
  } catch {
    // No transaction was open.
  }
  try {
    db.close();
  } catch {
    // The process continues without the connection.
  }
}

export function createOpenFailure(path: string, cause: unknown): Error {
  const text = readMessage(cause);
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
