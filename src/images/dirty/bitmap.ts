/**
 * Dirty bitmap of an image, one bit for each block, and its file. The file has a page with magic
 * and sizes, then the marks, one bit for each region, then the bits. A marked region may be written
 * at present, so its bits are unreliable. A file without marks is exact.
 */
import { closeSync, constants, openSync, readSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';

/** Bytes of a block, the granularity of changes. */
export const DIRTY_BLOCK = 64 << 10;

/** Byte range that has changed completely or not at all. */
export interface DirtyRun {
  readonly start: number;
  readonly length: number;
  readonly dirty: boolean;
}

/** Dirty bitmap of an image of `size` bytes. Initially, no block is dirty. */
export class DirtyBitmap {
  /** Size of the image in bytes. */
  readonly size: number;
  /** Bits of the blocks. Block 0 is the lowest bit of the first byte. */
  readonly bits: Buffer;

  /** @param bits known bits, used without a copy */
  constructor(size: number, bits?: Buffer) {
    const length = Math.ceil(Math.ceil(size / DIRTY_BLOCK) / 8);
    if (bits && bits.length !== length)
      throw new RangeError('the number of bits does not match the size');
    this.size = size;
    this.bits = bits ?? Buffer.alloc(length);
  }

  /** Marks every block in a range. Ignores the part after the end of the image. */
  add(offset: number, length: number): void {
    const end = Math.min(offset + length, this.size);
    if (end <= offset) return;
    let block = Math.floor(offset / DIRTY_BLOCK);
    const last = Math.floor((end - 1) / DIRTY_BLOCK);
    for (; block <= last && block % 8 !== 0; block++) this.#set(block);
    const whole = Math.floor((last + 1) / 8);
    if (block % 8 === 0 && block / 8 < whole) {
      this.bits.fill(0xff, block / 8, whole);
      block = whole * 8;
    }
    for (; block <= last; block++) this.#set(block);
  }

  has(block: number): boolean {
    return ((this.bits[block >> 3] ?? 0) & (1 << (block & 7))) !== 0;
  }

  /**
   * Adds the blocks of another bitmap, and all blocks after its end, because the image has grown
   * since.
   */
  merge(other: DirtyBitmap): void {
    const shared = Math.min(this.bits.length, other.bits.length);
    for (let i = 0; i < shared; i++) this.bits[i] = (this.bits[i] ?? 0) | (other.bits[i] ?? 0);
    if (other.size < this.size) this.add(other.size, this.size - other.size);
    else this.#clearUnusedBits();
  }

  /** Alternating runs of dirty and clean blocks from 0 to the size of the image. */
  *runs(): Generator<DirtyRun> {
    const blocks = Math.ceil(this.size / DIRTY_BLOCK);
    for (let block = 0; block < blocks; ) {
      const dirty = this.has(block);
      const end = this.#findRunEnd(block, blocks, dirty);
      const start = block * DIRTY_BLOCK;
      yield { start, length: Math.min(end * DIRTY_BLOCK, this.size) - start, dirty };
      block = end;
    }
  }

  #findRunEnd(from: number, blocks: number, dirty: boolean): number {
    const alike = dirty ? 0xff : 0;
    let block = from + 1;
    while (block < blocks) {
      if (block % 8 === 0 && this.bits[block >> 3] === alike) block += 8;
      else if (this.has(block) === dirty) block += 1;
      else break;
    }
    return Math.min(block, blocks);
  }

  #set(block: number): void {
    const at = block >> 3;
    this.bits[at] = (this.bits[at] ?? 0) | (1 << (block & 7));
  }

  /** Clears bits after the end of the image, so that equal bitmaps have equal bits. */
  #clearUnusedBits(): void {
    const used = Math.ceil(this.size / DIRTY_BLOCK) % 8;
    const last = this.bits.length - 1;
    if (used !== 0) this.bits[last] = (this.bits[last] ?? 0) & ((1 << used) - 1);
  }
}

/** Bytes of an image that share a mark. */
export const REGION = 64 << 20;
const PAGE = 4096;
const MAGIC = Buffer.from('vmctl dirty bitmap 1\n');
/** Maximum size of an image in bytes. */
const MAX_IMAGE_SIZE = 2 ** 50;
const BYTES_OF_REGION = REGION / DIRTY_BLOCK / 8;

/** Error for a file that is not a dirty bitmap, or is truncated. */
export class BadBitmap extends Error {}

/** Positions in the file of a bitmap. */
export interface BitmapLayout {
  readonly size: number;
  readonly regions: number;
  readonly marksAt: number;
  readonly marksLength: number;
  readonly bitsAt: number;
  readonly bitsLength: number;
}

function bitmapLayout(size: number): BitmapLayout {
  const regions = Math.ceil(size / REGION);
  const marksLength = Math.ceil(regions / 8);
  const bitsAt = PAGE + Math.ceil(marksLength / PAGE) * PAGE;
  const bitsLength = Math.ceil(Math.ceil(size / DIRTY_BLOCK) / 8);
  return { size, regions, marksAt: PAGE, marksLength, bitsAt, bitsLength };
}

/**
 * Writes the bitmap of an image of `size` bytes, which is unchanged without `bitmap`. Durable when
 * the promise resolves.
 */
export async function createBitmapFile(
  path: string,
  size: number,
  bitmap?: DirtyBitmap,
): Promise<void> {
  const { bitsAt, bitsLength } = bitmapLayout(size);
  const file = await open(path, 'w', 0o600);
  try {
    await file.write(encodeHead(size), 0, PAGE, 0);
    await file.truncate(bitsAt + bitsLength);
    if (bitmap) await file.write(bitmap.bits, 0, bitsLength, bitsAt);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Whether a file is the bitmap of an image of this size. False for a missing file. */
export function isBitmapFile(path: string, size: number): boolean {
  let file: number | undefined;
  try {
    file = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
    const head = Buffer.alloc(PAGE);
    readSync(file, head, 0, PAGE, 0);
    return parseSize(head) === size;
  } catch {
    return false;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/**
 * Reads a bitmap. All blocks of marked regions are dirty. Throws `BadBitmap`, or the error of the
 * system.
 */
export async function readBitmapFile(path: string): Promise<DirtyBitmap> {
  const file = await open(path, 'r');
  try {
    return (await loadBitmap(file)).bitmap;
  } finally {
    await file.close();
  }
}

/** Reads the bitmap of an open file, and its marks. */
export async function loadBitmap(
  file: FileHandle,
): Promise<{ bitmap: DirtyBitmap; layout: BitmapLayout; marks: Buffer }> {
  const size = parseSize(await readAt(file, 0, PAGE));
  const layout = bitmapLayout(size);
  const marks = await readAt(file, layout.marksAt, layout.marksLength);
  const bitmap = new DirtyBitmap(size, await readAt(file, layout.bitsAt, layout.bitsLength));
  for (let region = 0; region < layout.regions; region++) {
    if (isMarked(marks, region)) bitmap.add(region * REGION, REGION);
  }
  return { bitmap, layout, marks };
}

export function isMarked(marks: Buffer, region: number): boolean {
  return ((marks[region >> 3] ?? 0) & (1 << (region & 7))) !== 0;
}

/** Bytes of the bits of a region, from `start` up to `end`. */
export function getRegionBits({ bitsLength }: BitmapLayout, region: number) {
  const start = region * BYTES_OF_REGION;
  return { start, end: Math.min(start + BYTES_OF_REGION, bitsLength) };
}

function encodeHead(size: number): Buffer {
  const head = Buffer.alloc(PAGE);
  MAGIC.copy(head);
  head.writeBigUInt64BE(BigInt(size), 32);
  head.writeUInt32BE(DIRTY_BLOCK, 40);
  head.writeUInt32BE(REGION, 44);
  return head;
}

function parseSize(head: Buffer): number {
  const size = Number(head.readBigUInt64BE(32));
  if (size > MAX_IMAGE_SIZE || !head.equals(encodeHead(size)))
    throw new BadBitmap('not a dirty bitmap');
  return size;
}

async function readAt(file: FileHandle, offset: number, length: number): Promise<Buffer> {
  const bytes = Buffer.alloc(length);
  for (let filled = 0; filled < length; ) {
    const { bytesRead } = await file.read(bytes, filled, length - filled, offset + filled);
    if (bytesRead === 0) throw new BadBitmap('truncated');
    filled += bytesRead;
  }
  return bytes;
}
