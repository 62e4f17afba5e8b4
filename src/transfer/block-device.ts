/** Block devices as sources and targets of images. `stat` does not report their size. */

import { constants } from 'node:fs';
import { type FileHandle, open, readFile, stat } from 'node:fs/promises';
import type { Writable } from 'node:stream';
import { getErrorCode, getErrorMessage } from '../caught-errors.ts';
import { UsageError, VmctlError } from '../client/errors.ts';
import { systemReason } from '../system-errors.ts';

/** Bytes of the system's unit for device sizes, independent of the device. */
const SECTOR = 512;

/**
 * Size in bytes of the device with this number from `stat`. Throws if the system does not report
 * it.
 */
export async function deviceSize(rdev: number, path: string): Promise<number> {
  // The number contains 12 bits of the major number and 20 bits of the minor number, interleaved.
  const high = Math.floor(rdev / 2 ** 32);
  const major = ((rdev >>> 8) & 0xfff) | (high & ~0xfff);
  const minor = (rdev & 0xff) | ((rdev >>> 12) & 0xfff00);
  const sectors = await readFile(`/sys/dev/block/${major}:${minor}/size`, 'utf8').catch(() => '');
  const size = Number(sectors) * SECTOR;
  if (sectors.trim() !== '' && Number.isSafeInteger(size)) return size;
  throw new UsageError(`${path} is a block device of unknown size`, {
    code: 'unreadable_file',
    hint: 'use a pipe: cat DEVICE | vmctl disks upload - --size SIZE ...',
  });
}

/** Whether a path is a block device. */
export async function isBlockDevice(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  return found?.isBlockDevice() === true;
}

/** Device that is written sequentially. */
export interface DeviceTarget {
  /** Size in bytes. */
  readonly size: number;
  readonly out: Writable;
  /** Resolves when all written bytes are on the device. */
  flush(): Promise<void>;
  close(): Promise<void>;
}

/** Opens a device for exclusive writing. Throws usage errors. */
export async function openDevice(path: string): Promise<DeviceTarget> {
  let handle: FileHandle;
  try {
    // For a device, O_EXCL fails if it is mounted.
    handle = await open(path, constants.O_WRONLY | constants.O_EXCL);
  } catch (error) {
    const isInUse = getErrorCode(error) === 'EBUSY';
    const reason = isInUse ? 'it is in use' : getErrorMessage(error);
    throw new UsageError(`cannot write "${path}": ${reason}`, {
      code: 'unwritable_file',
      ...(isInUse ? { hint: 'unmount it, or stop the programs that use it' } : {}),
      cause: error,
    });
  }
  try {
    const size = await deviceSize((await handle.stat()).rdev, path);
    const out = handle.createWriteStream({ autoClose: false });
    // The writer handles errors. Without a listener they would end the process.
    out.on('error', () => undefined);
    return { size, out, flush: () => flush(handle, path), close: () => handle.close() };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

async function flush(handle: FileHandle, path: string): Promise<void> {
  try {
    await handle.sync();
  } catch (error) {
    throw new VmctlError(`${path} lost written data: ${systemReason(error)}`, {
      code: 'unwritable_file',
      cause: error,
    });
  }
}
