/** Download of a disk image to a stream: in order, with zeros for holes, in constant memory. */

import type { Writable } from 'node:stream';
import { ConflictError, VmctlError } from '../client/errors.ts';
import type { Resource } from '../model/resource.ts';
import { systemReason } from '../system-errors.ts';
import {
  BLOCK,
  BufferPool,
  blockRange,
  getLength,
  type Piece,
  pieces,
  readRuns,
  totalLength,
} from './blocks.ts';
import { fastestAlgorithm } from './checksum-algorithm.ts';
import type { Downloaded } from './download.ts';
import type { Journal } from './journal.ts';
import type { RemoteExtents } from './parse-extents.ts';
import type { ProgressReporter, TransferOptions } from './progress.ts';
import { dataExtents } from './remote-extents.ts';
import type { Capabilities, RemoteImage } from './remote-image.ts';
import { downloadSequentially, inMemoryJournal } from './sequential-download.ts';
import { TransferAborted } from './transfer-error.ts';
import { requestChecksum, verifyDownload } from './verify.ts';

export interface StreamDownloadOptions extends TransferOptions {
  readonly disk: Resource<'disk'>;
  /** Id of the backup from which the disk is read. */
  readonly backup?: string;
  /** Guest view of the disk, independent of its format. */
  readonly guestData?: boolean;
  readonly out: Writable;
  /** Maximum bytes of the target, if limited. */
  readonly capacity?: number;
  /** Device to overwrite. */
  readonly device?: string;
}

/** The reader of the output has closed it. */
export class ReaderClosedError extends Error {}

const zeros = Buffer.alloc(2 ** 20);

/**
 * Downloads the image. Throws `TransferAborted` if it is incomplete, with `ReaderClosedError` as
 * the cause if the reader closed the output. The output is then a part of the image.
 */
export async function downloadToStream(
  options: StreamDownloadOptions,
): Promise<Omit<Downloaded, 'file'>> {
  const { verify, device } = options;
  let isWritten = false;
  const reading = downloadSequentially(
    options,
    async ({ id, format, image, capabilities, extents, progress }) => {
      const { size } = extents;
      requireCapacity(size, options);
      isWritten = true;
      const journal = inMemoryJournal(options, { id, format, size, file: '-', hashed: verify });
      if (verify) journal.hashBy(await fastestAlgorithm(image, capabilities));
      progress.enterPhase('copying', size);
      const checksum = verify
        ? requestChecksum(image, capabilities, journal.hashes.algorithm)
        : undefined;
      await copy(options, { image, capabilities, extents, journal, progress });
      const verified = await verifyDownload(
        journal,
        checksum,
        options,
        progress,
        'nothing was verified',
      );
      return {
        format,
        size,
        transferred: progress.transferred,
        skipped: progress.skipped,
        verified,
      };
    },
  );
  try {
    return await reading;
  } catch (error) {
    if (device === undefined || !isWritten || !(error instanceof TransferAborted)) throw error;
    throw new TransferAborted(error.cause, { ...error.remainder, deviceCorrupted: device });
  }
}

function requireCapacity(size: number, { capacity = Infinity }: StreamDownloadOptions): void {
  if (size <= capacity) return;
  throw new ConflictError(`the image has ${size} bytes, ${size - capacity} more than the device`, {
    code: 'no_room',
    hint: 'use a larger device, or download to a file',
  });
}

interface Work {
  readonly image: RemoteImage;
  readonly capabilities: Capabilities;
  readonly extents: RemoteExtents;
  readonly journal: Journal;
  readonly progress: ProgressReporter;
}

/** Copies blocks in order, with some blocks of read-ahead. */
async function copy({ parallel, out, signal }: StreamDownloadOptions, work: Work): Promise<void> {
  const { capabilities, extents, journal, progress } = work;
  const ahead = Math.max(1, Math.min(parallel, capabilities.maxReaders));
  const buffers = new BufferPool(ahead);
  const waiting: (() => Promise<void>)[] = [];
  for await (const piece of pieces(dataExtents(extents.data), extents.size)) {
    if (waiting.length === ahead) await waiting.shift()?.();
    if (piece.kind === 'zero') {
      const length = Math.min((piece.last + 1) * BLOCK, extents.size) - piece.first * BLOCK;
      waiting.push(async () => {
        for (let left = length; left > 0; left -= zeros.length) {
          await write(out, zeros.subarray(0, Math.min(left, zeros.length)), signal);
        }
        progress.addSkipped(length);
      });
      continue;
    }
    const buffer = await buffers.take();
    const fetching = fetchBlock(work, piece, buffer);
    // The consumer of the promise handles failures.
    fetching.catch(() => undefined);
    waiting.push(async () => {
      const bytes = await fetching;
      const hashing = journal.header.hashed ? journal.hashes.hash(bytes) : undefined;
      await write(out, bytes, signal);
      const digest = await hashing;
      if (digest) journal.recordBlocks([{ block: piece.block, digest }]);
      progress.addTransferred(totalLength(piece.runs));
      progress.addSkipped(bytes.length - totalLength(piece.runs));
      buffers.release(buffer);
    });
  }
  for (const write of waiting) await write();
}

async function fetchBlock(
  { image, extents }: Work,
  { block, runs }: Extract<Piece, { kind: 'data' }>,
  buffer: Buffer,
): Promise<Buffer> {
  const range = blockRange(block, extents.size);
  const bytes = buffer.subarray(0, getLength(range));
  await readRuns(image, range, runs, bytes);
  return bytes;
}

/** Writes bytes. Resolves when the buffer can be reused. */
async function write(out: Writable, bytes: Buffer, signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const stop = () => reject(signal.reason);
    if (signal.aborted) return stop();
    signal.addEventListener('abort', stop, { once: true });
    out.write(bytes, (error) => {
      signal.removeEventListener('abort', stop);
      if (!error) resolve();
      else if (error instanceof VmctlError) reject(error);
      else if ('code' in error && error.code === 'EPIPE') reject(new ReaderClosedError());
      else {
        const context = { code: 'unwritable_file', cause: error };
        reject(new VmctlError(`cannot write the image: ${systemReason(error)}`, context));
      }
    });
  });
}
