/** Writes of a period, added to its dirty bitmap. */
import {
  type ByteRange,
  createBitmapFile,
  DirtyBitmap,
  readBitmapFile,
} from '../../images/index.ts';

/**
 * Writes a bitmap of an image of `size` bytes to a new file: other dirty ranges, and the bitmap in the
 * file `before` if it exists. Durable when the promise resolves.
 */
export async function addToBitmap(
  before: string | undefined,
  path: string,
  size: number,
  ranges: readonly ByteRange[],
): Promise<void> {
  const bitmap = new DirtyBitmap(size);
  if (before !== undefined) bitmap.merge(await readBitmapFile(before));
  for (const { start, length } of ranges) bitmap.add(start, length);
  await createBitmapFile(path, size, bitmap);
}
