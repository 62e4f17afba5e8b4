/**
 * Calls of the C library that Node does not offer: sparse files, freed memory; through optional
 * koffi.
 */
import type { KoffiFunc, LibraryHandle } from 'koffi';
import { type DataSeek, dataSeek } from '../../extents/file-extents.ts';

let loading: Promise<LibraryHandle | undefined> | undefined;

/** Linux's C library, or `undefined` elsewhere and where koffi is not installed. Loaded once. */
export function cLibrary(): Promise<LibraryHandle | undefined> {
  loading ??= load();
  return loading;
}

async function load(): Promise<LibraryHandle | undefined> {
  if (process.platform !== 'linux') return undefined;
  try {
    const { default: koffi } = await import('koffi');
    // `null` is the running program, which is linked with the library whatever its file's name.
    return koffi.load(null);
  } catch {
    return undefined;
  }
}

let trim: KoffiFunc<(pad: number) => number> | undefined;
let isTrimming = false;

/**
 * Returns memory that was freed to the system. The C library keeps what each thread freed, for that
 * thread alone: after some hours of transfers that is as much as what is in use.
 */
export async function returnFreedMemory(): Promise<void> {
  const library = await cLibrary();
  try {
    trim ??= library?.func('int malloc_trim(size_t)') as typeof trim;
    if (!trim || isTrimming) return;
    isTrimming = true;
    trim.async(0, () => {
      isTrimming = false;
    });
  } catch {
    // Another C library than GNU's does it by itself.
  }
}

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
