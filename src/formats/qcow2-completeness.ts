/** Completeness of a qcow2 file: no table refers to a cluster after its end. */
import { type Qcow2Header, qcow2HeaderLength, readQcow2Header } from './qcow2-header.ts';

/** Reads bytes of the file at an offset. Returns fewer at its end. */
export type ReadImage = (offset: number, length: number) => Promise<Buffer>;

const offsetMask = 0x00fffffffffffe00n;
const compressed = 1n << 62n;
/** Bytes of the L1 table to read in one call. */
const l1Piece = 2 ** 16;

/**
 * Whether all tables and clusters of an image of version 2 or 3 begin before `size`, the length of
 * the file. The last cluster may be short: the missing bytes are zeros. Throws a `Qcow2Error` for
 * an invalid header.
 */
export async function isComplete(read: ReadImage, size: number): Promise<boolean> {
  const header = readQcow2Header(await read(0, qcow2HeaderLength), size);
  const { l1Offset, l1Bytes, clusterSize } = header;
  let tables = 0;
  for (let from = 0; from < l1Bytes; from += l1Piece) {
    const piece = await read(l1Offset + from, Math.min(l1Piece, l1Bytes - from));
    for (let at = 0; at + 8 <= piece.length; at += 8) {
      const offset = Number(piece.readBigUInt64BE(at) & offsetMask);
      if (offset === 0) continue;
      tables += 1;
      if (tables > size / clusterSize + 1) return false;
      if (!isTableComplete(await read(offset, clusterSize), header, size)) return false;
    }
  }
  return true;
}

function isTableComplete(table: Buffer, header: Qcow2Header, size: number): boolean {
  if (table.length < header.clusterSize) return false;
  for (let entry = 0; entry < header.clusterSize; entry += 8) {
    if (getClusterOffset(table.readBigUInt64BE(entry), header.clusterBits) >= size) return false;
  }
  return true;
}

/** Offset of a cluster in the file. 0 if it is not allocated. */
function getClusterOffset(entry: bigint, bits: number): number {
  if ((entry & compressed) === 0n) return Number(entry & offsetMask);
  return Number(entry & ((1n << BigInt(62 - (bits - 8))) - 1n));
}
