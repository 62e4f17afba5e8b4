// One request to an NBD server while it is under way: what was asked, what came back.
import { RangeSet } from '../ranges.ts';
import { serverError, violation } from './errors.ts';
import { Command, REQUEST_MAGIC } from './protocol.ts';
import type { Listener } from './replies.ts';

/** Runs of blocks by the number of their context: lengths and flags in turn. */
export type BlockRuns = Map<number, Uint32Array>;

export interface RequestParts {
  readonly command: Command;
  readonly offset: number;
  readonly length: number;
  /** Flags of the command. */
  readonly flags?: number;
  /** What is written, or where what is read goes. */
  readonly buffer?: Buffer;
}

/** What the commands do, for the texts of errors. */
const PURPOSE: Readonly<Record<Command, string>> = {
  [Command.read]: 'read',
  [Command.write]: 'write',
  [Command.disconnect]: 'end',
  [Command.flush]: 'flush',
  [Command.writeZeroes]: 'write zeros',
  [Command.blockStatus]: 'tell of blocks',
};

const HEAD = 28;

/** Settles when the reply is there and nothing refers to the buffer any more. */
export class Request implements Listener {
  readonly settled: Promise<BlockRuns>;
  readonly simplePayload: number;
  readonly #parts: RequestParts;
  readonly #blocks: BlockRuns = new Map();
  #resolve: (blocks: BlockRuns) => void = () => {};
  #reject: (error: Error) => void = () => {};
  #error: Error | undefined;
  /** What came of the data, when it came in more than one part. */
  #parted: RangeSet | undefined;
  #received = 0;
  /** Where the first part of the data belongs. */
  #firstAt = 0;
  #isSent = false;
  #isAnswered = false;
  readonly #onSettled: () => void;

  /** @param onSettled called when the reply is complete and everything is sent */
  constructor(parts: RequestParts, onSettled: () => void) {
    this.#parts = parts;
    this.#onSettled = onSettled;
    this.simplePayload = parts.command === Command.read ? parts.length : 0;
    this.settled = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  /** The request as it is sent, without the data of a write. */
  head(cookie: number): Buffer {
    const { command, offset, length, flags = 0 } = this.#parts;
    const head = Buffer.allocUnsafe(HEAD);
    head.writeUInt32BE(REQUEST_MAGIC, 0);
    head.writeUInt16BE(flags, 4);
    head.writeUInt16BE(command, 6);
    head.writeUInt32BE(0, 8);
    head.writeUInt32BE(cookie, 12);
    head.writeBigUInt64BE(BigInt(offset), 16);
    head.writeUInt32BE(length, 24);
    return head;
  }

  /** The socket has let go of everything. */
  sent(): void {
    this.#isSent = true;
    this.#settle();
  }

  /** The connection is gone, and with it every reference to the buffer. */
  fail(error: Error): void {
    this.#reject(error);
  }

  place(offset: number, length: number): Buffer {
    const at = offset < 0 ? 0 : this.#check(offset, length);
    this.#count(at, length);
    const { buffer } = this.#parts;
    if (!buffer) throw violation('data that nobody asked for');
    return buffer.subarray(at, at + length);
  }

  zeros(offset: number, length: number): void {
    const at = this.#check(offset, length);
    this.#count(at, length);
    this.#parts.buffer?.fill(0, at, at + length);
  }

  blocks(context: number, runs: Uint32Array): void {
    if (this.#parts.command !== Command.blockStatus) throw violation('blocks nobody asked for');
    if (this.#blocks.has(context)) throw violation('a context told twice');
    this.#blocks.set(context, runs);
  }

  error(number: number, text: string): void {
    this.#error ??= serverError(number, PURPOSE[this.#parts.command], text);
  }

  done(): void {
    const { command, length } = this.#parts;
    const received = this.#parted?.total ?? this.#received;
    // The rest of the buffer holds bytes of whoever had it before.
    if (!this.#error && command === Command.read && received !== length) {
      throw violation(`${received} of ${length} bytes`);
    }
    if (this.#isAnswered) throw violation('two replies to one request');
    this.#isAnswered = true;
    this.#settle();
  }

  #settle(): void {
    if (!this.#isSent || !this.#isAnswered) return;
    this.#onSettled();
    if (this.#error) this.#reject(this.#error);
    else this.#resolve(this.#blocks);
  }

  /** Where in the buffer an offset of the image is. */
  #check(offset: number, length: number): number {
    const at = offset - this.#parts.offset;
    const fits = at >= 0 && length > 0 && at + length <= this.#parts.length;
    if (this.#parts.command !== Command.read || !fits) {
      throw violation(`${length} bytes at ${offset} that were not asked for`);
    }
    return at;
  }

  #count(at: number, length: number): void {
    if (this.#received > 0) {
      if (!this.#parted) {
        this.#parted = new RangeSet();
        this.#parted.add(this.#firstAt, this.#firstAt + this.#received);
      }
      const before = this.#parted.total;
      this.#parted.add(at, at + length);
      if (this.#parted.total - before !== length) throw violation('the same data twice');
    } else {
      this.#firstAt = at;
    }
    this.#received += length;
  }
}
