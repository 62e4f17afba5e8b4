/**
 * The file of a dirty bitmap. A page says what it is and how large the image is; then come the marks,
 * one bit for each region of the image: a mark says that the region may be written at this moment, so
 * that its bits are not to be believed; then the bits. A file without marks is exact.
 */
import { closeSync, constants, openSync, readSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { DIRTY_BLOCK, DirtyBitmap } from './bitmap.ts';

/** Bytes of an image that share a mark. */
export const REGION = 64 << 20;
const PAGE = 4096;
const MAGIC = Buffer.from('vmctl dirty bitmap 1\n');
/** No image is larger, in bytes. */
const LARGEST = 2 ** 50;
const BYTES_OF_REGION = REGION / DIRTY_BLOCK / 8;

/** A file that is no dirty bitmap, or a part of one. */
export class BadBitmap extends Error {}

/** Where what is in the file of an image of a size. */
export interface BitmapLayout {
  readonly size: number;
  readonly regions: number;
  readonly marksAt: number;
  readonly marksLength: number;
  readonly bitsAt: number;
  readonly bitsLength: number;
}

export function layoutOf(size: number): BitmapLayout {
  const regions = Math.ceil(size / REGION);
  const marksLength = Math.ceil(regions / 8);
  const bitsAt = PAGE + Math.ceil(marksLength / PAGE) * PAGE;
  const bitsLength = Math.ceil(Math.ceil(size / DIRTY_BLOCK) / 8);
  return { size, regions, marksAt: PAGE, marksLength, bitsAt, bitsLength };
}

/** Writes the bitmap of an image of which nothing has changed. Durable when it resolves. */
export async function createBitmapFile(path: string, size: number): Promise<void> {
  const { bitsAt, bitsLength } = layoutOf(size);
  const file = await open(path, 'w', 0o600);
  try {
    await file.write(headOf(size), 0, PAGE, 0);
    await file.truncate(bitsAt + bitsLength);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Whether a file is the bitmap of an image of that size; what is not there is none. */
export function isBitmapFile(path: string, size: number): boolean {
  let file: number | undefined;
  try {
    file = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
    const head = Buffer.alloc(PAGE);
    readSync(file, head, 0, PAGE, 0);
    return sizeIn(head) === size;
  } catch {
    return false;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/** Reads a bitmap. In regions that are marked all is dirty. Throws `BadBitmap`, or the system's error. */
export async function readBitmapFile(path: string): Promise<DirtyBitmap> {
  const file = await open(path, 'r');
  try {
    return (await loadBitmap(file)).bitmap;
  } finally {
    await file.close();
  }
}

/** Reads the bitmap of an open file, and the regions that are marked. */
export async function loadBitmap(
  file: FileHandle,
): Promise<{ bitmap: DirtyBitmap; layout: BitmapLayout; marks: Buffer }> {
  const size = sizeIn(await bytesAt(file, 0, PAGE));
  const layout = layoutOf(size);
  const marks = await bytesAt(file, layout.marksAt, layout.marksLength);
  const bitmap = new DirtyBitmap(size, await bytesAt(file, layout.bitsAt, layout.bitsLength));
  for (let region = 0; region < layout.regions; region++) {
    if (isMarked(marks, region)) bitmap.add(region * REGION, REGION);
  }
  return { bitmap, layout, marks };
}

export function isMarked(marks: Buffer, region: number): boolean {
  return ((marks[region >> 3] ?? 0) & (1 << (region & 7))) !== 0;
}

/** The part of the bits that a region has, as the bytes from `start` up to `end`. */
export function bitsOfRegion({ bitsLength }: BitmapLayout, region: number) {
  const start = region * BYTES_OF_REGION;
  return { start, end: Math.min(start + BYTES_OF_REGION, bitsLength) };
}

function headOf(size: number): Buffer {
  const head = Buffer.alloc(PAGE);
  MAGIC.copy(head);
  head.writeBigUInt64BE(BigInt(size), 32);
  head.writeUInt32BE(DIRTY_BLOCK, 40);
  head.writeUInt32BE(REGION, 44);
  return head;
}

function sizeIn(head: Buffer): number {
  const size = Number(head.readBigUInt64BE(32));
  if (size > LARGEST || !head.equals(headOf(size))) throw new BadBitmap('it is no dirty bitmap');
  return size;
}

async function bytesAt(file: FileHandle, offset: number, length: number): Promise<Buffer> {
  const bytes = Buffer.alloc(length);
  for (let filled = 0; filled < length; ) {
    const { bytesRead } = await file.read(bytes, filled, length - filled, offset + filled);
    if (bytesRead === 0) throw new BadBitmap('it ends too early');
    filled += bytesRead;
  }
  return bytes;
}
