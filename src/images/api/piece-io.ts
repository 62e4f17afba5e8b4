/** Reading and writing of ranges in pieces of pooled memory. */
import type { Backend } from '../backends/backend.ts';
import type { ByteRange } from '../http/range-header.ts';
import type { PieceMemory } from '../system/piece-memory.ts';

/** Reads a range piece by piece, one piece ahead when there is memory for it. */
export class PieceReader {
  readonly #backend: Backend;
  readonly #memory: PieceMemory;
  readonly #end: number;
  #next: number;
  #lent: Buffer | undefined;
  #ahead: { lent: Buffer; filled: Promise<Buffer> } | undefined;
  /** The piece read last; valid until `next` is called. `undefined` before and behind the range. */
  current: Buffer | undefined;
  /** Offset in the image where `current` ends. */
  position: number;

  constructor(backend: Backend, memory: PieceMemory, { start, end }: ByteRange) {
    this.#backend = backend;
    this.#memory = memory;
    this.#next = start;
    this.#end = end;
    this.position = start;
  }

  /** Starts reading the piece after the current one, if a large one is free for it. */
  readAhead(): void {
    if (this.#next >= this.#end || this.#ahead) return;
    const lent = this.#memory.takeSpare();
    if (lent) this.#ahead = { lent, filled: this.#fill(lent) };
  }

  /** Makes the next piece the current one. */
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

  /** Returns all memory, after reads into it have ended. */
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
    // It is awaited later, or not at all when the client leaves first.
    filled.catch(() => {});
    return filled;
  }
}

export interface PieceWriterOptions {
  memory: PieceMemory;
  /** Offset in the image of the first byte. */
  start: number;
  /** Upper bound of the bytes that will come. */
  length: number;
  /** Writes bytes at an offset of the image; they stay untouched until it settles. */
  write: (offset: number, bytes: Buffer) => Promise<void>;
}

/**
 * Fills one piece while another is written. Chunks are copied, so that the socket's buffers are
 * free at once; a piece is written when it is full or at the end.
 */
export class PieceWriter {
  readonly #options: PieceWriterOptions;
  readonly #end: number;
  #piece: Buffer | undefined;
  /** Offset in the image where the current piece starts, or the next one will. */
  #offset: number;
  #filled = 0;
  #capacity = 0;
  #writing: Promise<void> | undefined;
  /** The last call of `push` that had to wait. */
  #pushing: Promise<void> | undefined;

  constructor(options: PieceWriterOptions) {
    this.#options = options;
    this.#offset = options.start;
    this.#end = options.start + options.length;
  }

  /**
   * Takes in a chunk. Returns nothing when the next one is welcome at once, else a promise to wait
   * for before the next call; it rejects when a write has failed.
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

  /** Writes what was gathered. Rejects when any write has failed. Nothing may be pushed after. */
  async finish(): Promise<void> {
    await this.#pushing;
    await this.#writing;
    if (this.#filled > 0) this.#write();
    await this.#writing;
  }

  /** Gives the memory back once nothing is written from it any more. */
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

  /** A new piece to fill; while another is written only if there is memory to spare. */
  #takePiece(): boolean {
    const { memory } = this.#options;
    this.#piece = this.#writing ? memory.takeSpare() : memory.take(this.#end - this.#offset);
    if (!this.#piece) return false;
    // After an odd start the pieces fall on even offsets, which file systems prefer.
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
      // A failed write stays in place: whoever waits for it next is told.
      () => {},
    );
  }
}
