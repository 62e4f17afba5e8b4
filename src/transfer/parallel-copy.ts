/**
 * Parallel copy of the blocks of an image. At most one window of blocks is neither flushed nor
 * recorded in the journal. The window halves with each lost connection and doubles with each flush,
 * so that the copy progresses if at least one block arrives between two losses.
 */
import { BLOCK, BufferPool, type Piece, WINDOW } from './blocks.ts';
import type { Journal } from './journal.ts';
import type { ProgressReporter } from './progress.ts';
import { DURABLE } from './remote-image.ts';

/** Result of the copy of a piece. */
export interface MovedPiece {
  readonly piece: Piece;
  /** Hash of a block with data. */
  readonly digest?: Uint8Array;
  /** Bytes that were transferred, and bytes that were skipped. */
  readonly moved: number;
  readonly skipped: number;
  /** Count of lost connections when it was acknowledged. */
  readonly epoch?: number;
}

export interface CopyOptions {
  /** Pieces to copy. */
  readonly pieces: AsyncIterator<Piece>;
  /** Maximum concurrent requests. */
  readonly parallel: number;
  /** Copies a piece. The buffer has the size of a block and is reserved for this call. */
  readonly move: (piece: Piece, buffer: Buffer) => Promise<MovedPiece>;
  /** Count of lost connections. Unflushed data from before a loss can be missing. */
  readonly epoch?: () => number;
  /** Flushes all copied data to stable storage. */
  readonly flush: () => Promise<void>;
  /** Whether `flush` is useful after a failure, because received data are local. */
  readonly flushOnFailure?: boolean;
  /** Called when a piece is durable and will not be copied again. */
  readonly onDurable?: (piece: Piece) => void;
  /** Called immediately after a failure, because the source may be waiting. */
  readonly onFailure?: () => void;
  readonly journal: Journal;
  readonly progress: ProgressReporter;
}

export class ParallelCopy {
  readonly #options: CopyOptions;
  readonly #buffers: BufferPool;
  /** Copied but possibly not flushed. */
  #unsafe: MovedPiece[] = [];
  #again: Piece[] = [];
  /** Bytes of blocks that are pending or not recorded. */
  #outstanding = 0;
  /** Maximum outstanding bytes. A flush starts at half of them. */
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

  /** Resolves when every piece is copied, flushed and recorded. */
  async run(): Promise<void> {
    const workers = workerCount(this.#options.parallel);
    do {
      await Promise.all(Array.from({ length: workers }, () => this.#work()));
      while (!this.#failed && (this.#flushing || this.#unsafe.length > 0)) await this.#flush();
      if (this.#failed) {
        await this.#saveReceived();
        throw this.#failure;
      }
    } while (this.#again.length > 0);
  }

  /** Flushes and records received pieces after a failure. */
  async #saveReceived(): Promise<void> {
    await this.#flushing;
    // Systems report a failed flush only once, and may report success afterwards.
    if (!this.#options.flushOnFailure || this.#flushFailed) return;
    await this.#flush();
  }

  /** Repeats unflushed pieces, which the other side may have lost. */
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
    // The first piece never waits, because only outstanding pieces wake the waiting workers.
    while (this.#outstanding + BLOCK > this.#window && this.#outstanding > 0 && !this.#failed) {
      await new Promise<void>((resolve) => this.#blocked.push(resolve));
    }
    if (this.#failed) return undefined;
    // Reserve space before the piece is known, so that other workers do not take it.
    this.#outstanding += BLOCK;
    const piece: Piece | undefined =
      this.#again.shift() ?? (await this.#options.pieces.next()).value;
    this.#outstanding -= BLOCK;
    // Other workers may wait for the reserved space.
    if (!piece || countedSize(piece) === 0) this.#wake();
    if (!piece || this.#failed) return undefined;
    this.#outstanding += countedSize(piece);
    return piece;
  }

  get #epoch(): number {
    return this.#options.epoch?.() ?? 0;
  }

  #acknowledge(moved: MovedPiece): void {
    this.#options.progress.addTransferred(moved.moved);
    this.#options.progress.addSkipped(moved.skipped);
    if (moved.epoch === DURABLE) {
      this.#record([moved]);
      this.#wake();
      return;
    }
    if ((moved.epoch ?? 0) !== this.#epoch) this.#repeat([moved]);
    else this.#unsafe.push(moved);
    this.#flushIfDue();
  }

  /** Starts a flush if unflushed pieces fill half of the window. */
  #flushIfDue(): void {
    if (this.#failed || this.#flushing) return;
    const bytes = this.#unsafe.reduce((sum, { piece }) => sum + countedSize(piece), 0);
    if (bytes >= this.#window / 2) void this.#flush();
  }

  /** Flushes earlier pieces. Never rejects: a failure stops the workers. */
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
    this.#record(batch);
  }

  /** Records durable pieces in the journal. */
  #record(batch: readonly MovedPiece[]): void {
    const zeros: [number, number][] = [];
    const blocks: { block: number; digest: Uint8Array }[] = [];
    for (const { piece, digest } of batch) {
      this.#outstanding -= countedSize(piece);
      if (piece.kind === 'zero') zeros.push([piece.first, piece.last]);
      else if (digest) blocks.push({ block: piece.block, digest });
      else zeros.push([piece.block, piece.block]);
    }
    const { journal } = this.#options;
    journal.recordBlocks(blocks);
    journal.recordZeros(zeros);
    for (const { piece } of batch) this.#options.onDurable?.(piece);
  }

  #wake(): void {
    for (const resolve of this.#blocked.splice(0)) resolve();
  }
}

/** Twice the requests: while one block is transferred, another one is read and hashed. */
function workerCount(parallel: number): number {
  return parallel * 2;
}

/** Bytes of a piece in the window. Zeros cost a request, but no bytes. */
function countedSize(piece: Piece): number {
  return piece.kind === 'data' ? BLOCK : 0;
}
