/** Block devices as sources and targets of images; `stat` does not report their size. */

import { constants } from 'node:fs';
import { type FileHandle, open, readFile, stat } from 'node:fs/promises';
import type { Writable } from 'node:stream';
import { UsageError, VmctlError } from '../client/errors.ts';
import { systemReason } from '../system-errors.ts';

/** Bytes of the sectors in which the system counts devices, whatever theirs are. */
const SECTOR = 512;

/** Bytes of the device with this number, as `stat` tells it. Throws where the system does not say. */
export async function deviceSize(rdev: number, path: string): Promise<number> {
  // Twelve bits of the one and twenty of the other number, twisted into each other.
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

/** Whether there is a block device of this name. */
export async function isBlockDevice(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  return found?.isBlockDevice() === true;
}

/** A device that is written from its beginning. */
export interface DeviceTarget {
  /** Its size in bytes. */
  readonly size: number;
  readonly out: Writable;
  /** Resolves when everything that was written is on the device. */
  flush(): Promise<void>;
  close(): Promise<void>;
}

/** Opens a device that nothing else uses for writing. Throws usage errors. */
export async function openDevice(path: string): Promise<DeviceTarget> {
  let handle: FileHandle;
  try {
    // Of a device, O_EXCL says that nothing may have it mounted.
    handle = await open(path, constants.O_WRONLY | constants.O_EXCL);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new UsageError(`cannot write "${path}": ${code === 'EBUSY' ? 'it is in use' : message}`, {
      code: 'unwritable_file',
      ...(code === 'EBUSY' ? { hint: 'unmount it, or stop the programs that use it' } : {}),
      cause: error,
    });
  }
  try {
    const size = await deviceSize((await handle.stat()).rdev, path);
    const out = handle.createWriteStream({ autoClose: false });
    // Whoever writes is told; without a listener it would end the process.
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
