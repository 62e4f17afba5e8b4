// The system's C library, through the optional native module koffi.
import type { LibraryHandle } from 'koffi';

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
