/** Download of a disk image into a stream: in order, with zeros for holes, in little memory. */

import type { Writable } from 'node:stream';
import type { ApiObject } from '../client/client.ts';
import { ConflictError, VmctlError } from '../client/errors.ts';
import { systemReason } from '../system-errors.ts';
import {
  BLOCK,
  BufferPool,
  blockRange,
  lengthOf,
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
  readonly disk: ApiObject;
  /** Id of the backup in which the disk is read. */
  readonly backup?: string;
  /** What a machine sees of the disk, whatever its format. */
  readonly guestData?: boolean;
  readonly out: Writable;
  /** Bytes that it takes, where there is a limit. */
  readonly capacity?: number;
  /** The device that is written over. */
  readonly device?: string;
}

/** Nobody reads any more what is written. */
export class ReaderClosedError extends Error {}

const zeros = Buffer.alloc(2 ** 20);

/**
 * Downloads. Throws `TransferAborted` when it could not be finished, with `ReaderClosedError` as the cause where
 * nobody wanted more; what was written then is a part of the image.
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

/** Fetches a few blocks ahead of the one that is written. */
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
    // Whoever waits for it hears of a failure.
    fetching.catch(() => undefined);
    waiting.push(async () => {
      const bytes = await fetching;
      const hashing = journal.header.hashed ? journal.hashes.hash(bytes) : undefined;
      await write(out, bytes, signal);
      const digest = await hashing;
      if (digest) journal.note([{ block: piece.block, digest }]);
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
  const bytes = buffer.subarray(0, lengthOf(range));
  await readRuns(image, range, runs, bytes);
  return bytes;
}

/** Writes, and waits until the bytes may be overwritten. */
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
