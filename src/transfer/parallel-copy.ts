/**
 * Parallel copy of the blocks of an image. No more than a window of them is ever neither on stable
 * storage nor recorded in the journal. The window halves with each lost connection and doubles with each
 * flush, so that a copy makes progress as long as one block fits between two losses.
 */
import { BLOCK, BufferPool, type Piece, WINDOW } from './blocks.ts';
import type { Journal } from './journal.ts';
import type { ProgressReporter } from './progress.ts';
import { DURABLE } from './remote-image.ts';

/** What became of a piece. */
export interface MovedPiece {
  readonly piece: Piece;
  /** Hash of a block with data. */
  readonly digest?: Uint8Array;
  /** Bytes that travelled, and those that did not have to. */
  readonly moved: number;
  readonly skipped: number;
  /** When it was acknowledged, in losses of the connection counted until then. */
  readonly epoch?: number;
}

export interface CopyOptions {
  /** What there is to do. */
  readonly pieces: AsyncIterator<Piece>;
  /** Requests at a time. */
  readonly parallel: number;
  /** Moves a piece; the buffer, of the size of a block, is free to be used meanwhile. */
  readonly move: (piece: Piece, buffer: Buffer) => Promise<MovedPiece>;
  /** Losses of the connection until now: what was acknowledged before one may be lost with it. */
  readonly epoch?: () => number;
  /** Brings what was moved so far to stable storage. */
  readonly flush: () => Promise<void>;
  /** That can be done after a failure as well: what has arrived is here, whatever failed. */
  readonly flushOnFailure?: boolean;
  /** Told that a piece is where it belongs for good, and will not be moved again. */
  readonly onDurable?: (piece: Piece) => void;
  /** Told of a failure at once, as the source of the pieces may be waiting for something. */
  readonly onFailure?: () => void;
  readonly journal: Journal;
  readonly progress: ProgressReporter;
}

export class ParallelCopy {
  readonly #options: CopyOptions;
  readonly #buffers: BufferPool;
  /** Moved, but perhaps not on stable storage. */
  #unsafe: MovedPiece[] = [];
  #again: Piece[] = [];
  /** Bytes of blocks that are under way or not yet noted. */
  #outstanding = 0;
  /** Bytes that may be outstanding; half of them are flushed at a time. */
  #window = WINDOW;
  #flushing: Promise<void> | undefined;
  #failure: unknown;
  #failed = false;
  #flushFailed = false;
  readonly #blocked: (() => void)[] = [];

  constructor(options: CopyOptions) {
    this.#options = options;
    this.#buffers = new BufferPool(workerCount(options.parallel));
  }

  /** Resolves when every piece is moved, on stable storage and noted. */
  async run(): Promise<void> {
    const workers = workerCount(this.#options.parallel);
    do {
      await Promise.all(Array.from({ length: workers }, () => this.#work()));
      while (!this.#failed && (this.#flushing || this.#unsafe.length > 0)) await this.#flush();
      if (this.#failed) {
        await this.#keep();
        throw this.#failure;
      }
    } while (this.#again.length > 0);
  }

  /** Notes what has arrived before a failure, so that nobody has to fetch it again. */
  async #keep(): Promise<void> {
    await this.#flushing;
    // The system tells of a failed flush once, and may claim afterwards that all is well.
    if (!this.#options.flushOnFailure || this.#flushFailed) return;
    await this.#flush();
  }

  /** The other side may have lost what was not flushed yet: it is moved once more. */
  connectionLost(): void {
    this.#window = Math.max(BLOCK, this.#window / 2);
    this.#repeat(this.#unsafe);
    this.#unsafe = [];
    this.#wake();
  }

  #repeat(lost: readonly MovedPiece[]): void {
    for (const { piece, moved, skipped } of lost) {
      this.#again.push(piece);
      this.#outstanding -= countedSize(piece);
      this.#options.progress.addTransferred(-moved);
      this.#options.progress.addSkipped(-skipped);
    }
  }

  async #work(): Promise<void> {
    try {
      for (let piece = await this.#next(); piece; piece = await this.#next()) {
        const buffer = await this.#buffers.take();
        try {
          this.#acknowledge(await this.#options.move(piece, buffer));
        } finally {
          this.#buffers.release(buffer);
        }
      }
    } catch (error) {
      this.#fail(error);
    }
  }

  #fail(error: unknown): void {
    if (!this.#failed) {
      this.#failed = true;
      this.#failure = error;
      this.#options.onFailure?.();
    }
    this.#wake();
  }

  async #next(): Promise<Piece | undefined> {
    // The first one always goes ahead: what is outstanding wakes those that wait.
    while (this.#outstanding + BLOCK > this.#window && this.#outstanding > 0 && !this.#failed) {
      await new Promise<void>((resolve) => this.#blocked.push(resolve));
    }
    if (this.#failed) return undefined;
    // Taken before the piece is known, so that others do not take the same room meanwhile.
    this.#outstanding += BLOCK;
    const piece = this.#again.shift() ?? (await this.#options.pieces.next()).value;
    this.#outstanding -= BLOCK;
    // Others may wait for the room that was reserved for it.
    if (!piece || countedSize(piece as Piece) === 0) this.#wake();
    if (!piece || this.#failed) return undefined;
    this.#outstanding += countedSize(piece);
    return piece as Piece;
  }

  get #epoch(): number {
    return this.#options.epoch?.() ?? 0;
  }

  #acknowledge(moved: MovedPiece): void {
    this.#options.progress.addTransferred(moved.moved);
    this.#options.progress.addSkipped(moved.skipped);
    if (moved.epoch === DURABLE) {
      this.#note([moved]);
      this.#wake();
      return;
    }
    if ((moved.epoch ?? 0) !== this.#epoch) this.#repeat([moved]);
    else this.#unsafe.push(moved);
    this.#flushIfDue();
  }

  /** Starts a flush if pieces that fill half of the window are not durable. */
  #flushIfDue(): void {
    if (this.#failed || this.#flushing) return;
    const bytes = this.#unsafe.reduce((sum, { piece }) => sum + countedSize(piece), 0);
    if (bytes >= this.#window / 2) void this.#flush();
  }

  /** Flushes what was moved before; never rejects: a failure stops the workers. */
  #flush(): Promise<void> {
    this.#flushing ??= this.#flushNow()
      .catch((error: unknown) => {
        this.#flushFailed = true;
        this.#fail(error);
      })
      .finally(() => {
        this.#flushing = undefined;
        this.#wake();
        // Pieces that arrived during the flush may fill a reduced window. Then all workers wait for a flush.
        this.#flushIfDue();
      });
    return this.#flushing;
  }

  async #flushNow(): Promise<void> {
    const { flush } = this.#options;
    const epoch = this.#epoch;
    const batch = this.#unsafe;
    this.#unsafe = [];
    await flush();
    if (epoch !== this.#epoch) {
      this.#repeat(batch);
      return;
    }
    this.#window = Math.min(WINDOW, this.#window * 2);
    this.#note(batch);
  }

  /** Records what is on stable storage, so that nobody moves it again. */
  #note(batch: readonly MovedPiece[]): void {
    const zeros: [number, number][] = [];
    const blocks: { block: number; digest: Uint8Array }[] = [];
    for (const { piece, digest } of batch) {
      this.#outstanding -= countedSize(piece);
      if (piece.kind === 'zero') zeros.push([piece.first, piece.last]);
      else if (digest) blocks.push({ block: piece.block, digest });
      else zeros.push([piece.block, piece.block]);
    }
    const { journal } = this.#options;
    journal.note(blocks);
    journal.noteZeros(zeros);
    for (const { piece } of batch) this.#options.onDurable?.(piece);
  }

  #wake(): void {
    for (const resolve of this.#blocked.splice(0)) resolve();
  }
}

/** Twice as many as requests: while one block travels, the next is read and hashed. */
function workerCount(parallel: number): number {
  return parallel * 2;
}

/** Bytes that a piece counts for: zeros cost a request, but no bytes. */
function countedSize(piece: Piece): number {
  return piece.kind === 'data' ? BLOCK : 0;
}
