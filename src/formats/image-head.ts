/** What the beginning of an image says of it: format, size, and whether it is complete by itself. */

export type DiskFormat = 'raw' | 'cow';

export interface ImageFormat {
  /** Format of the disk that holds the image as it is. */
  readonly format: DiskFormat;
  /** Bytes that a virtual machine sees; the length of the file unless it is qcow2. */
  readonly virtualSize: number;
  /** The file needs another one below it, which would be missed. */
  readonly hasBackingFile: boolean;
  /** Why it cannot be used though it is complete: `encrypted`, or its data are in another file. */
  readonly obstacle?: 'encrypted' | 'external data';
}

const qcowMagic = Buffer.from('QFI\xfb', 'latin1');

/** Bytes from which a format can be told. */
export const HEAD_LENGTH = 512;

/** The format of an image of `length` bytes that begins with `head`. */
export function imageFormat(head: Buffer, length: number): ImageFormat {
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

/** Bit of the features that need to be understood: all data are in a file of their own. */
const externalData = 4n;

function obstacleIn(head: Buffer, version: number): Pick<ImageFormat, 'obstacle'> {
  if (head.length < 80) return {};
  if (head.readUInt32BE(32) !== 0) return { obstacle: 'encrypted' };
  const isExternal = version === 3 && (head.readBigUInt64BE(72) & externalData) !== 0n;
  return isExternal ? { obstacle: 'external data' } : {};
}

/** What an image lacks that is not complete by itself, in the words of faults: "the image is ...". */
export function lackOf({ hasBackingFile, obstacle }: ImageFormat): string | undefined {
  if (hasBackingFile) return 'the overlay of another image';
  if (obstacle === 'external data') return 'an image with an external data file';
  return obstacle;
}
