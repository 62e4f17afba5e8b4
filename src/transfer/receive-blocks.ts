/** Copy of blocks from a remote image to a local file: selection and transfer. */

import pLimit, { type LimitFunction } from 'p-limit';
import { getErrorCode } from '../caught-errors.ts';
import { VmctlError } from '../client/errors.ts';
import type { Range } from '../extents/range-set.ts';
import { systemReason } from '../system-errors.ts';
import {
  BLOCK,
  blockRange,
  getLength,
  type Piece,
  pieces,
  readRuns,
  totalLength,
} from './blocks.ts';
import type { Journal } from './journal.ts';
import { type MovedPiece, ParallelCopy } from './parallel-copy.ts';
import type { PartialFile } from './partial-file.ts';
import type { ProgressReporter } from './progress.ts';
import { dataExtents } from './remote-extents.ts';
import type { Capabilities, RemoteImage } from './remote-image.ts';

export interface ReceiveOptions {
  readonly image: RemoteImage;
  readonly capabilities: Capabilities;
  /** Ranges of the image with data, ascending. */
  readonly data: readonly Range[];
  readonly file: PartialFile;
  /** Whether the file is new, so that unwritten blocks are zeros. */
  readonly fresh: boolean;
  /** Whether the file contains an older image, of which unchanged blocks remain. */
  readonly preserve?: boolean;
  readonly journal: Journal;
  readonly progress: ProgressReporter;
  readonly parallel: number;
}

const zeros = Buffer.alloc(BLOCK);

/** Prepares the copy of all blocks that are missing in the journal. */
export function prepareReceiving(options: ReceiveOptions): ParallelCopy {
  const { capabilities, file, journal, progress } = options;
  const parallel = Math.max(1, Math.min(options.parallel, capabilities.maxReaders));
  const limit = pLimit(parallel);
  return new ParallelCopy({
    pieces: remaining(options),
    parallel,
    journal,
    progress,
    move: (piece, buffer) => move(options, limit, piece, buffer),
    flush: () => describeWriteErrors(options, () => file.flush()),
    flushOnFailure: true,
  });
}

async function* remaining({ data, journal, progress }: ReceiveOptions): AsyncGenerator<Piece> {
  const { size } = journal.header;
  for await (const piece of pieces(dataExtents(data), size)) {
    if (piece.kind === 'zero') {
      const end = Math.min((piece.last + 1) * BLOCK, size);
      progress.addSkipped(end - piece.first * BLOCK);
    } else if (journal.done.has(piece.block)) {
      progress.addResumed(getLength(blockRange(piece.block, size)));
    } else yield piece;
  }
}

async function move(
  options: ReceiveOptions,
  limit: LimitFunction,
  piece: Piece,
  buffer: Buffer,
): Promise<MovedPiece> {
  const { image, journal, file, fresh, preserve = false } = options;
  const { hashed } = journal.header;
  if (piece.kind === 'zero') return { piece, moved: 0, skipped: 0 };
  const range = blockRange(piece.block, journal.header.size);
  const bytes = buffer.subarray(0, getLength(range));
  await limit(() => readRuns(image, range, piece.runs, bytes));
  const moved = totalLength(piece.runs);
  const skipped = bytes.length - moved;
  if (fresh && !preserve && bytes.equals(zeros.subarray(0, bytes.length))) {
    return { piece, moved, skipped };
  }
  const hashing = hashed ? journal.hashes.hash(bytes) : undefined;
  // A file that has content needs explicit zeros.
  const written = fresh || preserve ? piece.runs : [range];
  await describeWriteErrors(options, async () => {
    for (const { start, end } of written) {
      await file.write(start, bytes.subarray(start - range.start, end - range.start));
    }
  });
  const digest = await hashing;
  return { piece, moved, skipped, ...(digest ? { digest } : {}) };
}

/** Explains errors of the local disk. */
async function describeWriteErrors<T>(
  { file, journal, data, progress }: ReceiveOptions,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const code = getErrorCode(error);
    if (code === 'ENOSPC' || code === 'EDQUOT' || code === 'EFBIG') {
      const { size } = journal.header;
      const left = Math.max(0, totalLength(data) - progress.transferred);
      const space = code === 'ENOSPC' ? ((await file.space()) ?? 0) : 0;
      const missing = Math.max(0, left - space);
      throw new VmctlError(
        `no space for ${file.path}: ${missing} more bytes needed (image ${size}, remaining ${left})`,
        { code: 'no_space', cause: error },
      );
    }
    throw new VmctlError(`cannot write "${file.path}": ${systemReason(error)}`, {
      code: 'unwritable_file',
      cause: error,
    });
  }
}
