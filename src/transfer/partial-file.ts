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
import { ConflictError, UsageError, VmctlError } from '../client/errors.ts';
import { systemReason } from '../system-errors.ts';
import type { FileIdentity } from './journal.ts';

const noFollow = constants.O_NOFOLLOW ?? 0;

export class PartialFile {
  /** Absolute path of the file that it becomes. */
  readonly target: string;
  readonly path: string;
  #handle: FileHandle;
  /** Writes go one by one: systems let only one at a file, and threads that wait for it cost time. */
  readonly #writing = pLimit(1);
  readonly #force: boolean;

  private constructor(target: string, handle: FileHandle, force: boolean) {
    this.target = target;
    this.path = partialPath(target);
    this.#handle = handle;
    this.#force = force;
  }

  /**
   * Begins a download; with `force` whatever is in the way is replaced. Throws usage errors; `advice` is
   * for a partial file that is there already.
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
      const { code } = error as NodeJS.ErrnoException;
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

  /** Takes the file up again that an earlier run left. Throws when it is not that file. */
  static async reopen(target: string, known: FileIdentity, force: boolean): Promise<PartialFile> {
    await requireFree(target, force);
    const path = partialPath(target);
    let handle: FileHandle;
    try {
      handle = await open(path, constants.O_RDWR | noFollow | (constants.O_NONBLOCK ?? 0));
    } catch (error) {
      throw partialChanged(path, (error as Error).message);
    }
    const { ino, dev, size } = await handle.stat({ bigint: true });
    if (`${dev}:${ino}` === known.inode && Number(size) === known.size) {
      return new PartialFile(target, handle, force);
    }
    await handle.close();
    throw partialChanged(path, 'it was replaced, or has another size');
  }

  /**
   * Whether the file of an earlier run is in its place already: that run came to its end, but not
   * to saying so. A second name that it had left is removed.
   */
  static async isFinished(target: string, known: FileIdentity): Promise<boolean> {
    if (!(await isSameFile(target, known))) return false;
    const path = partialPath(target);
    if (await isSameFile(path, known)) await unlink(path);
    await flushFolder(dirname(target));
    return true;
  }

  /**
   * Becomes a clone of another file, which takes no room of its own; false where the file system has no
   * clones. Nothing may have been written yet.
   */
  async cloneFrom(other: string): Promise<boolean> {
    // A copy that fails takes its target away with it.
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

  /** Gives the file its final length, all of it a hole where nothing was written yet. */
  async resize(size: number): Promise<void> {
    await describeWriteErrors(this.path, () => this.#handle.truncate(size));
  }

  /** What tells this file from others; its time changes all the while. */
  async identity(): Promise<FileIdentity> {
    const { ino, dev, size } = await this.#handle.stat({ bigint: true });
    return { size: Number(size), modified: '', inode: `${dev}:${ino}` };
  }

  /** Bytes that the file system still has for us, as far as it tells. */
  async space(): Promise<number | undefined> {
    try {
      const { bavail, bsize } = await statfs(dirname(this.path));
      return bavail * bsize;
    } catch {
      return undefined;
    }
  }

  /** Throws errors of the system as they are. */
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

  /** The same for whoever knows no more of it: errors name the file. */
  async writeNamed(offset: number, bytes: Buffer): Promise<void> {
    await describeWriteErrors(this.path, () => this.write(offset, bytes));
  }

  async flush(): Promise<void> {
    await this.#handle.datasync();
  }

  /** Puts the finished file in its place, in one step and for good. */
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

/** Does something with a file; says which one it was when the system refuses. */
async function describeWriteErrors<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof VmctlError) throw error;
    const { code = '' } = error as NodeJS.ErrnoException;
    const full = ['ENOSPC', 'EDQUOT', 'EFBIG'].includes(code);
    throw new VmctlError(`cannot write "${path}": ${systemReason(error)}`, {
      code: full ? 'no_space' : 'unwritable_file',
      cause: error,
    });
  }
}

/** Where the bytes are until all of them are there. */
function partialPath(target: string): string {
  return `${target}.partial`;
}

/** Whether a path is that very file, and no link to it. */
async function isSameFile(path: string, known: FileIdentity): Promise<boolean> {
  const found = await lstat(path, { bigint: true }).catch(() => undefined);
  if (!found?.isFile()) return false;
  return `${found.dev}:${found.ino}` === known.inode && Number(found.size) === known.size;
}

/** Throws unless the path can become the downloaded file. */
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

/** Moves a file to a name that must still be free: a link fails where a rename would replace. */
async function moveToFree(from: string, to: string): Promise<void> {
  try {
    await link(from, to);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') {
      throw new ConflictError(`another program created ${to} during the download`, {
        code: 'file_exists',
        hint: `the complete download is in ${from}`,
      });
    }
    // File systems without links.
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

/** Makes the new name durable, where folders can be flushed. */
async function flushFolder(path: string): Promise<void> {
  try {
    const folder = await open(path, constants.O_RDONLY);
    try {
      await folder.sync();
    } finally {
      await folder.close();
    }
  } catch {
    // The bytes are safe; on systems that cannot do this the name follows by itself.
  }
}

function partialChanged(path: string, why: string): UsageError {
  return new UsageError(`${path} has changed since the earlier download: ${why}`, {
    code: 'partial_changed',
    hint: 'start again with --force and without --resume',
  });
}
