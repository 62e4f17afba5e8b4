/** Whether an image fits where it is to go; asked before anything is changed. */
import type { Thing } from '../client/client.ts';
import { UsageError } from '../client/errors.ts';
import type { DiskFormat } from './image-format.ts';
import type { SourceFile } from './source-file.ts';

/** Bytes of the sectors that disks are made of. */
const SECTOR = 512;

/** The bytes of a disk that has room for so many. */
export function sectorsOf(bytes: number): number {
  return Math.ceil(bytes / SECTOR) * SECTOR;
}

/** Throws when a qcow2 file is larger than services let such a disk become. */
export function requireSound({ path, size, content: { virtualSize } }: SourceFile): void {
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

/** Throws unless an existing disk can take the image. */
export function requireFit(disk: Thing, format: DiskFormat, virtual: number): void {
  const name = String(disk['alias'] ?? disk['name'] ?? disk['id']);
  if (disk['format'] !== format) {
    throw new UsageError(
      `the disk ${name} is ${String(disk['format'])}, but the file is ${format}`,
      {
        code: 'wrong_format',
        hint: 'upload it into a disk of the same format, or convert it first',
      },
    );
  }
  const room = Number(disk['provisioned_size'] ?? 0);
  if (virtual > room) {
    throw new UsageError(
      `the image has ${virtual} bytes, ${virtual - room} more than the disk ${name} (${room})`,
      { code: 'too_large', hint: 'upload it into a new disk, or make the disk larger' },
    );
  }
}
