/** Extents of local files, data and holes, from SEEK_DATA and SEEK_HOLE through optional koffi. */
import type { Range } from './range-set.ts';

/** Byte range that contains data or reads as zeros. */
export interface Extent extends Range {
  readonly zero: boolean;
}

/** Seek calls on an open file. Both throw if the file system does not support them. */
export interface DataSeek {
  /** First offset at or after `from` that holds data; `undefined` when only a hole follows. */
  nextData(fd: number, from: number): number | undefined;
  /** First offset at or after `from` that lies in a hole; the end of the file counts as one. */
  nextHole(fd: number, from: number): number | undefined;
}

/** Values of SEEK_DATA and SEEK_HOLE. */
const whence: Readonly<Record<string, { data: number; hole: number }>> = {
  linux: { data: 3, hole: 4 },
  freebsd: { data: 3, hole: 4 },
  darwin: { data: 4, hole: 3 },
};
/** ENXIO: no data after the offset. The number is the same on all these systems. */
const ENXIO = 6;

/** Extents to find before the generator yields to the event loop. */
const EXTENTS_PER_TURN = 256;

let loading: Promise<DataSeek | undefined> | undefined;

/**
 * Seek calls of the operating system, loaded once. `undefined` if it has none, or koffi is not
 * installed.
 */
export function dataSeek(): Promise<DataSeek | undefined> {
  loading ??= load();
  return loading;
}

async function load(): Promise<DataSeek | undefined> {
  const system = whence[process.platform];
  if (!system) return undefined;
  try {
    const { default: koffi } = await import('koffi');
    // `null` is the running program, which always links the C library. The file name of the library varies.
    const lseek = koffi.load(null).func('int64_t lseek(int, int64_t, int)');
    const seek = (fd: number, from: number, how: number): number | undefined => {
      const found = Number(lseek(fd, from, how));
      if (found >= 0) return found;
      if (koffi.errno() === ENXIO) return undefined;
      // Do not treat other errors as a hole.
      throw new Error(`this file system cannot tell data from holes (errno ${koffi.errno()})`);
    };
    return {
      nextData: (fd, from) => seek(fd, from, system.data),
      nextHole: (fd, from) => seek(fd, from, system.hole),
    };
  } catch {
    return undefined;
  }
}

/**
 * Extents of an open file from 0 to `size`, in ascending order and without gaps. If a seek fails,
 * the remainder counts as data, which is always correct.
 */
export async function* fileExtents(
  seek: DataSeek,
  fd: number,
  size: number,
): AsyncGenerator<Extent> {
  let at = 0;
  try {
    for (let turn = 1; at < size; turn += 1) {
      const data = Math.min(seek.nextData(fd, at) ?? size, size);
      if (data > at) yield { start: at, end: data, zero: true };
      at = Math.max(at, data);
      if (at === size) return;
      const hole = Math.min(seek.nextHole(fd, at) ?? size, size);
      if (hole > at) yield { start: at, end: hole, zero: false };
      at = Math.max(at, hole);
      if (turn % EXTENTS_PER_TURN === 0) await new Promise(setImmediate);
    }
  } catch {
    yield { start: at, end: size, zero: false };
  }
}
