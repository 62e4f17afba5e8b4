/** The C library of the running program, through optional koffi; freed memory is given back with it. */
import type { KoffiFunc, LibraryHandle } from 'koffi';

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
 * thread alone: after some hours of transfers that is as much as what is in use, and after many machines
 * were made all that the database kept in memory meanwhile.
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
