/** The `.partial` file of a download, renamed to its target at the end. */

import { constants } from 'node:fs';
import {
  copyFile,
  type FileHandle,
  link,
  lstat,
  open,
  rename,
  rm,
  statfs,
  unlink,
} from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import pLimit from 'p-limit';
import { getErrorCode, getErrorMessage } from '../caught-errors.ts';
import { ConflictError, UsageError, VmctlError } from '../client/errors.ts';
import { systemReason } from '../system-errors.ts';
import type { FileIdentity } from './journal.ts';

const noFollow = constants.O_NOFOLLOW ?? 0;

export class PartialFile {
  /** Absolute path of the final file. */
  readonly target: string;
  readonly path: string;
  #handle: FileHandle;
  /** One write at a time: systems lock the file for writes, and waiting threads cost time. */
  readonly #writing = pLimit(1);
  readonly #force: boolean;

  private constructor(target: string, handle: FileHandle, force: boolean) {
    this.target = target;
    this.path = partialPath(target);
    this.#handle = handle;
    this.#force = force;
  }

  /**
   * Begins a download. `force` replaces existing files. Throws usage errors; `advice` is the hint
   * for an existing partial file.
   */
  static async create(
    given: string,
    force: boolean,
    advice = 'use --resume to continue it, or --force to start again',
  ): Promise<PartialFile> {
    const target = resolve(given);
    await requireFree(given, force);
    const path = partialPath(target);
    if (force) await rm(path, { force: true });
    const { O_RDWR, O_CREAT, O_EXCL } = constants;
    try {
      return new PartialFile(
        target,
        await open(path, O_RDWR | O_CREAT | O_EXCL | noFollow, 0o666),
        force,
      );
    } catch (error) {
      const code = getErrorCode(error);
      if (code === 'EEXIST') {
        throw new UsageError(`${partialPath(given)} exists from an earlier download`, {
          code: 'file_exists',
          hint: advice,
        });
      }
      throw new UsageError(`cannot create "${partialPath(given)}": ${systemReason(error)}`, {
        code: 'unwritable_file',
        cause: error,
      });
    }
  }

  /** Opens the partial file of an earlier run. Throws if it is another file. */
  static async reopen(target: string, known: FileIdentity, force: boolean): Promise<PartialFile> {
    await requireFree(target, force);
    const path = partialPath(target);
    let handle: FileHandle;
    try {
      handle = await open(path, constants.O_RDWR | noFollow | (constants.O_NONBLOCK ?? 0));
    } catch (error) {
      throw partialChanged(path, getErrorMessage(error));
    }
    const { ino, dev, size } = await handle.stat({ bigint: true });
    if (`${dev}:${ino}` === known.inode && Number(size) === known.size) {
      return new PartialFile(target, handle, force);
    }
    await handle.close();
    throw partialChanged(path, 'it was replaced, or has another size');
  }

  /**
   * Whether an earlier run completed the file before it was killed. Removes a second name that the
   * run left.
   */
  static async isFinished(target: string, known: FileIdentity): Promise<boolean> {
    if (!(await isSameFile(target, known))) return false;
    const path = partialPath(target);
    if (await isSameFile(path, known)) await unlink(path);
    await flushFolder(dirname(target));
    return true;
  }

  /**
   * Becomes a clone of another file, which shares its space. Returns false if the file system does
   * not support clones. The file must be empty.
   */
  async cloneFrom(other: string): Promise<boolean> {
    // A failed copy removes its target.
    const clone = `${this.path}.clone`;
    try {
      await copyFile(other, clone, constants.COPYFILE_FICLONE_FORCE);
    } catch {
      return false;
    }
    const handle = await open(clone, constants.O_RDWR | noFollow);
    await rename(clone, this.path);
    await this.#handle.close();
    this.#handle = handle;
    return true;
  }

  /** Sets the final length. An empty file becomes one hole. */
  async resize(size: number): Promise<void> {
    await describeWriteErrors(this.path, () => this.#handle.truncate(size));
  }

  /** Identity of the file, without the time, which changes during the download. */
  async identity(): Promise<FileIdentity> {
    const { ino, dev, size } = await this.#handle.stat({ bigint: true });
    return { size: Number(size), modified: '', inode: `${dev}:${ino}` };
  }

  /** Free space of the file system in bytes, if reported. */
  async space(): Promise<number | undefined> {
    try {
      const { bavail, bsize } = await statfs(dirname(this.path));
      return bavail * bsize;
    } catch {
      return undefined;
    }
  }

  /** Writes bytes. Throws unmodified system errors. */
  async write(offset: number, bytes: Buffer): Promise<void> {
    await this.#writing(async () => {
      for (let written = 0; written < bytes.length; ) {
        const { bytesWritten } = await this.#handle.write(
          bytes,
          written,
          bytes.length - written,
          offset + written,
        );
        written += bytesWritten;
      }
    });
  }

  /** Same as `write`, with the path in errors. */
  async writeNamed(offset: number, bytes: Buffer): Promise<void> {
    await describeWriteErrors(this.path, () => this.write(offset, bytes));
  }

  async flush(): Promise<void> {
    await this.#handle.datasync();
  }

  /** Renames the completed file durably and atomically. */
  async finish(): Promise<void> {
    await describeWriteErrors(this.path, () => this.#handle.sync());
    if (this.#force) {
      await requireFree(this.target, true);
      await describeWriteErrors(this.target, () => rename(this.path, this.target));
    } else {
      await describeWriteErrors(this.target, () => moveToFree(this.path, this.target));
    }
    await this.#handle.close();
    await flushFolder(dirname(this.target));
  }

  async close(): Promise<void> {
    await this.#handle.close();
  }

  async remove(): Promise<void> {
    await this.#handle.close();
    await rm(this.path, { force: true });
  }
}

/** Runs an operation on a file, and adds its path to system errors. */
async function describeWriteErrors<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof VmctlError) throw error;
    const code = getErrorCode(error) ?? '';
    const full = ['ENOSPC', 'EDQUOT', 'EFBIG'].includes(code);
    throw new VmctlError(`cannot write "${path}": ${systemReason(error)}`, {
      code: full ? 'no_space' : 'unwritable_file',
      cause: error,
    });
  }
}

/** Path of the incomplete file. */
function partialPath(target: string): string {
  return `${target}.partial`;
}

/** Whether a path is this file, and not a link to it. */
async function isSameFile(path: string, known: FileIdentity): Promise<boolean> {
  const found = await lstat(path, { bigint: true }).catch(() => undefined);
  if (!found?.isFile()) return false;
  return `${found.dev}:${found.ino}` === known.inode && Number(found.size) === known.size;
}

/** Throws unless the path is available for the download. */
async function requireFree(path: string, force: boolean): Promise<void> {
  const found = await lstat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw new UsageError(`cannot write "${path}": ${systemReason(error)}`, {
      code: 'unwritable_file',
      cause: error,
    });
  });
  if (!found) return;
  if (found.isSymbolicLink()) {
    throw new UsageError(`${path} is a symbolic link`, {
      code: 'unsafe_file',
      hint: 'use the path of the file itself',
    });
  }
  if (!found.isFile()) {
    throw new UsageError(`${path} is not a regular file`, {
      code: 'unsafe_file',
      hint: found.isDirectory() ? 'use a file in it' : 'use another file',
    });
  }
  if (!force) {
    throw new UsageError(`${path} exists`, {
      code: 'file_exists',
      hint: 'use another file, or --force to replace it',
    });
  }
}

/**
 * Moves a file to an unused name. `link` fails if the name exists, while `rename` would replace it.
 */
async function moveToFree(from: string, to: string): Promise<void> {
  try {
    await link(from, to);
  } catch (error) {
    const code = getErrorCode(error);
    if (code === 'EEXIST') {
      throw new ConflictError(`another program created ${to} during the download`, {
        code: 'file_exists',
        hint: `the complete download is in ${from}`,
      });
    }
    // File systems without hard links.
    if (!['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'].includes(code ?? '')) {
      throw new VmctlError(`cannot create "${to}": ${systemReason(error)}`, {
        code: 'unwritable_file',
        hint: `the complete download is in ${from}`,
        cause: error,
      });
    }
    await requireFree(to, false);
    await rename(from, to);
    return;
  }
  await unlink(from);
}

/** Makes the new name durable, if folders can be flushed. */
async function flushFolder(path: string): Promise<void> {
  try {
    const folder = await open(path, constants.O_RDONLY);
    try {
      await folder.sync();
    } finally {
      await folder.close();
    }
  } catch {
    // The data are durable. Without flushes of folders, the system writes the name later.
  }
}

function partialChanged(path: string, why: string): UsageError {
  return new UsageError(`${path} has changed since the earlier download: ${why}`, {
    code: 'partial_changed',
    hint: 'start again with --force and without --resume',
  });
}
