/** Format and size of an image by its first bytes, and the files that it depends on. */

export type DiskFormat = 'raw' | 'cow';

export interface ImageFormat {
  /** Format of a disk that stores the image unchanged. */
  readonly format: DiskFormat;
  /** Size of the disk in bytes. The length of the file unless it is qcow2. */
  readonly virtualSize: number;
  /** Whether the image needs a backing file, which the disk would lack. */
  readonly hasBackingFile: boolean;
  /** Reason to refuse a complete file: it is encrypted, or its data are in another file. */
  readonly obstacle?: 'encrypted' | 'external data';
}

const qcowMagic = Buffer.from('QFI\xfb', 'latin1');

/** Bytes that are required to detect the format. */
export const HEAD_LENGTH = 512;

/** Detects the format of an image of `length` bytes that begins with `head`. */
export function detectImageFormat(head: Buffer, length: number): ImageFormat {
  if (head.length >= 32 && head.subarray(0, 4).equals(qcowMagic)) {
    const version = head.readUInt32BE(4);
    if (version === 2 || version === 3) {
      return {
        format: 'cow',
        virtualSize: Number(head.readBigUInt64BE(24)),
        hasBackingFile: head.readBigUInt64BE(8) !== 0n,
        ...obstacleIn(head, version),
      };
    }
  }
  return { format: 'raw', virtualSize: length, hasBackingFile: false };
}

/** Bit of the incompatible features: all data are in a separate file. */
const externalData = 4n;

function obstacleIn(head: Buffer, version: number): Pick<ImageFormat, 'obstacle'> {
  if (head.length < 80) return {};
  if (head.readUInt32BE(32) !== 0) return { obstacle: 'encrypted' };
  const isExternal = version === 3 && (head.readBigUInt64BE(72) & externalData) !== 0n;
  return isExternal ? { obstacle: 'external data' } : {};
}

/** Describes why an image is incomplete, for faults: "the image is ...". */
export function describeIncompleteness({
  hasBackingFile,
  obstacle,
}: ImageFormat): string | undefined {
  if (hasBackingFile) return 'the overlay of another image';
  if (obstacle === 'external data') return 'an image with an external data file';
  return obstacle;
}
