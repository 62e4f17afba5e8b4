/**
 * Write-ahead log of the database: flushed beside the main thread in groups, and inspected for damage at
 * a start. SQLite reads a log up to the first frame that is not whole and drops the rest without a word:
 * right for what a crash left at its end, wrong for what was damaged.
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
import { systemError } from '../files/system-error.ts';
import { CommitPosition } from './commit-position.ts';
import { type Database, heals, isLocked, type Statement } from './driver.ts';

const headerLength = 32;
const frameHeaderLength = 24;
const magic = 0x377f0682;

/**
 * What the header of a log becomes when all that is in it is durable in the database: SQLite reads no
 * log that begins so.
 */
const emptiedHeader = Buffer.from('vmctl: emptied into the database');

/**
 * What is wrong with the log; undefined where nothing is, or no more than a crash explains. Of the
 * commits, each of which was on the disk before the next began, a crash can tear the last one only:
 * where two follow a frame that is not whole, that frame was damaged later.
 */
export function damageOf(path: string): string | undefined {
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch (error) {
    if (systemError(error).code === 'ENOENT') return undefined;
    throw error;
  }
  try {
    return new Reader(file, fstatSync(file).size).damage();
  } finally {
    closeSync(file);
  }
}

class Reader {
  readonly #file: number;
  readonly #size: number;
  #littleEndian = false;
  #sums: [number, number] = [0, 0];

  constructor(file: number, size: number) {
    this.#file = file;
    this.#size = size;
  }

  damage(): string | undefined {
    // A header alone promises nothing yet.
    if (this.#size <= headerLength + frameHeaderLength) return undefined;
    const header = this.#read(0, headerLength);
    if (header.equals(emptiedHeader)) return undefined;
    if ((header.readUInt32BE(0) & 0xfffffffe) >>> 0 !== magic)
      return 'its first page has no header';
    this.#littleEndian = (header.readUInt32BE(0) & 1) === 0;
    this.#add(header.subarray(0, 24));
    if (!this.#fits(header, 24)) return 'its header has a wrong checksum';
    const frameLength = frameHeaderLength + header.readUInt32BE(8);
    const salt = header.subarray(16, 24);
    const frames = Math.floor((this.#size - headerLength) / frameLength);
    let broken: number | undefined;
    let commits = 0;
    for (let number = 0; number < frames; number++) {
      const at = headerLength + number * frameLength;
      if (broken !== undefined) {
        const head = this.#read(at, frameHeaderLength);
        if (head.subarray(8, 16).equals(salt) && head.readUInt32BE(4) > 0) commits += 1;
        continue;
      }
      const frame = this.#read(at, frameLength);
      this.#add(frame.subarray(0, 8));
      this.#add(frame.subarray(frameHeaderLength));
      if (frame.subarray(8, 16).equals(salt) && this.#fits(frame, 16)) continue;
      broken = number;
    }
    if (broken === undefined || commits < 2) return undefined;
    return `frame ${broken + 1} of ${frames} is incomplete, and ${commits} commits follow it`;
  }

  #read(offset: number, length: number): Buffer {
    const bytes = Buffer.alloc(length);
    readSync(this.#file, bytes, 0, length, offset);
    return bytes;
  }

  #fits(bytes: Buffer, at: number): boolean {
    return bytes.readUInt32BE(at) === this.#sums[0] && bytes.readUInt32BE(at + 4) === this.#sums[1];
  }

  /** The sum that SQLite keeps over all that came before. */
  #add(bytes: Buffer): void {
    let [a, b] = this.#sums;
    for (let at = 0; at < bytes.length; at += 8) {
      a = (a + this.#word(bytes, at) + b) >>> 0;
      b = (b + this.#word(bytes, at + 4) + a) >>> 0;
    }
    this.#sums = [a, b];
  }

  #word(bytes: Buffer, at: number): number {
    return this.#littleEndian ? bytes.readUInt32LE(at) : bytes.readUInt32BE(at);
  }
}

/** Bytes of the log from which on it is emptied: as many pages as SQLite itself waits for. */
const long = 1_000 * 4_096;
/** Bytes before each page in the log. */
const frameHeader = 24;

export class WriteAheadLog {
  readonly #db: Database;
  readonly #path: string;
  /**
   * Descriptors of our own, opened before the first write that they have to answer for. That of the
   * database is not closed before SQLite has closed its own: the system would drop SQLite's locks.
   */
  readonly #database: number;
  /** Number of the last commit, in the database and beside it. */
  readonly position: CommitPosition;
  #log: number;
  #isSuspended = false;
  /** Size of the file from which on the log is long: it is written anew from its start, not cut off. */
  #limit = long;
  /** Where the log ended that SQLite has to begin anew with its next frame, and what follows there. */
  #emptied: { readonly end: number; readonly rest: Buffer } | undefined;

  /**
   * Takes over the flushes of a database in WAL mode that is locked for this connection alone, and has
   * a log already.
   */
  constructor(db: Database, path: string, statement: (sql: string) => Statement) {
    this.#db = db;
    this.#path = path;
    this.#database = openSync(path, 'r+');
    this.#log = this.#takeOver();
    this.position = new CommitPosition(path, db, statement);
  }

  /** Opens the log. */
  #takeOver(): number {
    const log = openSync(`${this.#path}-wal`, 'r+');
    // What the opening has left there is durable, and so is that there is a log.
    fsyncSync(log);
    syncFolder(dirname(this.#path));
    this.#db.exec('PRAGMA synchronous = OFF; PRAGMA wal_autocheckpoint = 0');
    return log;
  }

  /**
   * Does without the log until `resume` is called: for a transaction that adds much to a database with
   * little in it. SQLite keeps a journal of the few pages that it changes, writes what is new to its place
   * at once instead of twice, and flushes by itself; after a crash, nothing of it is there. With a log of
   * millions of pages, each page that is read is looked for in all of it.
   */
  suspend(): void {
    this.#db.exec('PRAGMA synchronous = FULL; PRAGMA journal_mode = DELETE');
    closeSync(this.#log);
    this.#isSuspended = true;
  }

  /** Begins a log again, with nothing in it. */
  resume(): void {
    // There is a file with the first transaction.
    this.#db.exec('PRAGMA journal_mode = WAL; BEGIN IMMEDIATE; COMMIT');
    this.#log = this.#takeOver();
    this.#limit = long;
    this.#emptied = undefined;
    this.#isSuspended = false;
  }

  /** Resolves when everything that was committed is on the disk. */
  async flush(): Promise<void> {
    if (!this.#isSuspended) {
      this.#requireBegun();
      await settled((done) => fdatasync(this.#log, done));
    }
    this.position.durable();
  }

  /** The same at once, with everybody waiting. */
  flushNow(): void {
    if (this.#isSuspended) return;
    this.#requireBegun();
    fdatasyncSync(this.#log);
  }

  /** Whether it is time to empty the log. */
  get isLong(): boolean {
    return !this.#isSuspended && fstatSync(this.#log).size > this.#limit;
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
      if (heals(cause) || isLocked(cause)) return;
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
      throw new Error('the database log was not restarted');
    }
    this.#emptied = undefined;
  }

  /** Empties the log for good, and closes the database: SQLite flushes again by itself. */
  close(): void {
    this.#db.exec('PRAGMA synchronous = FULL; PRAGMA wal_checkpoint(TRUNCATE)');
    this.#db.close();
    closeSync(this.#log);
    closeSync(this.#database);
    this.position.close();
  }
}

function settled(call: (done: (error: Error | null) => void) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    call((error) => (error ? reject(error) : resolve()));
  });
}
