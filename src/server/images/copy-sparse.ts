/** Sparse copies of image files, and image file errors. */

import { constants } from 'node:fs';
import { copyFile, open, rm } from 'node:fs/promises';
import { writeAll } from '../../formats/write-all.ts';
import { describeCause } from '../files/access.ts';
import { systemError } from '../files/system-error.ts';
import { StoreError } from '../store/store.ts';

/** Runs work on an image file. System errors become faults with their cause. */
export function runOnImage<T>(id: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw imageError(id, error);
  }
}

/** The fault for a system error on an image file; other errors are returned unchanged. */
export function imageError(id: string, error: unknown): unknown {
  const { code, syscall } = systemError(error);
  if (code === undefined || syscall === undefined) return error;
  return new StoreError(`Cannot read or write image ${id}: ${describeCause(error)}.`, {
    cause: error,
  });
}

const pieceSize = 2 ** 20;

/** Copies a file; pieces of zeros become holes. Durable on resolution. */
export async function copySparse(from: string, to: string): Promise<void> {
  const source = await open(from, 'r');
  const target = await open(to, 'w', 0o600);
  try {
    const { size, blocks } = await source.stat();
    const piece = Buffer.allocUnsafe(pieceSize);
    const zeros = Buffer.alloc(pieceSize);
    // A file without blocks is a single hole.
    for (let offset = blocks === 0 ? size : 0; offset < size; ) {
      const { bytesRead } = await source.read(piece, 0, pieceSize, offset);
      if (bytesRead === 0) break;
      const part = piece.subarray(0, bytesRead);
      if (!part.equals(zeros.subarray(0, bytesRead))) {
        await writeAll(target, part, offset);
      }
      offset += bytesRead;
    }
    await target.truncate(size);
    await target.sync();
  } finally {
    await Promise.all([source.close(), target.close()]);
  }
}

/**
 * Clones a file if the file system supports that (XFS, Btrfs and others): the clone shares all
 * blocks until one file is written, and needs no time and space. Copies it otherwise. Durable on
 * resolution.
 */
export async function cloneOrCopy(from: string, to: string): Promise<void> {
  try {
    await copyFile(from, to, constants.COPYFILE_FICLONE_FORCE);
  } catch {
    await rm(to, { force: true });
    await copySparse(from, to);
    return;
  }
  const file = await open(to, 'r');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}
