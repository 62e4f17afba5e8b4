/** Header of a qcow2 image, validated against the limits of QEMU. */

import { FormatError } from './format-error.ts';

const magic = 0x514649fb;

/** Length of the longest header that the reader parses, in bytes. */
export const qcow2HeaderLength = 112;

/** QEMU accepts clusters of 512 bytes to 2 MiB. */
const clusterBitsLimits = { min: 9, max: 21 } as const;
/** Largest L1 table that QEMU loads, in bytes. */
export const maxL1Bytes = 32 * 2 ** 20;
/** Largest refcount table that QEMU loads, in bytes. */
const maxRefcountTableBytes = 8 * 2 ** 20;

/** Bits of the incompatible features (version 3). */
const dirty = 1n;
const externalData = 4n;

/** Image that is not qcow2, is damaged, or has unsupported features. */
export class Qcow2Error extends FormatError {}

/** Validated header. Offsets and sizes are bytes. */
export interface Qcow2Header {
  readonly version: 2 | 3;
  readonly clusterBits: number;
  readonly clusterSize: number;
  /** Size of the disk in the image. */
  readonly virtualSize: number;
  readonly l1Offset: number;
  readonly l1Bytes: number;
}

/** Whether a file begins like a qcow2 image of any version. */
export function isQcow2(head: Uint8Array): boolean {
  return head.length >= 4 && createView(head).getUint32(0) === magic;
}

/**
 * Parses the header from the first `qcow2HeaderLength` bytes of a file with `fileSize` bytes.
 * Throws a `Qcow2Error` that names the field for headers that QEMU refuses, and for images that
 * need another file (backing file, external data) or a key.
 */
export function readQcow2Header(head: Uint8Array, fileSize: number): Qcow2Header {
  if (!isQcow2(head)) throw new Qcow2Error('the file is not a qcow2 image');
  const header = padHeader(head);
  const version = header.getUint32(4);
  if (version !== 2 && version !== 3) {
    throw new Qcow2Error(`version ${version} of qcow2 is not supported; 2 and 3 are`);
  }
  if (fileSize < (version === 3 ? 104 : 72)) throw new Qcow2Error('the header is truncated');
  requireSelfContained(header, version);
  const clusterBits = header.getUint32(20);
  const { min, max } = clusterBitsLimits;
  if (clusterBits < min || clusterBits > max) {
    throw new Qcow2Error(`cluster_bits is ${clusterBits}; the limits are ${min} and ${max}`);
  }
  const clusterSize = 2 ** clusterBits;
  if (version === 3) checkVersion3(header, clusterSize);
  checkRefcountTable(header, clusterSize, fileSize);
  return {
    version,
    clusterBits,
    clusterSize,
    ...readL1Table(header, clusterSize, fileSize),
  };
}

function requireSelfContained(header: DataView, version: 2 | 3): void {
  if (header.getBigUint64(8) !== 0n) {
    throw new Qcow2Error('the image has a backing file');
  }
  if (header.getUint32(32) !== 0) throw new Qcow2Error('the image is encrypted');
  const features = version === 3 ? header.getBigUint64(72) : 0n;
  if ((features & externalData) !== 0n) {
    throw new Qcow2Error('the image has an external data file');
  }
  const unknown = features & ~dirty;
  if (unknown !== 0n) {
    throw new Qcow2Error(`the incompatible features 0x${unknown.toString(16)} are not supported`);
  }
}

function checkVersion3(header: DataView, clusterSize: number): void {
  const refcountOrder = header.getUint32(96);
  if (refcountOrder > 6) throw new Qcow2Error(`refcount_order is ${refcountOrder}; the limit is 6`);
  const length = header.getUint32(100);
  if (length < 104 || length > clusterSize || length % 8 !== 0) {
    throw new Qcow2Error(`header_length is ${length}; the limits are 104 and the cluster size`);
  }
}

function checkRefcountTable(header: DataView, clusterSize: number, fileSize: number): void {
  const clusters = header.getUint32(56);
  if (clusters > maxRefcountTableBytes / clusterSize) {
    throw new Qcow2Error(`refcount_table_clusters is ${clusters}; the table is larger than 8 MiB`);
  }
  if (clusters === 0) throw new Qcow2Error('refcount_table_clusters is 0');
  const offset = header.getBigUint64(48);
  checkOffset('refcount_table_offset', offset, clusters * clusterSize, clusterSize, fileSize);
}

function readL1Table(
  header: DataView,
  clusterSize: number,
  fileSize: number,
): Pick<Qcow2Header, 'virtualSize' | 'l1Offset' | 'l1Bytes'> {
  const size = header.getBigUint64(24);
  const entries = header.getUint32(36);
  const l1Bytes = entries * 8;
  if (l1Bytes > maxL1Bytes) {
    throw new Qcow2Error(`l1_size is ${entries}; the table is larger than 32 MiB`);
  }
  // One L1 entry covers as many clusters as an L2 table has entries.
  const perEntry = BigInt(clusterSize) * BigInt(clusterSize / 8);
  const needed = (size + perEntry - 1n) / perEntry;
  if (size > BigInt(Number.MAX_SAFE_INTEGER) || needed > BigInt(entries)) {
    throw new Qcow2Error(`l1_size is ${entries}; a virtual size of ${size} bytes needs ${needed}`);
  }
  const l1Offset = header.getBigUint64(40);
  if (entries > 0) checkOffset('l1_table_offset', l1Offset, l1Bytes, clusterSize, fileSize);
  return { virtualSize: Number(size), l1Offset: Number(l1Offset), l1Bytes };
}

/** Throws unless a table is aligned to clusters, after the header, and within the file. */
function checkOffset(
  field: string,
  offset: bigint,
  bytes: number,
  clusterSize: number,
  fileSize: number,
): void {
  if (offset === 0n || offset % BigInt(clusterSize) !== 0n) {
    throw new Qcow2Error(`${field} is ${offset}, which is not a multiple of the cluster size`);
  }
  if (offset + BigInt(bytes) > BigInt(fileSize)) {
    throw new Qcow2Error(`${field} is ${offset}: the table ends after the end of the file`);
  }
}

/** View that adds zeros after the end of the file. */
function padHeader(head: Uint8Array): DataView {
  const bytes = new Uint8Array(qcow2HeaderLength);
  bytes.set(head.subarray(0, qcow2HeaderLength));
  return createView(bytes);
}

function createView(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
