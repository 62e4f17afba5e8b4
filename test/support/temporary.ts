/** Where tests put what is temporary. */
import { statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';

const memory = '/dev/shm';
/** Bytes of room that have to be there: images of tests are small, but some run at the same time. */
const enough = 2 ** 31;

/**
 * A folder in memory where there is one with room, else the usual one. For what no test is about how a
 * disk keeps it: there nobody waits for a disk.
 */
export const quickFolder = hasRoom() ? memory : tmpdir();

function hasRoom(): boolean {
  try {
    const { bavail, bsize } = statfsSync(memory);
    return bavail * bsize >= enough;
  } catch {
    return false;
  }
}
