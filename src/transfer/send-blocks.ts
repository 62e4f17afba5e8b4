/** Copy of blocks from a source to a remote image: selection and transfer. */
import pLimit, { type LimitFunction } from 'p-limit';
import type { Range } from '../extents/range-set.ts';
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
import type { ProgressReporter } from './progress.ts';
import type { Capabilities, RemoteImage } from './remote-image.ts';
import type { Source } from './source.ts';

export interface SendOptions {
  readonly source: Source;
  readonly image: RemoteImage;
  readonly capabilities: Capabilities;
  readonly journal: Journal;
  readonly progress: ProgressReporter;
  readonly parallel: number;
}

/** Maximum bytes to zero in one request, which takes long if the daemon must write them. */
const ZERO_STEP = 2 ** 30;

const zeros = Buffer.alloc(BLOCK);

/** Prepares the copy of all blocks that are missing in the journal. */
export function prepareSending(options: SendOptions): ParallelCopy {
  const { image, capabilities, journal, progress } = options;
  const { features, maxWriters } = capabilities;
  const parallel = Math.max(1, Math.min(options.parallel, maxWriters));
  const limit = pLimit(parallel);
  const flushes = features.has('flush');
  return new ParallelCopy({
    pieces: remaining(options),
    parallel,
    journal,
    progress,
    epoch: () => image.epoch,
    move: (piece, buffer) => move(options, limit, piece, buffer),
    flush: async () => {
      await options.source.requireUnchanged();
      // Old daemons flush with each PUT instead.
      if (flushes) await image.flush();
    },
    onDurable: (piece) => options.source.release?.(piece),
    onFailure: () => options.source.abandon?.(),
  });
}

/** Pieces to send: zeros only if the disk can have other content. */
async function* remaining(options: SendOptions): AsyncGenerator<Piece> {
  const { source, journal, progress } = options;
  const { size, zeroed } = journal.header;
  const range = (first: number, last: number): Range => ({
    start: first * BLOCK,
    end: Math.min((last + 1) * BLOCK, size),
  });
  for await (const piece of pieces(await source.extents(), size)) {
    if (piece.kind === 'data') {
      if (journal.done.has(piece.block)) {
        progress.addResumed(getLength(blockRange(piece.block, size)));
        source.release?.(piece);
      } else yield piece;
      continue;
    }
    if (zeroed) {
      progress.addSkipped(getLength(range(piece.first, piece.last)));
      continue;
    }
    const { first, last } = piece;
    const step = ZERO_STEP / BLOCK;
    for (let at = first; at <= last; at += step) {
      const end = Math.min(at + step, last + 1);
      for (const missing of journal.done.missing(at, end)) {
        yield { kind: 'zero', first: missing.start, last: missing.end - 1 };
      }
    }
    const left = [...journal.done.missing(first, last + 1)];
    const todo = left.reduce((sum, { start, end }) => sum + getLength(range(start, end - 1)), 0);
    progress.addSkipped(getLength(range(first, last)) - todo);
  }
}

async function move(
  options: SendOptions,
  limit: LimitFunction,
  piece: Piece,
  buffer: Buffer,
): Promise<MovedPiece> {
  const { source, image, journal, capabilities } = options;
  const { size, zeroed, hashed } = journal.header;
  if (piece.kind === 'zero') {
    const range = { start: piece.first * BLOCK, end: Math.min((piece.last + 1) * BLOCK, size) };
    const epoch = await limit(() => zero(options, range));
    return { piece, moved: 0, skipped: getLength(range), epoch };
  }
  const range = blockRange(piece.block, size);
  const bytes = buffer.subarray(0, getLength(range));
  await readRuns(source, range, piece.runs, bytes);
  if (bytes.equals(zeros.subarray(0, bytes.length))) {
    const epoch = zeroed ? image.epoch : await limit(() => zero(options, range));
    return { piece, moved: 0, skipped: bytes.length, epoch };
  }
  const hashing = hashed ? journal.hashes.hash(bytes) : undefined;
  // The gaps between data on a new disk are zeros already. Other disks have unknown content.
  const runs = zeroed ? piece.runs : [range];
  const flush = !capabilities.features.has('flush');
  const epochs = await limit(async () => {
    const seen: number[] = [];
    for (const run of runs) {
      const part = bytes.subarray(run.start - range.start, run.end - range.start);
      const isWhole = part.length === bytes.length;
      const algorithm = hashed && isWhole ? journal.hashes.algorithm : undefined;
      seen.push(await image.put(run.start, part, { flush, algorithm }));
    }
    return seen;
  });
  const moved = totalLength(runs);
  const digest = await hashing;
  return {
    piece,
    moved,
    skipped: bytes.length - moved,
    epoch: Math.min(...epochs),
    ...(digest ? { digest } : {}),
  };
}

/** Zeroes a range, by writing zeros if the daemon does not support zeroing. */
async function zero({ image, capabilities }: SendOptions, range: Range): Promise<number> {
  if (capabilities.features.has('zero')) return await image.zero(range);
  let epoch = image.epoch;
  for (let at = range.start; at < range.end; at += BLOCK) {
    const length = Math.min(BLOCK, range.end - at);
    epoch = Math.min(epoch, await image.put(at, zeros.subarray(0, length), { flush: true }));
  }
  return epoch;
}
