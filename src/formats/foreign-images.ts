/** Detection of disk images in formats that disks cannot have. */

export interface ForeignImage {
  readonly name: string;
  /** Name of the format in `qemu-img`. */
  readonly driver: string;
}

const vmdk = { name: 'a VMDK image', driver: 'vmdk' };
const vhd = { name: 'a VHD image', driver: 'vpc' };

const signatures: readonly (readonly [bytes: Buffer, offset: number, image: ForeignImage])[] = [
  [Buffer.from('KDMV'), 0, vmdk],
  [Buffer.from('COWD'), 0, vmdk],
  [Buffer.from('vhdxfile'), 0, { name: 'a VHDX image', driver: 'vhdx' }],
  [Buffer.from('conectix'), 0, vhd],
  // The text of a VDI image varies; the number after it does not.
  [Buffer.from('7f10dabe', 'hex'), 64, { name: 'a VDI image', driver: 'vdi' }],
];

/** Bytes at the start and at the end of an image that detection needs. */
export const foreignHeadLength = 512;

/**
 * Detects a foreign image by its first bytes. `undefined` if a disk can have this format. `tail`
 * contains the last 512 bytes, which identify VHD images of a fixed size.
 */
export function detectForeignImage(head: Buffer, tail?: Buffer): ForeignImage | undefined {
  if (tail?.toString('latin1', 0, 8) === 'conectix') return vhd;
  return signatures.find(([bytes, offset]) =>
    head.subarray(offset, offset + bytes.length).equals(bytes),
  )?.[2];
}

/**
 * Whether an image only lists other files with its data: the descriptor of a VMDK image, as text or
 * in a VMDK file without sectors.
 */
export function isListOfFiles(head: Buffer): boolean {
  const magic = head.toString('latin1', 0, 4);
  if (magic === 'KDMV') return head.length >= 20 && head.readBigUInt64LE(12) === 0n;
  return /^#\s*Disk DescriptorFile/i.test(head.toString('latin1'));
}

/** Position of an image in a file, in bytes. */
export interface ImageRegion {
  readonly path: string;
  readonly offset: number;
  readonly size: number;
}

/**
 * Argument of `qemu-img` that opens one image in a file, and never a backing file. The caller must
 * first check `isListOfFiles`.
 */
export function formatImageArgument(
  { path, offset, size }: ImageRegion,
  { driver }: ForeignImage,
): string {
  return `json:${JSON.stringify({
    driver,
    file: { driver: 'raw', offset, size, file: { driver: 'file', filename: path } },
    ...(driver === 'vmdk' ? { backing: null } : {}),
  })}`;
}

/** Parts of the output of `qemu-img info --output=json`. */
export interface ForeignInfo {
  /** Size of the disk in bytes. `undefined` if the output has none. */
  readonly virtualSize: number | undefined;
  /** Whether the image has a backing file. */
  readonly isDifference: boolean;
}

/** Parses the output of `qemu-img info --output=json`. Throws if it is not JSON. */
export function readInfo(printed: string): ForeignInfo {
  const found: { [name: string]: unknown } = Object(JSON.parse(printed));
  const size = Number(found['virtual-size']);
  return {
    virtualSize: Number.isSafeInteger(size) && size > 0 ? size : undefined,
    isDifference: found['backing-filename'] !== undefined,
  };
}
