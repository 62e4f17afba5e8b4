/** Images of other virtualization, known by their bytes: no disk holds them as they are. */

export interface ForeignImage {
  readonly name: string;
  /** What `qemu-img` calls the format. */
  readonly driver: string;
}

const vmdk = { name: 'a VMDK image', driver: 'vmdk' };
const vhd = { name: 'a VHD image', driver: 'vpc' };

const signatures: readonly (readonly [bytes: Buffer, offset: number, image: ForeignImage])[] = [
  [Buffer.from('KDMV'), 0, vmdk],
  [Buffer.from('COWD'), 0, vmdk],
  [Buffer.from('vhdxfile'), 0, { name: 'a VHDX image', driver: 'vhdx' }],
  [Buffer.from('conectix'), 0, vhd],
  // Its text may be any; the number behind it is not.
  [Buffer.from('7f10dabe', 'hex'), 64, { name: 'a VDI image', driver: 'vdi' }],
];

/** Bytes at the beginning that have to be looked at, and at the end. */
export const foreignHeadLength = 512;

/**
 * What an image is, by the first bytes of it; undefined for what a disk can hold. Where `tail` has its last
 * 512 bytes, VHD images of a fixed size are known, too: their description is at the end alone.
 */
export function foreignImageOf(head: Buffer, tail?: Buffer): ForeignImage | undefined {
  if (tail?.toString('latin1', 0, 8) === 'conectix') return vhd;
  return signatures.find(([bytes, offset]) =>
    head.subarray(offset, offset + bytes.length).equals(bytes),
  )?.[2];
}

/**
 * Whether an image is only a list of other files that hold its bytes: the text of a VMDK, by itself or
 * in a VMDK image, which then has no sectors of its own.
 */
export function isListOfFiles(head: Buffer): boolean {
  const magic = head.toString('latin1', 0, 4);
  if (magic === 'KDMV') return head.length >= 20 && head.readBigUInt64LE(12) === 0n;
  return /^#\s*Disk DescriptorFile/i.test(head.toString('latin1'));
}

/** Where an image lies in a file, in bytes. */
export interface ImageRegion {
  readonly path: string;
  readonly offset: number;
  readonly size: number;
}

/**
 * A part of a file as `qemu-img` is told of it. Nothing but the file itself is opened, whatever the image
 * names below itself; that it is not `isListOfFiles` has to be known before.
 */
export function aloneWord({ path, offset, size }: ImageRegion, { driver }: ForeignImage): string {
  return `json:${JSON.stringify({
    driver,
    file: { driver: 'raw', offset, size, file: { driver: 'file', filename: path } },
    ...(driver === 'vmdk' ? { backing: null } : {}),
  })}`;
}

/** What `qemu-img info --output=json` says of an image. */
export interface ForeignInfo {
  /** Bytes that a machine sees; undefined where that is not said. */
  readonly virtualSize: number | undefined;
  /** The image is only the difference to another one. */
  readonly isDifference: boolean;
}

/** Reads what `qemu-img info --output=json` has printed. Throws where that is no JSON. */
export function readInfo(printed: string): ForeignInfo {
  const found: { [name: string]: unknown } = Object(JSON.parse(printed));
  const size = Number(found['virtual-size']);
  return {
    virtualSize: Number.isSafeInteger(size) && size > 0 ? size : undefined,
    isDifference: found['backing-filename'] !== undefined,
  };
}
