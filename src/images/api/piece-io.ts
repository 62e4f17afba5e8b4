/** Reader and writer of ranges in pieces of pooled memory. */
import type { Backend } from '../backends/backend.ts';
import type { ByteRange } from '../http/range-header.ts';
import type { PieceMemory } from '../system/piece-memory.ts';

/** Reads a range piece by piece, with one piece of read-ahead if memory permits. */
export class PieceReader {
  readonly #backend: Backend;
  readonly #memory: PieceMemory;
  readonly #end: number;
  #next: number;
  #lent: Buffer | undefined;
  #ahead: { lent: Buffer; filled: Promise<Buffer> } | undefined;
  /** Last piece, valid until the next call of `next`. `undefined` before and after the range. */
  current: Buffer | undefined;
  /** Offset of the end of `current` in the image. */
  position: number;

  constructor(backend: Backend, memory: PieceMemory, { start, end }: ByteRange) {
    this.#backend = backend;
    this.#memory = memory;
    this.#next = start;
    this.#end = end;
    this.position = start;
  }

  /** Starts reading the next piece if a large buffer is free. */
  readAhead(): void {
    if (this.#next >= this.#end || this.#ahead) return;
    const lent = this.#memory.takeSpare();
    if (lent) this.#ahead = { lent, filled: this.#fill(lent) };
  }

  /** Moves to the next piece. */
  async next(): Promise<void> {
    this.#release();
    if (!this.#ahead && this.#next < this.#end) {
      const lent = this.#memory.take(this.#end - this.#next);
      this.#ahead = { lent, filled: this.#fill(lent) };
    }
    if (!this.#ahead) return;
    const { lent, filled } = this.#ahead;
    const piece = await filled;
    this.#ahead = undefined;
    this.#lent = lent;
    this.current = piece;
    this.position += piece.length;
  }

  /** Waits for pending reads, and releases all memory. */
  async close(): Promise<void> {
    this.#release();
    if (!this.#ahead) return;
    const { lent, filled } = this.#ahead;
    this.#ahead = undefined;
    await filled.catch(() => {});
    this.#memory.release(lent);
  }

  #release(): void {
    if (this.#lent) this.#memory.release(this.#lent);
    this.#lent = undefined;
    this.current = undefined;
  }

  #fill(lent: Buffer): Promise<Buffer> {
    const piece = lent.subarray(0, Math.min(lent.length, this.#end - this.#next));
    const offset = this.#next;
    this.#next += piece.length;
    const filled = this.#backend.read(offset, piece).then(() => piece);
    // Awaited later, or never if the client disconnects.
    filled.catch(() => {});
    return filled;
  }
}

export interface PieceWriterOptions {
  memory: PieceMemory;
  /** Offset of the first byte in the image. */
  start: number;
  /** Maximum bytes to write. */
  length: number;
  /**
   * Writes bytes at an offset of the image. The buffer is not modified until the promise settles.
   */
  write: (offset: number, bytes: Buffer) => Promise<void>;
}

/**
 * Fills one buffer while another one is written. Chunks are copied, which frees the buffers of the
 * socket. A buffer is written when it is full or at the end.
 */
export class PieceWriter {
  readonly #options: PieceWriterOptions;
  readonly #end: number;
  #piece: Buffer | undefined;
  /** Offset of the current piece in the image, or of the next one. */
  #offset: number;
  #filled = 0;
  #capacity = 0;
  #writing: Promise<void> | undefined;
  /** Last call of `push` that had to wait. */
  #pushing: Promise<void> | undefined;

  constructor(options: PieceWriterOptions) {
    this.#options = options;
    this.#offset = options.start;
    this.#end = options.start + options.length;
  }

  /**
   * Adds a chunk. Returns `undefined` if it can accept more. Otherwise returns a promise to await
   * before the next call; it rejects if a write failed.
   */
  push(chunk: Buffer): Promise<void> | undefined {
    let used = 0;
    while (used < chunk.length) {
      if (!this.#piece && !this.#takePiece()) return this.#pushLater(chunk.subarray(used));
      const count = Math.min(chunk.length - used, this.#capacity - this.#filled);
      const part = count === chunk.length ? chunk : chunk.subarray(used, used + count);
      this.#piece?.set(part, this.#filled);
      this.#filled += count;
      used += count;
      if (this.#filled < this.#capacity) continue;
      if (this.#writing) return this.#pushLater(chunk.subarray(used));
      this.#write();
    }
    return undefined;
  }

  /** Writes the remaining bytes. Rejects if any write failed. No `push` may follow. */
  async finish(): Promise<void> {
    await this.#pushing;
    await this.#writing;
    if (this.#filled > 0) this.#write();
    await this.#writing;
  }

  /** Waits for pending writes, and releases all memory. */
  async close(): Promise<void> {
    await this.#pushing?.catch(() => {});
    await this.#writing?.catch(() => {});
    if (this.#piece) this.#options.memory.release(this.#piece);
    this.#piece = undefined;
  }

  #pushLater(rest: Buffer): Promise<void> {
    this.#pushing = this.#pushAfterWriting(rest);
    return this.#pushing;
  }

  async #pushAfterWriting(rest: Buffer): Promise<void> {
    await this.#writing;
    if (this.#piece && this.#filled === this.#capacity) this.#write();
    await this.push(rest);
  }

  /** Takes a new piece to fill. During a write, only if a large buffer is free. */
  #takePiece(): boolean {
    const { memory } = this.#options;
    this.#piece = this.#writing ? memory.takeSpare() : memory.take(this.#end - this.#offset);
    if (!this.#piece) return false;
    // Align later pieces, which is faster in file systems.
    this.#capacity = this.#piece.length - (this.#offset % this.#piece.length);
    return true;
  }

  #write(): void {
    const piece = this.#piece;
    if (!piece) return;
    const { memory, write } = this.#options;
    const bytes = piece.subarray(0, this.#filled);
    this.#piece = undefined;
    const writing = write(this.#offset, bytes).finally(() => memory.release(piece));
    this.#offset += this.#filled;
    this.#filled = 0;
    this.#writing = writing;
    writing.then(
      () => {
        if (this.#writing === writing) this.#writing = undefined;
      },
      // Keep the rejected promise for the next caller that awaits it.
      () => {},
    );
  }
}
