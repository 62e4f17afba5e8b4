/** What a local image is, told from its content: qcow2, an ISO, or just bytes. */
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
  readonly isIso: boolean;
}

const qcowMagic = Buffer.from('QFI\xfb', 'latin1');
/** Sector 16 of an ISO 9660 image begins with a type byte and this. */
const isoMark = Buffer.from('CD001', 'latin1');
const isoMarkAt = 0x8001;
const qcowHeaderLength = 32;

/** Looks at an open file of `length` bytes. Rejects when it cannot be read. */
export async function imageFormat(file: FileHandle, length: number): Promise<ImageFormat> {
  const head = await bytesAt(file, 0, qcowHeaderLength);
  if (head.length === qcowHeaderLength && head.subarray(0, 4).equals(qcowMagic)) {
    const version = head.readUInt32BE(4);
    if (version === 2 || version === 3) {
      return {
        format: 'cow',
        virtualSize: Number(head.readBigUInt64BE(24)),
        hasBackingFile: head.readBigUInt64BE(8) !== 0n,
        isIso: false,
      };
    }
  }
  const mark = await bytesAt(file, isoMarkAt, isoMark.length);
  return {
    format: 'raw',
    virtualSize: length,
    hasBackingFile: false,
    isIso: mark.equals(isoMark),
  };
}

async function bytesAt(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, position);
  return buffer.subarray(0, bytesRead);
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
