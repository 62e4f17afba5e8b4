// BLAKE2b with any digest length up to 64 bytes, which Node's crypto does not offer.
import { assembleBlake2b, type Blake2bCore, INITIAL, INPUT, INPUT_LENGTH } from './blake2b-core.ts';

const BLOCK = 128;

let shared: Blake2bCore | undefined;

/**
 * Unkeyed BLAKE2b (RFC 7693). The digest length is part of the computation: a shorter digest is
 * not the beginning of a longer one. Throws where WebAssembly is not to be had.
 */
export class Blake2b {
  readonly #core: Blake2bCore;
  readonly #digestLength: number;
  /** Chaining value between calls; the core is shared with other hashes. */
  readonly #state = new Uint8Array(64);
  /** Bytes not compressed yet. It is kept full until more come, as the last block is special. */
  readonly #pending = new Uint8Array(BLOCK);
  #pendingLength = 0;
  #compressed = 0n;

  constructor(digestLength: number) {
    shared ??= assembleBlake2b();
    this.#core = shared;
    this.#digestLength = digestLength;
    const words = new DataView(this.#state.buffer);
    // The parameter block: no key, one leaf, this digest length.
    const parameters = BigInt(0x01010000 ^ digestLength);
    for (const [i, word] of INITIAL.entries()) {
      words.setBigUint64(i * 8, i === 0 ? word ^ parameters : word, true);
    }
  }

  update(data: Uint8Array): this {
    let used = 0;
    if (this.#pendingLength > 0) {
      used = Math.min(BLOCK - this.#pendingLength, data.length);
      this.#pending.set(data.subarray(0, used), this.#pendingLength);
      this.#pendingLength += used;
      if (used === data.length) return this;
      this.#compress(this.#pending);
      this.#pendingLength = 0;
    }
    const last = used + Math.floor((data.length - used - 1) / BLOCK) * BLOCK;
    while (used < last) {
      const end = Math.min(last, used + INPUT_LENGTH);
      this.#compress(data.subarray(used, end));
      used = end;
    }
    this.#pending.set(data.subarray(used));
    this.#pendingLength = data.length - used;
    return this;
  }

  /** The digest; the hash cannot be used any more. */
  digest(): Buffer {
    this.#pending.fill(0, this.#pendingLength);
    this.#core.memory.set(this.#state, 0);
    this.#core.memory.set(this.#pending, INPUT);
    const length = BigInt(this.#pendingLength);
    this.#core.compress(INPUT, INPUT + BLOCK, this.#compressed, length, -1n);
    return Buffer.from(this.#core.memory.slice(0, this.#digestLength));
  }

  /** Takes in whole blocks that are not the last. */
  #compress(blocks: Uint8Array): void {
    const { memory, compress } = this.#core;
    memory.set(this.#state, 0);
    memory.set(blocks, INPUT);
    compress(INPUT, INPUT + blocks.length, this.#compressed, BigInt(BLOCK), 0n);
    this.#state.set(memory.subarray(0, 64));
    this.#compressed += BigInt(blocks.length);
  }
}
