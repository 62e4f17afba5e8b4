/** System calls of Linux for sparse files that Node.js lacks, through optional koffi. */
import type { KoffiFunc, LibraryHandle } from 'koffi';
import { cLibrary } from '../../c-library.ts';
import { type DataSeek, dataSeek } from '../../extents/file-extents.ts';

/** System calls on an open file. Changing calls resolve with false if they fail. */
export interface SparseCalls extends DataSeek {
  /** Deallocates a range, which then reads as zeros. The size of the file does not change. */
  punchHole(fd: number, offset: number, length: number): Promise<boolean>;
  /** Zeroes a range and allocates its space. The file may grow. */
  zeroRange(fd: number, offset: number, length: number): Promise<boolean>;
  /** Allocates space for a range without changing its bytes. The file may grow. */
  allocate(fd: number, offset: number, length: number): Promise<boolean>;
}

const KEEP_SIZE = 0x01;
const PUNCH_HOLE = 0x02;
const ZERO_RANGE = 0x10;

type Fallocate = (fd: number, mode: number, offset: number, length: number) => number;

let bound: SparseCalls | undefined;

/** Binds the calls once. `undefined` if the C library is not available. */
export async function sparseCalls(): Promise<SparseCalls | undefined> {
  const [library, seek] = await Promise.all([cLibrary(), dataSeek()]);
  if (!library || !seek) return undefined;
  bound ??= bind(library, seek);
  return bound;
}

function bind(library: LibraryHandle, seek: DataSeek): SparseCalls {
  // The declaration in C has these parameters.
  const fallocate = library.func(
    'int fallocate(int, int, int64_t, int64_t)',
  ) as KoffiFunc<Fallocate>;

  const change = (fd: number, mode: number, offset: number, length: number) =>
    new Promise<boolean>((resolve) => {
      fallocate.async(fd, mode, offset, length, (error: unknown, result: number) => {
        resolve(!error && result === 0);
      });
    });
  return {
    punchHole: (fd, offset, length) => change(fd, PUNCH_HOLE | KEEP_SIZE, offset, length),
    zeroRange: (fd, offset, length) => change(fd, ZERO_RANGE, offset, length),
    allocate: (fd, offset, length) => change(fd, 0, offset, length),
    ...seek,
  };
}
