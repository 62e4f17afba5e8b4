/**
 * Whether a write-ahead log was damaged. SQLite reads one up to the first frame that is not whole, and
 * drops the rest without a word: right for what a crash left at its end, wrong for what was damaged.
 */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

const headerLength = 32;
const frameHeaderLength = 24;
const magic = 0x377f0682;

/**
 * What the header of a log becomes when all that is in it is durable in the database: SQLite reads no
 * log that begins so.
 */
export const emptiedHeader = Buffer.from('vmctl: emptied into the database');

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
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
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
    if ((header.readUInt32BE(0) & 0xfffffffe) >>> 0 !== magic) return 'its first page is no header';
    this.#littleEndian = (header.readUInt32BE(0) & 1) === 0;
    this.#add(header.subarray(0, 24));
    if (!this.#fits(header, 24)) return 'its header does not have the sum that it says';
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
    return `its frame ${broken + 1} of ${frames} is not whole, and ${commits} commits follow it`;
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
