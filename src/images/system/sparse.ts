// System calls for sparse files, which Node does not have.
import type { KoffiFunc } from 'koffi';
import { type CLibrary, cLibrary } from './c-library.ts';

/** Linux's calls on an open file; those that change it say whether they worked. */
export interface SparseCalls {
  /** Gives the range's space back; it reads as zeros. The file keeps its size. */
  punchHole(fd: number, offset: number, length: number): Promise<boolean>;
  /** Makes the range read as zeros and keeps or takes its space. The file may grow. */
  zeroRange(fd: number, offset: number, length: number): Promise<boolean>;
  /** Takes space for the range without changing its bytes. The file may grow. */
  allocate(fd: number, offset: number, length: number): Promise<boolean>;
  /** First offset at or after `from` that holds data; `undefined` when only a hole follows. */
  nextData(fd: number, from: number): number | undefined;
  /** First offset at or after `from` that lies in a hole; the end of the file counts as one. */
  nextHole(fd: number, from: number): number | undefined;
}

const KEEP_SIZE = 0x01;
const PUNCH_HOLE = 0x02;
const ZERO_RANGE = 0x10;
const SEEK_DATA = 3;
const SEEK_HOLE = 4;

type Fallocate = (fd: number, mode: number, offset: number, length: number) => number;
type Lseek = (fd: number, offset: number, whence: number) => number | bigint;

let bound: SparseCalls | undefined;

/** The calls, or `undefined` where the system's C library cannot be called. */
export async function sparseCalls(): Promise<SparseCalls | undefined> {
  const library = await cLibrary();
  if (!library) return undefined;
  bound ??= bind(library);
  return bound;
}

function bind(library: CLibrary): SparseCalls {
  const { functions } = library;
  const fallocate = functions.func(
    'int fallocate(int, int, int64_t, int64_t)',
  ) as KoffiFunc<Fallocate>;
  const lseek = functions.func('int64_t lseek(int, int64_t, int)') as KoffiFunc<Lseek>;

  const change = (fd: number, mode: number, offset: number, length: number) =>
    new Promise<boolean>((resolve) => {
      fallocate.async(fd, mode, offset, length, (error: unknown, result: number) => {
        resolve(!error && result === 0);
      });
    });
  const seek = (fd: number, from: number, whence: number) => {
    const found = Number(lseek(fd, from, whence));
    if (found >= 0) return found;
    const errno = library.errno();
    if (errno === library.errorNumber('ENXIO')) return undefined;
    // Anything else must not pass for "nothing there".
    throw new Error(`this file system cannot tell data from holes (errno ${errno})`);
  };

  return {
    punchHole: (fd, offset, length) => change(fd, PUNCH_HOLE | KEEP_SIZE, offset, length),
    zeroRange: (fd, offset, length) => change(fd, ZERO_RANGE, offset, length),
    allocate: (fd, offset, length) => change(fd, 0, offset, length),
    nextData: (fd, from) => seek(fd, from, SEEK_DATA),
    nextHole: (fd, from) => seek(fd, from, SEEK_HOLE),
  };
}
