/**
 * Splitter of a JSON list, `{"vm":[{…},{…}]}`, into lists of whole objects while it arrives. Knows of
 * JSON only where objects and strings begin and end; the pieces are read by the codec.
 */
import { responseTooLong } from './response-body.ts';

const quote = 0x22;
const backslash = 0x5c;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const openBracket = 0x5b;
const closeBracket = 0x5d;

/** Bytes of the longest object that is waited for. */
const maxObjectLength = 16 * 2 ** 20;

const empty = Buffer.alloc(0);

export class ListSplitter {
  readonly #tag: string;
  readonly #before: Buffer;
  readonly #after = Buffer.from(']}');
  /** Bytes that belong to an object which is not complete, or to what is beside the list. */
  #bytes: Buffer = empty;
  /** Up to where they have been looked at. */
  #at = 0;
  #depth = 0;
  #inString = false;
  /** Where the string began that is read, or was read last. */
  #string = 0;
  #key = '';
  /** How deep the objects of the list are; 0 outside of it. */
  #level = 0;
  #first = -1;
  #end = -1;

  /** `tag` is the member that holds the list. */
  constructor(tag: string) {
    this.#tag = tag;
    this.#before = Buffer.from(`{${JSON.stringify(tag)}:[`);
  }

  /**
   * Takes what arrived; returns a list of the objects that it completes, if any.
   * Throws `ServerError` (`answer_too_long`) for an object without an end.
   */
  push(chunk: Uint8Array): Uint8Array | undefined {
    this.#bytes =
      this.#bytes.length === 0 ? Buffer.from(chunk) : Buffer.concat([this.#bytes, chunk]);
    this.#scan();
    const items =
      this.#end < 0
        ? undefined
        : Buffer.concat([this.#before, this.#bytes.subarray(this.#first, this.#end), this.#after]);
    this.#forget();
    if (this.#bytes.length > maxObjectLength) throw responseTooLong(maxObjectLength);
    return items;
  }

  /** Whether the text has come to its end. */
  get isComplete(): boolean {
    return this.#depth === 0;
  }

  /** What has not been handed out: where a text that is not complete breaks off. */
  get left(): Uint8Array {
    return Buffer.concat([this.#before, this.#bytes]);
  }

  #scan(): void {
    const bytes = this.#bytes;
    const { length } = bytes;
    let at = this.#at;
    let inString = this.#inString;
    for (; at < length; at += 1) {
      if (inString) {
        at = this.#endOfString(at);
        if (at === length) break;
        inString = false;
        if (this.#depth === 1) this.#key = bytes.toString('utf8', this.#string + 1, at);
        continue;
      }
      const byte = bytes[at];
      if (byte === quote) {
        inString = true;
        this.#string = at;
      } else if (byte === openBrace || byte === openBracket) {
        this.#open(byte, at);
      } else if (byte === closeBrace || byte === closeBracket) {
        this.#close(at);
      }
    }
    this.#at = at;
    this.#inString = inString;
  }

  /** The quote that ends the string; the length of what there is, when it has not come yet. */
  #endOfString(from: number): number {
    const bytes = this.#bytes;
    for (let at = from; ; at += 1) {
      at = bytes.indexOf(quote, at);
      if (at < 0) return bytes.length;
      let escapes = 0;
      while (bytes[at - 1 - escapes] === backslash) escapes += 1;
      if (escapes % 2 === 0) return at;
    }
  }

  #open(byte: number, at: number): void {
    this.#depth += 1;
    const isMember = this.#depth === 2 && this.#key === this.#tag;
    // Some services write a list of one without the array.
    if (isMember) this.#level = byte === openBracket ? 3 : 2;
    if (this.#depth === this.#level && this.#first < 0) this.#first = at;
  }

  #close(at: number): void {
    if (this.#depth === this.#level) this.#end = at + 1;
    this.#depth -= 1;
    if (this.#depth < 2) this.#level = 0;
  }

  /** Drops the bytes that are not needed any more. */
  #forget(): void {
    const isOpen = this.#level > 0 && this.#depth >= this.#level;
    let from = this.#at;
    if (isOpen) from = this.#end < 0 ? this.#first : this.#nextItem();
    else if (this.#inString) from = this.#string;
    this.#bytes = this.#bytes.subarray(from);
    this.#at -= from;
    this.#string -= from;
    this.#first = isOpen ? 0 : -1;
    this.#end = -1;
  }

  /** Where the object begins that follows those which are complete. */
  #nextItem(): number {
    let at = this.#end;
    while (this.#bytes[at] !== openBrace && this.#bytes[at] !== openBracket) at += 1;
    return at;
  }
}

/** Bytes of a piece, at least, but for the last. */
const pieceSize = 64 * 1024;

/** A part of an answer that is worth reading. */
export interface Piece {
  readonly bytes: Uint8Array;
  /** There was nothing before it, and nothing comes behind it. */
  readonly isAll: boolean;
}

/**
 * What arrives, in larger pieces. The last one comes after the end of the answer: who asks for more
 * because of a short list then finds its connection free, and needs no second one.
 */
export async function* inPieces(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): AsyncGenerator<Piece> {
  let gathered: Uint8Array[] = [];
  let size = 0;
  let isAll = true;
  for await (const chunk of chunks) {
    gathered.push(chunk);
    size += chunk.length;
    if (size < pieceSize) continue;
    isAll = false;
    yield { bytes: Buffer.concat(gathered), isAll };
    gathered = [];
    size = 0;
  }
  yield { bytes: Buffer.concat(gathered), isAll };
}
