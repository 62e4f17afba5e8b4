/** Calls of Linux for sparse files that Node does not offer, through optional koffi. */
import type { KoffiFunc, LibraryHandle } from 'koffi';
import { cLibrary } from '../../c-library.ts';
import { type DataSeek, dataSeek } from '../../extents/file-extents.ts';

/** Linux's calls on an open file; those that change it say whether they worked. */
export interface SparseCalls extends DataSeek {
  /** Gives the range's space back; it reads as zeros. The file keeps its size. */
  punchHole(fd: number, offset: number, length: number): Promise<boolean>;
  /** Makes the range read as zeros and keeps or takes its space. The file may grow. */
  zeroRange(fd: number, offset: number, length: number): Promise<boolean>;
  /** Takes space for the range without changing its bytes. The file may grow. */
  allocate(fd: number, offset: number, length: number): Promise<boolean>;
}

const KEEP_SIZE = 0x01;
const PUNCH_HOLE = 0x02;
const ZERO_RANGE = 0x10;

type Fallocate = (fd: number, mode: number, offset: number, length: number) => number;

let bound: SparseCalls | undefined;

/** The calls, or `undefined` where the system's C library cannot be called. */
export async function sparseCalls(): Promise<SparseCalls | undefined> {
  const [library, seek] = await Promise.all([cLibrary(), dataSeek()]);
  if (!library || !seek) return undefined;
  bound ??= bind(library, seek);
  return bound;
}

function bind(library: LibraryHandle, seek: DataSeek): SparseCalls {
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
