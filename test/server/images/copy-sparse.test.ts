/** Image copies: as clones if the file system supports them, and behavior common to both. */
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cloneOrCopy } from '../../../src/server/images/copy-sparse.ts';

const MiB = 2 ** 20;
const here = mkdtempSync(join(tmpdir(), 'vmctl-copies-'));
const volume = join(here, 'xfs');
const run = (command: string, ...words: string[]) => spawnSync(command, words).status === 0;
/** A small XFS in a file, if the user is root and may mount it. */
let isMounted = false;

beforeAll(() => {
  mkdirSync(volume);
  const device = join(here, 'xfs.img');
  writeFileSync(device, '');
  truncateSync(device, 400 * MiB);
  isMounted =
    run('mkfs.xfs', '-q', '-m', 'reflink=1', device) && run('mount', '-o', 'loop', device, volume);
});
afterAll(() => {
  if (isMounted) run('umount', volume);
  rmSync(here, { recursive: true, force: true });
});

/** A file with bytes at both ends and a hole between. */
function image(folder: string, size: number): { path: string; ends: Buffer } {
  const path = join(folder, 'image');
  const ends = randomBytes(MiB);
  writeFileSync(path, ends, { mode: 0o600 });
  truncateSync(path, size - MiB);
  writeFileSync(path, ends, { flag: 'a' });
  return { path, ends };
}

describe('an image copy', () => {
  it('has the same content and the same hole, and is independent', async () => {
    const { path, ends } = image(here, 16 * MiB);
    const copy = join(here, 'copy');
    await cloneOrCopy(path, copy);
    expect(readFileSync(copy).equals(readFileSync(path))).toBe(true);
    expect(statSync(copy).blocks * 512).toBeLessThan(4 * MiB);
    writeFileSync(path, 'changed', { flag: 'r+' });
    expect(readFileSync(copy).subarray(0, MiB).equals(ends)).toBe(true);
  });

  it('replaces the remains of an earlier one', async () => {
    const { path } = image(here, 4 * MiB);
    const copy = join(here, 'again');
    writeFileSync(copy, randomBytes(8 * MiB));
    await cloneOrCopy(path, copy);
    expect(readFileSync(copy).equals(readFileSync(path))).toBe(true);
  });

  it('shares its blocks if the file system supports clones', async ({ skip }) => {
    if (!isMounted) skip('needs mkfs.xfs, and leave to mount');
    const path = join(volume, 'full');
    writeFileSync(path, randomBytes(150 * MiB));
    // Three copies would not fit.
    for (const name of ['one', 'two', 'three']) await cloneOrCopy(path, join(volume, name));
    writeFileSync(path, 'changed', { flag: 'r+' });
    expect(readFileSync(path).subarray(0, 7).toString()).toBe('changed');
    expect(readFileSync(join(volume, 'three')).subarray(0, 7).toString()).not.toBe('changed');
  });
});
