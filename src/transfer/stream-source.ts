/**
 * Source that can be read once, in order: a pipe, a server without ranges, a compressed file.
 * Blocks with data are buffered until they are stored, because a lost connection requires sending
 * them again.
 */

import { ConflictError, VmctlError } from '../client/errors.ts';
import type { Extent } from '../extents/file-extents.ts';
import { type Range, RangeSet } from '../extents/range-set.ts';
import type { ImageFormat } from '../formats/image-head.ts';
import { systemReason } from '../system-errors.ts';
import { BLOCK, type Piece } from './blocks.ts';
import type { ByteStream } from './compression.ts';
import type { FileIdentity } from './journal.ts';
import { zeroRuns } from './local-extents.ts';
import type { Source } from './source.ts';

export interface StreamOptions {
  readonly path: string;
  readonly identity: FileIdentity;
  readonly content: ImageFormat;
  /** Exact count of expected bytes. */
  readonly size: number;
  /** Whether another run can start from the beginning. */
  readonly repeatable: boolean;
  /** Starts reading. Called once. */
  readonly open: () => ByteStream;
  readonly signal: AbortSignal;
  readonly requireUnchanged?: () => Promise<void>;
  /** Stops reading, also while it waits for data. */
  readonly close?: () => Promise<void>;
}

export class StreamSource implements Source {
  readonly #options: StreamOptions;
  readonly #buffered = new Map<number, Buffer>();
  readonly #released = new RangeSet();
  readonly #spare: Buffer[] = [];
  #closed = false;

  constructor(options: StreamOptions) {
    this.#options = options;
  }

  get path(): string {
    return this.#options.path;
  }

  get identity(): FileIdentity {
    return this.#options.identity;
  }

  get content(): ImageFormat {
    return this.#options.content;
  }

  get size(): number {
    return this.#options.size;
  }

  get storedSize(): number {
    return 0;
  }

  get repeatable(): boolean {
    return this.#options.repeatable;
  }

  async extents(): Promise<AsyncIterable<Extent>> {
    return this.#cut();
  }

  async *#cut(): AsyncGenerator<Extent> {
    const { open, size } = this.#options;
    let block = 0;
    let filled = 0;
    let buffer = this.#buffer();
    for await (const chunk of this.#guarded(open())) {
      for (let used = 0; used < chunk.length; ) {
        const part = chunk.subarray(used, used + BLOCK - filled);
        buffer.set(part, filled);
        filled += part.length;
        used += part.length;
        if (block * BLOCK + filled > size)
          throw this.#createError(`has more than the ${size} bytes`);
        if (filled < BLOCK) continue;
        yield* this.#bufferBlock(block, buffer, filled);
        block += 1;
        filled = 0;
        buffer = this.#buffer();
      }
    }
    const total = block * BLOCK + filled;
    if (total < size) throw this.#createError(`ended after ${total} of the ${size} bytes`);
    if (filled > 0) yield* this.#bufferBlock(block, buffer, filled);
  }

  /** Converts read errors, except for the interruption of the command. */
  async *#guarded(bytes: ByteStream): AsyncGenerator<Uint8Array> {
    const { signal, path } = this.#options;
    try {
      for await (const chunk of bytes) {
        signal.throwIfAborted();
        yield chunk;
      }
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      if (error instanceof VmctlError) throw error;
      throw new VmctlError(`cannot read "${path}": ${systemReason(error)}`, {
        code: 'unreadable_file',
        cause: error,
      });
    }
  }

  *#bufferBlock(block: number, buffer: Buffer, length: number): Generator<Extent> {
    const first = block * BLOCK;
    this.#buffered.set(block, buffer);
    let any = false;
    for (const { start, end, zero } of zeroRuns(buffer.subarray(0, length))) {
      any ||= !zero;
      yield { start: first + start, end: first + end, zero };
    }
    if (any) return;
    this.#buffered.delete(block);
    this.#spare.push(buffer);
  }

  #buffer(): Buffer {
    return this.#spare.pop() ?? Buffer.allocUnsafeSlow(BLOCK);
  }

  async read({ start, end }: Range, bytes: Buffer): Promise<void> {
    const block = Math.floor(start / BLOCK);
    if (this.#released.has(block)) throw new Error(`Block ${block} was already released.`);
    const buffered = this.#buffered.get(block);
    const stop = Math.max(start, Math.min(end, this.size));
    if (buffered) buffered.copy(bytes, 0, start - block * BLOCK, stop - block * BLOCK);
    bytes.fill(0, buffered ? stop - start : 0, end - start);
  }

  /** Keep the last block: it is hashed again if the disk is longer than the image. */
  release(piece: Piece): void {
    if (piece.kind === 'zero' || piece.block === Math.floor((this.size - 1) / BLOCK)) return;
    const buffer = this.#buffered.get(piece.block);
    if (!buffer) return;
    this.#buffered.delete(piece.block);
    this.#released.add(piece.block);
    this.#spare.push(buffer);
  }

  async requireUnchanged(): Promise<void> {
    await this.#options.requireUnchanged?.();
  }

  abandon(): void {
    this.close().catch(() => undefined);
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await this.#options.close?.();
  }

  #createError(what: string): ConflictError {
    return new ConflictError(`${this.path} ${what} given with --size`, {
      code: 'wrong_length',
      hint: 'the upload is incomplete; check the program that writes the image',
    });
  }
}
