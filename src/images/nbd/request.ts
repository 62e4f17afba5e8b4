/** Pending requests to an NBD server, and the parser of their replies. */
import { toError } from '../../caught-errors.ts';
import { RangeSet } from '../../extents/range-set.ts';
import type { ByteReader } from './byte-reader.ts';
import {
  CHUNK_DONE,
  CHUNK_ERROR,
  Chunk,
  Command,
  MAX_NAME,
  protocolError,
  REQUEST_MAGIC,
  SIMPLE_REPLY_MAGIC,
  STRUCTURED_REPLY_MAGIC,
  serverError,
} from './protocol.ts';

/** Alternating lengths and flags of blocks, by the number of their context. */
export type RunsByContext = Map<number, Uint32Array>;

export interface NbdRequestOptions {
  readonly command: Command;
  readonly offset: number;
  readonly length: number;
  /** Flags of the command. */
  readonly flags?: number;
  /** Data to write, or buffer for the read data. */
  readonly buffer?: Buffer;
}

/** Verbs for error messages, by command. */
const PURPOSE: Readonly<Record<Command, string>> = {
  [Command.read]: 'read',
  [Command.write]: 'write',
  [Command.disconnect]: 'end',
  [Command.flush]: 'flush',
  [Command.writeZeroes]: 'write zeros',
  [Command.blockStatus]: 'read the block status',
};

const HEAD = 28;

/** Request that settles when the reply is complete and the buffer is no longer in use. */
export class NbdRequest implements ReplyListener {
  readonly settled: Promise<RunsByContext>;
  readonly simplePayload: number;
  readonly #parts: NbdRequestOptions;
  readonly #blocks: RunsByContext = new Map();
  #resolve: (blocks: RunsByContext) => void = () => {};
  #reject: (error: Error) => void = () => {};
  #error: Error | undefined;
  /** Received ranges, if the data arrive in several parts. */
  #parted: RangeSet | undefined;
  #received = 0;
  /** Offset of the first part of the data. */
  #firstAt = 0;
  #isSent = false;
  #isAnswered = false;
  readonly #onSettled: () => void;

  /** @param onSettled called when the reply is complete and all bytes are sent */
  constructor(parts: NbdRequestOptions, onSettled: () => void) {
    this.#parts = parts;
    this.#onSettled = onSettled;
    this.simplePayload = parts.command === Command.read ? parts.length : 0;
    this.settled = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  /** Encoded request without the data of a write. */
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

  /** Called when the socket no longer uses the buffer. */
  sent(): void {
    this.#isSent = true;
    this.#settle();
  }

  /** Called when the connection is closed and no longer uses the buffer. */
  fail(error: Error): void {
    this.#reject(error);
  }

  destination(offset: number, length: number): Buffer {
    const at = offset < 0 ? 0 : this.#check(offset, length);
    this.#count(at, length);
    const { buffer } = this.#parts;
    if (!buffer) throw protocolError('unrequested data');
    return buffer.subarray(at, at + length);
  }

  zeros(offset: number, length: number): void {
    const at = this.#check(offset, length);
    this.#count(at, length);
    this.#parts.buffer?.fill(0, at, at + length);
  }

  blocks(context: number, runs: Uint32Array): void {
    if (this.#parts.command !== Command.blockStatus) throw protocolError('unrequested blocks');
    if (this.#blocks.has(context)) throw protocolError('a context twice');
    this.#blocks.set(context, runs);
  }

  error(number: number, text: string): void {
    this.#error ??= serverError(number, PURPOSE[this.#parts.command], text);
  }

  done(): void {
    const { command, length } = this.#parts;
    const received = this.#parted?.total ?? this.#received;
    // The remaining bytes of the buffer contain data of earlier users.
    if (!this.#error && command === Command.read && received !== length) {
      throw protocolError(`${received} of ${length} bytes`);
    }
    if (this.#isAnswered) throw protocolError('two replies to one request');
    this.#isAnswered = true;
    this.#settle();
  }

  #settle(): void {
    if (!this.#isSent || !this.#isAnswered) return;
    this.#onSettled();
    if (this.#error) this.#reject(this.#error);
    else this.#resolve(this.#blocks);
  }

  /** Position in the buffer for an offset of the image. */
  #check(offset: number, length: number): number {
    const at = offset - this.#parts.offset;
    const fits = at >= 0 && length > 0 && at + length <= this.#parts.length;
    if (this.#parts.command !== Command.read || !fits) {
      throw protocolError(`${length} unrequested bytes at ${offset}`);
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
      if (this.#parted.total - before !== length) throw protocolError('the same data twice');
    } else {
      this.#firstAt = at;
    }
    this.#received += length;
  }
}

/** Receiver of the parts of a reply. Methods throw for an invalid reply. */
export interface ReplyListener {
  /** Data bytes in a successful simple reply. */
  readonly simplePayload: number;
  /** Buffer for `length` data bytes from `offset` of the image. */
  destination(offset: number, length: number): Buffer;
  /** Called for zeros: `length` bytes from `offset` of the image. */
  zeros(offset: number, length: number): void;
  /** Called for alternating lengths and flags of consecutive blocks in a context. */
  blocks(context: number, runs: Uint32Array): void;
  /** Called for an error. More calls can follow until `done`. */
  error(number: number, text: string): void;
  /** Called at the end of the reply. */
  done(): void;
}

const SIMPLE_HEAD = 16;
const STRUCTURED_HEAD = 20;
/** Maximum length of a chunk without data and blocks: an error with its text. */
const MAX_ERROR = MAX_NAME + 16;
/** Maximum length of a list of blocks in bytes: a million entries. */
const MAX_BLOCKS = 8 * 2 ** 20 + 4;

/**
 * Reads replies until the connection ends or a violation occurs.
 * @param find returns the request with a cookie; throws if none exists
 * @param onViolation called once, with the error
 */
export function readReplies(
  wire: ByteReader,
  find: (cookie: number) => ReplyListener,
  onViolation: (error: Error) => void,
): void {
  new ReplyReader(wire, find, onViolation).next();
}

class ReplyReader {
  readonly #wire: ByteReader;
  readonly #find: (cookie: number) => ReplyListener;
  readonly #onViolation: (error: Error) => void;
  readonly #head = Buffer.alloc(STRUCTURED_HEAD);
  readonly #start = this.#head.subarray(0, SIMPLE_HEAD);
  readonly #rest = this.#head.subarray(SIMPLE_HEAD);
  readonly #offset = Buffer.alloc(8);
  // Bound once, because each reply passes them.
  readonly #onStart = () => this.#attempt(this.#begin);
  readonly #onHead = () => this.#attempt(this.#chunk);
  readonly #onOffset = () => this.#attempt(this.#data);
  readonly #onData = () => this.#attempt(this.#end);

  constructor(
    wire: ByteReader,
    find: (cookie: number) => ReplyListener,
    onViolation: (error: Error) => void,
  ) {
    this.#wire = wire;
    this.#find = find;
    this.#onViolation = onViolation;
  }

  next(): void {
    this.#wire.expect(this.#start, this.#onStart);
  }

  #attempt(step: () => void): void {
    try {
      step.call(this);
    } catch (error) {
      this.#onViolation(toError(error));
    }
  }

  #begin(): void {
    const magic = this.#head.readUInt32BE(0);
    if (magic === STRUCTURED_REPLY_MAGIC) {
      this.#wire.expect(this.#rest, this.#onHead);
      return;
    }
    if (magic !== SIMPLE_REPLY_MAGIC) throw protocolError('not a reply');
    const listener = this.#listener();
    const error = this.#head.readUInt32BE(4);
    if (error !== 0) {
      listener.error(error, '');
      this.#finish(listener);
    } else if (listener.simplePayload > 0) {
      const target = listener.destination(-1, listener.simplePayload);
      this.#head.writeUInt16BE(CHUNK_DONE, 4);
      this.#wire.expect(target, this.#onData);
    } else {
      this.#finish(listener);
    }
  }

  #listener(): ReplyListener {
    if (this.#head.readUInt32BE(8) !== 0) throw protocolError('a reply without a request');
    return this.#find(this.#head.readUInt32BE(12));
  }

  #chunk(): void {
    const type = this.#head.readUInt16BE(6);
    const length = this.#head.readUInt32BE(16);
    const listener = this.#listener();
    if (type === Chunk.offsetData) {
      if (length <= 8) throw protocolError('data without data');
      this.#wire.expect(this.#offset, this.#onOffset);
      return;
    }
    const limit = type === Chunk.blockStatus ? MAX_BLOCKS : MAX_ERROR;
    if (length > limit) throw protocolError(`a chunk of ${length} bytes`);
    const payload = Buffer.alloc(length);
    this.#wire.expect(payload, () => {
      this.#attempt(() => {
        this.#understand(type, payload, listener);
        this.#end();
      });
    });
  }

  #data(): void {
    const length = this.#head.readUInt32BE(16) - 8;
    const target = this.#listener().destination(toNumber(this.#offset.readBigUInt64BE()), length);
    this.#wire.expect(target, this.#onData);
  }

  #understand(type: number, payload: Buffer, listener: ReplyListener): void {
    if (type >= CHUNK_ERROR) {
      if (payload.length < 6) throw protocolError('an error without a number');
      const length = payload.readUInt16BE(4);
      if (6 + length > payload.length) throw protocolError('an error longer than its chunk');
      listener.error(payload.readUInt32BE(0), payload.toString('utf8', 6, 6 + length));
    } else if (type === Chunk.offsetHole && payload.length === 12) {
      listener.zeros(toNumber(payload.readBigUInt64BE(0)), payload.readUInt32BE(8));
    } else if (type === Chunk.blockStatus && payload.length >= 12 && payload.length % 8 === 4) {
      const runs = new Uint32Array((payload.length - 4) / 4);
      for (let i = 0; i < runs.length; i++) runs[i] = payload.readUInt32BE(4 + i * 4);
      listener.blocks(payload.readUInt32BE(0), runs);
    } else if (type !== Chunk.none || payload.length > 0) {
      throw protocolError(`a chunk of kind ${type} with ${payload.length} bytes`);
    }
  }

  #end(): void {
    const isLast = (this.#head.readUInt16BE(4) & CHUNK_DONE) !== 0;
    if (isLast) this.#finish(this.#listener());
    else this.next();
  }

  #finish(listener: ReplyListener): void {
    // Request bytes first, because `done` can start new work on the wire.
    this.next();
    listener.done();
  }
}

function toNumber(value: bigint): number {
  return value > BigInt(Number.MAX_SAFE_INTEGER) ? Number.POSITIVE_INFINITY : Number(value);
}
