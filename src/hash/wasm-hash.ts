/** Hashes that Node.js lacks, as WebAssembly: BLAKE2b with 32 bytes, and XXH3 with 128 bits. */
import { createBLAKE2b, createXXHash128, type IHasher } from 'hash-wasm';
import type { Digest } from './digest.ts';
import { optimizeWebAssembly } from './optimized-wasm.ts';

const programs = {
  blake2b: () => createBLAKE2b(256),
  xxh128: () => createXXHash128(),
} satisfies Record<string, () => Promise<IHasher>>;

export type WasmAlgorithm = keyof typeof programs;

/** A compiled program. It contains the state of one hash at a time. */
interface Program {
  readonly hasher: IHasher;
  current: WasmHash | undefined;
}

const loaded = new Map<WasmAlgorithm, Program>();

export function isWasmAlgorithm(algorithm: string): algorithm is WasmAlgorithm {
  return Object.hasOwn(programs, algorithm);
}

/** Compiles the program of an algorithm, if it has one. `WasmHash` requires it. */
export async function loadHash(algorithm: string): Promise<void> {
  if (!isWasmAlgorithm(algorithm) || loaded.has(algorithm)) return;
  optimizeWebAssembly();
  const hasher = await programs[algorithm]();
  if (!loaded.has(algorithm)) loaded.set(algorithm, { hasher, current: undefined });
}

export class WasmHash implements Digest {
  readonly #program: Program;
  /** The state while another hash is in the program. */
  #state: Uint8Array | undefined;

  /** Throws if the algorithm is not loaded. */
  constructor(algorithm: WasmAlgorithm) {
    const program = loaded.get(algorithm);
    if (!program) throw new Error(`${algorithm} is not loaded`);
    this.#program = program;
    program.current?.leave();
    program.current = this;
    program.hasher.init();
  }

  update(bytes: Uint8Array): this {
    this.#enter();
    this.#program.hasher.update(bytes);
    return this;
  }

  /** The digest. The hash cannot be used afterwards. */
  digest(): Buffer {
    this.#enter();
    this.#program.current = undefined;
    return Buffer.from(this.#program.hasher.digest('binary'));
  }

  /** Saves the state, so that another hash can use the program. */
  leave(): void {
    this.#state = this.#program.hasher.save();
  }

  #enter(): void {
    const { current, hasher } = this.#program;
    if (current === this) return;
    current?.leave();
    if (this.#state) hasher.load(this.#state);
    this.#program.current = this;
  }
}
