/** What a local image is, told from its content: qcow2, or just bytes, as ISO images are. */
import type { FileHandle } from 'node:fs/promises';
import { UsageError } from '../client/errors.ts';

export type DiskFormat = 'raw' | 'cow';

export interface ImageFormat {
  /** Format of the disk that holds the image as it is. */
  readonly format: DiskFormat;
  /** Bytes that a virtual machine sees; the length of the file unless it is qcow2. */
  readonly virtualSize: number;
  /** The file needs another one below it, which would be missed. */
  readonly hasBackingFile: boolean;
}

const qcowMagic = Buffer.from('QFI\xfb', 'latin1');

/** Looks at an open file of `length` bytes. Rejects when it cannot be read. */
export async function imageFormat(file: FileHandle, length: number): Promise<ImageFormat> {
  const { buffer: head, bytesRead } = await file.read(Buffer.alloc(32), 0, 32, 0);
  if (bytesRead === head.length && head.subarray(0, 4).equals(qcowMagic)) {
    const version = head.readUInt32BE(4);
    if (version === 2 || version === 3) {
      return {
        format: 'cow',
        virtualSize: Number(head.readBigUInt64BE(24)),
        hasBackingFile: head.readBigUInt64BE(8) !== 0n,
      };
    }
  }
  return { format: 'raw', virtualSize: length, hasBackingFile: false };
}

/**
 * The format of the disk for a file, as asked for or as its content says. Throws usage errors when
 * both disagree, and for images that are not complete by themselves.
 */
export function requireFormat(
  content: ImageFormat,
  asked: DiskFormat | undefined,
  path: string,
): DiskFormat {
  if (asked === 'raw') return 'raw';
  if (asked === 'cow' && content.format !== 'cow') {
    throw new UsageError(`${path} is no qcow2 image`, {
      code: 'wrong_format',
      hint: 'leave --format out, or convert it: qemu-img convert -O qcow2',
    });
  }
  if (content.format !== 'cow') return 'raw';
  if (content.hasBackingFile) {
    throw new UsageError(`${path} is only the difference to another image`, {
      code: 'has_backing_file',
      hint: 'make it whole first: qemu-img convert -O qcow2',
    });
  }
  return 'cow';
}
