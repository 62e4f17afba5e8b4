/**
 * Backup file format: a header line; for each file of the site a line with its path and size, its
 * pieces without zeros, and an end mark; and a last line with the checksum of all preceding bytes.
 * Each piece is preceded by its offset (8 bytes) and length (4 bytes, big endian).
 */

import { createHash, type Hash } from 'node:crypto';
import { isRecord } from '../../records.ts';

/** Header line of every backup, with the format version. */
export const firstLine = 'vmctl-backup 1\n';
export const pieceLength = 256 * 1024;
export const headLength = 12;
/** Offset that marks the end of a file. */
const endMark = 2n ** 64n - 1n;

/** Name of the database in a backup. */
export const databaseEntry = 'vmctl.db';
const imageEntry = /^images\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;
/** Maximum bytes of a file. */
const largest = 2 ** 50;

/** A file of the site. */
export interface Entry {
  readonly path: string;
  readonly size: number;
}

/** A piece of a file. */
export interface Piece {
  readonly offset: number;
  readonly bytes: Buffer;
}

/** Error for a file that is not a complete backup. */
export class BadBackup extends Error {}

/** The image id of an entry; undefined for other entries. */
export function parseImageEntry(path: string): string | undefined {
  return imageEntry.exec(path)?.[1];
}

/** Writes the lines and pieces of a backup, and their checksum. */
export class BackupWriter {
  readonly #hash: Hash = createHash('sha256');
  #entries = 0;

  begin(): Buffer {
    return this.#sum(Buffer.from(firstLine));
  }

  entry(entry: Entry): Buffer {
    this.#entries += 1;
    return this.#sum(Buffer.from(`${JSON.stringify(entry)}\n`));
  }

  piece({ offset, bytes }: Piece): Buffer {
    const head = Buffer.alloc(headLength);
    head.writeBigUInt64BE(BigInt(offset), 0);
    head.writeUInt32BE(bytes.length, 8);
    return this.#sum(Buffer.concat([head, bytes]));
  }

  endOfEntry(): Buffer {
    const head = Buffer.alloc(headLength);
    head.writeBigUInt64BE(endMark, 0);
    return this.#sum(head);
  }

  end(): Buffer {
    const last = { entries: this.#entries, sha256: this.#hash.digest('hex') };
    return Buffer.from(`${JSON.stringify(last)}\n`);
  }

  #sum(bytes: Buffer): Buffer {
    this.#hash.update(bytes);
    return bytes;
  }
}

/** Reads the next bytes of a backup; fewer than requested only at its end. */
export type Take = (length: number) => Buffer;

/** Parser of untrusted backups. */
export class BackupReader {
  readonly #hash: Hash = createHash('sha256');
  readonly #take: Take;
  readonly #seen = new Set<string>();

  constructor(take: Take) {
    this.#take = take;
  }

  begin(): void {
    const line = this.#take(firstLine.length).toString('latin1');
    if (line !== firstLine) {
      const newer = /^vmctl-backup (\d+)/.exec(line);
      throw new BadBackup(
        newer ? `it has format ${newer[1]} of a newer vmctl` : 'it is not a backup of vmctl serve',
      );
    }
    this.#hash.update(firstLine);
  }

  /** The next file; undefined after the last one, if the checksum matches. */
  next(): Entry | undefined {
    const line = this.#line();
    const members = parseLine(line);
    if (members['sha256'] !== undefined) {
      this.#end(members);
      return undefined;
    }
    this.#hash.update(line);
    const { path, size } = members;
    if (
      typeof path !== 'string' ||
      (path !== databaseEntry && parseImageEntry(path) === undefined)
    ) {
      throw new BadBackup(`it contains ${JSON.stringify(path)}, which is not a part of a site`);
    }
    if (typeof size !== 'number' || !Number.isSafeInteger(size) || size < 0 || size > largest) {
      throw new BadBackup(`it has the invalid size ${JSON.stringify(size)} for ${path}`);
    }
    if (this.#seen.has(path)) throw new BadBackup(`it contains ${path} twice`);
    this.#seen.add(path);
    return { path, size };
  }

  /** The next piece of a file; undefined after the last one. */
  piece({ path, size }: Entry, before: number): Piece | undefined {
    const head = this.#bytes(headLength);
    const at = head.readBigUInt64BE(0);
    const length = head.readUInt32BE(8);
    if (at === endMark && length === 0) return undefined;
    if (length > pieceLength || at < BigInt(before) || at + BigInt(length) > BigInt(size)) {
      throw new BadBackup(`a chunk of ${path} is out of range`);
    }
    return { offset: Number(at), bytes: this.#bytes(length) };
  }

  #end({ sha256, entries }: Record<string, unknown>): void {
    if (sha256 !== this.#hash.digest('hex') || entries !== this.#seen.size) {
      throw new BadBackup('its checksum does not match: it was changed or damaged');
    }
    if (this.#take(1).length > 0) throw new BadBackup('it has data after its end');
  }

  #bytes(length: number): Buffer {
    const bytes = this.#take(length);
    if (bytes.length < length) throw new BadBackup('it is truncated');
    this.#hash.update(bytes);
    return bytes;
  }

  #line(): Buffer {
    const bytes: number[] = [];
    while (bytes.at(-1) !== 0x0a) {
      const [byte] = this.#take(1);
      if (byte === undefined) throw new BadBackup('it is truncated');
      bytes.push(byte);
      if (bytes.length > 4096) throw new BadBackup('it is damaged: a line has no end');
    }
    return Buffer.from(bytes);
  }
}

function parseLine(line: Buffer): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(line.toString('utf8'));
    if (isRecord(value)) return value;
  } catch {
    // Reported below.
  }
  throw new BadBackup('it is damaged: a line is empty');
}
