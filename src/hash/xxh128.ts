/** XXH3 with 128 bits: as fast as bytes are read, against changes that nobody made on purpose. */
import { createXXHash128, type IHasher } from 'hash-wasm';
import type { Digest } from './digest.ts';
import { optimizeWebAssembly } from './optimized-wasm.ts';

let hasher: IHasher | undefined;
/** The hash whose state is in the hasher. */
let current: Xxh128 | undefined;

/** Compiles the program of the hash; before that no `Xxh128` can be made. */
export async function loadXxh128(): Promise<void> {
  if (hasher) return;
  optimizeWebAssembly();
  hasher = await createXXHash128();
}

/** A hash under way; all of a thread share one program, which has the state of one of them. */
export class Xxh128 implements Digest {
  readonly #hasher: IHasher;
  /** The state while another hash is in the hasher. */
  #state: Uint8Array | undefined;

  /** Throws where the program is not loaded. */
  constructor() {
    if (!hasher) throw new Error('XXH128 is not loaded');
    this.#hasher = hasher;
    current?.leave();
    current = this;
    this.#hasher.init();
  }

  update(bytes: Uint8Array): this {
    this.#enter();
    this.#hasher.update(bytes);
    return this;
  }

  digest(): Buffer {
    this.#enter();
    // It ends the hash: there is no state left to be kept.
    current = undefined;
    return Buffer.from(this.#hasher.digest('binary'));
  }

  /** Takes the state out of the hasher. */
  leave(): void {
    this.#state = this.#hasher.save();
  }

  #enter(): void {
    if (current === this) return;
    current?.leave();
    if (this.#state) this.#hasher.load(this.#state);
    current = this;
  }
}
