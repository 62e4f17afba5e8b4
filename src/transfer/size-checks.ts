/** Checks that an image fits its disk and its storage domain, before anything is changed. */

import type { ApiObject } from '../client/client.ts';
import { ConflictError, UsageError } from '../client/errors.ts';
import type { DiskFormat } from '../formats/image-head.ts';
import type { NewDisk } from './new-disk.ts';
import type { Source } from './source.ts';
import { diskName } from './transfer-api.ts';

/** Bytes of the sectors that disks are made of. */
const SECTOR = 512;

/** The bytes of a disk that has room for so many. */
function roundUpToSector(bytes: number): number {
  return Math.ceil(bytes / SECTOR) * SECTOR;
}

/** Throws when a qcow2 file is larger than services let such a disk become. */
export function requirePlausibleQcow2Size({ path, size, content: { virtualSize } }: Source): void {
  const limit = Math.ceil(virtualSize * 1.1) + 2 ** 20;
  if (size <= limit) return;
  throw new UsageError(
    `${path} has ${size} bytes, but a qcow2 disk of ${virtualSize} bytes has room for ${limit}`,
    {
      code: 'too_large',
      hint: 'it may hold internal snapshots; qemu-img convert -O qcow2 leaves them out',
    },
  );
}

/** Bytes of a new disk for an image of `virtual` bytes. Throws when another size makes no sense. */
export function newDiskSize({ size }: NewDisk, format: DiskFormat, virtual: number): number {
  if (size === undefined) return roundUpToSector(virtual);
  if (size < virtual) {
    throw new UsageError(
      `the image has ${virtual} bytes, ${virtual - size} more than --size says (${size})`,
      { code: 'too_large', hint: 'leave --size out, or make it larger' },
    );
  }
  if (format === 'cow' && roundUpToSector(size) !== roundUpToSector(virtual)) {
    throw new UsageError(`a qcow2 image has its size in it: ${virtual} bytes instead of ${size}`, {
      code: 'wrong_size',
      hint: 'upload it without --size; a machine that has the disk can make it larger',
    });
  }
  return roundUpToSector(size);
}

/**
 * Throws when the storage domain has no room for what will be stored for certain; returns a
 * warning when it may turn out so.
 */
export function requireFitsDomain(
  { preallocated, onBlockStorage, availableSpace, name }: NewDisk,
  format: DiskFormat,
  source: Source,
  size: number,
): string | undefined {
  if (availableSpace === undefined) return undefined;
  const whole = format === 'raw' && (preallocated || onBlockStorage);
  const needed = whole ? size : format === 'cow' ? source.size : source.storedSize;
  if (needed <= availableSpace) return undefined;
  const short = `the storage domain has ${availableSpace} bytes left, ${needed - availableSpace} fewer than the disk ${name} needs`;
  // Some of its data may be zeros, which are not stored.
  if (!whole && format === 'raw') return short.replace('needs', 'may need');
  throw new ConflictError(short, {
    code: 'no_room',
    hint: 'vmctl storagedomains list shows which has more',
  });
}

/** Throws unless an existing disk can take the image. */
export function requireFitsDisk(disk: ApiObject, format: DiskFormat, virtual: number): void {
  const name = diskName(disk);
  if (disk['format'] !== format) {
    throw new UsageError(
      `the disk ${name} is ${String(disk['format'])}, but the file is ${format}`,
      {
        code: 'wrong_format',
        hint: 'upload it into a disk of the same format, or convert it first',
      },
    );
  }
  requireRoomOnDisk(disk, virtual);
}

/** Throws a usage error unless a disk takes an image of so many bytes. */
export function requireRoomOnDisk(disk: ApiObject, virtual: number): void {
  const diskSize = Number(disk['provisioned_size'] ?? 0);
  if (virtual <= diskSize) return;
  throw new UsageError(
    `the image has ${virtual} bytes, ${virtual - diskSize} more than the disk ${diskName(disk)} (${diskSize})`,
    { code: 'too_large', hint: 'upload it into a new disk, or make the disk larger' },
  );
}
