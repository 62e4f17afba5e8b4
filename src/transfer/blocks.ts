/**
 * Blocks, the unit of transfers, and the buffers for them. A block is read, hashed, sent and recorded
 * in the journal as a whole; it is also the block of the checksum, so that no hash has to be continued.
 */
import type { Extent } from '../extents/file-extents.ts';
import type { Range } from '../extents/range-set.ts';

/** Bytes of a block; the last one of an image may be shorter. */
export const BLOCK = 4 * 2 ** 20;

/** Bytes that may be under way or not yet on stable storage: what a crash makes us repeat. */
export const WINDOW = 64 * 2 ** 20;

/** Zeros shorter than this travel with the data around them: a request costs more. */
const SHORT_GAP = 128 * 2 ** 10;

/** Work on blocks that all hold data or are all zero; blocks with data come one by one. */
export type Piece =
  | { readonly kind: 'data'; readonly block: number; readonly runs: readonly Range[] }
  | { readonly kind: 'zero'; readonly first: number; readonly last: number };

/** Number of blocks of an image. */
export function blockCount(size: number): number {
  return Math.ceil(size / BLOCK);
}

/** The bytes of a block of an image of `size` bytes. */
export function blockRange(block: number, size: number): Range {
  return { start: block * BLOCK, end: Math.min((block + 1) * BLOCK, size) };
}

/** Bytes of a range. */
export function lengthOf({ start, end }: Range): number {
  return end - start;
}

/** Bytes of some runs. */
export function totalLength(runs: readonly Range[]): number {
  return runs.reduce((sum, run) => sum + lengthOf(run), 0);
}

/**
 * Cuts an image of `size` bytes into pieces, in ascending order. `extents` ascend; what they leave
 * out reads as zeros. Within a block, short gaps between runs of data count as data.
 */
export async function* pieces(extents: AsyncIterable<Extent>, size: number): AsyncGenerator<Piece> {
  let next = 0;
  let open: { readonly block: number; readonly runs: Range[] } | undefined;
  for await (const { start, end, zero } of extents) {
    if (zero || end <= start) continue;
    const stop = Math.min(end, size);
    for (let at = start; at < stop; ) {
      const block = Math.floor(at / BLOCK);
      const run = { start: at, end: Math.min(stop, (block + 1) * BLOCK) };
      if (open && open.block !== block) {
        yield { kind: 'data', ...open };
        next = open.block + 1;
        open = undefined;
      }
      if (open) {
        const last = open.runs.at(-1);
        if (last && run.start - last.end < SHORT_GAP) {
          open.runs[open.runs.length - 1] = { start: last.start, end: run.end };
        } else open.runs.push(run);
      } else {
        if (block > next) yield { kind: 'zero', first: next, last: block - 1 };
        open = { block, runs: [run] };
      }
      at = run.end;
    }
  }
  if (open) {
    yield { kind: 'data', ...open };
    next = open.block + 1;
  }
  const count = blockCount(size);
  if (count > next) yield { kind: 'zero', first: next, last: count - 1 };
}

/** Fills `bytes` with a block, `range` of an image: reads its runs, and zeros what lies between them. */
export async function readRuns(
  image: { read(range: Range, buffer: Buffer): Promise<void> },
  range: Range,
  runs: readonly Range[],
  bytes: Buffer,
): Promise<void> {
  let at = range.start;
  for (const run of runs) {
    bytes.fill(0, at - range.start, run.start - range.start);
    await image.read(run, bytes.subarray(run.start - range.start, run.end - range.start));
    at = run.end;
  }
  bytes.fill(0, at - range.start);
}

/** The whole image as data, for when nothing is known about its zeros. */
export async function* allData(size: number): AsyncGenerator<Extent> {
  if (size > 0) yield { start: 0, end: size, zero: false };
}

export class BufferPool {
  readonly #free: Buffer[] = [];
  readonly #waiting: ((buffer: Buffer) => void)[] = [];

  constructor(count: number) {
    // Shared with the thread that hashes what is in it.
    const region = new SharedArrayBuffer(count * BLOCK);
    for (let index = count - 1; index >= 0; index -= 1) {
      this.#free.push(Buffer.from(region, index * BLOCK, BLOCK));
    }
  }

  /** A buffer of the size of a block, as soon as one is free. What is in it is anything. */
  async take(): Promise<Buffer> {
    return this.#free.pop() ?? (await new Promise((resolve) => this.#waiting.push(resolve)));
  }

  /** Takes a buffer back that nothing reads or writes any more. */
  release(buffer: Buffer): void {
    const next = this.#waiting.shift();
    if (next) next(buffer);
    else this.#free.push(buffer);
  }
}
