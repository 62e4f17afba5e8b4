/**
 * Write-ahead log of the database: flushed asynchronously in groups, and checked for damage at a
 * start. SQLite reads a log up to the first incomplete frame and silently drops the remainder. That
 * is correct after a crash, but not for a log that was damaged later.
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
import { canRecover, type Database, isLocked, type Statement } from './driver.ts';

const headerLength = 32;
const frameHeaderLength = 24;
const magic = 0x377f0682;

/**
 * Header of an emptied log, all of whose contents are durable in the database. SQLite ignores a log
 * with this header.
 */
const emptiedHeader = Buffer.from('vmctl: emptied into the database');

/**
 * Detects damage of the log; undefined for none, or if a crash explains the state. Each commit was
 * durable before the next began, so a crash can tear the last commit only. Two commits after an
 * incomplete frame prove that the frame was damaged later.
 */
export function findLogDamage(path: string): string | undefined {
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
    // A header without frames contains no commit.
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

  /** The checksum of SQLite over all preceding bytes. */
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

/** Length of the log in bytes at which it is emptied: as many pages as SQLite uses by default. */
const longLog = 1_000 * 4_096;
/** Bytes of the frame header before each page in the log. */
const frameHeader = 24;

export class WriteAheadLog {
  readonly #db: Database;
  readonly #path: string;
  /**
   * Separate file descriptors, opened before the first write that they have to flush. The one of
   * the database is closed after that of SQLite: closing it earlier would release the locks of
   * SQLite.
   */
  readonly #database: number;
  /** Number of the last commit, in the database and in the position file. */
  readonly position: CommitPosition;
  #log: number;
  #isSuspended = false;
  /**
   * File size at which the log is emptied: SQLite then overwrites it from the start, without
   * truncation.
   */
  #limit = longLog;
  /**
   * End of the log that SQLite has to overwrite with its next frame, and the bytes at that
   * position.
   */
  #emptied: { readonly end: number; readonly rest: Buffer } | undefined;

  /**
   * Takes over the flushes of a database in WAL mode. This connection must have locked the
   * database, and the log must exist.
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
    // Makes the log file and its content from the opening durable.
    fsyncSync(log);
    syncFolder(dirname(this.#path));
    this.#db.exec('PRAGMA synchronous = OFF; PRAGMA wal_autocheckpoint = 0');
    return log;
  }

  /**
   * Disables the log until `resume`, for a transaction that adds much data to a small database.
   * SQLite then keeps a journal of the few changed pages, writes new pages once instead of twice,
   * and flushes them. After a crash, none of the new data exists. A log of millions of pages would
   * slow down every read.
   */
  suspend(): void {
    this.#db.exec('PRAGMA synchronous = FULL; PRAGMA journal_mode = DELETE');
    closeSync(this.#log);
    this.#isSuspended = true;
  }

  /** Starts a new empty log. */
  resume(): void {
    // The first transaction creates the file.
    this.#db.exec('PRAGMA journal_mode = WAL; BEGIN IMMEDIATE; COMMIT');
    this.#log = this.#takeOver();
    this.#limit = longLog;
    this.#emptied = undefined;
    this.#isSuspended = false;
  }

  /** Resolves after all commits are durable. */
  async flush(): Promise<void> {
    if (!this.#isSuspended) {
      this.#requireBegun();
      await settled((done) => fdatasync(this.#log, done));
    }
    this.position.durable();
  }

  /** Flushes synchronously. */
  flushNow(): void {
    if (this.#isSuspended) return;
    this.#requireBegun();
    fdatasyncSync(this.#log);
  }

  /** Whether the log should be emptied. */
  get isLong(): boolean {
    return !this.#isSuspended && fstatSync(this.#log).size > this.#limit;
  }

  /**
   * Moves the flushed contents of the log to the database. The log remains valid until the database
   * is flushed, and is invalidated before the next write: SQLite would otherwise replay an old
   * beginning with new frames after it. Leaves the log unchanged if the disk is full or a reader is
   * active.
   */
  async empty(): Promise<void> {
    const { size } = fstatSync(this.#log);
    this.#limit = size + longLog;
    let frames: number | undefined;
    try {
      frames = this.#checkpoint('PASSIVE');
      if (frames === undefined) return;
    } catch (cause) {
      if (canRecover(cause) || isLocked(cause)) return;
      throw cause;
    }
    await settled((done) => fdatasync(this.#database, done));
    if (size > 2 * longLog) {
      // Truncates the file after a large log.
      if (this.#checkpoint('TRUNCATE') === undefined) return;
      await settled((done) => fsync(this.#log, done));
      this.#limit = longLog;
      return;
    }
    // Overwriting existing blocks costs far less than flushing a growing file.
    const pageSize = this.#read(0).readUInt32BE(8);
    const end = emptiedHeader.length + frames * (frameHeader + pageSize);
    await settled((done) => write(this.#log, emptiedHeader, 0, emptiedHeader.length, 0, done));
    this.#emptied = { end, rest: this.#read(end) };
    await settled((done) => fdatasync(this.#log, done));
    this.#limit = size;
  }

  /**
   * Moves the log into the database. Returns its number of frames; undefined if not all were moved.
   */
  #checkpoint(how: 'PASSIVE' | 'TRUNCATE'): number | undefined {
    const row = this.#db.prepare(`PRAGMA wal_checkpoint(${how})`).get();
    const isWhole = row?.['busy'] === 0 && row['log'] === row['checkpointed'];
    return isWhole ? Number(row['log']) : undefined;
  }

  /** Bytes of the log at an offset, as many as its header has. */
  #read(at: number): Buffer {
    const bytes = Buffer.alloc(emptiedHeader.length);
    return bytes.subarray(0, readSync(this.#log, bytes, 0, bytes.length, at));
  }

  /**
   * Ensures that the first commit into an emptied log overwrites it from the start: SQLite would
   * ignore frames added at the old end. A commit without changes writes nothing.
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

  /** Empties the log permanently and closes the database, with flushes by SQLite again. */
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
