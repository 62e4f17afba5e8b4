/** Dirty byte ranges of an export, from a dirty bitmap of QEMU. */
import { blockStatus } from './block-status.ts';
import type { NbdAddress } from './byte-reader.ts';
import { NbdClient } from './client.ts';
import { DIRTY, DIRTY_BITMAP, systemError } from './protocol.ts';

/** Byte range of an image. */
export interface ByteRange {
  readonly start: number;
  readonly length: number;
}

/**
 * Reads the dirty ranges of an export in ascending order. Rejects with the error of the system, also
 * if the server does not offer the bitmap.
 */
export async function readDirtyRanges(
  address: NbdAddress,
  exportName: string,
  bitmap: string,
): Promise<ByteRange[]> {
  const context = `${DIRTY_BITMAP}${bitmap}`;
  const client = await NbdClient.open({ address, exportName, contexts: [context] });
  try {
    if (!client.info.contexts.has(context)) throw systemError('ENOENT', 'no dirty bitmap');
    const ranges: ByteRange[] = [];
    for await (const run of blockStatus(client, [context], client.info.size)) {
      const [flags] = run.flags;
      // A range without a status counts as dirty.
      if (flags !== undefined && (flags & DIRTY) === 0) continue;
      ranges.push({ start: run.start, length: run.length });
    }
    return ranges;
  } finally {
    await client.close();
  }
}
