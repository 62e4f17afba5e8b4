/**
 * The write-ahead log, made durable without holding up the main thread. SQLite writes into it and into
 * the database, and flushes neither (`synchronous=OFF`): the flushes are made here, in threads of the
 * system, in the order that SQLite's own would have. The caller commits nothing while one is under way.
 */
import {
  closeSync,
  fdatasync,
  fdatasyncSync,
  fstatSync,
  fsync,
  fsyncSync,
  openSync,
  readSync,
  write,
} from 'node:fs';
import { dirname } from 'node:path';
import { syncFolder } from '../files/durable-file.ts';
import { heals } from './disk-errors.ts';
import type { Database } from './driver.ts';
import { emptiedHeader } from './wal.ts';

/** Bytes of the log from which on it is emptied: as many pages as SQLite itself waits for. */
const long = 1_000 * 4_096;
/** Bytes before each page in the log. */
const frameHeader = 24;

export class WriteAheadLog {
  readonly #db: Database;
  /**
   * Descriptors of our own, opened before the first write that they have to answer for. That of the
   * database is not closed before SQLite has closed its own: the system would drop SQLite's locks.
   */
  readonly #database: number;
  readonly #log: number;
  /** Size of the file from which on the log is long: it is written anew from its start, not cut off. */
  #limit = long;
  /** Where the log ended that SQLite has to begin anew with its next frame, and what follows there. */
  #emptied: { readonly end: number; readonly rest: Buffer } | undefined;

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
  async flush(): Promise<void> {
    this.#requireBegun();
    await settled((done) => fdatasync(this.#log, done));
  }

  /** The same at once, with everybody waiting. */
  flushNow(): void {
    this.#requireBegun();
    fdatasyncSync(this.#log);
  }

  /** Whether it is time to empty the log. */
  get isLong(): boolean {
    return fstatSync(this.#log).size > this.#limit;
  }

  /**
   * Moves what is in the log, all of which was flushed, to its place in the database. It stays in the
   * log until the database is flushed, and is made invalid there before anything else is written: of
   * an old beginning with a new rest, SQLite would bring the beginning back. Leaves the log as it is
   * where the disk has no room, or someone reads.
   */
  async empty(): Promise<void> {
    const { size } = fstatSync(this.#log);
    this.#limit = size + long;
    let frames: number | undefined;
    try {
      frames = this.#checkpoint('PASSIVE');
      if (frames === undefined) return;
    } catch (cause) {
      if (heals(cause)) return;
      throw cause;
    }
    await settled((done) => fdatasync(this.#database, done));
    if (size > 2 * long) {
      // After much at once the file gives its room back.
      if (this.#checkpoint('TRUNCATE') === undefined) return;
      await settled((done) => fsync(this.#log, done));
      this.#limit = long;
      return;
    }
    // To write over blocks that are there costs far less than to flush a file that grows.
    const pageSize = this.#read(0).readUInt32BE(8);
    const end = emptiedHeader.length + frames * (frameHeader + pageSize);
    await settled((done) => write(this.#log, emptiedHeader, 0, emptiedHeader.length, 0, done));
    this.#emptied = { end, rest: this.#read(end) };
    await settled((done) => fdatasync(this.#log, done));
    this.#limit = size;
  }

  /** Moves the log into the database. The frames that it had; undefined where not all were moved. */
  #checkpoint(how: 'PASSIVE' | 'TRUNCATE'): number | undefined {
    const row = this.#db.prepare(`PRAGMA wal_checkpoint(${how})`).get();
    const isWhole = row?.['busy'] === 0 && row['log'] === row['checkpointed'];
    return isWhole ? Number(row['log']) : undefined;
  }

  /** Bytes of the log: as many as its header has. */
  #read(at: number): Buffer {
    const bytes = Buffer.alloc(emptiedHeader.length);
    return bytes.subarray(0, readSync(this.#log, bytes, 0, bytes.length, at));
  }

  /**
   * Makes sure that the first commit into an emptied log has begun it anew: SQLite would not read what
   * it added to the end of the old one. A commit that changed nothing has written nothing.
   */
  #requireBegun(): void {
    if (!this.#emptied) return;
    if (this.#read(0).equals(emptiedHeader)) {
      const { end, rest } = this.#emptied;
      if (this.#read(end).equals(rest)) return;
      throw new Error('the log of the database was not begun anew');
    }
    this.#emptied = undefined;
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
