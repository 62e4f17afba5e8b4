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
