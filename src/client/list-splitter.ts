/**
 * Splitter of a JSON list, `{"vm":[{…},{…}]}`, into lists of complete objects while it arrives. It
 * only detects the bounds of objects and strings; the codec parses the objects.
 */
import { responseTooLong } from './response-body.ts';

const quote = 0x22;
const backslash = 0x5c;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const openBracket = 0x5b;
const closeBracket = 0x5d;

/** Maximum length of an object in bytes. */
const maxObjectLength = 16 * 2 ** 20;

const empty = Buffer.alloc(0);

export class ListSplitter {
  readonly #tag: string;
  readonly #before: Buffer;
  readonly #after = Buffer.from(']}');
  /** Bytes of an incomplete object, or of text outside the list. */
  #bytes: Buffer = empty;
  /** Offset after the last scanned byte. */
  #at = 0;
  #depth = 0;
  #inString = false;
  /** Offset of the current or last string. */
  #string = 0;
  #key = '';
  /** Depth of the objects of the list; 0 outside the list. */
  #level = 0;
  #first = -1;
  #end = -1;

  /** @param tag name of the member with the list */
  constructor(tag: string) {
    this.#tag = tag;
    this.#before = Buffer.from(`{${JSON.stringify(tag)}:[`);
  }

  /**
   * Adds a chunk. Returns a list of the objects that it completes, if any. Throws `ServerError`
   * (`answer_too_long`) for an object without an end.
   */
  push(chunk: Uint8Array): Uint8Array | undefined {
    this.#bytes =
      this.#bytes.length === 0 ? Buffer.from(chunk) : Buffer.concat([this.#bytes, chunk]);
    this.#scan();
    const items =
      this.#end < 0
        ? undefined
        : Buffer.concat([this.#before, this.#bytes.subarray(this.#first, this.#end), this.#after]);
    this.#dropProcessed();
    if (this.#bytes.length > maxObjectLength) throw responseTooLong(maxObjectLength);
    return items;
  }

  /** Whether the document is complete. */
  get isComplete(): boolean {
    return this.#depth === 0;
  }

  /** Remaining bytes, for the position of the error in an incomplete document. */
  get remainder(): Uint8Array {
    return Buffer.concat([this.#before, this.#bytes]);
  }

  #scan(): void {
    const bytes = this.#bytes;
    const { length } = bytes;
    let at = this.#at;
    let inString = this.#inString;
    for (; at < length; at += 1) {
      if (inString) {
        at = this.#findStringEnd(at);
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

  /** Offset of the closing quote, or the length of the available bytes if it has not arrived. */
  #findStringEnd(from: number): number {
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
    // Some services write a list of one item without the array.
    if (isMember) this.#level = byte === openBracket ? 3 : 2;
    if (this.#depth === this.#level && this.#first < 0) this.#first = at;
  }

  #close(at: number): void {
    if (this.#depth === this.#level) this.#end = at + 1;
    this.#depth -= 1;
    if (this.#depth < 2) this.#level = 0;
  }

  /** Drops processed bytes. */
  #dropProcessed(): void {
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

  /** Offset of the object after the complete ones. */
  #nextItem(): number {
    let at = this.#end;
    while (this.#bytes[at] !== openBrace && this.#bytes[at] !== openBracket) at += 1;
    return at;
  }
}

/** Minimum bytes of a chunk, except for the last. */
const pieceSize = 64 * 1024;

/** Part of a response to decode. */
export interface Piece {
  readonly bytes: Uint8Array;
  /** Whether this is the entire response. */
  readonly isAll: boolean;
}

/**
 * Groups chunks into larger ones. The last one is yielded after the end of the response, so that
 * the next page can reuse the connection.
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
