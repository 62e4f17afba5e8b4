/** Folder for temporary files of tests. */
import { statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';

const memory = '/dev/shm';
/** Required free space in bytes: test images are small, but several tests run concurrently. */
const requiredBytes = 2 ** 31;

/**
 * A folder in memory with enough space, otherwise the default one. For tests that do not depend on
 * the disk, to avoid waits for it.
 */
export const fastFolder = hasRoom() ? memory : tmpdir();

function hasRoom(): boolean {
  try {
    const { bavail, bsize } = statfsSync(memory);
    return bavail * bsize >= requiredBytes;
  } catch {
    return false;
  }
}
