// The system's C library, through the optional native module koffi.
import type { KoffiFunc, LibraryHandle } from 'koffi';

export interface CLibrary {
  readonly functions: LibraryHandle;
  /** Error number of this thread's last call that was not asynchronous. */
  errno(): number;
  /** The number behind a name such as `ENXIO`. */
  errorNumber(name: string): number | undefined;
}

let loading: Promise<CLibrary | undefined> | undefined;

/** Linux's C library, or `undefined` elsewhere and where koffi is not installed. Loaded once. */
export function cLibrary(): Promise<CLibrary | undefined> {
  loading ??= load();
  return loading;
}

async function load(): Promise<CLibrary | undefined> {
  if (process.platform !== 'linux') return undefined;
  try {
    const { default: koffi } = await import('koffi');
    return {
      // `null` is the running program, which is linked with the library whatever its file's name.
      functions: koffi.load(null),
      errno: () => koffi.errno(),
      errorNumber: (name) => koffi.os.errno[name],
    };
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
    trim ??= library?.functions.func('int malloc_trim(size_t)') as typeof trim;
    if (!trim || isTrimming) return;
    isTrimming = true;
    trim.async(0, () => {
      isTrimming = false;
    });
  } catch {
    // Another C library than GNU's does it by itself.
  }
}
