/** Extents of local data: of a file with holes, and of a buffer with zeros. */
import { dataSeek, type Extent, fileExtents } from '../extents/file-extents.ts';

/**
 * Extents of an open file from 0 to `size`. `undefined` if the system or file system cannot
 * distinguish data from holes, so that the file must be read to find zeros.
 */
export async function localExtents(
  fd: number,
  size: number,
): Promise<AsyncIterable<Extent> | undefined> {
  const seek = await dataSeek();
  if (!seek) return undefined;
  try {
    // File systems without holes refuse, or report one extent of data.
    seek.nextData(fd, 0);
  } catch {
    return undefined;
  }
  return fileExtents(seek, fd, size);
}

/** Bytes to compare with zeros at a time. Shorter zeros count as data. */
const GRANULARITY = 2 ** 16;

const zeros = Buffer.alloc(GRANULARITY);

/** Extents of a buffer, in ascending order and without gaps. */
export function* zeroRuns(bytes: Buffer): Generator<Extent> {
  const isZero = (at: number) => {
    const end = Math.min(at + GRANULARITY, bytes.length);
    return bytes.compare(zeros, 0, end - at, at, end) === 0;
  };
  for (let at = 0; at < bytes.length; ) {
    const start = at;
    const zero = isZero(at);
    while (at < bytes.length && isZero(at) === zero) at += GRANULARITY;
    yield { start, end: Math.min(at, bytes.length), zero };
  }
}
