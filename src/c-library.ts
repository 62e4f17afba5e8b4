/** The C library of the running program, through optional koffi. */
import type { LibraryHandle } from 'koffi';

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
