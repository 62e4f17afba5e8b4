/** Asynchronous removal of large files. */
import { close, openSync, rmSync, unlinkSync } from 'node:fs';

/**
 * Removes a file, if it exists: its name is gone on return. The system releases the space of a file
 * when its last descriptor is closed, which takes up to a third of a second per GiB: a thread does
 * that. Throws if it cannot be removed.
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
    // No caller waits for this result: the name is gone, or the other error is thrown.
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
