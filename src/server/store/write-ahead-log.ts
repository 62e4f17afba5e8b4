/**
 * The write-ahead log, made durable without holding up the main thread. SQLite writes into it and into
 * the database, and flushes neither (`synchronous=OFF`): the flushes are made here, in threads of the
 * system, in the order that SQLite's own would have. The caller commits nothing while one is under way.
 */
import { closeSync, fdatasync, fdatasyncSync, fstatSync, fsync, fsyncSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { syncFolder } from '../durable-file.ts';
import { heals } from './disk-errors.ts';
import type { Database } from './driver.ts';

/** Bytes of the log from which on it is emptied: as many pages as SQLite itself waits for. */
const long = 1_000 * 4_096;

export class WriteAheadLog {
  readonly #db: Database;
  /**
   * Descriptors of our own, opened before the first write that they have to answer for. That of the
   * database is not closed before SQLite has closed its own: the system would drop SQLite's locks.
   */
  readonly #database: number;
  readonly #log: number;
  #limit = long;

  /**
   * Takes over the flushes of a database in WAL mode that is locked for this connection alone, and has
   * a log already.
   */
  constructor(db: Database, path: string) {
    this.#db = db;
    this.#database = openSync(path, 'r+');
    this.#log = openSync(`${path}-wal`, 'r+');
    // What the opening has left there is durable, and so is that there is a log.
    fsyncSync(this.#log);
    syncFolder(dirname(path));
    db.exec('PRAGMA synchronous = OFF; PRAGMA wal_autocheckpoint = 0');
  }

  /** Resolves when everything that was committed is on the disk. */
  flush(): Promise<void> {
    return settled((done) => fdatasync(this.#log, done));
  }

  /** The same at once, with everybody waiting. */
  flushNow(): void {
    fdatasyncSync(this.#log);
  }

  /** Whether it is time to empty the log. */
  get isLong(): boolean {
    return fstatSync(this.#log).size > this.#limit;
  }

  /**
   * Moves what is in the log, all of which was flushed, to its place in the database. It stays in the
   * log until the database is flushed; and the log begins anew only when its end is durable, because
   * of an old beginning with a new rest SQLite would bring the beginning back. Leaves the log as it is
   * where the disk has no room, or someone reads.
   */
  async empty(): Promise<void> {
    this.#limit = fstatSync(this.#log).size + long;
    try {
      if (!this.#checkpoint('PASSIVE')) return;
    } catch (cause) {
      if (heals(cause)) return;
      throw cause;
    }
    await settled((done) => fdatasync(this.#database, done));
    if (!this.#checkpoint('TRUNCATE')) return;
    await settled((done) => fsync(this.#log, done));
    this.#limit = long;
  }

  /** Whether the whole log was moved. */
  #checkpoint(how: 'PASSIVE' | 'TRUNCATE'): boolean {
    const row = this.#db.prepare(`PRAGMA wal_checkpoint(${how})`).get();
    return row?.['busy'] === 0 && row['log'] === row['checkpointed'];
  }

  /** Empties the log for good, and closes the database: SQLite flushes again by itself. */
  close(): void {
    this.#db.exec('PRAGMA synchronous = FULL; PRAGMA wal_checkpoint(TRUNCATE)');
    this.#db.close();
    closeSync(this.#log);
    closeSync(this.#database);
  }
}

function settled(call: (done: (error: Error | null) => void) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    call((error) => (error ? reject(error) : resolve()));
  });
}
