/** Replacement of image files: durable, and complete before the target changes. */
import { rmSync } from 'node:fs';
import { link, open, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { cloneOrCopy } from './copy-sparse.ts';
import { removeFile } from './remove-file.ts';

/** Makes a file and its directory entry durable. */
export async function makeDurable(path: string): Promise<void> {
  await syncPath(path);
  await syncPath(join(path, '..'));
}

/** Creates a hard link to a file, or else a copy. Durable except for the name. */
export async function linkOrCopy(from: string, to: string): Promise<void> {
  rmSync(to, { force: true });
  try {
    await link(from, to);
  } catch {
    await cloneOrCopy(from, to);
    return;
  }
  await syncPath(to);
}

export async function syncPath(path: string): Promise<void> {
  const file = await open(path, 'r');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Replaces a file after the new one is complete. Removes the partial file after a failure. */
export async function replaceImageFile(
  target: string,
  write: (partial: string) => Promise<void>,
  ready: () => Promise<void>,
): Promise<void> {
  const partial = `${target}.partial`;
  try {
    await write(partial);
    await ready();
    await rename(partial, target);
  } catch (error) {
    removeFile(partial);
    throw error;
  }
}
