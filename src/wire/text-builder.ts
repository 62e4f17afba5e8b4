/** Builder of a text from many small pieces in a buffer of its own. */
import { Buffer } from 'node:buffer';

/**
 * Strings that are only added keep each of their pieces, at a multiple of its size: a document made of
 * nothing but references would cost forty times its length. Here code units are written side by side.
 */
export class TextBuilder {
  #units: Uint16Array;
  #length = 0;

  /** @param most code units that there can be */
  constructor(capacity: number) {
    this.#units = new Uint16Array(capacity);
  }

  /** Adds a part of another text. */
  addSlice(text: string, start: number, end: number): void {
    const units = this.#units;
    let length = this.#length;
    for (let at = start; at < end; at++) units[length++] = text.charCodeAt(at);
    this.#length = length;
  }

  /** Adds one character by its code point. */
  addCodePoint(code: number): void {
    if (code > 0xffff) {
      this.#units[this.#length++] = 0xd800 + ((code - 0x10000) >> 10);
      this.#units[this.#length++] = 0xdc00 + ((code - 0x10000) & 0x3ff);
    } else this.#units[this.#length++] = code;
  }

  toString(): string {
    const { buffer } = this.#units;
    return Buffer.from(buffer, 0, 2 * this.#length).toString('utf16le');
  }
}
