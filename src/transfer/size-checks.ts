/** Checks that an image fits its disk and storage domain, before any change. */

import { ConflictError, UsageError } from '../client/errors.ts';
import type { DiskFormat } from '../formats/image-head.ts';
import type { Resource } from '../model/resource.ts';
import type { NewDisk } from './new-disk.ts';
import type { Source } from './source.ts';
import { diskName } from './transfer-api.ts';

/** Bytes of a disk sector. */
const SECTOR = 512;

/** Smallest disk size for a number of bytes. */
function roundUpToSector(bytes: number): number {
  return Math.ceil(bytes / SECTOR) * SECTOR;
}

/** Throws if a qcow2 file is larger than services permit for its disk. */
export function requirePlausibleQcow2Size({ path, size, content: { virtualSize } }: Source): void {
  const limit = Math.ceil(virtualSize * 1.1) + 2 ** 20;
  if (size <= limit) return;
  throw new UsageError(
    `${path} has ${size} bytes; a qcow2 disk of ${virtualSize} bytes has at most ${limit}`,
    {
      code: 'too_large',
      hint: 'the file may have internal snapshots; remove them with qemu-img convert -O qcow2',
    },
  );
}

/** Bytes of a new disk for an image of `virtual` bytes. Throws for an invalid size. */
export function newDiskSize({ size }: NewDisk, format: DiskFormat, virtual: number): number {
  if (size === undefined) return roundUpToSector(virtual);
  if (size < virtual) {
    throw new UsageError(
      `the image has ${virtual} bytes, ${virtual - size} more than --size (${size})`,
      { code: 'too_large', hint: 'remove --size, or increase it' },
    );
  }
  if (format === 'cow' && roundUpToSector(size) !== roundUpToSector(virtual)) {
    throw new UsageError(`the qcow2 image has a size of ${virtual} bytes, not ${size}`, {
      code: 'wrong_size',
      hint: 'upload it without --size, and resize the disk afterwards',
    });
  }
  return roundUpToSector(size);
}

/**
 * Throws if the storage domain lacks space for the known data. Returns a warning if the space may
 * not suffice.
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
  const isUpperBound = !whole && format === 'raw'; // Zeros in the data are not stored.
  const short = `not enough space in the storage domain: ${availableSpace} bytes available, disk ${name} ${isUpperBound ? 'may need' : 'needs'} ${needed - availableSpace} more`;
  if (isUpperBound) return short;
  throw new ConflictError(short, {
    code: 'no_room',
    hint: 'find a storage domain with enough space: vmctl storagedomains list',
  });
}

/** Throws unless an existing disk fits the image. */
export function requireFitsDisk(disk: Resource<'disk'>, format: DiskFormat, virtual: number): void {
  const name = diskName(disk);
  if (disk.format !== format) {
    throw new UsageError(
      `disk ${name} has format ${String(disk.format)}, but the file is ${format}`,
      {
        code: 'wrong_format',
        hint: 'upload it to a disk with the same format, or convert it',
      },
    );
  }
  requireRoomOnDisk(disk, virtual);
}

/** Throws a usage error unless an image of this size fits the disk. */
export function requireRoomOnDisk(disk: Resource<'disk'>, virtual: number): void {
  const diskSize = Number(disk.provisioned_size ?? 0);
  if (virtual <= diskSize) return;
  throw new UsageError(
    `the image has ${virtual} bytes, ${virtual - diskSize} more than disk ${diskName(disk)} (${diskSize})`,
    { code: 'too_large', hint: 'upload it to a new disk, or resize the disk' },
  );
}
