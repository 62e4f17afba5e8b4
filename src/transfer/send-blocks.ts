/** Sends the blocks of a local file to a remote image. */
import type { Range } from '../extents/range-set.ts';
import { BLOCK, blockRange, lengthOf, type Piece, pieces } from './blocks.ts';
import { hashOf } from './checksum.ts';
import type { Journal } from './journal.ts';
import { bytesOf, Copy, type Moved } from './parallel-copy.ts';
import type { Meter } from './progress.ts';
import type { Capabilities, RemoteImage } from './remote-image.ts';
import { Slots } from './semaphore.ts';
import { readRuns, type Source } from './source.ts';

export interface SendOptions {
  readonly source: Source;
  readonly image: RemoteImage;
  readonly capabilities: Capabilities;
  readonly journal: Journal;
  readonly meter: Meter;
  readonly parallel: number;
}

/** Bytes that one request to zero may cover: a daemon that has to write them needs a while. */
const ZERO_STEP = 2 ** 30;

const zeros = Buffer.alloc(BLOCK);

/** Prepares the copy of everything that the journal does not have yet. */
export function prepareSending(options: SendOptions): Copy {
  const { image, capabilities, journal, meter } = options;
  const { features, maxWriters } = capabilities;
  const parallel = Math.max(1, Math.min(options.parallel, maxWriters));
  const slots = new Slots(parallel);
  const flushes = features.has('flush');
  return new Copy({
    pieces: remaining(options),
    parallel,
    journal,
    meter,
    epoch: () => image.epoch,
    move: (piece, buffer) => move(options, slots, piece, buffer),
    flush: async () => {
      await options.source.requireUnchanged();
      // An old daemon flushes with every PUT instead.
      if (flushes) await image.flush();
    },
    onSafe: (piece) => options.source.release?.(piece),
    onFailure: () => options.source.abandon?.(),
  });
}

/** What there is to do: zeros only where the disk may hold something else. */
async function* remaining(options: SendOptions): AsyncGenerator<Piece> {
  const { source, journal, meter } = options;
  const { size, zeroed } = journal.header;
  const range = (first: number, last: number): Range => ({
    start: first * BLOCK,
    end: Math.min((last + 1) * BLOCK, size),
  });
  for await (const piece of pieces(await source.extents(), size)) {
    if (piece.kind === 'data') {
      if (journal.done.has(piece.block)) {
        meter.kept(lengthOf(blockRange(piece.block, size)));
        source.release?.(piece);
      } else yield piece;
      continue;
    }
    if (zeroed) {
      meter.passed(lengthOf(range(piece.first, piece.last)));
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
    const todo = left.reduce((sum, { start, end }) => sum + lengthOf(range(start, end - 1)), 0);
    meter.passed(lengthOf(range(first, last)) - todo);
  }
}

async function move(
  options: SendOptions,
  slots: Slots,
  piece: Piece,
  buffer: Buffer,
): Promise<Moved> {
  const { source, image, journal, capabilities } = options;
  const { size, zeroed, hashed } = journal.header;
  if (piece.kind === 'zero') {
    const range = { start: piece.first * BLOCK, end: Math.min((piece.last + 1) * BLOCK, size) };
    const epoch = await slots.run(() => zero(options, range));
    return { piece, moved: 0, skipped: lengthOf(range), epoch };
  }
  const range = blockRange(piece.block, size);
  const bytes = buffer.subarray(0, lengthOf(range));
  await readRuns(source, range, piece.runs, bytes);
  if (bytes.equals(zeros.subarray(0, bytes.length))) {
    const epoch = zeroed ? image.epoch : await slots.run(() => zero(options, range));
    return { piece, moved: 0, skipped: bytes.length, epoch };
  }
  const hashing = hashed ? hashOf(bytes) : undefined;
  // Between the runs of a new disk there are zeros already; of another disk nothing is known.
  const runs = zeroed ? piece.runs : [range];
  const flush = !capabilities.features.has('flush');
  const epochs = await slots.run(async () => {
    const seen: number[] = [];
    for (const { start, end } of runs) {
      const part = bytes.subarray(start - range.start, end - range.start);
      seen.push(await image.put(start, part, flush));
    }
    return seen;
  });
  const moved = bytesOf(runs);
  const digest = await hashing;
  return {
    piece,
    moved,
    skipped: bytes.length - moved,
    epoch: Math.min(...epochs),
    ...(digest ? { digest } : {}),
  };
}

/** Zeroes a range, by writing zeros where the daemon knows no better way. */
async function zero({ image, capabilities }: SendOptions, range: Range): Promise<number> {
  if (capabilities.features.has('zero')) return await image.zero(range);
  let epoch = image.epoch;
  for (let at = range.start; at < range.end; at += BLOCK) {
    const length = Math.min(BLOCK, range.end - at);
    epoch = Math.min(epoch, await image.put(at, zeros.subarray(0, length), true));
  }
  return epoch;
}
