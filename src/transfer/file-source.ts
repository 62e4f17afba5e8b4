/** Local file or block device as the source of an upload, with detection of changes. */

import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { resolve } from 'node:path';
import { ConflictError, UsageError, VmctlError } from '../client/errors.ts';
import type { Extent } from '../extents/file-extents.ts';
import type { Range } from '../extents/range-set.ts';
import { detectImageFormat, HEAD_LENGTH, type ImageFormat } from '../formats/image-head.ts';
import { systemReason } from '../system-errors.ts';
import { deviceSize } from './block-device.ts';
import { allData } from './blocks.ts';
import type { FileIdentity } from './journal.ts';
import { localExtents } from './local-extents.ts';
import type { Source } from './source.ts';

/** Bytes of the system's unit for allocated blocks. */
const SECTOR = 512;
const PIECE = 2 ** 20;

export class FileSource implements Source {
  readonly path: string;
  readonly identity: FileIdentity;
  readonly content: ImageFormat;
  /** First bytes. */
  readonly head: Buffer;
  readonly storedSize: number;
  readonly repeatable: boolean;
  readonly #handle: FileHandle;
  readonly #onClose: (() => Promise<void>) | undefined;

  private constructor(
    path: string,
    handle: FileHandle,
    { identity, head, storedSize }: FileFacts,
    onClose?: () => Promise<void>,
  ) {
    this.path = path;
    this.identity = identity;
    this.head = head;
    this.content = detectImageFormat(head, identity.size);
    this.storedSize = storedSize;
    this.repeatable = onClose === undefined;
    this.#handle = handle;
    this.#onClose = onClose;
  }

  /**
   * Creates a source from an open temporary file, which cannot be resumed. `onClose` is called when
   * it is closed.
   */
  static async take(
    path: string,
    handle: FileHandle,
    onClose: () => Promise<void>,
  ): Promise<FileSource> {
    return new FileSource(path, handle, await inspect(handle, path), onClose);
  }

  /**
   * Opens a regular file or block device, and detects its format unless it is read as raw bytes.
   * Throws usage errors.
   */
  static async open(given: string, as?: 'raw'): Promise<FileSource> {
    const path = resolve(given);
    let handle: FileHandle;
    try {
      // Without O_NONBLOCK, opening a named pipe would wait for a writer.
      handle = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    } catch (error) {
      throw new UsageError(`cannot read "${given}": ${systemReason(error)}`, {
        code: 'unreadable_file',
        cause: error,
      });
    }
    try {
      const stats = await handle.stat();
      if (!stats.isFile() && !stats.isBlockDevice()) {
        throw new UsageError(`${given} is neither a regular file nor a block device`, {
          code: 'unreadable_file',
        });
      }
      const facts = await inspect(handle, given);
      return new FileSource(path, handle, as ? { ...facts, head: Buffer.alloc(0) } : facts);
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  get size(): number {
    return this.identity.size;
  }

  /** Data extents of the file. Everything counts as data if holes cannot be detected. */
  async extents(): Promise<AsyncIterable<Extent>> {
    return (await localExtents(this.#handle.fd, this.size)) ?? allData(this.size);
  }

  /** Reads bytes at an offset. Bytes after the end of the file are zeros. */
  async read(range: Range, buffer: Buffer): Promise<void> {
    const length = range.end - range.start;
    for (let filled = 0; filled < length; ) {
      const at = range.start + filled;
      const wanted = Math.min(length - filled, Math.max(0, this.size - at));
      if (wanted === 0) {
        buffer.fill(0, filled, length);
        return;
      }
      const { bytesRead } = await this.#handle.read(buffer, filled, wanted, at).catch(unreadable);
      if (bytesRead === 0) throw this.#changed('it is shorter than before');
      filled += bytesRead;
    }
  }

  /** Throws if the file has changed since it was opened. */
  async requireUnchanged(): Promise<void> {
    const now = await readIdentity(this.#handle, this.path);
    if (!isSameIdentity(now, this.identity)) throw this.#changed('another program writes to it');
  }

  #changed(why: string): ConflictError {
    return new ConflictError(`${this.path} changed during the upload: ${why}`, {
      code: 'source_changed',
      hint: 'upload it again when no program writes to it',
    });
  }

  /** Bytes of the file in order, verbatim. */
  async *bytes(): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < this.size; ) {
      const end = Math.min(at + PIECE, this.size);
      const piece = Buffer.allocUnsafe(end - at);
      await this.read({ start: at, end }, piece);
      yield piece;
      at = end;
    }
  }

  async close(): Promise<void> {
    await this.#handle.close();
    await this.#onClose?.();
  }
}

interface FileFacts {
  readonly identity: FileIdentity;
  readonly head: Buffer;
  readonly storedSize: number;
}

/** Inspects an open file. Throws a usage error if it is empty. */
async function inspect(handle: FileHandle, given: string): Promise<FileFacts> {
  const identity = await readIdentity(handle, given);
  if (identity.size === 0) throw new UsageError(`${given} is empty`, { code: 'empty_file' });
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(HEAD_LENGTH), 0, HEAD_LENGTH, 0);
  const stats = await handle.stat();
  const tells = process.platform !== 'win32' && stats.isFile();
  const storedSize = tells ? Math.min(stats.blocks * SECTOR, identity.size) : identity.size;
  return { identity, head: buffer.subarray(0, bytesRead), storedSize };
}

function unreadable(error: NodeJS.ErrnoException): never {
  throw new VmctlError(`cannot read the file: ${systemReason(error)}`, {
    code: 'unreadable_file',
    cause: error,
  });
}

/**
 * Identity of a file, which detects changes. The time of a device is excluded, because it is that
 * of its directory entry.
 */
async function readIdentity(handle: FileHandle, path: string): Promise<FileIdentity> {
  const stats = await handle.stat({ bigint: true });
  if (stats.isBlockDevice()) {
    const size = await deviceSize(Number(stats.rdev), path);
    return { size, modified: '', inode: `device ${stats.rdev}` };
  }
  return {
    size: Number(stats.size),
    modified: String(stats.mtimeNs),
    inode: `${stats.dev}:${stats.ino}`,
  };
}

/** Whether two identities are equal. Empty times are ignored. */
export function isSameIdentity(a: FileIdentity, b: FileIdentity): boolean {
  return a.size === b.size && a.modified === b.modified && a.inode === b.inode;
}
