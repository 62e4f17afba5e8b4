// Takes the replies of an NBD server apart and hands each part to the request it belongs to.

import type { Wire } from './byte-reader.ts';
import { violation } from './errors.ts';
import {
  CHUNK_DONE,
  CHUNK_ERROR,
  Chunk,
  MAX_NAME,
  SIMPLE_REPLY_MAGIC,
  STRUCTURED_REPLY_MAGIC,
} from './protocol.ts';

/** What a request wants to hear. Methods throw when the server tells nonsense. */
export interface Listener {
  /** Bytes of data that a successful simple reply carries. */
  readonly simplePayload: number;
  /** Where `length` bytes of data from `offset` of the image go. */
  place(offset: number, length: number): Buffer;
  /** `length` bytes from `offset` of the image are zeros. */
  zeros(offset: number, length: number): void;
  /** Lengths and flags in turn of the runs of blocks that follow each other in a context. */
  blocks(context: number, runs: Uint32Array): void;
  /** The server tells of an error; more may follow, until `done`. */
  error(number: number, text: string): void;
  /** The reply is over. */
  done(): void;
}

const SIMPLE_HEAD = 16;
const STRUCTURED_HEAD = 20;
/** Longest chunk that has neither data nor blocks: an error with its text. */
const MAX_ERROR = MAX_NAME + 16;
/** Longest list of blocks, in bytes: a million runs. */
const MAX_BLOCKS = 8 * 2 ** 20 + 4;

/**
 * Reads replies from a wire until it ends or says something that is not allowed.
 * @param find the request with a cookie; throws when there is none
 * @param onViolation called once, with the error that ends it
 */
export function readReplies(
  wire: Wire,
  find: (cookie: number) => Listener,
  onViolation: (error: Error) => void,
): void {
  new ReplyReader(wire, find, onViolation).next();
}

class ReplyReader {
  readonly #wire: Wire;
  readonly #find: (cookie: number) => Listener;
  readonly #onViolation: (error: Error) => void;
  readonly #head = Buffer.alloc(STRUCTURED_HEAD);
  readonly #start = this.#head.subarray(0, SIMPLE_HEAD);
  readonly #rest = this.#head.subarray(SIMPLE_HEAD);
  readonly #offset = Buffer.alloc(8);
  // Bound once: they are passed on for every reply.
  readonly #onStart = () => this.#attempt(this.#begin);
  readonly #onHead = () => this.#attempt(this.#chunk);
  readonly #onOffset = () => this.#attempt(this.#data);
  readonly #onData = () => this.#attempt(this.#end);

  constructor(wire: Wire, find: (cookie: number) => Listener, onViolation: (error: Error) => void) {
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
      this.#onViolation(error as Error);
    }
  }

  #begin(): void {
    const magic = this.#head.readUInt32BE(0);
    if (magic === STRUCTURED_REPLY_MAGIC) {
      this.#wire.expect(this.#rest, this.#onHead);
      return;
    }
    if (magic !== SIMPLE_REPLY_MAGIC) throw violation('what it sends is no reply');
    const listener = this.#listener();
    const error = this.#head.readUInt32BE(4);
    if (error !== 0) {
      listener.error(error, '');
      this.#finish(listener);
    } else if (listener.simplePayload > 0) {
      const target = listener.place(-1, listener.simplePayload);
      this.#head.writeUInt16BE(CHUNK_DONE, 4);
      this.#wire.expect(target, this.#onData);
    } else {
      this.#finish(listener);
    }
  }

  #listener(): Listener {
    if (this.#head.readUInt32BE(8) !== 0) throw violation('a reply to nothing that was asked');
    return this.#find(this.#head.readUInt32BE(12));
  }

  #chunk(): void {
    const type = this.#head.readUInt16BE(6);
    const length = this.#head.readUInt32BE(16);
    const listener = this.#listener();
    if (type === Chunk.offsetData) {
      if (length <= 8) throw violation('data without data');
      this.#wire.expect(this.#offset, this.#onOffset);
      return;
    }
    const limit = type === Chunk.blockStatus ? MAX_BLOCKS : MAX_ERROR;
    if (length > limit) throw violation(`a chunk of ${length} bytes`);
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
    const target = this.#listener().place(toNumber(this.#offset.readBigUInt64BE()), length);
    this.#wire.expect(target, this.#onData);
  }

  #understand(type: number, payload: Buffer, listener: Listener): void {
    if (type >= CHUNK_ERROR) {
      if (payload.length < 6) throw violation('an error without a number');
      const length = payload.readUInt16BE(4);
      if (6 + length > payload.length) throw violation('an error longer than its chunk');
      listener.error(payload.readUInt32BE(0), payload.toString('utf8', 6, 6 + length));
    } else if (type === Chunk.offsetHole && payload.length === 12) {
      listener.zeros(toNumber(payload.readBigUInt64BE(0)), payload.readUInt32BE(8));
    } else if (type === Chunk.blockStatus && payload.length >= 12 && payload.length % 8 === 4) {
      const runs = new Uint32Array((payload.length - 4) / 4);
      for (let i = 0; i < runs.length; i++) runs[i] = payload.readUInt32BE(4 + i * 4);
      listener.blocks(payload.readUInt32BE(0), runs);
    } else if (type !== Chunk.none || payload.length > 0) {
      throw violation(`a chunk of kind ${type} with ${payload.length} bytes`);
    }
  }

  #end(): void {
    const isLast = (this.#head.readUInt16BE(4) & CHUNK_DONE) !== 0;
    if (isLast) this.#finish(this.#listener());
    else this.next();
  }

  #finish(listener: Listener): void {
    // Asked for first: what `done` begins must find the wire in order.
    this.next();
    listener.done();
  }
}

function toNumber(value: bigint): number {
  return value > BigInt(Number.MAX_SAFE_INTEGER) ? Number.POSITIVE_INFINITY : Number(value);
}
