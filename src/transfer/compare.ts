/** Comparison of a local file with a disk by checksums, without a transfer of the image. */

import { ConflictError, VmctlError } from '../client/errors.ts';
import type { Resource } from '../model/resource.ts';
import {
  BLOCK,
  BufferPool,
  blockRange,
  getLength,
  pieces,
  readRuns,
  totalLength,
} from './blocks.ts';
import { BlockHashes, checksumQuery } from './checksum.ts';
import type { Algorithm } from './checksum-algorithm.ts';
import type { ProgressReporter, TransferOptions } from './progress.ts';
import { downloadSequentially } from './sequential-download.ts';
import type { Source } from './source.ts';
import { diskName } from './transfer-api.ts';

export interface CompareOptions
  extends Pick<TransferOptions, 'client' | 'retries' | 'signal' | 'onEvent'> {
  readonly disk: Resource<'disk'>;
  readonly source: Source;
}

/** Result for a file that equals a disk. */
export interface Compared {
  /** Bytes of the stored image. */
  readonly size: number;
  /** Bytes of the file. The image has zeros after its end. */
  readonly fileSize: number;
  readonly algorithm: string;
  readonly checksum: string;
}

/** Blocks to read and hash concurrently. */
const HANDS = 4;

/**
 * Compares the stored image byte for byte in its format. A shorter file is equal if the remainder
 * of the image is zeros, as after an upload. Throws a conflict with the reason if they differ.
 */
export async function compare(options: CompareOptions): Promise<Compared> {
  const { disk, source, signal } = options;
  const { compared, reason, format } = await downloadSequentially(options, async (reading) => {
    const { image, capabilities, extents, progress, format } = reading;
    if (!capabilities.features.has('checksum')) throw noChecksum();
    const { size } = extents;
    // Users compare this checksum with others.
    const algorithm: Algorithm = 'sha256';
    const sizes = { size, fileSize: source.size, algorithm };
    progress.enterPhase('verifying', size);
    if (source.size > size) {
      const longer = `the file has ${source.size} bytes, ${source.size - size} more than the image`;
      return { format, compared: { ...sizes, checksum: '' }, reason: longer };
    }
    const pending = image.checksum(checksumQuery(algorithm));
    // The failure is reported below, after the file has been read.
    pending.catch(() => undefined);
    const ours = await fileChecksum(source, size, progress, signal, algorithm);
    const theirs = await pending;
    if (theirs === undefined) throw noChecksum();
    await source.requireUnchanged();
    const differs = `the checksum (${algorithm}) of the file is ${ours}, that of the image ${theirs}`;
    return {
      format,
      compared: { ...sizes, checksum: theirs },
      reason: ours === theirs ? undefined : differs,
    };
  });
  if (reason === undefined) return compared;
  const name = diskName(disk);
  throw new ConflictError(`${source.path} differs from the disk ${name}: ${reason}`, {
    code: 'different',
    ...(source.content.format === format
      ? {}
      : {
          hint: `the file is ${source.content.format}, the disk ${format}; only the stored bytes are compared`,
        }),
  });
}

/** Checksum of a file as an image of `size` bytes, with zeros after the end of the file. */
export async function fileChecksum(
  source: Source,
  size: number,
  progress: Pick<ProgressReporter, 'addSkipped' | 'addTransferred'>,
  signal: AbortSignal,
  algorithm: Algorithm,
): Promise<string> {
  const hashes = new BlockHashes(algorithm);
  const buffers = new BufferPool(HANDS);
  const todo = pieces(await source.extents(), size);
  const work = async () => {
    for (let next = await todo.next(); !next.done; next = await todo.next()) {
      signal.throwIfAborted();
      const piece = next.value;
      if (piece.kind === 'zero') {
        progress.addSkipped(Math.min((piece.last + 1) * BLOCK, size) - piece.first * BLOCK);
        continue;
      }
      const range = blockRange(piece.block, size);
      const buffer = await buffers.take();
      const bytes = buffer.subarray(0, getLength(range));
      await readRuns(source, range, piece.runs, bytes);
      hashes.set(piece.block, await hashes.hash(bytes));
      buffers.release(buffer);
      progress.addTransferred(totalLength(piece.runs));
      progress.addSkipped(bytes.length - totalLength(piece.runs));
    }
  };
  await Promise.all(Array.from({ length: HANDS }, work));
  return await hashes.checksum(size, (block) => blockRange(block, size));
}

function noChecksum(): VmctlError {
  return new VmctlError('the image daemon does not support checksums', {
    code: 'no_checksum',
    hint: 'download the image with vmctl disks download to compare the files',
  });
}
