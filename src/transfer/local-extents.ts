/** Extents of local bytes: of a file with holes, and of a buffer by looking for zeros. */
import { dataSeek, type Extent, fileExtents } from '../extents/file-extents.ts';

/**
 * The extents of an open file from 0 to `size`; `undefined` where the system or the file system
 * cannot tell data from holes: then the file has to be read to find its zeros.
 */
export async function localExtents(
  fd: number,
  size: number,
): Promise<AsyncIterable<Extent> | undefined> {
  const seek = await dataSeek();
  if (!seek) return undefined;
  try {
    // File systems without holes refuse, or report one run of data.
    seek.nextData(fd, 0);
  } catch {
    return undefined;
  }
  return fileExtents(seek, fd, size);
}

/** Bytes that are compared with zeros at a time; zeros that do not fill such a piece count as data. */
const GRANULARITY = 2 ** 16;

const zeros = Buffer.alloc(GRANULARITY);

/** The extents of some bytes, ascending and without gaps. */
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
