/**
 * The qcow2 format, as far as disks need it: reading images of versions 2 and 3 (also with compressed
 * clusters), writing whole ones. Images that are only the difference to another one are refused, and
 * so are encrypted ones and those with external data.
 */
import type { FileHandle } from 'node:fs/promises';
import { promisify } from 'node:util';
import { constants, inflateRaw } from 'node:zlib';
import { writeAll } from './write-all.ts';

const inflate = promisify(inflateRaw);

const magic = 0x514649fb;
const clusterBits = 16;
/** Bytes of a cluster. */
export const clusterSize = 2 ** clusterBits;
const entriesPerTable = clusterSize / 8;
/** Entries are counted in 16 bits. */
const entriesPerRefcounts = clusterSize / 2;
const offsetMask = 0x00ff_ffff_ffff_fe00n;
const copied = 1n << 63n;
const compressed = 1n << 62n;
const allZeros = 1n;
/** Incompatible features that do not change how data are found: dirty refcounts. */
const harmless = 1n;

/** A part of a disk with bytes in it; what lies between parts is all zeros. */
export interface Part {
  /** Where it begins on the disk, in bytes. */
  readonly offset: number;
  readonly bytes: Uint8Array;
}

/**
 * Bytes of the disk in an image, by the first 32 bytes of its file; undefined where the file is no
 * qcow2 image.
 */
export function sizeInside(head: Uint8Array): number | undefined {
  const view = new DataView(head.buffer, head.byteOffset, head.byteLength);
  if (head.length < 32 || view.getUint32(0) !== magic) return undefined;
  return Number(view.getBigUint64(24));
}

/** The parts of an image that hold data, in order. Throws where it cannot be read by itself. */
export async function* partsOf(file: FileHandle): AsyncGenerator<Part> {
  const head = await readAt(file, 0, 104);
  const version = head.readUInt32BE(4);
  if (head.readUInt32BE(0) !== magic || (version !== 2 && version !== 3)) {
    throw new Error('The file holds no qcow2 image of version 2 or 3.');
  }
  if (head.readBigUInt64BE(8) !== 0n) throw new Error('The image needs another one below it.');
  if (head.readUInt32BE(32) !== 0) throw new Error('The image is encrypted.');
  const features = version === 3 ? head.readBigUInt64BE(72) : 0n;
  if ((features & ~harmless) !== 0n) throw new Error('The image has features that are not known.');
  const bits = head.readUInt32BE(20);
  const size = 2 ** bits;
  const end = Number(head.readBigUInt64BE(24));
  const perTable = size / 8;
  const first = await readAt(file, Number(head.readBigUInt64BE(40)), head.readUInt32BE(36) * 8);
  for (let index = 0; index * 8 < first.length; index++) {
    const at = Number(first.readBigUInt64BE(index * 8) & offsetMask);
    if (at === 0) continue;
    const table = await readAt(file, at, size);
    for (let entry = 0; entry < perTable; entry++) {
      const offset = (index * perTable + entry) * size;
      if (offset >= end) break;
      const bytes = await clusterAt(file, table.readBigUInt64BE(entry * 8), bits, version);
      if (bytes) yield { offset, bytes: bytes.subarray(0, Math.min(size, end - offset)) };
    }
  }
}

async function clusterAt(
  file: FileHandle,
  entry: bigint,
  bits: number,
  version: number,
): Promise<Buffer | undefined> {
  const size = 2 ** bits;
  if ((entry & compressed) !== 0n) {
    const width = BigInt(62 - (bits - 8));
    const at = Number(entry & ((1n << width) - 1n));
    const sectors = Number((entry & ~(copied | compressed)) >> width) + 1;
    const packed = await readAt(file, at, sectors * 512 - (at & 511));
    return inflate(packed, { finishFlush: constants.Z_SYNC_FLUSH });
  }
  if (version === 3 && (entry & allZeros) !== 0n) return undefined;
  const at = Number(entry & offsetMask);
  return at === 0 ? undefined : readAt(file, at, size);
}

/** Bytes of a file; what lies beyond its end is zeros. */
async function readAt(file: FileHandle, offset: number, length: number): Promise<Buffer> {
  const buffer = Buffer.alloc(length);
  for (let done = 0; done < length; ) {
    const { bytesRead } = await file.read(buffer, done, length - done, offset + done);
    if (bytesRead === 0) break;
    done += bytesRead;
  }
  return buffer;
}

/**
 * Writes an image of `size` bytes into an empty file. `parts` come in order; clusters of 64 KiB that
 * are all zeros take no room.
 */
export async function writeImage(
  file: FileHandle,
  size: number,
  version: 2 | 3,
  parts: AsyncIterable<Part>,
): Promise<void> {
  const writer = new Qcow2Writer((offset, bytes) => writeAll(file, bytes, offset), size);
  for await (const part of clustersOf(parts)) await writer.add(part);
  await file.truncate(await writer.finish(version));
}

/** The same bytes in whole clusters, also where the parts have another size. */
async function* clustersOf(parts: AsyncIterable<Part>): AsyncGenerator<Part> {
  let current = -1;
  let cluster = Buffer.alloc(0);
  for await (const { offset, bytes } of parts) {
    for (let at = 0; at < bytes.length; ) {
      const number = Math.floor((offset + at) / clusterSize);
      if (number !== current) {
        if (current >= 0) yield { offset: current * clusterSize, bytes: cluster };
        current = number;
        cluster = Buffer.alloc(clusterSize);
      }
      const inside = offset + at - number * clusterSize;
      const piece = bytes.subarray(at, at + clusterSize - inside);
      cluster.set(piece, inside);
      at += piece.length;
    }
  }
  if (current >= 0) yield { offset: current * clusterSize, bytes: cluster };
}

/** Writes bytes at an offset of the image file. */
type Write = (offset: number, bytes: Buffer) => Promise<void>;

/** A whole image that is written from its start to its end, without going back in the disk. */
export class Qcow2Writer {
  readonly #write: Write;
  readonly #size: number;
  readonly #first: Buffer;
  #second = Buffer.alloc(clusterSize);
  /** Number of the second table that is being filled. */
  #index = 0;
  /** The next cluster that is free. */
  #next: number;

  /** @param size bytes of the disk */
  constructor(write: Write, size: number) {
    this.#write = write;
    this.#size = size;
    const entries = Math.max(1, Math.ceil(size / (clusterSize * entriesPerTable)));
    this.#first = Buffer.alloc(Math.ceil((entries * 8) / clusterSize) * clusterSize);
    this.#next = 1 + this.#first.length / clusterSize;
  }

  /**
   * Adds a cluster of 64 KiB, whose offset is a multiple of that, and greater than the one before; the last
   * one of the disk may be shorter. One that is all zeros takes no room.
   */
  async add({ offset, bytes }: Part): Promise<void> {
    if (isZero(bytes)) return;
    const number = offset / clusterSize;
    const index = Math.floor(number / entriesPerTable);
    if (index !== this.#index) await this.#closeTable(index);
    const ref = this.#take();
    await this.#write(ref, wholeCluster(bytes));
    this.#second.writeBigUInt64BE(BigInt(ref) | copied, (number % entriesPerTable) * 8);
  }

  #take(): number {
    this.#next += 1;
    return (this.#next - 1) * clusterSize;
  }

  async #closeTable(next: number): Promise<void> {
    if (!isZero(this.#second)) {
      const ref = this.#take();
      await this.#write(ref, this.#second);
      this.#first.writeBigUInt64BE(BigInt(ref) | copied, this.#index * 8);
      this.#second = Buffer.alloc(clusterSize);
    }
    this.#index = next;
  }

  /** Writes what leads to the clusters. Returns the bytes of the file. */
  async finish(version: 2 | 3): Promise<number> {
    await this.#closeTable(this.#index);
    await this.#write(clusterSize, this.#first);
    const table = await this.#writeRefcounts();
    await this.#write(0, this.#head(version, table));
    return this.#next * clusterSize;
  }

  /** Every cluster is used once, those that say so as well. Returns where the table is. */
  async #writeRefcounts(): Promise<{ offset: number; clusters: number }> {
    let blocks = 1;
    let tables = 1;
    for (;;) {
      const used = this.#next + blocks + tables;
      const needed = Math.ceil(used / entriesPerRefcounts);
      const more = Math.ceil((needed * 8) / clusterSize);
      if (needed === blocks && more === tables) break;
      blocks = needed;
      tables = more;
    }
    const used = this.#next + blocks + tables;
    const table = Buffer.alloc(tables * clusterSize);
    for (let block = 0; block < blocks; block++) {
      const counts = Buffer.alloc(clusterSize);
      const count = Math.min(entriesPerRefcounts, used - block * entriesPerRefcounts);
      for (let entry = 0; entry < count; entry++) counts.writeUInt16BE(1, entry * 2);
      const ref = this.#take();
      await this.#write(ref, counts);
      table.writeBigUInt64BE(BigInt(ref), block * 8);
    }
    const offset = this.#next * clusterSize;
    this.#next += tables;
    await this.#write(offset, table);
    return { offset, clusters: tables };
  }

  #head(version: 2 | 3, table: { offset: number; clusters: number }): Buffer {
    const head = Buffer.alloc(clusterSize);
    head.writeUInt32BE(magic, 0);
    head.writeUInt32BE(version, 4);
    head.writeUInt32BE(clusterBits, 20);
    head.writeBigUInt64BE(BigInt(this.#size), 24);
    const entries = Math.max(1, Math.ceil(this.#size / (clusterSize * entriesPerTable)));
    head.writeUInt32BE(entries, 36);
    head.writeBigUInt64BE(BigInt(clusterSize), 40);
    head.writeBigUInt64BE(BigInt(table.offset), 48);
    head.writeUInt32BE(table.clusters, 56);
    if (version === 3) {
      // Refcounts of 2^4 bits, and the length of this header.
      head.writeUInt32BE(4, 96);
      head.writeUInt32BE(104, 100);
    }
    return head;
  }
}

function wholeCluster(bytes: Uint8Array): Buffer {
  if (bytes.length === clusterSize) return Buffer.from(bytes.buffer, bytes.byteOffset, clusterSize);
  const whole = Buffer.alloc(clusterSize);
  whole.set(bytes);
  return whole;
}

const zeros = Buffer.alloc(clusterSize);

function isZero(bytes: Uint8Array): boolean {
  return zeros.subarray(0, bytes.length).equals(bytes);
}
