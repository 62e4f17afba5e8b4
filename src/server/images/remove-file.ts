/** Removal of large files that holds up nobody. */
import { close, openSync, rmSync, unlinkSync } from 'node:fs';

/**
 * Removes a file, if it is there: its name is gone on return. The system gives the space of a file free when
 * its last descriptor is closed, which takes up to a third of a second for a GiB: a thread does that.
 * Throws when it cannot be removed.
 */
export function removeFile(path: string): void {
  const descriptor = openIfPossible(path);
  if (descriptor === undefined) {
    rmSync(path, { force: true });
    return;
  }
  try {
    unlinkSync(path);
  } finally {
    // There is nobody to tell: the name is gone, or that error is thrown.
    close(descriptor, () => undefined);
  }
}

function openIfPossible(path: string): number | undefined {
  try {
    return openSync(path, 'r');
  } catch {
    return undefined;
  }
}
