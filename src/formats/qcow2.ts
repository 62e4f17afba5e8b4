/** Reader of qcow2 images (versions 2 and 3, with compressed clusters), and writer of complete images. */
import type { FileHandle } from 'node:fs/promises';
import { promisify } from 'node:util';
import { constants, inflateRaw } from 'node:zlib';
import {
  isQcow2,
  maxL1Bytes,
  Qcow2Error,
  type Qcow2Header,
  qcow2HeaderLength,
  readQcow2Header,
} from './qcow2-header.ts';
import { writeAll } from './write-all.ts';

const inflate = promisify(inflateRaw);

const magic = 0x514649fb;
const clusterBits = 16;
/** Bytes of a cluster. */
export const clusterSize = 2 ** clusterBits;
const entriesPerTable = clusterSize / 8;
/** Refcounts have 16 bits. */
const entriesPerRefcounts = clusterSize / 2;
const offsetMask = 0x00ff_ffff_ffff_fe00n;
const copied = 1n << 63n;
const compressed = 1n << 62n;
const allZeros = 1n;

/** Part of a disk with data. The space between parts contains zeros. */
export interface Part {
  /** Offset on the disk in bytes. */
  readonly offset: number;
  readonly bytes: Uint8Array;
}

/**
 * Virtual size of an image in bytes, from the first 32 bytes of its file. `undefined` if the file
 * is not a qcow2 image. The other fields of the header are not checked.
 */
export function readVirtualSize(head: Uint8Array): number | undefined {
  if (head.length < 32 || !isQcow2(head)) return undefined;
  return Number(new DataView(head.buffer, head.byteOffset, head.byteLength).getBigUint64(24));
}

/** Parses and validates the header of an open file. Throws a `Qcow2Error`. */
export async function readHeader(file: FileHandle): Promise<Qcow2Header & { fileSize: number }> {
  const { size: fileSize } = await file.stat();
  const head = await readAt(file, 0, qcow2HeaderLength);
  return { ...readQcow2Header(head, fileSize), fileSize };
}

/**
 * Checks the tables of an image: all tables and clusters are aligned and within the file, and there
 * are not more references than clusters in the file. It reads only compressed clusters, which can
 * be damaged. Throws a `Qcow2Error` for the first problem.
 */
export async function checkImage(file: FileHandle): Promise<Qcow2Header> {
  const header = await readHeader(file);
  // The generator checks each reference.
  for await (const { entry } of clusterRefs(file, header)) {
    if ((entry & compressed) !== 0n) await clusterAt(file, entry, header);
  }
  return header;
}

/**
 * Parts of an image with data, in order. Throws a `Qcow2Error` if the image is damaged, depends on
 * another file, or is larger than `maxSize` bytes.
 */
export async function* readParts(
  file: FileHandle,
  maxSize = Number.MAX_SAFE_INTEGER,
): AsyncGenerator<Part> {
  const header = await readHeader(file);
  const { clusterSize: size, virtualSize } = header;
  if (virtualSize > maxSize) {
    throw new Qcow2Error(`the virtual size is ${virtualSize} bytes; the disk has ${maxSize}`);
  }
  for await (const { offset, entry } of clusterRefs(file, header)) {
    const bytes = await clusterAt(file, entry, header);
    yield { offset, bytes: bytes.subarray(0, Math.min(size, virtualSize - offset)) };
  }
}

/** Cluster of the disk, and the L2 entry with the position of its data. */
interface ClusterRef {
  /** Offset on the disk, in bytes. */
  readonly offset: number;
  readonly entry: bigint;
}

/** Bytes of the L1 table to read in one call. A large table must not block other work. */
const l1Piece = 2 ** 16;

/** Allocated clusters of an image, in order. Each reference is validated before it is returned. */
async function* clusterRefs(
  file: FileHandle,
  header: Qcow2Header & { readonly fileSize: number },
): AsyncGenerator<ClusterRef> {
  const { l1Offset, l1Bytes, clusterSize, virtualSize } = header;
  const perTable = clusterSize / 8;
  const references = new ReferenceCount(header);
  for (let from = 0; from < l1Bytes; from += l1Piece) {
    const piece = await readAt(file, l1Offset + from, Math.min(l1Piece, l1Bytes - from));
    if (isZero(piece)) continue;
    for (let at = 0; at < piece.length; at += 8) {
      const index = (from + at) / 8;
      const l1Entry = piece.readBigUInt64BE(at);
      if ((l1Entry & offsetMask) === 0n) continue;
      if (index * perTable * clusterSize >= virtualSize) break;
      const table = await readAt(
        file,
        references.addTable(l1Entry & offsetMask, index),
        clusterSize,
      );
      for (let entry = 0; entry < perTable; entry++) {
        const offset = (index * perTable + entry) * clusterSize;
        if (offset >= virtualSize) break;
        // Most entries are 0, and reading two halves is faster than a bigint.
        if (table.readUInt32BE(entry * 8) === 0 && table.readUInt32BE(entry * 8 + 4) === 0)
          continue;
        const value = table.readBigUInt64BE(entry * 8);
        if (references.addCluster(value, offset)) yield { offset, entry: value };
      }
    }
  }
}

/** Deflate compresses data to no less than about 1/1,032. */
const maxDeflateRatio = 1_040;

/**
 * Validates references and counts them. Shared clusters would otherwise let a small file expand
 * without limit.
 */
class ReferenceCount {
  readonly #header: Qcow2Header & { readonly fileSize: number };
  #clusters = 0;
  #inflated = 0;

  constructor(header: Qcow2Header & { readonly fileSize: number }) {
    this.#header = header;
  }

  /** Returns the offset of an L2 table in the file. */
  addTable(offset: bigint, index: number): number {
    const what = `entry ${index} of the L1 table`;
    this.#count(what);
    return this.#inside(offset, what);
  }

  /** Returns whether a cluster is allocated. */
  addCluster(entry: bigint, diskOffset: number): boolean {
    const { version, clusterSize, fileSize } = this.#header;
    const what = `the cluster at ${diskOffset}`;
    if ((entry & compressed) !== 0n) {
      const { at } = compressedAt(entry, this.#header);
      if (at >= fileSize) throw new Qcow2Error(`${what} is after the end of the file`);
      this.#inflated += clusterSize;
      if (this.#inflated > fileSize * maxDeflateRatio) throw shared(what);
      return true;
    }
    if ((entry & allZeros) !== 0n) {
      if (version === 3) return false;
      throw new Qcow2Error(`${what} has the zero flag, which version 2 does not have`);
    }
    if ((entry & offsetMask) === 0n) return false;
    this.#count(what);
    this.#inside(entry & offsetMask, what);
    return true;
  }

  #count(what: string): void {
    const { fileSize, clusterSize } = this.#header;
    this.#clusters += 1;
    if (this.#clusters > fileSize / clusterSize + 1) throw shared(what);
  }

  #inside(offset: bigint, what: string): number {
    const { clusterSize, fileSize } = this.#header;
    const at = Number(offset);
    if (at % clusterSize !== 0) throw new Qcow2Error(`${what} is not aligned to clusters`);
    if (at >= fileSize) throw new Qcow2Error(`${what} is after the end of the file`);
    return at;
  }
}

function shared(what: string): Qcow2Error {
  return new Qcow2Error(
    `${what} overlaps with another one: the tables refer to more data than the file has`,
  );
}

/** Position of the data of a compressed cluster in the file. */
function compressedAt(
  entry: bigint,
  { clusterBits }: Pick<Qcow2Header, 'clusterBits'>,
): { readonly at: number; readonly length: number } {
  const width = BigInt(62 - (clusterBits - 8));
  const at = Number(entry & ((1n << width) - 1n));
  const sectors = Number((entry & ~(copied | compressed)) >> width) + 1;
  return { at, length: sectors * 512 - (at % 512) };
}

async function clusterAt(file: FileHandle, entry: bigint, header: Qcow2Header): Promise<Buffer> {
  const { clusterSize } = header;
  if ((entry & compressed) === 0n) return readAt(file, Number(entry & offsetMask), clusterSize);
  const { at, length } = compressedAt(entry, header);
  const packed = await readAt(file, at, length);
  let bytes: Buffer;
  try {
    bytes = await inflate(packed, {
      finishFlush: constants.Z_SYNC_FLUSH,
      maxOutputLength: clusterSize,
    });
  } catch (cause) {
    const isLarge = cause instanceof RangeError;
    const problem = isLarge ? 'has more bytes than a cluster' : 'is damaged';
    throw new Qcow2Error(`the compressed cluster at byte ${at} of the file ${problem}`, { cause });
  }
  if (bytes.length === clusterSize) return bytes;
  throw new Qcow2Error(`the compressed cluster at byte ${at} of the file is too short`);
}

/** Reads bytes of a file, with zeros after its end. */
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
 * Writes an image of `size` bytes to an empty file. `parts` are in order. Clusters of 64 KiB that
 * contain only zeros are not allocated.
 */
export async function writeImage(
  file: FileHandle,
  size: number,
  version: 2 | 3,
  parts: AsyncIterable<Part>,
): Promise<void> {
  const l1Bytes = Math.ceil(size / (clusterSize * entriesPerTable)) * 8;
  if (l1Bytes > maxL1Bytes) {
    throw new Qcow2Error(`a virtual size of ${size} bytes needs an L1 table of more than 32 MiB`);
  }
  const writer = new Qcow2Writer((offset, bytes) => writeAll(file, bytes, offset), size);
  for await (const part of regroupClusters(parts)) await writer.add(part);
  await file.truncate(await writer.finish(version));
}

/** Regroups parts of any size into clusters. */
async function* regroupClusters(parts: AsyncIterable<Part>): AsyncGenerator<Part> {
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

/** Writer of a complete image, from the start to the end of the disk. */
export class Qcow2Writer {
  readonly #write: Write;
  readonly #size: number;
  readonly #first: Buffer;
  #second = Buffer.alloc(clusterSize);
  /** Index of the current L2 table. */
  #index = 0;
  /** Next free cluster. */
  #next: number;

  /** @param size size of the disk in bytes */
  constructor(write: Write, size: number) {
    this.#write = write;
    this.#size = size;
    const entries = Math.max(1, Math.ceil(size / (clusterSize * entriesPerTable)));
    this.#first = Buffer.alloc(Math.ceil((entries * 8) / clusterSize) * clusterSize);
    this.#next = 1 + this.#first.length / clusterSize;
  }

  /**
   * Adds a cluster of 64 KiB. Its offset is a multiple of this size, and greater than the previous
   * offset. The last cluster of the disk may be shorter. A cluster of zeros is not allocated.
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

  /** Writes tables and header. Returns the length of the file in bytes. */
  async finish(version: 2 | 3): Promise<number> {
    await this.#closeTable(this.#index);
    await this.#write(clusterSize, this.#first);
    const table = await this.#writeRefcounts();
    await this.#write(0, this.#head(version, table));
    return this.#next * clusterSize;
  }

  /**
   * Writes refcounts of 1 for all clusters, including the refcount tables. Returns the offset of
   * the table.
   */
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
