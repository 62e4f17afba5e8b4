/** Where a local file has data and where holes, asked from the system through optional koffi. */
import type { Extent } from './blocks.ts';

interface Seek {
  /** First offset at or behind `from` that has data; `undefined` when only a hole follows. */
  readonly data: (fd: number, from: number) => number | undefined;
  /** First offset at or behind `from` that lies in a hole; the end of the file is one. */
  readonly hole: (fd: number, from: number) => number | undefined;
}

/** The numbers of SEEK_DATA and SEEK_HOLE, and of the error that nothing follows. */
const systems: Readonly<Record<string, { data: number; hole: number; nothing: number }>> = {
  linux: { data: 3, hole: 4, nothing: 6 },
  freebsd: { data: 3, hole: 4, nothing: 6 },
  darwin: { data: 4, hole: 3, nothing: 6 },
};

let loading: Promise<Seek | undefined> | undefined;

/**
 * The extents of an open file from 0 to `size`, or `undefined` where nobody can tell them: then
 * the file has to be read to find its zeros.
 */
export async function fileExtents(
  fd: number,
  size: number,
): Promise<AsyncIterable<Extent> | undefined> {
  loading ??= load();
  const seek = await loading;
  if (!seek) return undefined;
  try {
    // File systems that know nothing of holes refuse, or tell one run of data.
    seek.data(fd, 0);
  } catch {
    return undefined;
  }
  return walk(seek, fd, size);
}

async function* walk(seek: Seek, fd: number, size: number): AsyncGenerator<Extent> {
  let at = 0;
  try {
    while (at < size) {
      const data = Math.min(seek.data(fd, at) ?? size, size);
      if (data > at) yield { start: at, end: data, zero: true };
      at = data;
      if (data === size) return;
      const hole = Math.min(seek.hole(fd, data) ?? size, size);
      yield { start: data, end: hole, zero: false };
      at = hole;
    }
  } catch {
    // What nobody can tell counts as data, which is never wrong.
    yield { start: at, end: size, zero: false };
  }
}

async function load(): Promise<Seek | undefined> {
  const system = systems[process.platform];
  if (!system) return undefined;
  try {
    const { default: koffi } = await import('koffi');
    // `null` is the running program, which has the C library in it.
    const lseek = koffi.load(null).func('int64_t lseek(int, int64_t, int)');
    const seek = (fd: number, from: number, whence: number): number | undefined => {
      const found = Number(lseek(fd, from, whence));
      if (found >= 0) return found;
      if (koffi.errno() === system.nothing) return undefined;
      throw new Error(`this file system cannot tell data from holes (errno ${koffi.errno()})`);
    };
    return {
      data: (fd, from) => seek(fd, from, system.data),
      hole: (fd, from) => seek(fd, from, system.hole),
    };
  } catch {
    return undefined;
  }
}
