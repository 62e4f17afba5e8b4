/** Whether a qcow2 file is all there: its tables name no cluster behind its end. */

/** Bytes of the file from an offset on; fewer where it ends. */
export type ReadImage = (offset: number, length: number) => Promise<Buffer>;

const offsetMask = 0x00fffffffffffe00n;
const compressed = 1n << 62n;

/**
 * Whether all that an image of version 2 or 3 names begins before `size`, the bytes of its file. The last
 * cluster may be shorter than the others: what follows it reads as zeros.
 */
export async function isComplete(read: ReadImage, size: number): Promise<boolean> {
  const head = await read(0, 72);
  if (head.length < 72) return false;
  const bits = head.readUInt32BE(20);
  const cluster = 2 ** bits;
  const refcounts = Number(head.readBigUInt64BE(48));
  if (refcounts + head.readUInt32BE(56) * cluster > size) return false;
  const length = head.readUInt32BE(36) * 8;
  const first = await read(Number(head.readBigUInt64BE(40)), length);
  if (first.length < length) return false;
  for (let at = 0; at < length; at += 8) {
    const offset = Number(first.readBigUInt64BE(at) & offsetMask);
    if (offset === 0) continue;
    const table = await read(offset, cluster);
    if (table.length < cluster) return false;
    for (let entry = 0; entry < cluster; entry += 8) {
      if (beginOf(table.readBigUInt64BE(entry), bits) >= size) return false;
    }
  }
  return true;
}

/** Where a cluster begins in the file; 0 where it takes no room. */
function beginOf(entry: bigint, bits: number): number {
  if ((entry & compressed) === 0n) return Number(entry & offsetMask);
  return Number(entry & ((1n << BigInt(62 - (bits - 8))) - 1n));
}
