/**
 * Blocks, the unit of transfers, and their buffers. Blocks are read, hashed, sent and recorded
 * individually. They are also the blocks of the checksum, so that no hash needs to be continued.
 */
import type { Extent } from '../extents/file-extents.ts';
import type { Range } from '../extents/range-set.ts';

/** Bytes of a block. The last block of an image can be shorter. */
export const BLOCK = 4 * 2 ** 20;

/** Maximum bytes that are pending or not flushed, and are transferred again after a crash. */
export const WINDOW = 64 * 2 ** 20;

/** Shorter zeros are sent with the data around them, because a request costs more. */
const SHORT_GAP = 128 * 2 ** 10;

/** Part of the work: one block with data, or a range of zero blocks. */
export type Piece =
  | { readonly kind: 'data'; readonly block: number; readonly runs: readonly Range[] }
  | { readonly kind: 'zero'; readonly first: number; readonly last: number };

/** Count of the blocks of an image. */
export function blockCount(size: number): number {
  return Math.ceil(size / BLOCK);
}

/** Byte range of a block in an image of `size` bytes. */
export function blockRange(block: number, size: number): Range {
  return { start: block * BLOCK, end: Math.min((block + 1) * BLOCK, size) };
}

/** Length of a range in bytes. */
export function getLength({ start, end }: Range): number {
  return end - start;
}

/** Total length of ranges in bytes. */
export function totalLength(runs: readonly Range[]): number {
  return runs.reduce((sum, run) => sum + getLength(run), 0);
}

/**
 * Splits an image of `size` bytes into pieces in ascending order. `extents` are ascending; missing
 * ones read as zeros. Within a block, short gaps between data count as data.
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

/** Reads the data runs of a block, the `range` of an image, and fills the gaps with zeros. */
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

/** The complete image as data, if its zeros are unknown. */
export async function* allData(size: number): AsyncGenerator<Extent> {
  if (size > 0) yield { start: 0, end: size, zero: false };
}

export class BufferPool {
  readonly #free: Buffer[] = [];
  readonly #waiting: ((buffer: Buffer) => void)[] = [];

  constructor(count: number) {
    // Shared with the hash thread.
    const region = new SharedArrayBuffer(count * BLOCK);
    for (let index = count - 1; index >= 0; index -= 1) {
      this.#free.push(Buffer.from(region, index * BLOCK, BLOCK));
    }
  }

  /** Waits for a free buffer of the size of a block, with arbitrary content. */
  async take(): Promise<Buffer> {
    return this.#free.pop() ?? (await new Promise((resolve) => this.#waiting.push(resolve)));
  }

  /** Returns a buffer that is no longer in use. */
  release(buffer: Buffer): void {
    const next = this.#waiting.shift();
    if (next) next(buffer);
    else this.#free.push(buffer);
  }
}
