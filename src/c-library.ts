/** C library of the process, through optional koffi. */
import type { LibraryHandle } from 'koffi';

let loading: Promise<LibraryHandle | undefined> | undefined;

/** C library on Linux, loaded once. `undefined` on other systems, and if koffi is not installed. */
export function cLibrary(): Promise<LibraryHandle | undefined> {
  loading ??= load();
  return loading;
}

async function load(): Promise<LibraryHandle | undefined> {
  if (process.platform !== 'linux') return undefined;
  try {
    const { default: koffi } = await import('koffi');
    // `null` is the running program, which links the library. The file name of the library varies.
    return koffi.load(null);
  } catch {
    return undefined;
  }
}
