/** Builder of a text from many small pieces in one buffer. */
import { Buffer } from 'node:buffer';

/**
 * Concatenated strings retain each piece with a large overhead: a document of references would take
 * forty times its length. This buffer stores the code units contiguously.
 */
export class TextBuilder {
  #units: Uint16Array;
  #length = 0;

  /** @param capacity maximum code units */
  constructor(capacity: number) {
    this.#units = new Uint16Array(capacity);
  }

  /** Appends a slice of another text. */
  addSlice(text: string, start: number, end: number): void {
    const units = this.#units;
    let length = this.#length;
    for (let at = start; at < end; at++) units[length++] = text.charCodeAt(at);
    this.#length = length;
  }

  /** Appends one code point. */
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
