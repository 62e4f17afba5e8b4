// Reads a range of an image in pooled pieces.
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
    this.#memory.give(lent);
  }

  #release(): void {
    if (this.#lent) this.#memory.give(this.#lent);
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
